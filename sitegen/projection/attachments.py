"""Reads the files that a projection's attachments name, and none that it has no business to name.

A projection may come from anyone: a path that leads out of the projection's folder, or to a hidden, configuration, key
or database file within it, is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Final

from sitegen.model import Attachment
from sitegen.values import parse_object

SIZE_LIMIT: Final = 50 * 1024 * 1024
"""Bytes of the largest file that is read."""

_PRIVATE_SUFFIXES: Final = frozenset(
    {".db", ".duckdb", ".env", ".kdbx", ".key", ".p12", ".pem", ".pfx", ".sqlite", ".toml", ".wal"}
)
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-fA-F]{64})")


def locate(folder: Path, storage_path: str) -> Path | str:
    """The real file that `storage_path` names, or in words why it may not be read. Nothing is opened."""
    if "\0" in storage_path:
        return "its path can't be a path"
    try:
        base = folder.resolve()
        place = (base / storage_path).resolve()
    except (OSError, RuntimeError, ValueError):
        return "its path leads nowhere"
    if not place.is_relative_to(base):
        return "its path leads out of the projection's folder"
    inner = place.relative_to(base)
    if any(part.startswith(".") for part in inner.parts) or place.suffix.lower() in _PRIVATE_SUFFIXES:
        return "its path names a private file"
    return place


def attachment(
    folder: Path,
    *,
    filename: str | None,
    media_type: str | None,
    storage_path: str | None,
    content_hash: str | None,
    size_bytes: int | None,
    metadata: str | None,
) -> Attachment:
    """The attachment of one row, with its bytes when they are at hand and else with the reason why they aren't."""
    data, missing = _read(folder, storage_path, content_hash)
    extracted = parse_object(metadata)
    text = extracted.get("extracted_text", extracted.get("extracted_content"))
    known_reason = extracted.get("missing")
    if not storage_path and isinstance(known_reason, str):
        missing = known_reason
    return Attachment(
        filename=filename,
        media_type=media_type,
        size_bytes=len(data) if data is not None else size_bytes,
        content_hash=content_hash,
        storage_path=storage_path,
        extracted_text=text if isinstance(text, str) else None,
        data=data,
        missing=missing,
    )


def _read(folder: Path, storage_path: str | None, content_hash: str | None) -> tuple[bytes | None, str | None]:
    if not storage_path:
        return None, "the projection holds no copy of it"
    place = locate(folder, storage_path)
    if isinstance(place, str):
        return None, place
    try:
        status = place.stat()
        if not stat.S_ISREG(status.st_mode):
            return None, "its path doesn't name a file"
        if status.st_size > SIZE_LIMIT:
            return None, f"it is larger than {SIZE_LIMIT // 1024**2} MB"
        data = place.read_bytes()
    except FileNotFoundError:
        return None, "its file is gone"
    except OSError as error:
        return None, f"its file can't be read ({os.strerror(error.errno or 0)})"
    expected = _SHA256.fullmatch(content_hash or "")
    if expected and hashlib.sha256(data).hexdigest() != expected[1].lower():
        return None, "its file isn't the one that was attached"
    return data, None
