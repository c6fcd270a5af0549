"""The WSGI application of the preview: the files of a folder under the site's base path, as a host would serve them.

Only here does the reload script get into a page, and only on its way out: no file holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from msgspec import Struct, field

from sitegen.media import media_type
from sitegen.serve.files import Found, byte_range, find
from sitegen.serve.hosts import Judge, split_host
from sitegen.serve.notices import notice_page
from sitegen.serve.status import Status

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_METHODS: Final = ("GET", "HEAD")
_HEAD: Final = b"<head>"
_PLAIN: Final = "text/plain; charset=utf-8"
_HTML: Final = "text/html; charset=utf-8"
_ALWAYS: Final = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
_NOTICE_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)


class Answer(Struct, frozen=True):
    """One response, whole."""

    status: str
    body: bytes = b""
    kind: str = _PLAIN
    headers: tuple[tuple[str, str], ...] = ()


class Site(Struct, frozen=True):
    """Serves `root`. `status` says how the preview stands now; `is_ours` judges Host headers."""

    root: Path
    status: Callable[[], Status]
    is_ours: Judge
    script: str = field(default="/livereload.js")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = self._answer(environ)
        length = ("Content-Length", str(len(answer.body)))
        start_response(answer.status, [("Content-Type", answer.kind), length, *_ALWAYS, *answer.headers])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else answer.body]

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        host = str(environ.get("HTTP_HOST", ""))
        if not self.is_ours(host):
            return Answer("403 Forbidden", b"This preview answers under the address that it printed, and no other.\n")
        if environ["REQUEST_METHOD"] not in _METHODS:
            return Answer("405 Method Not Allowed", b"A preview is read only.\n", headers=(("Allow", "GET, HEAD"),))
        path = _decoded(environ)
        status = self.status()
        if status.problem is not None or not status.has_pages:
            return self._notice(status, host)
        if path is None:
            return self._not_found(status, host)
        base = status.base_path
        if path in ("", "/") and base != "/":
            return _to(base)
        if path + "/" == base:
            return _to(base)
        found = find(self.root, path.removeprefix(base)) if path.startswith(base) else None
        if found is None:
            return self._not_found(status, host)
        if found.is_folder:
            return _to(f"{base}{found.path}/")
        return self._file(found, environ, status, host)

    def _file(self, found: Found, environ: WSGIEnvironment, status: Status, host: str) -> Answer:
        try:
            data = found.file.read_bytes()
        except OSError:  # replaced or removed by a build just now
            return self._not_found(status, host)
        kind = media_type(found.path)
        data = self._with_script(data, status, host) if kind == _HTML else data
        header = environ.get("HTTP_RANGE")
        asked = None if header is None or "HTTP_IF_RANGE" in environ else byte_range(str(header), len(data))
        if asked is None:
            return Answer("200 OK", data, kind, (("Accept-Ranges", "bytes"),))
        if not asked:
            return Answer("416 Range Not Satisfiable", headers=(("Content-Range", f"bytes */{len(data)}"),))
        place = ("Content-Range", f"bytes {asked.start}-{asked.stop - 1}/{len(data)}")
        return Answer("206 Partial Content", data[asked.start : asked.stop], kind, (("Accept-Ranges", "bytes"), place))

    def _not_found(self, status: Status, host: str) -> Answer:
        try:
            page = (self.root / "404.html").read_bytes()
        except OSError:
            return Answer("404 Not Found", b"There is no such page.\n")
        return Answer("404 Not Found", self._with_script(page, status, host), _HTML)

    def _notice(self, status: Status, host: str) -> Answer:
        code = "503 Service Unavailable" if status.problem is None else "500 Internal Server Error"
        page = self._with_script(notice_page(status).encode("utf-8", "replace"), status, host)
        return Answer(code, page, _HTML, (("Content-Security-Policy", _NOTICE_POLICY),))

    def _with_script(self, page: bytes, status: Status, host: str) -> bytes:
        """The page with the script first in its head: there its own policy, which comes after, doesn't hold yet."""
        name, port = split_host(host) or ("", None)
        query = urlencode({"host": f"[{name}]" if ":" in name else name, "port": port or 80, "v": status.version})
        tag = f'<script src="{self.script}?{query.replace("&", "&amp;")}" defer></script>'
        return page.replace(_HEAD, _HEAD + tag.encode("ascii"), 1)


def _to(path: str) -> Answer:
    return Answer("302 Found", headers=(("Location", quote(path, safe="/:@!$&'()*+,;=~")),))


def _decoded(environ: WSGIEnvironment) -> str | None:
    """The path as text; None when it isn't any. WSGI hands its bytes over as Latin-1."""
    try:
        return str(environ.get("PATH_INFO", "")).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None
