"""Asks the preview's application without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

from sitegen.serve.app import Site
from sitegen.serve.hosts import judge_for
from sitegen.serve.status import Status

HOST = "127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    code: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


Ask = Callable[..., Reply]


def asking(root: Path, status: Status, *, bound: str = "127.0.0.1") -> Ask:
    """`ask(path, method=…, **headers)` for a preview of `root`; a header is spelled as in `range="bytes=0-1"`."""
    site = Site(root, lambda: status, judge_for(bound))

    def ask(path: str, *, method: str = "GET", host: str | None = HOST, **headers: str) -> Reply:
        environ: dict[str, Any] = {"REQUEST_METHOD": method, "PATH_INFO": path.encode().decode("latin-1")}
        environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        environ["HTTP_HOST"] = host or ""
        setup_testing_defaults(environ)
        said: list[tuple[str, list[tuple[str, str]]]] = []

        def start(code: str, given: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            said.append((code, given))
            return lambda _: None

        body = b"".join(site(environ, start))
        code, given = said[0]
        return Reply(int(code.split()[0]), dict(given), body)

    return ask
