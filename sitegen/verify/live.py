"""A published site as a place to check: one request after the other, at its own address only, and no byte too many."""

from __future__ import annotations

import html
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO, TypeVar
from urllib.parse import unquote, urlsplit

from sitegen import __version__
from sitegen.archive.manifest import Entry, hash_stream
from sitegen.errors import UsageError
from sitegen.urls import SITEMAP, Urls
from sitegen.verify.places import PlaceError

_TIMEOUT_S = 30
_TRIES = 3
_LONGEST_WAIT_S = 30
_LARGEST_SITEMAP = 50_000_000
_GONE = frozenset({404, 410})
_BUSY = frozenset({429, 502, 503, 504})
_LOCATION = re.compile(rb"<loc>\s*([^<]{1,4000}?)\s*</loc>")


T = TypeVar("T")


class _UnansweredError(PlaceError):
    """A file that the server won't give."""


class _StaysWithin(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to the same host and below the base path."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if not _is_below(newurl, self._base_url):
            raise PlaceError(f"{req.full_url} leads elsewhere, to {newurl[:200]}; check that address instead")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(slots=True)
class LivePlace:
    """The site at `base_url`, which ends in `/`."""

    base_url: str
    sleep: Callable[[float], None] = time.sleep
    faults: list[tuple[str, str]] = field(default_factory=list)
    _opener: urllib.request.OpenerDirector = field(init=False)

    def __post_init__(self) -> None:
        self._opener = urllib.request.build_opener(_StaysWithin(self.base_url))
        self._opener.addheaders = [("User-Agent", f"sitegen-verify/{__version__}"), ("Cache-Control", "no-cache")]

    def names(self) -> set[str] | None:
        """Nobody can list a site; what its sitemap names is there, and what the parts of a large one do."""
        data = self._get(SITEMAP, lambda response: response.read(_LARGEST_SITEMAP))
        if data is None:
            return None
        paths = self._paths_in(data)
        if b"<sitemapindex" in data:
            parts = (self._get(part, lambda response: response.read(_LARGEST_SITEMAP)) for part in sorted(paths))
            paths |= {path for part in parts if part is not None for path in self._paths_in(part)}
        return {f"{path}index.html" if path.endswith("/") or not path else path for path in paths}

    def _paths_in(self, sitemap: bytes) -> set[str]:
        urls = (html.unescape(each.decode("utf-8", "replace")) for each in _LOCATION.findall(sitemap))
        return {unquote(url[len(self.base_url) :]) for url in urls if url.startswith(self.base_url)}

    def read(self, name: str, limit: int) -> bytes | None:
        def within(response: HTTPResponse) -> bytes:
            data = response.read(limit + 1)
            if len(data) > limit:
                raise PlaceError(f"{response.url} is larger than {limit:,} bytes")
            return data

        return self._get(name, within)

    def look(self, name: str, expected: Entry) -> Entry | str | None:
        try:
            return self._get(name, lambda response: hash_stream(response.read, limit=expected.size))
        except _UnansweredError as error:
            return str(error)

    def _get(self, name: str, read: Callable[[HTTPResponse], T]) -> T | None:
        """What `read` makes of the answer; None when there is no such file.

        Raises _UnansweredError when the server refuses this file, PlaceError when it can't be reached.
        """
        url = Urls(self.base_url).absolute(name) or ""
        for tries_left in reversed(range(_TRIES)):
            try:
                with self._opener.open(url, timeout=_TIMEOUT_S) as response:
                    return read(response)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code in _GONE:
                        return None
                    if error.code not in _BUSY or not tries_left:
                        raise _UnansweredError(f"the server answers with {error.code} {error.reason}") from error
                    wait = _wait(error.headers.get("Retry-After"))
            except (OSError, HTTPException) as error:
                if not tries_left:
                    reason = getattr(error, "reason", None) or error
                    raise PlaceError(f"{url} can't be read: {reason}") from error
                wait = 1.0
            self.sleep(wait)
        raise AssertionError(url)


def _wait(asked: str | None) -> float:
    """Seconds to wait before asking again: as long as the server says, within reason."""
    return float(min(int(asked), _LONGEST_WAIT_S)) if asked and asked.isdecimal() else 2.0


def base_of(url: str) -> str:
    """The address that a site's files are below of. Raises UsageError when it can't be one."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if "@" in parts.netloc:
        msg = "an address to check can't hold a user or a password; name it without them"
        raise UsageError(msg)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        msg = f"{url[:200]} isn't the address of a site, such as https://ann.github.io/talks/"
        raise UsageError(msg)
    path = parts.path.removesuffix("index.html")
    return f"{parts.scheme}://{parts.netloc}{path if path.endswith('/') else path + '/'}"


def _is_below(url: str, base_url: str) -> bool:
    return url.startswith(base_url) and ".." not in unquote(url)
