"""The live site is asked for each file once, politely, at its own address; what isn't as it should be is said."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from sitegen.archive.manifest import Entry, hash_stream
from sitegen.verify.live import LivePlace, base_of
from sitegen.verify.places import PlaceError
from tests.support.server import serving
from tests.verify.conftest import write_all
from tests.verify.test_verify import run

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def answering(answers: Mapping[str, list[Answer]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A server that gives these answers to each path, the last one again and again; and what it was asked, by whom."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path)
            asked.append((path, self.headers["User-Agent"]))
            left = answers.get(path, [(404, {}, b"none")])
            status, headers, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def entry(data: bytes) -> Entry:
    return hash_stream(io.BytesIO(data).read, limit=1 << 30)


@pytest.mark.parametrize("base", ["/", "/repo/"])
def test_live_site_is_checked_below_its_base_path(base: str, archive: Path, tmp_path: Path) -> None:
    public = tmp_path / "public"
    write_all(public)
    with serving(public, base=base) as address:
        result = run(address.rstrip("/"), "--manifest", str(archive))
        assert result.exit_code == 0, result.output
        assert "5 files checked: all as the manifest says; what is there besides can't be known" in result.output
        (public / "index.html").write_text("defaced")
        (public / "404.html").unlink()
        (public / "sitemap.xml").write_text(f"<urlset><url><loc>{address}s/revoked/</loc></url></urlset>")
        result = run(address, "--manifest", str(archive))
    assert result.exit_code == 1
    assert "changed: index.html" in result.output
    assert "missing: 404.html" in result.output
    assert "extra: s/revoked/index.html" in result.output


def test_what_the_parts_of_a_large_sitemap_name_is_known(archive: Path, tmp_path: Path) -> None:
    public = tmp_path / "public"
    write_all(public)
    with serving(public) as address:
        part = f"{address}sitemap-1.xml"
        (public / "sitemap.xml").write_text(f"<sitemapindex><sitemap><loc>{part}</loc></sitemap></sitemapindex>")
        (public / "sitemap-1.xml").write_text(f"<urlset><url><loc>{address}s/revoked/</loc></url></urlset>")
        result = run(address, "--manifest", str(archive))
    assert "extra: s/revoked/index.html" in result.output


def test_archive_that_is_served_is_checked_against_its_own_manifest(folder: Path) -> None:
    with serving(folder) as address:
        assert run(address).exit_code == 0
        (folder / "404.html").write_text("other")
        assert run(address).exit_code == 1


def test_live_site_without_a_manifest_needs_one_named(tmp_path: Path) -> None:
    write_all(tmp_path / "public")
    with serving(tmp_path / "public") as address:
        assert run(address).exit_code == 2


def test_each_file_is_asked_for_once_as_readers_ask_and_by_name() -> None:
    with answering({"/s/a b/": [(200, {}, b"page")]}) as (address, asked):
        place = LivePlace(address)
        assert place.look("s/a b/index.html", entry(b"page")) == entry(b"page")
        assert place.look("s/none.html", entry(b"page")) is None
    assert [path for path, _ in asked] == ["/s/a b/", "/s/none.html"]
    assert {agent.partition("/")[0] for _, agent in asked} == {"sitegen-verify"}


def test_server_that_is_busy_is_given_the_time_it_asks_for() -> None:
    waited: list[float] = []
    busy: Answer = (429, {"Retry-After": "7"}, b"")
    with answering({"/a": [busy, (503, {}, b""), (200, {}, b"page")]}) as (address, _):
        assert LivePlace(address, sleep=waited.append).look("a", entry(b"page")) == entry(b"page")
    assert waited == [7.0, 2.0]


def test_server_that_stays_busy_or_refuses_is_said() -> None:
    with answering({"/a": [(503, {}, b"")], "/b": [(403, {}, b"")]}) as (address, asked):
        place = LivePlace(address, sleep=lambda _: None)
        assert "503" in str(place.look("a", entry(b"page")))
        assert "403" in str(place.look("b", entry(b"page")))
    assert len(asked) == 3 + 1


def test_server_that_asks_for_an_eternity_is_not_obeyed() -> None:
    waited: list[float] = []
    with answering({"/a": [(429, {"Retry-After": "999999"}, b""), (200, {}, b"page")]}) as (address, _):
        LivePlace(address, sleep=waited.append).look("a", entry(b"page"))
    assert waited == [30.0]


def test_redirect_within_the_site_is_followed_and_any_other_is_not() -> None:
    away = {"Location": "http://127.0.0.1:9/elsewhere"}
    answers: dict[str, list[Answer]] = {
        "/a": [(302, {"Location": "/b"}, b"")],
        "/b": [(200, {}, b"page")],
        "/c": [(302, away, b"")],
    }
    with answering(answers) as (address, _):
        place = LivePlace(address)
        assert place.look("a", entry(b"page")) == entry(b"page")
        with pytest.raises(PlaceError, match="leads elsewhere, to http://127"):
            place.look("c", entry(b"page"))


def test_answer_that_never_ends_is_read_no_further_than_needed() -> None:
    with answering({"/a": [(200, {}, bytes(5_000_000))]}) as (address, _):
        found = LivePlace(address).look("a", entry(b"page"))
    assert isinstance(found, Entry)
    assert found.size == 5


def test_server_that_is_not_there_is_told_in_a_sentence(archive: Path) -> None:
    result = run("http://127.0.0.1:9/", "--manifest", str(archive))
    assert result.exit_code == 1
    assert "can't be read: " in result.output


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://ann.example.org", "https://ann.example.org/"),
        ("https://ann.example.org/talks", "https://ann.example.org/talks/"),
        ("https://ann.example.org/talks/index.html", "https://ann.example.org/talks/"),
    ],
)
def test_address_may_be_given_as_readers_have_it(given: str, expected: str) -> None:
    assert base_of(given) == expected
