"""One build at a time: a lock on the site's state and one on the output folder, both let go when the process ends.

Workers forked during a build share its locks, so an output stays locked until the last of them is gone. What is locked
is the open file; a lock file left behind means nothing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sitegen.errors import BusyError
from sitegen.output.failures import as_output_error
from sitegen.output.layout import LOCK_FILE


@contextmanager
def hold(state_folder: Path, *, output: Path | str) -> Iterator[None]:
    """Hold both locks. Raises BusyError when another build has one, naming its process where that can be known.

    `output` is locked only if it is there already; call `Folder.open` within. A bucket knows no locks.
    """
    with ExitStack() as stack:
        stack.enter_context(_lock_file(state_folder / LOCK_FILE))
        if isinstance(output, Path) and output.is_dir():
            stack.enter_context(_lock_folder(output))
        yield


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise as_output_error(error, path) from error
    try:
        if not _try_lock(descriptor):
            raise _busy(path.parent, _pid_in(descriptor) or _pid_of_holder(descriptor))
        with suppress(OSError):  # the number is a courtesy
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise as_output_error(error, folder) from error
    try:
        if not _try_lock(descriptor):
            raise _busy(folder, _pid_of_holder(descriptor))
        yield
    finally:
        os.close(descriptor)


def _busy(place: Path, pid: int | None) -> BusyError:
    who = "another process" if pid is None else f"process {pid}"
    return BusyError(f"Another build is using {place} ({who}). Wait until it has finished, or end it, and build again.")


def _try_lock(descriptor: int) -> bool:
    """False when another process has it. True without a lock where the file system or the platform knows none."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _pid_in(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None


def _pid_of_holder(descriptor: int) -> int | None:
    """From the kernel's table of locks, where it has one (Linux)."""
    inode = os.fstat(descriptor).st_ino
    with suppress(OSError):
        for line in Path("/proc/locks").read_text("ascii", "replace").splitlines():
            found = re.search(r"FLOCK\s+ADVISORY\s+WRITE\s+(\d+)\s+\w+:\w+:(\d+)\s", line)
            if found and int(found[2]) == inode:
                return int(found[1])
    return None
