"""What was rendered, kept between builds under `.sitegen/cache/`: any frozen dataclass by a hexadecimal key.

Safe to delete at any time, and from several processes at once. An entry that is missing, damaged or of an older shape
is simply not there. Entries hold what pages show before any gate, so they are readable by their owner only.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, chain, count
from pathlib import Path
from typing import Final, TypeVar, cast

from msgspec import Struct

from sitegen.bulk import Source, Stretch, pieces, write
from sitegen.output.codec import UNUSABLE, Blobs, Views, codec_for
from sitegen.output.layout import TEMPORARY_PREFIX

T = TypeVar("T")

_MAGIC = b"sitegen cache 1"
_SUFFIX = ".entry"
_KEY = re.compile(r"[0-9a-f]{8,128}")
_serial = count()
_HELD: Final = 16_000_000
"""Bytes of an entry. Of a larger one, what the codec lets stay in the file is read when it's wanted."""


class Cache(Struct, frozen=True):
    """The cache in `folder`, which need not be there. It can be sent to another process."""

    folder: Path

    def get(self, key: str, kind: type[T]) -> T | None:
        """The value of that type under `key`; None when there is none that can be used."""
        try:
            return _decode(Source(f"{self.folder}/{_name(key)}"), kind)
        except (OSError, zlib.error, *UNUSABLE):
            return None

    def put(self, key: str, value: object) -> bool:
        """Keep `value` under `key`. False when it couldn't be kept, which costs the next build some time only."""
        return self._store(self._path(key), _encode(value))

    def leave(self, key: str, value: T) -> T:
        """Keep `value` under `key`, and return it as it is read again: of a large one much may stay in the file."""
        if self.put(key, value):
            with suppress(OSError):  # it may be deleted at any time
                if self._path(key).stat().st_size > _HELD:
                    return self.get(key, type(value)) or value
        return value

    def _store(self, path: Path, parts: Iterable[bytes]) -> bool:
        temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{next(_serial)}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                write(descriptor, parts)
            finally:
                os.close(descriptor)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            return False
        return True

    def has(self, key: str) -> bool:
        """Whether there is an entry under `key`; it may still turn out to be unusable."""
        return self._path(key).is_file()

    def prune(self, used: Collection[str]) -> int:
        """Remove every entry whose key isn't in `used`, so that what a share no longer shows leaves no trace.

        Returns how many went. Call it when no other process is putting entries.
        """
        keep = {f"{key}{_SUFFIX}" for key in used}
        stale = [Path(path) for name, path in self._files() if name not in keep]
        stale = [path for path in stale if _is_entry(path)]
        for path in stale:
            with suppress(OSError):
                path.unlink()
                path.parent.rmdir()
        return len(stale)

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every entry as it is stored, by its key: to be taken to another machine's cache."""
        for path in sorted(self.folder.glob(f"??/*{_SUFFIX}")):
            with suppress(OSError):
                yield f"{path.parent.name}{path.name.removesuffix(_SUFFIX)}", path.read_bytes()

    def restore(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Keep entries as another machine stored them, by their keys."""
        for key, data in entries:
            self._store(self._path(key), [data])

    def _files(self) -> Iterator[tuple[str, str]]:
        """The path of every file, with the name that an entry of its key has; cheap, for there may be very many."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for folder in list(os.scandir(self.folder)):
                if len(folder.name) == 2 and folder.is_dir(follow_symlinks=False):
                    yield from ((folder.name + file.name, file.path) for file in os.scandir(folder))

    def _path(self, key: str) -> Path:
        return self.folder / _name(key)


def _name(key: str) -> str:
    if not _KEY.fullmatch(key):
        msg = f"a cache key is 8 to 128 lower-case hexadecimal digits, not {key!r}"
        raise ValueError(msg)
    return f"{key[:2]}/{key[2:]}{_SUFFIX}"


def _is_entry(path: Path) -> bool:
    return path.name.endswith(_SUFFIX) or path.name.startswith(TEMPORARY_PREFIX)


def _encode(value: object) -> Iterator[bytes]:
    """Header line, compressed JSON, then the blobs as they are: images don't compress, and for long texts that only
    pass through, packing and parsing would take most of the time there is for a page.

    In parts, for put together they would be in memory a second time.
    """
    codec = codec_for(type(value))
    blobs: Blobs = []
    # "surrogatepass" keeps lone surrogates as they are; JSON's escapes would join two of them into one character.
    text = json.dumps(codec.encode(value, blobs), ensure_ascii=False, separators=(",", ":"))
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
    header = [codec.digest, _checksum(_parts(packed, blobs)), len(packed), *map(len, blobs)]
    return chain([b"%b %b\n" % (_MAGIC, json.dumps(header).encode())], _parts(packed, blobs))


def _checksum(parts: Iterable[bytes]) -> int:
    """Of these bytes one after the other."""
    found = 0
    for part in parts:
        found = zlib.crc32(part, found)
    return found


def _parts(packed: bytes, blobs: Blobs) -> Iterator[bytes]:
    return chain([packed], *map(pieces, blobs))


def _decode(source: Source, kind: type[T]) -> T:
    codec = codec_for(kind)
    line = source.readline()
    if not line.startswith(_MAGIC + b" "):
        msg = "not an entry"
        raise ValueError(msg)
    digest, checksum, *lengths = json.loads(line[len(_MAGIC) :])
    size = source.size - len(line)
    blobs, found = (_all if size <= _HELD else _left)(source, len(line), lengths)
    if digest != codec.digest or checksum != found or sum(lengths) != size:
        msg = "an entry of another shape, or a damaged one"
        raise ValueError(msg)
    text = zlib.decompress(bytes(blobs[0])).decode("utf-8", "surrogatepass")
    return cast("T", codec.decode(json.loads(text), blobs[1:]))


def _all(source: Source, start: int, lengths: Sequence[int]) -> tuple[Views, int]:
    """What stands in an entry from `start` on, read at once and cut into these lengths; and its checksum."""
    body = memoryview(source.read(start))
    views = [body[end - length : end] for length, end in zip(lengths, accumulate(lengths), strict=True)]
    return views, zlib.crc32(body)


def _left(source: Source, start: int, lengths: Sequence[int]) -> tuple[Views, int]:
    """Likewise, but left in the file."""
    checksum = _checksum(Stretch(source, start, source.size - start))
    starts = accumulate(lengths, initial=start)
    return [Stretch(source, at, length) for length, at in zip(lengths, starts, strict=False)], checksum
