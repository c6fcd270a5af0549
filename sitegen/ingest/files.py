"""Keeps the files that messages refer to beside the projection, each once, under the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from msgspec.structs import replace

from sitegen.ingest.records import AttachmentRecord

MAX_FILE_BYTES: Final = 1 << 30
"""A larger file isn't copied; its row says so."""
_CHUNK_BYTES: Final = 1 << 20


class FileStore:
    """The folder `<projection>.files`, made with its first file. Its files are never changed and never removed."""

    def __init__(self, projection: Path) -> None:
        # A hidden folder would never be read: whoever builds a site mustn't publish what is hidden.
        self._root = projection.parent / f"{projection.name.lstrip('.') or 'projection'}.files"

    def keep(self, record: AttachmentRecord) -> AttachmentRecord:
        """The record with its file copied; with the reason in its metadata where there is none to copy."""
        if record.opener is None:
            return record
        try:
            digest, size_bytes = self._copy(record.opener)
        except OSError as error:
            return missing(record, f"it couldn't be copied: {error.strerror or error}")
        place = f"{self._root.name}/{digest[:2]}/{digest}"
        return replace(record, opener=None, storage_path=place, content_hash=digest, size_bytes=size_bytes)

    def _copy(self, opener: Callable[[], IO[bytes]]) -> tuple[str, int]:
        self._root.mkdir(parents=True, exist_ok=True)
        with opener() as source, tempfile.NamedTemporaryFile(dir=self._root, delete=False) as copy:
            try:
                digest, size_bytes = _pour(source, copy)
                copy.close()
                self._settle(Path(copy.name), digest)
            except BaseException:
                Path(copy.name).unlink(missing_ok=True)
                raise
        return digest, size_bytes

    def _settle(self, copy: Path, digest: str) -> None:
        place = self._root / digest[:2] / digest
        place.parent.mkdir(exist_ok=True)
        if place.exists():
            copy.unlink()
        else:
            os.chmod(copy, 0o644)  # noqa: PTH101 - a temporary file is its maker's alone
            copy.replace(place)


def missing(record: AttachmentRecord, reason: str) -> AttachmentRecord:
    """The record of a file that isn't there, with the reason."""
    return replace(record, opener=None, metadata={**(record.metadata or {}), "missing": reason})


def _pour(source: IO[bytes], copy: IO[bytes]) -> tuple[str, int]:
    digest, size_bytes = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK_BYTES):
        size_bytes += len(chunk)
        if size_bytes > MAX_FILE_BYTES:
            raise OSError(f"it is larger than {MAX_FILE_BYTES >> 30} GB")
        digest.update(chunk)
        copy.write(chunk)
    return digest.hexdigest(), size_bytes
