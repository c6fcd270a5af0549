"""Text files of the configuration, replaced whole and while nobody else does."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from sitegen.errors import OutputError

PRIVATE_FOLDER: Final = ".sitegen"
IGNORE_ALL: Final = "*\n"
LOCK_WAIT_S: Final = 10.0


def replace_text(path: Path, text: str, *, was: str | None, mode: int | None = None) -> None:
    """Replace a file at once, keeping its mode unless one is given; `was` is what it must still hold, None nothing.

    Raises OutputError when it can't be written or holds something else by now.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise OutputError(f"{path} can't be changed: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o7777 if mode is None else mode)
        if (path.read_bytes() if path.exists() else None) != (None if was is None else was.encode()):
            raise OutputError(f"{path} was changed by another program just now; nothing was written, please try again")
        Path(name).replace(path)
    except OSError as error:
        raise OutputError(f"{path} can't be changed: {error.strerror}") from None
    finally:
        Path(name).unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Makes the folder of secrets and of what builds keep, so that it stays out of every repository.

    Raises OutputError when it can't be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x", encoding="utf-8") as file:
            file.write(IGNORE_ALL)
    except OSError as error:
        raise OutputError(f"{folder} can't be written: {error.strerror}") from None


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the file's lock, waiting some seconds for another process to let it go."""
    try:
        if path.parent.name == PRIVATE_FOLDER:
            make_private_folder(path.parent)
        file = path.open("a+b")
    except OSError as error:
        raise OutputError(f"{path} can't be written: {error.strerror}") from None
    with file:
        _wait_for(file, path)
        yield  # closing the file lets the lock go


def _wait_for(file: IO[bytes], path: Path) -> None:
    import time

    deadline = time.monotonic() + LOCK_WAIT_S
    while not _try_lock(file):
        if time.monotonic() > deadline:
            raise OutputError(f"another sitegen is changing the configuration (it holds {path}); try again")
        time.sleep(0.02)


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
