"""Projections that stand elsewhere are fetched first: when they changed, never by halves, never an old one unasked."""

from __future__ import annotations

import os
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ProjectionError, SitegenError
from sitegen.fetch import fetch
from tests.support.workshop import EVERYTHING, Workshop, talk_about


@dataclass
class Host:
    """A web server with one file, and what it was asked."""

    data: bytes = b""
    etag: str = '"1"'
    modified: str = ""
    status: int = 200
    cut: int = 0
    """So many bytes are left out at the end, though they were announced."""
    moved_to: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0
    address: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """One GET."""
        self.asked.append(dict(request.headers.items()))
        same = request.headers.get("If-None-Match") == self.etag if self.etag else False
        same = same or (bool(self.modified) and request.headers.get("If-Modified-Since") == self.modified)
        code = 302 if self.moved_to else 304 if same else self.status
        request.send_response(code)
        if self.moved_to:
            request.send_header("Location", self.moved_to)
        if self.etag:
            request.send_header("ETag", self.etag)
        if self.modified:
            request.send_header("Last-Modified", self.modified)
        body = self.data if code == 200 else b""
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) - self.cut])
        self.sent += code == 200


@contextmanager
def hosting(data: bytes = b"") -> Iterator[Host]:
    host = Host(data)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.answer(self)

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host.address = f"http://127.0.0.1:{server.server_port}/archive.duckdb"
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def host() -> Iterator[Host]:
    with hosting(b"one") as host:
        yield host


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The files of a local S3 server that has an empty bucket."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "ann")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        files = s3fs.S3FileSystem(skip_instance_cache=True)
        files.mkdir("fetched-talks")
        yield files
        files.rm("fetched-talks", recursive=True)
    finally:
        server.stop()
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def configure(workshop: Workshop, address: str) -> None:
    workshop.configure(EVERYTHING)
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text("utf-8").replace('"archive.duckdb"', f'"{address}"'), encoding="utf-8")


def projection(workshop: Workshop, *subjects: str) -> bytes:
    """The bytes of a projection about these, which isn't kept."""
    workshop.talk(*(talk_about(subject) for subject in subjects))
    file = workshop.folder / "archive.duckdb"
    data = file.read_bytes()
    file.unlink()
    return data


# --------------------------------------------------------------------------------------------------------- building


def test_site_is_built_from_an_address_and_again_when_it_changed(workshop: Workshop, host: Host) -> None:
    host.data = projection(workshop, "tides")
    configure(workshop, host.address)
    assert workshop.build()["written"] > 0
    assert "On tides" in workshop.page("index.html")
    assert workshop.build()["written"] == 0
    assert (host.sent, len(host.asked)) == (1, 2)
    host.data, host.etag = projection(workshop, "moons"), '"2"'
    workshop.build()
    assert "On moons" in workshop.page("index.html")
    assert "On tides" not in workshop.page("index.html")
    copies = list((workshop.folder / ".sitegen/fetched").iterdir())
    assert len(copies) == 2  # the file and the note on it
    if os.name == "posix":
        assert not [copy for copy in copies if copy.suffix == ".duckdb" and copy.stat().st_mode & 0o077]


def test_listing_fetches_too(workshop: Workshop, host: Host) -> None:
    host.data = projection(workshop, "tides")
    configure(workshop, host.address)
    assert "On tides" in workshop.run("list").stdout
    assert workshop.run("report").exit_code == 0
    assert host.sent == 1


def test_build_fails_rather_than_use_an_old_copy_and_says_how_to(workshop: Workshop, host: Host) -> None:
    host.data = projection(workshop, "tides")
    configure(workshop, host.address)
    workshop.build()
    host.status, host.etag = 404, '"2"'
    result = workshop.run("build")
    assert result.exit_code == 1
    assert "archive.duckdb can't be fetched: there is no such file. There is a copy of 20" in result.stderr
    (copy,) = (workshop.folder / ".sitegen/fetched").glob("*.duckdb")
    assert f'projection = "{copy}"' in result.stderr
    configure(workshop, str(copy))
    assert workshop.run("build").exit_code == 0


def test_page_in_place_of_a_projection_is_told_and_asked_for_again(workshop: Workshop, host: Host) -> None:
    host.data = b"<!doctype html>Log in, please"
    configure(workshop, host.address)
    result = workshop.run("build")
    assert result.exit_code == 1
    assert f"What {host.address} gave isn't a DuckDB file; it may be a page that asks to log in" in result.stderr
    host.data = projection(workshop, "tides")
    workshop.build()
    assert "On tides" in workshop.page("index.html")


def test_copies_that_nothing_names_any_more_are_removed(workshop: Workshop, host: Host) -> None:
    host.data = projection(workshop, "tides")
    configure(workshop, host.address)
    workshop.build()
    configure(workshop, host.address + "?other")
    workshop.build()
    assert len(list((workshop.folder / ".sitegen/fetched").glob("*.duckdb"))) == 1


def test_ingest_writes_into_no_copy(workshop: Workshop, host: Host) -> None:
    configure(workshop, host.address)
    result = workshop.run("ingest", "claude-code", str(workshop.folder))
    assert (result.exit_code, "--db" in result.stderr) == (2, True)


REFUSED = [
    ("http://example.org/a.duckdb", "use https"),
    ("https://ann:pw@example.org/a.duckdb", "secrets never stand in this file"),
    ("https://example.org", "it lacks the host or bucket, or the file"),
    ("s3://talks", "it lacks the host or bucket, or the file"),
    ("file:///tmp/a.duckdb", "write its path"),
    ("simplecache::https://example.org/a", "within another"),
    ("https://[::1/a", "it isn't written as addresses are"),
]


@pytest.mark.parametrize(("address", "reason"), REFUSED, ids=[address for address, _ in REFUSED])
def test_address_that_cannot_be_used_is_refused_with_its_line(workshop: Workshop, address: str, reason: str) -> None:
    configure(workshop, address)
    result = workshop.run("build")
    assert result.exit_code == 2
    assert "sitegen.toml:6: source.projection is an address that can't be used: " in result.stderr
    assert reason in result.stderr


def test_bucket_is_fetched_once_for_each_version(workshop: Workshop, bucket: Any) -> None:
    bucket.pipe_file("fetched-talks/data/archive.duckdb", projection(workshop, "tides"))
    configure(workshop, "s3://fetched-talks/data/archive.duckdb")
    workshop.build()
    (copy,) = (workshop.folder / ".sitegen/fetched").glob("*.duckdb")
    first = copy.stat()
    assert workshop.build()["written"] == 0
    assert copy.stat().st_ino == first.st_ino
    bucket.pipe_file("fetched-talks/data/archive.duckdb", projection(workshop, "moons"))
    workshop.build()
    assert "On moons" in workshop.page("index.html")
    bucket.rm("fetched-talks/data/archive.duckdb")
    result = workshop.run("build")
    assert (result.exit_code, "there is no such file" in result.stderr) == (1, True)


# --------------------------------------------------------------------------------------------------------- fetching


def test_nothing_is_sent_again_while_it_stands(host: Host, tmp_path: Path) -> None:
    copy = tmp_path / "a" / "copy"
    assert fetch(host.address, copy, environ={})
    assert not fetch(host.address, copy, environ={})
    assert host.sent == 1
    copy.write_bytes(b"altered")
    assert fetch(host.address, copy, environ={})
    assert copy.read_bytes() == b"one"


def test_time_of_change_serves_where_there_is_no_etag(host: Host, tmp_path: Path) -> None:
    host.etag, host.modified = "", "Fri, 02 Jan 2026 14:03:05 GMT"
    assert fetch(host.address, tmp_path / "copy", environ={})
    assert not fetch(host.address, tmp_path / "copy", environ={})


def test_server_that_tells_neither_is_asked_for_all_each_time(host: Host, tmp_path: Path) -> None:
    host.etag = ""
    assert [fetch(host.address, tmp_path / "copy", environ={}) for _ in range(2)] == [True, True]


def test_half_a_download_is_never_used(host: Host, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    fetch(host.address, copy, environ={})
    host.data, host.etag, host.cut = b"x" * 100_000, '"2"', 10
    with pytest.raises(ProjectionError, match="the connection failed"):
        fetch(host.address, copy, environ={})
    assert copy.read_bytes() == b"one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "copy.json"]
    host.cut = 0
    assert fetch(host.address, copy, environ={})


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "asks for a password or token; put a token into SITEGEN_SOURCE_TOKEN"),
        (403, "may not be read"),
        (404, "there is no such file"),
        (503, "the server answered 503"),
    ],
)
def test_answer_that_is_no_file_is_told(host: Host, tmp_path: Path, status: int, sentence: str) -> None:
    host.status = status
    with pytest.raises(ProjectionError, match=sentence):
        fetch(f"{host.address}?signature=secret", tmp_path / "copy", environ={})
    with pytest.raises(ProjectionError) as told:
        fetch(f"{host.address}?signature=secret", tmp_path / "copy", environ={})
    assert "secret" not in str(told.value)
    assert not (tmp_path / "copy").exists()


def test_no_network_is_told(tmp_path: Path) -> None:
    with hosting() as host:
        address = host.address
    with pytest.raises(ProjectionError, match="the server can't be reached"):
        fetch(address, tmp_path / "copy", environ={})


def test_token_goes_to_the_host_and_no_further(host: Host, tmp_path: Path) -> None:
    with hosting(b"other") as other:
        host.moved_to = other.address.replace("127.0.0.1", "localhost")
        assert fetch(host.address, tmp_path / "copy", environ={"SITEGEN_SOURCE_TOKEN": "t0ken"})
        assert (tmp_path / "copy").read_bytes() == b"other"
        assert host.asked[0]["Authorization"] == "Bearer t0ken"
        assert "Authorization" not in other.asked[0]


def test_way_that_leaves_https_is_refused(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def redirected(request: urllib.request.Request, timeout: float) -> object:
        return urlopen(host.address, timeout=timeout)

    urlopen = urllib.request.urlopen
    monkeypatch.setattr(urllib.request, "urlopen", redirected)
    with pytest.raises(ProjectionError, match="it redirects to plain http"):
        fetch("https://example.org/archive.duckdb", tmp_path / "copy", environ={})
    assert not (tmp_path / "copy").exists()


def test_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProjectionError, match="run “pip install gcsfs”"):
        fetch("gs://talks/archive.duckdb", tmp_path / "copy", environ={})
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(ProjectionError, match="that needs a package"):
        fetch("s3://talks/archive.duckdb", tmp_path / "copy", environ={})


def test_folder_that_cannot_be_written_is_told_as_such(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SitegenError, match="can't be kept in"):
        fetch(host.address, tmp_path / "file" / "copy", environ={})
