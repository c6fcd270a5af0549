"""Packs files into a zip whose bytes depend on theirs alone: sorted, one time, one mode, one way to compress."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from sitegen.errors import OutputError, UsageError

EPOCH = "SOURCE_DATE_EPOCH"
_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, 23, 59, 58, tzinfo=UTC)
_MODE = (stat.S_IFREG | 0o644) << 16
_PACKED = frozenset(
    {
        *("avif", "bin", "gif", "gz", "jpeg", "jpg", "mp3", "mp4", "ogg", "pagefind", "png", "webm", "webp", "woff"),
        *("woff2", "xz", "zip", "zst"),
    }
)
"""Ends of names of files that are compressed as they are."""

Time = tuple[int, int, int, int, int, int]


def archive_time(environ: Mapping[str, str] = os.environ) -> Time:
    """The time of all entries: SOURCE_DATE_EPOCH's as far as a zip can hold it, else 1980. Raises UsageError."""
    text = environ.get(EPOCH, "")
    if not text:
        return _as_time(_FIRST)
    try:
        seconds = int(text)
    except ValueError:
        msg = f"{EPOCH} is “{text[:40]}”, and should be a number of seconds since 1970"
        raise UsageError(msg) from None
    earliest, latest = _FIRST.timestamp(), _LAST.timestamp()
    return _as_time(datetime.fromtimestamp(min(max(seconds, earliest), latest), UTC))


def _as_time(moment: datetime) -> Time:
    return (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


def pack(target: Path, folder: Path, paths: Iterable[str], *, extras: Mapping[str, bytes], time: Time) -> None:
    """Write the files at `paths` below `folder`, and `extras`, into the zip at `target`, whole or not at all.

    No more than a piece of one file is held in memory. Raises OutputError.
    """
    names = sorted({*paths, *extras})
    try:
        _replace(target, lambda file: _write(file, folder, names, extras=extras, time=time))
    except OSError as error:
        msg = f"{target} can't be written: {(error.strerror or str(error)).lower()}"
        raise OutputError(msg) from error


def _replace(target: Path, write: Callable[[Path], None]) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(file: Path, folder: Path, names: Iterable[str], *, extras: Mapping[str, bytes], time: Time) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            if name in extras:
                with archive.open(_info(name, len(extras[name]), time), "w") as entry:
                    entry.write(extras[name])
                continue
            with (folder / name).open("rb") as source:
                size = os.fstat(source.fileno()).st_size
                with archive.open(_info(name, size, time), "w") as entry:
                    shutil.copyfileobj(source, entry, 1 << 20)


def _info(name: str, size: int, time: Time) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time)
    info.create_system = 3  # Unix, wherever it's made: the mode counts then
    info.external_attr = _MODE
    info.file_size = size
    is_packed = name.rpartition(".")[2].lower() in _PACKED or name.endswith((".pf_index", ".pf_fragment", ".pf_meta"))
    info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    return info
