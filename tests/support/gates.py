"""Protected pages for tests: sealed with few iterations, written to a folder, served as a static host would."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from sitegen.gate import keys
from sitegen.gate.encoding import b64u
from sitegen.gate.envelope import Credential, Protection, Sealed, seal
from sitegen.gate.identity import attachment_id, group_salt, password_group
from sitegen.model import Document, Gate, Transcript
from sitegen.pages import Pages
from sitegen.pages.gate import Ask, Shell
from tests.support.server import Server
from tests.support.sites import make_pages, write
from tests.support.transcripts import make_share, make_transcript

SECRET = bytes(range(32))
ITERATIONS = 100_000
PASSWORD = "six plain words of ann"


@dataclass(frozen=True, slots=True)
class Gated:
    """How a share is protected in a test; `lock` gives the other fields of Protection."""

    slug: str = "talk"
    ask: Ask | None = "password"
    passwords: Sequence[str] = (PASSWORD,)
    mails: Sequence[tuple[str, str]] = ()
    codes: Sequence[str] = ()
    links: Sequence[bytes] = ()
    terms: str | None = None
    hint: str | None = None
    days: int = 30
    lock: Mapping[str, Any] = field(default_factory=dict)

    @property
    def protection(self) -> Protection:
        """With every credential's root derived; shares with the same passwords are one group."""
        salt = group_salt(SECRET, password_group(SECRET, "".join(self.passwords)))
        how: dict[str, Any] = {"salt": salt, "iterations": ITERATIONS}
        roots = [keys.password_root(each, **how) for each in self.passwords]
        roots += [keys.email_root(address, code, **how) for address, code in self.mails]
        roots += [keys.code_root(each, **how) for each in self.codes]
        ways = [*(Credential("pw", root) for root in roots), *(Credential("lnk", each) for each in self.links)]
        return Protection(slug=self.slug, terms=self.terms, credentials=tuple(ways), **{**how, **self.lock})


def by_terms_alone(**fields: Any) -> Gated:
    """A share that nothing but its terms stands before."""
    return Gated(**{"ask": None, "passwords": (), "terms": "<p>Keep it to <b>yourself</b>.</p>", **fields})


def link_of(root: bytes) -> str:
    """The fragment of a link."""
    return f"#k=1.{b64u(root)}"


def id_of(slug: str) -> Callable[[str], str]:
    """Opaque ids of a share's files by their names."""
    return partial(_id, slug)


def _id(slug: str, name: str) -> str:
    return attachment_id(SECRET, slug=slug, name=name)


def seal_share(gated: Gated, transcript: Transcript | None = None, *, pages: Pages, html: str | None = None) -> Sealed:
    """The share sealed as a build does; `html` replaces its body."""
    content = pages.protected_share(
        make_share(gated.slug, gate=Gate.PASSWORD), transcript or make_transcript(), id_of=id_of(gated.slug)
    )
    files = {name: data for name, (data, _) in content.attachments.items()}
    return seal(gated.protection, content.html if html is None else html, site_secret=SECRET, attachments=files)


def documents_of(
    gated: Gated, sealed: Sealed, *, pages: Pages, offline: bool = False, folder: str = ""
) -> list[Document]:
    """The shell with its ciphertexts beside it, or in it for a page that is opened from disk."""
    folder = folder or f"s/{gated.slug}/"
    body = {"data": b64u(sealed.body)} if offline else {"src": "b.00000000.bin"}
    shell = Shell(
        slug=gated.slug,
        envelope=sealed.envelope(body),
        ask=gated.ask,
        has_terms=gated.terms is not None,
        hint=gated.hint,
        remember_days=gated.days,
        inline=sealed.attachments if offline else None,
    )
    files = {} if offline else {f"a.{name}.bin": data for name, data in sealed.attachments.items()}
    files |= {} if offline else {"b.00000000.bin": sealed.body}
    page = pages.gate(f"{folder}index.html", shell)
    return [page, *(Document(folder + name, data) for name, data in files.items())]


def write_gated(
    folder: Path,
    gated: Gated,
    transcript: Transcript | None = None,
    *,
    html: str | None = None,
    offline: bool = False,
    language: str = "en",
) -> Sealed:
    """Writes the protected share and the site's assets below `folder`."""
    pages = make_pages(base_url=None, offline=offline, language=language)
    sealed = seal_share(gated, transcript, pages=pages, html=html)
    write(
        folder, [*documents_of(gated, sealed, pages=pages, offline=offline), *pages.extras([], []), pages.not_found()]
    )
    return sealed


def change_envelope(folder: Path, slug: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Has `change` alter the envelope in the shell of the share."""
    path = folder / "s" / slug / "index.html"
    start, opening, rest = path.read_text().partition('id="envelope">')
    text, end, tail = rest.partition("</script>")
    value = json.loads(text)
    changed = change(value)
    text = changed if isinstance(changed, str) else json.dumps(value)
    path.write_text(start + opening + text.replace("<", "\\u003c") + end + tail)


@dataclass(slots=True)
class Host:
    """A static host on 127.0.0.1. `halves` are paths whose second half waits for `release`; `lost` paths fail."""

    folder: Path
    base: str = ""
    halves: set[str] = field(default_factory=set)
    released: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)

    def url(self, slug: str = "talk", rest: str = "") -> str:
        """Where the share stands."""
        return f"{self.base}s/{slug}/{rest}"


HostFolder = Callable[[Path], Host]


@contextmanager
def serve(folder: Path) -> Iterator[Host]:
    """Serves `folder`, with its 404.html for what isn't there."""
    host = Host(folder)
    server = Server(("127.0.0.1", 0), partial(_Handler, host, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host.base = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield host
    finally:
        host.released.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def host_folder() -> Iterator[HostFolder]:
    """`host_folder(folder)`: a host that ends when the test's pages are closed."""
    with ExitStack() as hosts:
        yield lambda folder: hosts.enter_context(serve(folder))


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, host: Host, *args: Any, **kwargs: Any) -> None:
        self.host = host
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        path = urlsplit(self.path).path.lstrip("/")
        self.host.asked.append(path)
        del self.headers["If-Modified-Since"]  # a page that a test writes twice within a second has one date
        if path in self.host.halves:
            self._send_halves((self.host.folder / path).read_bytes())
        elif path.endswith("/") or (self.host.folder / path).is_file() or (self.host.folder / path).is_dir():
            super().do_GET()
        else:
            self._send((self.host.folder / "404.html").read_bytes(), status=404)

    def _send_halves(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        self.host.released.wait(30)
        self.wfile.write(data[len(data) // 2 :])

    def _send(self, data: bytes, *, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def expect_open(page: Page) -> None:
    """The conversation is read, and nothing stands before it."""
    expect(page.get_by_text("In the haystack.")).to_be_visible()
    expect(page.locator("#gate")).to_be_hidden()
    expect(page).to_have_title("An empty list · Notes")


def expect_said(page: Page, text: str) -> None:
    """The gate says this, and no word of the conversation is there."""
    expect(page.locator("#said")).to_contain_text(text)
    expect(page.get_by_text("haystack")).to_have_count(0)


def enter(page: Page, *values: str) -> None:
    """Fills the fields that are asked for, in their order, and sends them."""
    for box, value in zip(page.locator(".asked").all(), values, strict=True):
        box.fill(value)
    page.keyboard.press("Enter")
