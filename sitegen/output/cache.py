"""What was rendered, kept between builds under `.sitegen/cache/`: any frozen dataclass by a hexadecimal key.

Safe to delete at any time, and from several processes at once. An entry that is missing, damaged or of an older shape
is simply not there. Entries hold what pages show before any gate, so they are readable by their owner only.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import accumulate, chain, count
from pathlib import Path
from typing import Final, TypeVar, cast

import msgspec
from msgspec import Struct

from sitegen.bulk import Source, Stretch, pieces, write
from sitegen.output.codec import UNUSABLE, Blobs, Views, codec_for
from sitegen.output.layout import TEMPORARY_PREFIX

T = TypeVar("T")

_MAGIC = b"sitegen cache 3"
_SUFFIX = ".entry"
_KEY = re.compile(r"[0-9a-f]{8,128}")
_serial = count()
_HELD: Final = 16_000_000
"""Bytes of an entry. Of a larger one, what the codec lets stay in the file is read when it's wanted."""
_LEFT: Final = 64_000_000
"""Bytes of an entry whose value is let go of when it is kept, for reading it again takes half as long as writing it."""


class Cache(Struct, frozen=True):
    """The cache in `folder`, which need not be there. It can be sent to another process."""

    folder: Path

    def get(self, key: str, kind: type[T]) -> T | None:
        """The value of that type under `key`; None when there is none that can be used."""
        try:
            return _decode(Source(f"{self.folder}/{_name(key)}"), kind, key)
        except (OSError, zlib.error, *UNUSABLE):
            return None

    def put(self, key: str, value: object) -> bool:
        """Keep `value` under `key`. False when it couldn't be kept, which costs the next build some time only."""
        parts, header = _encode(value)
        return self._store(self._path(key), lambda file: _fill(file, parts, header, seed=_seed(key)))

    def leave(self, key: str, value: T) -> T:
        """Keep `value` under `key`, and return it as it is read again: of a large one much may stay in the file."""
        if self.put(key, value):
            with suppress(OSError):  # it may be deleted at any time
                source = Source(str(self._path(key)))
                if source.size > _LEFT:
                    return _decode(source, type(value), key, is_checked=False)  # nobody has had it meanwhile
        return value

    def _store(self, path: Path, fill: Callable[[int], None]) -> bool:
        """Has an entry written into a descriptor, and puts it in its place. False when that failed."""
        folder = path.parent
        temporary = f"{folder}/{TEMPORARY_PREFIX}{os.getpid()}-{next(_serial)}"
        try:
            try:
                descriptor = _create(temporary)
            except FileNotFoundError:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                folder.mkdir(exist_ok=True, mode=0o700)
                descriptor = _create(temporary)
            try:
                fill(descriptor)
            finally:
                os.close(descriptor)
            os.replace(temporary, path)  # noqa: PTH105 - as much of the time would be pathlib's
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            return False
        return True

    def has(self, key: str) -> bool:
        """Whether there is an entry under `key`; it may still turn out to be unusable."""
        return self._path(key).is_file()

    def prune(self, used: Collection[str]) -> int:
        """Remove every entry whose key isn't in `used`, so that what a share no longer shows leaves no trace.

        Returns how many went. Call it when no other process is putting entries.
        """
        keep = {_place(key) for key in used}
        stale = [Path(path) for name, path in self._files() if name not in keep]
        stale = [path for path in stale if _is_entry(path)]
        for path in stale:
            with suppress(OSError):
                path.unlink()
                path.parent.rmdir()
        return len(stale)

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every entry as it is stored, by its key: to be taken to another machine's cache."""
        for path in sorted(self.folder.glob(f"?/*{_SUFFIX}")):
            with suppress(OSError):
                yield f"{path.parent.name}{path.name.removesuffix(_SUFFIX)}", path.read_bytes()

    def restore(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Keep entries as another machine stored them, by their keys."""
        for key, data in entries:
            self._store(self._path(key), partial(write, parts=[data]))

    def _files(self) -> Iterator[tuple[str, str]]:
        """Where in the cache each file is, and its path; cheap, for there may be very many.

        Also those of earlier versions, whose folders had names of two digits.
        """
        with suppress(FileNotFoundError, NotADirectoryError):
            for folder in list(os.scandir(self.folder)):
                if len(folder.name) <= 2 and folder.is_dir(follow_symlinks=False):
                    yield from ((f"{folder.name}/{file.name}", file.path) for file in os.scandir(folder))

    def _path(self, key: str) -> Path:
        return self.folder / _name(key)


def _create(file: str) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def _name(key: str) -> str:
    if not _KEY.fullmatch(key):
        msg = f"a cache key is 8 to 128 lower-case hexadecimal digits, not {key!r}"
        raise ValueError(msg)
    return _place(key)


def _place(key: str) -> str:
    """In one of few folders: to make one may take longer than to write an entry."""
    return f"{key[:1]}/{key[1:]}{_SUFFIX}"


def _seed(key: str) -> int:
    """What the checksum of an entry begins with: a file that got another one's name is no entry."""
    return zlib.crc32(key.encode())


def _is_entry(path: Path) -> bool:
    return path.name.endswith(_SUFFIX) or path.name.startswith(TEMPORARY_PREFIX)


def _fill(descriptor: int, parts: Iterable[bytes], header: Header, *, seed: int) -> None:
    """Writes an entry, and over its first line once more when its checksum is known."""
    checksum = _Checksum(seed)
    write(descriptor, chain([header(0)], checksum.of(parts)))
    os.pwrite(descriptor, header(checksum.found), 0)


def _encode(value: object) -> tuple[Iterator[bytes], Header]:
    """Compressed fields, then the blobs as they are: images don't compress, and for long texts that only pass through,
    packing and parsing would take most of the time there is for a page. And the header line that comes before.

    In parts, for put together they would be in memory a second time.
    """
    codec = codec_for(type(value))
    blobs: Blobs = []
    packed = zlib.compress(_pack(codec.encode(value, blobs)), 1)

    def header(checksum: int) -> bytes:
        line = [codec.digest, f"{checksum:08x}", len(packed), *map(len, blobs)]
        return b"%b %b\n" % (_MAGIC, msgspec.json.encode(line))

    return chain([packed], *map(pieces, blobs)), header


Header = Callable[[int], bytes]
"""The first line of an entry, of the same length whatever the checksum is: it's known when all is written."""


def _pack(fields: object) -> bytes:
    """A list of plain values as MessagePack, or as JSON, which takes any text and any number."""
    try:
        return msgspec.msgpack.encode(fields)
    except (UnicodeEncodeError, OverflowError, TypeError):
        # "surrogatepass" keeps lone surrogates as they are; JSON's escapes would join two of them into one character.
        text = json.dumps(fields, ensure_ascii=False, default=datetime.isoformat)
        return text.encode("utf-8", "surrogatepass")


def _unpack(packed: bytes) -> object:
    if packed.startswith(b"["):  # no list of MessagePack does
        return json.loads(packed.decode("utf-8", "surrogatepass"))
    return msgspec.msgpack.decode(packed)


class _Checksum:
    """That of bytes as they pass through."""

    def __init__(self, seed: int) -> None:
        self.found = seed

    def of(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        for part in parts:
            self.found = zlib.crc32(part, self.found)
            yield part


def _decode(source: Source, kind: type[T], key: str, *, is_checked: bool = True) -> T:
    codec = codec_for(kind)
    line = source.readline()
    if not line.startswith(_MAGIC + b" "):
        msg = "not an entry"
        raise ValueError(msg)
    digest, checksum, *lengths = msgspec.json.decode(line[len(_MAGIC) :])
    size = source.size - len(line)
    if size <= _HELD:
        blobs, found = _all(source, len(line), lengths, seed=_seed(key))
    else:
        blobs, found = _left(source, len(line), lengths, seed=_seed(key), is_checked=is_checked)
    if digest != codec.digest or (is_checked and checksum != f"{found:08x}") or sum(lengths) != size:
        msg = "an entry of another shape, or a damaged one"
        raise ValueError(msg)
    return cast("T", codec.decode(_unpack(zlib.decompress(bytes(blobs[0]))), blobs[1:]))


def _all(source: Source, start: int, lengths: Sequence[int], *, seed: int) -> tuple[Views, int]:
    """What stands in an entry from `start` on, read at once and cut into these lengths; and its checksum."""
    body = memoryview(source.read(start))
    views = [body[end - length : end] for length, end in zip(lengths, accumulate(lengths), strict=True)]
    return views, zlib.crc32(body, seed)


def _left(source: Source, start: int, lengths: Sequence[int], *, seed: int, is_checked: bool) -> tuple[Views, int]:
    """Likewise, but left in the file."""
    checksum = seed
    for piece in Stretch(source, start, source.size - start) if is_checked else ():
        checksum = zlib.crc32(piece, checksum)
    starts = accumulate(lengths, initial=start)
    return [Stretch(source, at, length) for length, at in zip(lengths, starts, strict=False)], checksum
