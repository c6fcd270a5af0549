"""The preview answers as a host would: under the base path, with the right types, and never with another file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.serve.files import byte_range, find
from sitegen.serve.hosts import is_own_origin, judge_for
from sitegen.serve.status import Status
from tests.serve.asking import Ask, asking

PAGE = "<!doctype html>\n<html>\n<head>\n<title>Tides</title></head><body>Tides</body></html>\n"
SCRIPT = "/livereload.js?host=127.0.0.1&amp;port=8000&amp;v=0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    files = {
        "index.html": PAGE,
        "404.html": PAGE.replace("Tides", "Nowhere"),
        "s/tides/index.html": PAGE,
        "s/tides/f/0f/Notes für später.txt": "0123456789",
        "assets/site.0a1b2c3d.css": "body{}",
        "p/sea/feed.xml": "<feed/>",
        ".sitegen-files": "private",
        "s/.hidden/index.html": "private",
        ".well-known/security.txt": "Contact: ann",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def ask(root: Path) -> Ask:
    return asking(root, Status("/repo/", has_pages=True))


def test_page_is_under_the_base_path_and_nowhere_else(ask: Ask) -> None:
    assert ask("/repo/s/tides/").code == 200
    assert "Tides" in ask("/repo/s/tides/").text
    assert ask("/s/tides/").code == 404


@pytest.mark.parametrize(
    ("path", "target"),
    [("/", "/repo/"), ("", "/repo/"), ("/repo", "/repo/"), ("/repo/s/tides", "/repo/s/tides/")],
)
def test_address_without_its_slash_leads_to_the_folder(ask: Ask, path: str, target: str) -> None:
    reply = ask(path)
    assert (reply.code, reply.headers["Location"]) == (302, target)


def test_wrong_address_gets_the_sites_own_page(ask: Ask) -> None:
    reply = ask("/repo/s/nothing/")
    assert reply.code == 404
    assert "Nowhere" in reply.text
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"


def test_wrong_address_without_such_a_page_is_told(root: Path, ask: Ask) -> None:
    (root / "404.html").unlink()
    assert (ask("/repo/x").code, ask("/repo/x").text) == (404, "There is no such page.\n")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/repo/", "text/html; charset=utf-8"),
        ("/repo/assets/site.0a1b2c3d.css", "text/css; charset=utf-8"),
        ("/repo/p/sea/feed.xml", "application/atom+xml; charset=utf-8"),
        ("/repo/s/tides/f/0f/Notes für später.txt", "text/plain; charset=utf-8"),
        ("/repo/.well-known/security.txt", "text/plain; charset=utf-8"),
    ],
)
def test_file_has_its_type(ask: Ask, path: str, kind: str) -> None:
    reply = ask(path)
    assert (reply.code, reply.headers["Content-Type"]) == (200, kind)
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Cache-Control"] == "no-store"


# --------------------------------------------------------------------------------------------------------- the script


def test_reload_script_is_in_the_answer_and_not_in_the_file(root: Path, ask: Ask) -> None:
    assert ask("/repo/").text == PAGE.replace("<head>", f'<head><script src="{SCRIPT}" defer></script>')
    assert (root / "index.html").read_text() == PAGE
    assert SCRIPT in ask("/repo/nothing").text


def test_only_pages_get_the_reload_script(ask: Ask) -> None:
    assert ask("/repo/assets/site.0a1b2c3d.css").text == "body{}"


def test_script_is_asked_for_where_the_page_was(root: Path) -> None:
    ask = asking(root, Status("/repo/", has_pages=True), bound="::1")
    assert "host=%5B%3A%3A1%5D&amp;port=8001&amp;v=0" in ask("/repo/", host="[::1]:8001").text


# ---------------------------------------------------------------------------------------------------------- the ranges

FILE = "/repo/s/tides/f/0f/Notes für später.txt"


@pytest.mark.parametrize(
    ("header", "body", "place"),
    [
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=8-999", "89", "bytes 8-9/10"),
        ("bytes=-999", "0123456789", "bytes 0-9/10"),
    ],
)
def test_part_of_a_file_is_that_part(ask: Ask, header: str, body: str, place: str) -> None:
    reply = ask(FILE, range=header)
    assert (reply.code, reply.text, reply.headers["Content-Range"]) == (206, body, place)


def test_part_beyond_the_end_is_refused(ask: Ask) -> None:
    reply = ask(FILE, range="bytes=10-")
    assert (reply.code, reply.headers["Content-Range"]) == (416, "bytes */10")


@pytest.mark.parametrize(
    "header", ["bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=x-y", "", f"bytes={'9' * 5000}-"]
)
def test_range_that_means_nothing_is_the_whole_file(ask: Ask, header: str) -> None:
    assert (ask(FILE, range=header).code, ask(FILE, range=header).text) == (200, "0123456789")


def test_range_on_a_condition_is_the_whole_file(ask: Ask) -> None:
    assert ask(FILE, range="bytes=0-1", if_range='"x"').code == 200


@given(st.text(alphabet="bytes=0123456789-,", max_size=20), st.integers(0, 100))
def test_any_range_stays_within_the_file(header: str, size: int) -> None:
    asked = byte_range(header, size)
    assert asked is None or (asked.start >= 0 and asked.stop <= size) or not asked


# -------------------------------------------------------------------------------------------------------- the security


@pytest.mark.parametrize(
    "path",
    [
        "/repo/../secret.txt",
        "/repo/s/../../secret.txt",
        "/repo/s/tides/../../../secret.txt",
        "/repo//etc/passwd",
        "/repo/..\\secret.txt",
        "/repo/.sitegen-files",
        "/repo/s/.hidden/",
        "/repo/./index.html",
        "/repo/index.html\0.txt",
        "/repo/index.html/",
        "/repo/" + "x" * 5000,
        "//evil.example.org/..",
    ],
)
def test_no_path_leads_to_another_file(ask: Ask, path: str) -> None:
    reply = ask(path)
    assert reply.code == 404
    assert "secret" not in reply.text
    assert "private" not in reply.text


def test_link_out_of_the_folder_leads_nowhere(root: Path, ask: Ask) -> None:
    (root / "out.txt").symlink_to(root.parent / "secret.txt")
    (root / "up").symlink_to(root.parent, target_is_directory=True)
    (root / "in.css").symlink_to(root / "assets" / "site.0a1b2c3d.css")
    assert [ask(f"/repo/{path}").code for path in ("out.txt", "up/secret.txt", "up/", "in.css")] == [404, 404, 404, 200]


@given(st.text(max_size=30))
def test_any_text_is_a_file_of_the_folder_or_nothing(text: str) -> None:
    root = Path(__file__).parent
    found = find(root, text)
    assert found is None or found.file.is_relative_to(root)


def test_path_that_is_no_text_is_nothing(root: Path) -> None:
    reply = asking(root, Status("/", has_pages=True))("/\udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    assert reply.code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_preview_is_read_only(ask: Ask, method: str) -> None:
    reply = ask("/repo/", method=method)
    assert (reply.code, reply.headers["Allow"]) == (405, "GET, HEAD")


def test_head_has_everything_but_the_body(ask: Ask) -> None:
    reply = ask("/repo/", method="HEAD")
    assert (reply.code, reply.body) == (200, b"")
    assert reply.headers["Content-Length"] == ask("/repo/").headers["Content-Length"]


@pytest.mark.parametrize(
    "host", ["evil.example.org", "evil.example.org:8000", "", None, "127.0.0.1.evil.org", "a b", "@"]
)
def test_name_that_only_leads_here_gets_nothing(ask: Ask, host: str | None) -> None:
    reply = ask("/repo/", host=host)
    assert reply.code == 403
    assert "Tides" not in reply.text


@pytest.mark.parametrize(
    ("bound", "host", "is_taken"),
    [
        ("127.0.0.1", "localhost:8000", True),
        ("127.0.0.1", "[::1]:8000", True),
        ("127.0.0.1", "192.168.0.7:8000", False),
        ("0.0.0.0", "192.168.0.7:8000", True),
        ("::", "[fe80::1]:8000", True),
        ("0.0.0.0", "evil.example.org", False),
        ("workshop.local", "workshop.local:8000", True),
        ("workshop.local", "other.local:8000", False),
    ],
)
def test_names_of_the_preview_are_those_it_listens_at(bound: str, host: str, is_taken: bool) -> None:
    assert judge_for(bound)(host) is is_taken


@pytest.mark.parametrize(
    ("origin", "is_own"),
    [("http://127.0.0.1:8000", True), ("https://evil.example.org", False), ("null", False), (None, True)],
)
def test_only_own_pages_hear_of_changes(origin: str | None, is_own: bool) -> None:
    assert is_own_origin(origin, "127.0.0.1:8000") is is_own


# --------------------------------------------------------------------------------------------------------- the notices


def test_problem_stands_where_the_pages_were(root: Path) -> None:
    reply = asking(root, Status("/repo/", has_pages=True, problem="sitegen.toml:3: <b>no</b> \x1b[31m"))(
        "/repo/s/tides/"
    )
    assert reply.code == 500
    assert "sitegen.toml:3: &lt;b&gt;no&lt;/b&gt;" in reply.text
    assert "Tides" not in reply.text
    assert SCRIPT in reply.text


def test_preview_without_pages_says_what_it_does(root: Path) -> None:
    reply = asking(root, Status("/repo/"))("/anything")
    assert reply.code == 503
    assert "Building" in reply.text
    assert SCRIPT in reply.text


def test_pages_are_shown_while_a_build_waits(root: Path) -> None:
    assert asking(root, Status("/repo/", has_pages=True, waiting="locked"))("/repo/").code == 200
    assert "locked" in asking(root, Status("/repo/", waiting="locked"))("/repo/").text
