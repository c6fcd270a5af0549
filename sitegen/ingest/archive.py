"""An export as it was downloaded: a zip, the folder it was unpacked to, or one file of it.

Nothing is ever unpacked to where an entry's name says; names only tell which entry is which.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final, cast

from msgspec import Struct, field

from sitegen.errors import IngestError
from sitegen.ingest.session_files import shown

_ENCRYPTED: Final = 1
_SUSPICIOUS_BYTES: Final = 100 << 20
_SUSPICIOUS_RATIO: Final = 500
_LEAST_KEY: Final = 8
"""Shorter beginnings of names tell no file from another."""
_ZIP_ERRORS: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError, KeyError, ValueError),
)
_SEPARATOR: Final = re.compile(r"[-.]")


class Entry(Struct, frozen=True):
    """A file of an export. `location` is its path for people; of an entry in a zip, with the zip's before it."""

    name: str
    location: str
    size_bytes: int
    modified_at: float | None
    path: Path
    info: zipfile.ZipInfo | None = None
    """Of an entry in a zip: which."""
    archive: zipfile.ZipFile | None = None

    @property
    def base(self) -> str:
        """The last part of the name."""
        return self.name.rsplit("/", 1)[-1]

    def open(self) -> IO[bytes]:
        """The file, to be read. Raises OSError, whatever is wrong with it or its zip."""
        if self.archive is None or self.info is None:
            return self.path.open("rb")
        return cast("IO[bytes]", _ZipReader(self.archive, self.info))


def list_entries(location: str, *, expected: str) -> list[Entry]:
    """All files of the export at a path, by name. Raises IngestError; `expected` says what it should have been."""
    path = Path(location).expanduser()
    if not path.exists():
        raise IngestError(f"{path} doesn't exist. Name {expected}.")
    try:
        if path.is_dir():
            return sorted(_folder_entries(path), key=lambda entry: entry.name)
        if zipfile.is_zipfile(path):
            return sorted(_zip_entries(path), key=lambda entry: entry.name)
        if path.suffix.lower() == ".zip":
            raise IngestError(f"{path} isn't a zip, or is cut short. Download it again.")
        return [_file_entry(path, path.name)]
    except OSError as error:
        raise IngestError(f"{path} can't be read: {error.strerror or error}.") from error


def _folder_entries(folder: Path) -> Iterator[Entry]:
    for path in folder.rglob("*"):
        name = shown(path.relative_to(folder).as_posix())
        # A link may lead out of the export, to files that are nobody else's business.
        if not path.is_symlink() and path.is_file() and not re.search(r"(^|/)\.", name):
            yield _file_entry(path, name)


def _file_entry(path: Path, name: str) -> Entry:
    stat = path.stat()
    return Entry(name, shown(path.absolute()), stat.st_size, stat.st_mtime, path)


def _zip_entries(path: Path) -> Iterator[Entry]:
    stat = path.stat()
    try:
        # Stays open as long as its entries are there: its list is long, and read anew each time it is opened.
        archive = zipfile.ZipFile(path)
        infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise IngestError(f"{path} is no zip that can be read: {error}. Download it again.") from error
    # Of two entries of one name the last counts, as for any program that unpacks.
    files = list({info.filename: info for info in infos if not info.is_dir()}.values())
    if files and all(info.flag_bits & _ENCRYPTED for info in files):
        raise IngestError(f"{path} is protected by a password. Unpack it, and name the folder.")
    zips = [info.filename for info in files if info.filename.lower().endswith(".zip")]
    if zips and len(zips) == len(files):
        raise IngestError(f"{path} holds only other zips ({', '.join(zips[:3])}). Unpack it, and name one of them.")
    for info in files:
        name = info.filename.replace("\\", "/").lstrip("/")
        yield Entry(name, f"{shown(path.absolute())}/{name}", info.file_size, stat.st_mtime, path, info, archive)


class _ZipReader(io.RawIOBase):
    """Reads one entry of a zip. What zips can fail with becomes OSError."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        _refuse_trap(info)
        try:
            self._entry = archive.open(info)
        except _ZIP_ERRORS as error:
            raise _as_os_error(error) from error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            return self._entry.read(size)
        except _ZIP_ERRORS as error:
            raise _as_os_error(error) from error

    def close(self) -> None:
        if not self.closed:
            self._entry.close()
        super().close()


def _refuse_trap(info: zipfile.ZipInfo) -> None:
    if info.file_size > _SUSPICIOUS_BYTES and info.file_size > _SUSPICIOUS_RATIO * max(info.compress_size, 1):
        raise OSError(
            f"it would unpack to {info.file_size >> 20} MB, {info.file_size // max(info.compress_size, 1):,} times its "
            "size in the zip, as only traps do"
        )


def _as_os_error(error: Exception) -> OSError:
    if isinstance(error, RuntimeError) and "encrypted" in str(error):
        return OSError("it is protected by a password")
    return OSError(f"the zip is damaged: {error}")


# ------------------------------------------------------------------------------------------------------------- files


class FileIndex(Struct):
    """Finds the file of an export that an id or a name means."""

    _by_beginning: dict[str, Entry] = field(default_factory=dict)
    _by_name: dict[str, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> FileIndex:
        """The index of all entries but the conversations themselves."""
        index = cls()
        for entry in entries:
            base = entry.base.lower()
            for separator in _SEPARATOR.finditer(base):
                if separator.start() >= _LEAST_KEY:
                    index._by_beginning.setdefault(base[: separator.start()], entry)
            index._by_beginning.setdefault(base, entry)
            # A bare name is only trusted where an export keeps its files, not in a folder of somebody's downloads.
            if entry.info is not None or re.match(r"(?:files|attachments|uploads)/", entry.name):
                index._by_name.setdefault(base, entry)
        return index

    def by_id(self, name: str) -> Entry | None:
        """The file whose name is or begins with this id."""
        return self._by_beginning.get(name.lower()) if len(name) >= _LEAST_KEY else None

    def by_name(self, name: str) -> Entry | None:
        """The file of exactly this name."""
        return self._by_name.get(name.replace("\\", "/").rsplit("/", 1)[-1].lower())

    def __len__(self) -> int:
        return len(self._by_beginning)
