"""A static web server for tests, as dumb as the hosts that sites end up on, under any base path."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ServeFolder = Callable[..., str]


class _Handler(SimpleHTTPRequestHandler):
    base = "/"

    def translate_path(self, path: str) -> str:
        """A path outside the base is a path to nothing."""
        inner = urlsplit(path).path
        if not inner.startswith(self.base):
            return str(Path(self.directory) / "no such file")
        return super().translate_path("/" + inner[len(self.base) :])

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Wrong addresses get the site's own page, as GitHub Pages does it."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    """One that a browser's many connections at once don't overrun."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that closes a connection early is no event."""


@contextmanager
def serving(folder: Path, *, base: str = "/") -> Iterator[str]:
    """Serves `folder` under `base` and gives the address, which ends in `/`."""
    handler = type("Handler", (_Handler,), {"base": base})
    server = Server(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{base}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def serve_folder() -> Iterator[ServeFolder]:
    """`serve_folder(folder, base=…)`: the address of a server that ends when the test's pages are closed."""
    with ExitStack() as servers:
        yield lambda folder, *, base="/": servers.enter_context(serving(folder, base=base))
