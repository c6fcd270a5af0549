"""Where a site can be checked: in a folder, in a zip that anyone may have made, or where it's published."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from sitegen.archive.manifest import UNLISTED, Entry, hash_stream
from sitegen.errors import OutputError, RefusedError, SitegenError
from sitegen.output.plan import check_path, fold

_MOST_UNPACKED = 1_000_000_000
_MOST_RATIO = 200
_LARGEST_DIRECTORY = 256_000_000
_END = b"PK\x05\x06"
_LONGEST_END = 22 + 65_535
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What reading a damaged or hostile zip raises."""


class PlaceError(SitegenError):
    """A place that can't be read at all."""


class UnsafeError(RefusedError):
    """A zip that was made to do harm, and isn't read."""


class Place(Protocol):
    """What is asked of a place."""

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Names that are unsafe, each with a sentence."""

    def names(self) -> set[str] | None:
        """All files there; None when nobody can tell."""

    def read(self, name: str, limit: int) -> bytes | None:
        """The bytes of a small file; None when there is none. Raises PlaceError when it's larger than `limit`."""

    def look(self, name: str, expected: Entry) -> Entry | str | None:
        """The entry of a file, as far as it matters to compare it; None when it isn't there, a reason why not."""


class FolderPlace(Struct):
    """A folder on disk. Links in it aren't followed."""

    root: Path
    faults: list[tuple[str, str]] = field(default_factory=list)

    def names(self) -> set[str]:
        found = set()
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            below = Path(folder).relative_to(self.root)
            found |= {(below / name).as_posix() for name in files}
            found |= {(below / name).as_posix() for name in folders if (Path(folder) / name).is_symlink()}
        return found

    def read(self, name: str, limit: int) -> bytes | None:
        file = self.root / name
        if not file.is_file() or file.is_symlink():
            return None
        if file.stat().st_size > limit:
            raise PlaceError(f"{file} is larger than {limit:,} bytes")
        return file.read_bytes()

    def look(self, name: str, expected: Entry) -> Entry | str | None:
        file = self.root / name
        parts = name.split("/")
        if any((self.root.joinpath(*parts[:end])).is_symlink() for end in range(1, len(parts) + 1)):
            return "it is a symbolic link, or lies behind one"
        if not file.is_file():
            return "there is a folder of that name" if file.is_dir() else None
        try:
            with file.open("rb") as stream:
                return hash_stream(stream.read, limit=expected.size)
        except OSError as error:
            return (error.strerror or str(error)).lower()


class ZipPlace(Struct):
    """A zip. Nothing is unpacked; no file is read further than its manifest says it's long."""

    archive: zipfile.ZipFile
    faults: list[tuple[str, str]]
    _infos: Mapping[str, zipfile.ZipInfo]

    @classmethod
    @contextmanager
    def open(cls, file: Path) -> Iterator[ZipPlace]:
        """The zip at `file`. Raises PlaceError when it isn't one, or would unpack to something monstrous."""
        try:
            _refuse_directory(file)
            archive = zipfile.ZipFile(file)
        except OSError as error:
            raise PlaceError(f"{file} can't be read: {(error.strerror or str(error)).lower()}") from error
        except _BROKEN as error:
            raise PlaceError(f"{file} can't be read as a zip: {error}") from error
        with archive:
            infos = archive.infolist()
            _refuse_bomb(infos, file.stat().st_size)
            faults = list(_faults(infos))
            unsafe = {name for name, _ in faults}
            yield cls(archive, faults, {each.filename: each for each in infos if each.filename not in unsafe})

    def names(self) -> set[str]:
        return {name for name in self._infos if not name.endswith("/")}

    def read(self, name: str, limit: int) -> bytes | None:
        info = self._infos.get(name)
        if info is None:
            return None
        if info.file_size > limit:
            raise PlaceError(f"{name} in the zip is larger than {limit:,} bytes")
        try:
            with self.archive.open(info) as entry:
                return entry.read(limit + 1)
        except _BROKEN as error:
            raise PlaceError(f"{name} in the zip can't be unpacked: {error}") from error

    def look(self, name: str, expected: Entry) -> Entry | str | None:
        info = self._infos.get(name)
        if info is None:
            return None
        if info.file_size != expected.size:
            return Entry("", info.file_size)
        try:
            with self.archive.open(info) as entry:
                return hash_stream(entry.read, limit=expected.size)
        except _BROKEN as error:
            return f"it can't be unpacked ({error})"


def _refuse_directory(file: Path) -> None:
    """Raise PlaceError when the zip's list of files is itself too long to be read into memory."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        stream.seek(max(0, size - _LONGEST_END))
        tail = stream.read()
    at = tail.rfind(_END)
    listed = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    # In a large zip the field is full and the length stands elsewhere; then the file's own size is the bound.
    if min(listed, size) > _LARGEST_DIRECTORY:
        raise UnsafeError(f"{file} isn't read: its list of files alone takes {min(listed, size):,} bytes")


def _refuse_bomb(infos: list[zipfile.ZipInfo], size: int) -> None:
    unpacked = sum(info.file_size for info in infos)
    if unpacked > _MOST_UNPACKED and unpacked > _MOST_RATIO * size:
        raise UnsafeError(
            f"the zip isn't read: it would unpack to {unpacked:,} bytes, {unpacked // size:,} times its size"
        )


def _faults(infos: list[zipfile.ZipInfo]) -> Iterator[tuple[str, str]]:
    """Names that lead elsewhere, stand there twice, or aren't plain files."""
    counts = Counter(fold(info.filename) for info in infos)
    for info in infos:
        name = info.orig_filename
        try:
            if name not in UNLISTED:
                check_path(name.removesuffix("/"))
        except OutputError as error:
            yield info.filename, str(error)
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        if counts[fold(info.filename)] > 1:
            yield info.filename, "it is there more than once, so programs will read different files"
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            yield info.filename, "it isn't a plain file, so unpacking it could lead elsewhere"
        elif info.flag_bits & 1:
            yield info.filename, "it is encrypted"
