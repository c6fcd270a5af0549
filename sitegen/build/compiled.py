"""Keeps compiled templates between builds, for compiling them takes a tenth of a build after one change.

Only the owner's private folder is written. An entry that is damaged, or can't be kept, is compiled anew.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from sitegen.errors import OutputError
from sitegen.output.writer import replace_file
from sitegen.pages import templates


class CompiledTemplates(BytecodeCache):
    """Jinja's cache in a folder. An entry is of one template, compiled from one source by one version in one way."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Jinja looks at the source alone; how it's set up decides too what becomes of it.
        way = Path(templates.__file__).read_bytes() + jinja2.__version__.encode()
        self._way = hashlib.sha256(way).hexdigest()[:16]

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket when there is an entry that is whole and of the same source."""
        with suppress(OSError):
            stored = self._path(bucket).read_bytes()
            seal, code = stored[:_SEAL_BYTES], stored[_SEAL_BYTES:]
            if hashlib.sha256(code).digest() == seal:
                bucket.load_bytecode(BytesIO(code))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        data = BytesIO()
        bucket.write_bytecode(data)
        code = data.getvalue()
        with suppress(OSError, OutputError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(self._path(bucket), hashlib.sha256(code).digest() + code)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}-{self._way}"


_SEAL_BYTES = hashlib.sha256().digest_size
