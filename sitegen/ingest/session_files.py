"""What sources have in common that write a file a session: finding the files, and handles that name them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from sitegen.errors import IngestError
from sitegen.ingest.records import Handle


def find_files(location: str, find: Callable[[Path], Iterable[Path]], *, expected: str, named: str) -> list[Path]:
    """What `find` finds at a path, by name. IngestError says what was `expected` in it, or what can be `named`."""
    path = Path(location).expanduser()
    if not path.exists():
        raise IngestError(f"{path} doesn't exist. Name {named}.")
    try:
        # Not resolved: a link to a session is that session, where the link stands.
        files = sorted(set(find(Path(os.path.abspath(path)))), key=os.fsencode)  # noqa: PTH100
    except OSError as error:
        raise IngestError(f"{error.filename or path} can't be read: {error.strerror}.") from error
    if not files:
        raise IngestError(f"{path} holds no sessions: expected {expected}.")
    return files


def handle_of(file: Path, *, native_id: str, qualifier: str) -> Handle:
    """The handle of a session that is a file. Raises OSError."""
    stat = file.stat()
    return Handle(
        native_id=native_id,
        location=shown(file),
        path=file,
        qualifier=qualifier,
        size_bytes=stat.st_size,
        modified_at=stat.st_mtime,
    )


def path_of(handle: Handle) -> Path:
    """The file of a handle."""
    return handle.path or Path(handle.location)


def shown(name: str | Path) -> str:
    """A file's name as text: Linux allows names that are none."""
    return os.fsencode(name).decode(errors="replace")
