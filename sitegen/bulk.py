"""Bytes of which there may be very many: in pieces that nobody has joined, or in a file where they wait to be read.

A long conversation's page and exports take more memory than all else, and each is wanted once, to be written.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

_AT_ONCE: Final = 1_000_000
_PIECES_AT_ONCE: Final = 500
"""Half of what systems take with one call."""


class Source:
    """A file that is read here and there. It stays open, so what is read is the same when its name is gone."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: PTH123, SIM115 - a Path takes as long as to read a picture; closed below
        self.size = os.fstat(self._file.fileno()).st_size

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def readline(self) -> bytes:
        """The first line, or the next one."""
        return self._file.readline()

    def read(self, start: int, size: int = -1) -> bytes:
        """So many bytes from `start` on, or as many as there are."""
        return os.pread(self._file.fileno(), self.size - start if size < 0 else size, start)


class Stretch:
    """Bytes in a file, read each time they are asked for. Raises OSError when they aren't all there any more."""

    __slots__ = ("_size", "_source", "_start")

    def __init__(self, source: Source, start: int, size: int) -> None:
        self._source, self._start, self._size = source, start, size

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return b"".join(self)

    def part(self, start: int, size: int) -> Stretch:
        """So many of its bytes from `start` on."""
        return Stretch(self._source, self._start + start, size)

    def __iter__(self) -> Iterator[bytes]:
        """The same in pieces that are held one at a time."""
        end = self._start + self._size
        for at in range(self._start, end, _AT_ONCE):
            piece = self._source.read(at, min(_AT_ONCE, end - at))
            if len(piece) < min(_AT_ONCE, end - at):
                raise OSError(errno.EIO, "a file of the cache was cut short while it was read")
            yield piece


class Bulk:
    """Bytes as the pieces that they are made of; equal to the bytes themselves."""

    def __init__(self, pieces: Iterable[bytes | Bulk | Stretch]) -> None:
        self._pieces = tuple(pieces)

    @cached_property
    def _size(self) -> int:
        return sum(map(len, self._pieces))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            yield from (piece,) if isinstance(piece, bytes) else piece

    def __bytes__(self) -> bytes:
        return b"".join(self)

    def starts(self) -> dict[int, int]:
        """Where each piece begins, by its identity."""
        starts = accumulate(map(len, self._pieces), initial=0)
        return {id(piece): start for piece, start in zip(self._pieces, starts, strict=False)}

    def part(self, start: int, size: int) -> Bulky:
        """So many of its bytes from `start` on; of what stays in a file they stay there too."""
        first = self._pieces[0] if len(self._pieces) == 1 else None
        return Bulk([first.part(start, size)]) if isinstance(first, Stretch) else bytes(self)[start : start + size]

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, bytes | Bulk) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))


Bulky = bytes | Bulk


def part(data: Bulky, start: int, size: int) -> Bulky:
    """So many of the bytes from `start` on."""
    return data[start : start + size] if isinstance(data, bytes) else data.part(start, size)


def pieces(data: Bulky) -> Iterable[bytes]:
    """What must be written one after the other."""
    return (data,) if isinstance(data, bytes) else data


def sha256_of(data: Bulky) -> str:
    """The hexadecimal SHA-256."""
    found = hashlib.sha256()
    for piece in pieces(data):
        found.update(piece)
    return found.hexdigest()


def write(descriptor: int, parts: Iterable[bytes]) -> None:
    """Writes parts one after the other, many with one call: a page has hundreds. Raises OSError."""
    batch: list[bytes] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += len(part)
        if size >= _AT_ONCE or len(batch) == _PIECES_AT_ONCE:
            _write_all(descriptor, batch, size)
            batch, size = [], 0
    _write_all(descriptor, batch, size)


def _write_all(descriptor: int, batch: Sequence[bytes], size: int) -> None:
    written = os.writev(descriptor, batch) if size else 0
    left = memoryview(b"".join(batch))[written:] if written < size else memoryview(b"")
    while left:  # where there's little room; the next try tells that there is none
        left = left[os.write(descriptor, left) :]
