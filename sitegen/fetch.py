"""Brings a file from an address to this computer, unless it's here as it is there. Half a download is never used.

https comes by Python's own client, all other kinds (s3, gs, az, …) by fsspec and the package that knows them.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from sitegen.errors import OutputError, ProjectionError

TOKEN: Final = "SITEGEN_SOURCE_TOKEN"  # noqa: S105 - the name of a variable
_TIMEOUT_S: Final = 60.0
_CHUNK: Final = 1 << 20
_PACKAGES: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_REASONS: Final = {
    401: f"it asks for a password or token; put a token into {TOKEN}",
    403: f"it may not be read; when it's private, put a token into {TOKEN}",
    404: "there is no such file",
    410: "there is no such file any more",
}


def fetch(address: str, copy: Path, *, environ: Mapping[str, str] = os.environ) -> bool:
    """Makes `copy` what stands at the address, and tells whether it wasn't yet.

    Raises ProjectionError when it can't be had, and leaves an earlier copy as it was; OutputError when it can't be
    kept.
    """
    known = _known_mark(copy)
    with _told(address, copy):
        if urlsplit(address).scheme in ("http", "https"):
            return _over_http(address, copy, known, token=environ.get(TOKEN, ""))
        return _over_fsspec(address, copy, known)


def forget(copy: Path) -> None:
    """Have the copy fetched anew next time, whatever the server says of it."""
    with contextlib.suppress(OSError):
        _note_file(copy).unlink(missing_ok=True)


def shown(address: str) -> str:
    """The address as messages may name it: what follows a question mark can be a password."""
    return address.partition("?")[0].partition("#")[0]


# ----------------------------------------------------------------------------------------------------------- https


def _over_http(address: str, copy: Path, known: str, *, token: str) -> bool:
    request = urllib.request.Request(address, headers={"Accept": "application/octet-stream"})  # noqa: S310 - see config
    request.add_header("User-Agent", "sitegen")
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")  # for this host, not for the next one
    kind, _, value = known.partition(" ")
    if kind in _CONDITIONS and value:
        request.add_header(_CONDITIONS[kind], value)
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310
            _hold_to_https(address, response.url)
            mark = _mark_of(response)
            if mark and mark == known:
                return False
            _keep(copy, mark, lambda target: _download(response, target))
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 304:  # not modified
                return False
            raise
    return True


def _hold_to_https(address: str, arrived: str) -> None:
    """What was asked for by https mustn't come from where a redirect leaves it."""
    if urlsplit(address).scheme == "https" and urlsplit(arrived).scheme != "https":
        msg = "it redirects to plain http, where others could read and change it"
        raise ConnectionError(msg)


_CONDITIONS: Final = {"etag": "If-None-Match", "modified": "If-Modified-Since"}


def _mark_of(response: HTTPResponse) -> str:
    """What tells this version of the file from others; "" when the server doesn't say."""
    etag, modified = response.headers.get("ETag", ""), response.headers.get("Last-Modified", "")
    return f"etag {etag}" if etag else f"modified {modified}" if modified else ""


def _download(response: HTTPResponse, target: _Sink) -> None:
    size = response.headers.get("Content-Length", "")
    got = 0
    while data := response.read(_CHUNK):
        target.write(data)
        got += len(data)
    if size.isdigit() and got != int(size) and not response.headers.get("Content-Encoding"):
        msg = f"the connection ended after {got} of {size} bytes"
        raise ConnectionError(msg)


# ---------------------------------------------------------------------------------------------------------- fsspec


def _over_fsspec(address: str, copy: Path, known: str) -> bool:
    from fsspec.core import url_to_fs

    files, path = url_to_fs(address)
    files.invalidate_cache()
    facts = files.info(path)
    if facts.get("type") == "directory":
        raise IsADirectoryError(path)
    mark = _mark_in(facts)
    if mark and mark == known:
        return False
    _keep(copy, mark, lambda target: _copy_whole(files, path, target, size=facts.get("size")))
    return True


def _mark_in(facts: Mapping[str, Any]) -> str:
    for key in ("ETag", "etag", "LastModified", "mtime", "updated", "last_modified"):
        if facts.get(key):
            return f"{key.lower()} {facts[key]} {facts.get('size')}"
    return ""


def _copy_whole(files: Any, path: str, target: _Sink, *, size: int | None) -> None:
    got = 0
    with files.open(path, "rb") as source:
        while data := source.read(_CHUNK):
            target.write(data)
            got += len(data)
    if size is not None and got != size:
        msg = f"it ended after {got} of {size} bytes"
        raise ConnectionError(msg)


# -------------------------------------------------------------------------------------------------------- the copy


class _Note(Struct, frozen=True):
    """What is noted beside a copy. The size tells whether the copy is the one that the note is about."""

    mark: str
    size: int


class _KeepingError(Exception):
    """The copy can't be written; the cause says why."""


def _note_file(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.json")


def _known_mark(copy: Path) -> str:
    """The mark of the copy that is here; "" when there is none, or it isn't what it was."""
    try:
        note = _Note(**json.loads(_note_file(copy).read_text("utf-8")))
        return note.mark if copy.stat().st_size == note.size else ""
    except (OSError, ValueError, TypeError):
        return ""


def _keep(copy: Path, mark: str, write: Callable[[_Sink], None]) -> None:
    """Writes a file beside the copy and puts it in its place once it's whole; the note comes last."""
    with _kept(copy), tempfile.NamedTemporaryFile(dir=copy.parent, prefix=".part-", delete=False) as target:
        part = Path(target.name)
    try:
        with part.open("wb") as target:
            write(_Sink(target))
            with _kept(copy):
                target.flush()
                os.fsync(target.fileno())
        with _kept(copy):
            _note_file(copy).unlink(missing_ok=True)
            part.replace(copy)
            _note_file(copy).write_text(json.dumps({"mark": mark, "size": copy.stat().st_size}), "utf-8")
    finally:
        part.unlink(missing_ok=True)


class _Sink:
    """A file whose failures aren't taken for those of the network."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target

    def write(self, data: bytes) -> int:
        try:
            return self._target.write(data)
        except OSError as error:
            raise _KeepingError from error


@contextlib.contextmanager
def _kept(copy: Path) -> Iterator[None]:
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise _KeepingError from error


# -------------------------------------------------------------------------------------------------------- failures


@contextlib.contextmanager
def _told(address: str, copy: Path) -> Iterator[None]:
    """Every failure as a sentence that says what to do, and whether there is an earlier copy."""
    try:
        yield
    except _KeepingError as error:
        cause = error.__cause__
        why = cause.strerror if isinstance(cause, OSError) else str(cause)
        raise OutputError(f"{shown(address)} can't be kept in {copy.parent}: {why}") from None
    except Exception as error:
        msg = f"{shown(address)} can't be fetched: {_reason(error, address)}{_earlier(copy)}"
        raise ProjectionError(msg) from error


def _reason(error: Exception, address: str) -> str:
    match error:
        case urllib.error.HTTPError():
            return _REASONS.get(error.code, f"the server answered {error.code} {error.reason}")
        case FileNotFoundError():
            return _REASONS[404]
        case IsADirectoryError():
            return "it's a folder; name a file"
        case PermissionError():
            return "it may not be read; are the credentials in the environment?"
        case ImportError() | ValueError() if package := _lacking(error, address):
            return f"that needs a package; run “pip install {package}”"
        case urllib.error.URLError():
            return f"the server can't be reached ({_words(error.reason)})"
        case OSError() | HTTPException():
            return f"the connection failed ({_words(error)})"
        case _:
            return f"{type(error).__name__}: {_words(error)}"


def _lacking(error: Exception, address: str) -> str:
    """The package that is missing for this kind of address; "" when something else is wrong."""
    scheme = urlsplit(address).scheme
    if isinstance(error, ImportError):
        return "fsspec" if error.name == "fsspec" and scheme not in _PACKAGES else _PACKAGES.get(scheme, "fsspec")
    return _PACKAGES.get(scheme, "") if "not known" in str(error).lower() else ""


def _words(error: object) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _earlier(copy: Path) -> str:
    """Never used unasked: what was taken back since might still be in it."""
    try:
        when = datetime.fromtimestamp(copy.stat().st_mtime, UTC)
    except OSError:
        return ""
    return (
        f". There is a copy of {when:%Y-%m-%d %H:%M} UTC; to use it all the same, name it under [source]: "
        f'projection = "{copy}"'
    )
