"""Stamps: what the file system says of a file without reading it. Equal stamps mean an untouched file.

Light on purpose: the no-op path takes thousands of them.
"""

from __future__ import annotations

import os
import time
import zlib

Stamp = tuple[int, int, int, int]
"""Size, time of modification, time of change of the inode (both in nanoseconds), inode."""

ABSENT: Stamp = (-1, 0, 0, 0)
"""The stamp of what isn't there, which is a fact too: a write-ahead file may appear."""

UNSURE: Stamp = (-2, 0, 0, 0)
"""Equal to no stamp: whoever compares it looks at the content."""

_TICK_NS = 20_000_000
_SECOND_NS = 1_000_000_000
_INODE_MASK = (1 << 63) - 1  # SQLite's integers are signed; some file systems number inodes beyond
_PASSING = ("__pycache__",)


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a stat result."""
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino & _INODE_MASK)


def stamp_output(path: str | os.PathLike[str]) -> Stamp:
    """The stamp of an output file, which must stand there itself: links aren't followed."""
    try:
        return stamp_of(os.lstat(path))
    except (OSError, ValueError):
        return ABSENT


def stamp_input(path: str) -> Stamp:
    """The stamp of an input; a path that ends with "/" is a folder and stamped by the names in it."""
    if path.endswith("/"):
        return _stamp_names(path)
    try:
        return stamp_of(os.stat(path))  # noqa: PTH116 - pathlib is too heavy for the no-op path
    except (OSError, ValueError):
        return ABSENT


def settled_stamp(path: str) -> Stamp:
    """The stamp of an input, once a later change can't hide behind the same time: clocks of file systems tick in steps.

    UNSURE where they tick too slowly to wait for, and for times yet to come.
    """
    stamp = stamp_input(path)
    if stamp == ABSENT:
        return stamp
    age = time.time_ns() - max(stamp[1], stamp[2])
    coarse = stamp[1] % _SECOND_NS == 0 and stamp[2] % _SECOND_NS == 0
    if age >= (2 * _SECOND_NS if coarse else _TICK_NS):
        return stamp
    if coarse or age < 0:
        return UNSURE
    time.sleep((_TICK_NS - age) / _SECOND_NS)
    return stamp_input(path)


def _stamp_names(folder: str) -> Stamp:
    """By names, not by times: Python's own caches change a source folder's time and nothing that matters."""
    try:
        names = sorted(name for name in os.listdir(folder) if name not in _PASSING and not name.startswith("."))  # noqa: PTH208
    except OSError:
        return ABSENT
    joined = "\0".join(names).encode("utf-8", "surrogateescape")
    return (len(names), zlib.crc32(joined), zlib.adler32(joined), 0)
