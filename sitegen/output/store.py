"""The objects below one prefix of a bucket: what stands there, putting, taking away; several at a time.

Every object we put carries a mark in its metadata, so that one alone tells whether it is ours and what it holds. A
store can be sent to another process; each process makes its own connection, with credentials from its own environment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from sitegen.bulk import sha256_of
from sitegen.errors import OutputError
from sitegen.output.dotfile import line_for
from sitegen.output.failures import as_store_error
from sitegen.output.layout import DOT_FILE
from sitegen.output.plan import check_path
from sitegen.stamps import Stamp

if TYPE_CHECKING:
    from s3fs import S3FileSystem

T = TypeVar("T")
R = TypeVar("R")

_AT_ONCE = 16
_MARK = "sitegen"
_DIGITS = 15  # of an MD5 sum, so that it fits SQLite's integers


class Standing(Struct, frozen=True):
    """An object as it stands. `sha256` is known without reading it when we put it there: then it is ours."""

    stamp: Stamp
    sha256: str | None


class Store(Struct, frozen=True):
    """A bucket, or a folder in one: `s3://bucket/prefix`, without a slash at its end."""

    url: str

    def listing(self) -> dict[str, Stamp]:
        """Stamps of all objects, by path. A request for each thousand."""
        with self._told():
            found = self._files.find(self._key(""), detail=True, refresh=True)
        cut = len(self._key("")) + 1
        return {key[cut:]: _stamp(entry["size"], entry.get("ETag", "")) for key, entry in found.items() if key[cut:]}

    def look(self, path: str) -> Standing | None:
        """What stands at a path; None: nothing. Raises OutputError."""
        bucket, _, prefix = self.url.removeprefix("s3://").partition("/")
        key = f"{prefix}/{path}".removeprefix("/")
        with self._told():
            try:
                head = self._files.call_s3("head_object", Bucket=bucket, Key=key)
            except FileNotFoundError:
                return None
        line, _, sha256 = head.get("Metadata", {}).get(_MARK, "").partition(" ")
        is_marked = line != "" and line_for(path, sha256) == line
        return Standing(_stamp(head["ContentLength"], head.get("ETag", "")), sha256 if is_marked else None)

    def look_at_all(self, paths: Iterable[str]) -> dict[str, Standing | None]:
        """What stands at each of these paths."""
        paths = list(paths)
        return dict(zip(paths, _spread(self.look, paths), strict=True))

    def read(self, path: str) -> bytes:
        """The bytes at a path. Raises FileNotFoundError, or OutputError for all else."""
        with self._told():
            try:
                return bytes(self._files.cat_file(self._key(path)))
            except FileNotFoundError as error:
                gone = error
        raise gone

    def copy_to(self, folder: Path) -> None:
        """Copies everything into a folder. Raises OutputError, also for a path that would lead out of it."""
        paths = [path for path in self.listing() if path != DOT_FILE]
        for path in paths:
            check_path(path)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        _spread(lambda path: (folder / path).write_bytes(self.read(path)), paths)

    def put(self, documents: Iterable[tuple[str, bytes]]) -> list[Stamp]:
        """Put objects, each whole or not at all, and return their stamps. Raises OutputError."""
        return _spread(self._put, list(documents))

    def remove(self, paths: Iterable[str]) -> dict[str, str]:
        """Take objects away. Returns the reasons of those that may still be there."""
        paths = list(paths)
        reasons = _spread(self._remove, paths)  # one by one: deleting in bulk doesn't tell what failed
        return {path: reason for path, reason in zip(paths, reasons, strict=True) if reason is not None}

    def _remove(self, path: str) -> str | None:
        try:
            with self._told():
                self._files.rm_file(self._key(path))
        except OutputError as error:
            return str(error)
        return None

    def _put(self, document: tuple[str, bytes]) -> Stamp:
        from sitegen.media import cache_control, media_type

        path, data = document
        sha256 = sha256_of(data)
        mark = {_MARK: f"{line_for(path, sha256)} {sha256}"}
        with self._told():
            kind, keeping = media_type(path), cache_control(path)
            self._files.pipe_file(self._key(path), data, ContentType=kind, CacheControl=keeping, Metadata=mark)
        return stamp_of_bytes(data)

    def _key(self, path: str) -> str:
        return f"{self.url.removeprefix('s3://')}/{path}".rstrip("/")

    @property
    def _files(self) -> S3FileSystem:
        try:
            import s3fs
        except ImportError:
            msg = f"{self.url} is a bucket, which needs s3fs; install it with: pip install 'sitegen[s3]'"
            raise OutputError(msg) from None
        # Instances are kept by fsspec, one for the same arguments. Without its listings: others may write here too.
        return s3fs.S3FileSystem(use_listings_cache=False)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            raise
        except Exception as error:
            raise as_store_error(error, self.url) from error


def stamp_of_bytes(data: bytes) -> Stamp:
    """The stamp of an object that holds these bytes and was put in one piece."""
    return _stamp(len(data), hashlib.md5(data, usedforsecurity=False).hexdigest())


def _stamp(size: int, etag: str) -> Stamp:
    """Size and the beginning of the MD5 sum; an object put in parts has none, and must be looked at."""
    digits = etag.strip('"')
    is_sum = len(digits) == 32 and all(each in "0123456789abcdef" for each in digits)
    return (size, int(digits[:_DIGITS], 16) if is_sum else -1, 0, 0)


def _spread(work: Callable[[T], R], items: list[T]) -> list[R]:
    """Each item's result, several at a time: a request mostly waits."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(_AT_ONCE, len(items))) as threads:
        return list(threads.map(work, items))
