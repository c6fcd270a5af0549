"""The file system below the output folder, with links never followed: what stands where, hashing, removing.

Every path is relative to the root, with `/`, and has passed `plan.check_path` or comes from a walk.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path

from sitegen.stamps import Stamp, stamp_of


class Kind(Enum):
    """What stands at a path, itself."""

    NOTHING = auto()
    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    OTHER = auto()


def look_at(path: Path | str) -> tuple[Kind, Stamp | None]:
    """What stands at `path`, with its stamp. Raises OSError but for what isn't there."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Kind.NOTHING, None
    return _kind(status.st_mode), stamp_of(status)


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER


def parents(path: str) -> list[str]:
    """The folders above `path`, the outermost first: "a/b/c" → "a", "a/b"."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def is_within(root: Path, path: str) -> bool:
    """Whether all folders above `path` are real ones, so that acting on it acts within `root`."""
    return all(look_at(root / parent)[0] is Kind.FOLDER for parent in parents(path))


def hash_file(path: Path | str) -> str:
    """The hexadecimal SHA-256 of a file's content, links not followed. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def walk(root: Path, below: str = "") -> Iterator[tuple[str, Kind]]:
    """All that stands under `root`/`below` but folders, in order. Links aren't entered."""
    try:
        with os.scandir(root / below) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from walk(root, path)
        else:
            yield path, _kind(entry.stat(follow_symlinks=False).st_mode)


def remove_tree(root: Path, below: str) -> None:
    """Remove the folder `root`/`below` with its files and folders. Raises OSError."""
    for folder, _, files in os.walk(root / below, topdown=False):
        for name in files:
            Path(folder, name).unlink()
        Path(folder).rmdir()


def remove_empty_parents(root: Path, path: str) -> None:
    """Remove the folders above a removed file that are empty now, up to the root, which stays."""
    for parent in reversed(parents(path)):
        try:
            (root / parent).rmdir()
        except OSError:
            return
