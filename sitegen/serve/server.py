"""The server of the preview: livereload's protocol and script around our own application, and a timer that looks.

One thread answers; builds run in another, so that pages can be read meanwhile.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from livereload.handlers import LiveReloadHandler, LiveReloadJSHandler
from livereload.watcher import Watcher
from tornado.httpserver import HTTPServer
from tornado.ioloop import PeriodicCallback
from tornado.web import Application, FallbackHandler, HTTPError
from tornado.wsgi import WSGIContainer

from sitegen.errors import OutputError
from sitegen.serve.app import Site
from sitegen.serve.hosts import Judge, is_own_origin, judge_for
from sitegen.serve.options import ServeOptions
from sitegen.serve.preview import Preview

_LOOK_MS: Final = 60
_PORTS: Final = 50
_LAST_WORDS_S: Final = 2.0


def listen(options: ServeOptions) -> tuple[list[socket.socket], int]:
    """Sockets that listen at the host, and their port: the one asked for, or the next that is free.

    Raises OutputError when the host isn't this computer's, or none of fifty ports is free.
    """
    for port in range(options.port, min(options.port + _PORTS, 65536)):
        try:
            sockets = _bind(options.host, port)
        except socket.gaierror:
            raise OutputError(f"There is no host {options.host}; name an address of this computer.") from None
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                reason = (error.strerror or str(error)).lower()
                raise OutputError(f"Nothing can listen at {options.host}: {reason}. Name another --host.") from None
        else:
            return sockets, int(sockets[0].getsockname()[1])
    raise OutputError(f"No port from {options.port} on is free at {options.host}; name another with --port.")


def _bind(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host, all at one port; none when one fails, which raises OSError."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, address in dict.fromkeys((each[0], each[4]) for each in found):
            sockets.append(socket.socket(family))
            if os.name == "posix":
                sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sockets[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            port = port or (int(sockets[0].getsockname()[1]) if len(sockets) > 1 else 0)
            sockets[-1].setblocking(False)
            sockets[-1].bind((address[0], port, *address[2:]))
            sockets[-1].listen(128)
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets


def application(site: Site, is_ours: Judge) -> Application:
    """Our site, with the two addresses that livereload's script needs beside it."""
    LiveReloadHandler.watcher = Watcher()  # it names a file in a log; ours does the watching

    class Messages(LiveReloadHandler):  # type: ignore[misc]  # the library has no types
        """Tells open pages to load again; strangers' pages may not listen."""

        def prepare(self) -> None:
            if not is_ours(self.request.headers.get("Host", "")):
                raise HTTPError(403)

        def check_origin(self, origin: str) -> bool:
            return is_own_origin(origin, self.request.headers.get("Host", ""))

        def on_message(self, message: str) -> None:
            try:
                super().on_message(message)
            except (ValueError, AttributeError, TypeError):
                self.close()

    class Script(LiveReloadJSHandler):  # type: ignore[misc]
        """The script that listens. A page that is older than the last build by now is loaded again at once."""

        def get(self) -> None:
            if self.get_query_argument("v", None) == str(site.status().version):
                super().get()
            else:
                self.set_header("Content-Type", "text/javascript; charset=utf-8")
                self.write("location.reload();\n")
            self.set_header("Cache-Control", "no-store")

    handlers: list[Any] = [
        (r"/livereload", Messages),
        (r"/livereload\.js", Script),
        (r".*", FallbackHandler, {"fallback": WSGIContainer(site)}),
    ]
    return Application(handlers, log_function=lambda _: None)


@dataclass(slots=True)
class Server:
    """Serves a preview until it is stopped. `on_listening` hears the address once pages can be asked for."""

    preview: Preview
    options: ServeOptions
    on_listening: Callable[[str], None]
    _building: threading.Thread | None = field(default=None, init=False)
    _is_first: bool = field(default=True, init=False)

    def run(self) -> None:
        """Serve until Ctrl-C, which is raised as KeyboardInterrupt. Raises OutputError when nothing can listen."""
        for name in ("tornado.access", "tornado.application", "tornado.general", "livereload"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            asyncio.run(self._serve())
        finally:
            if self._building is not None:
                self._building.join(_LAST_WORDS_S)

    async def _serve(self) -> None:
        sockets, port = listen(self.options)
        is_ours = judge_for(self.options.host)
        site = Site(self.preview.root, lambda: self.preview.status, is_ours)
        server = HTTPServer(application(site, is_ours))
        server.add_sockets(sockets)
        timer = PeriodicCallback(self._look, _LOOK_MS)
        timer.start()
        self.on_listening(address(self.options.host, port, self.preview.base_path()))
        self._look()
        try:
            await asyncio.Event().wait()
        finally:
            timer.stop()
            server.stop()

    def _look(self) -> None:
        if self._building is None and self.preview.look():
            loop = asyncio.get_running_loop()
            self._building = threading.Thread(target=self._build, args=(loop,), daemon=True)
            self._building.start()

    def _build(self, loop: asyncio.AbstractEventLoop) -> None:
        # Later builds are small, and new processes take longer to start than those take.
        is_new = self.preview.make(jobs=None if self._is_first else 1)
        self._is_first = False
        try:
            loop.call_soon_threadsafe(self._built, is_new)
        except RuntimeError:  # stopped meanwhile
            return

    def _built(self, is_new: bool) -> None:
        self._building = None
        if is_new:
            LiveReloadHandler.reload_waiters("*")


def address(host: str, port: int, base_path: str) -> str:
    """Where a browser finds the preview."""
    name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - said, not bound
    return f"http://{name}:{port}{base_path}"
