"""Attachments come with their bytes when they may and can be read, and else with the reason."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from sitegen.model import Attachment
from sitegen.projection import attachments
from tests.projection.reading import heads, read_one
from tests.support.projections import attachment, conversation, make_projection, user


def read(folder: Path, storage_path: str | None, **columns: object) -> Attachment:
    row = attachment("notes.txt", storage_path=storage_path, mime_type="text/plain", **columns)
    (found,) = read_one(folder, conversation("s1", user("See", attachments=(row,)))).messages[0].attachments
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder for the projection, with files in it, beside it and hidden in it."""
    home = tmp_path / "home"
    for name in ("files/notes.txt", ".ssh/id", ".env", "sitegen.toml", "other.duckdb", "files/cert.PEM"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"inside {name}")
    (tmp_path / "secret.txt").write_text("outside")
    return home


def test_stored_file_is_read(home: Path) -> None:
    digest = hashlib.sha256(b"inside files/notes.txt").hexdigest()
    found = read(home, "files/notes.txt", content_hash=digest, size_bytes=1, metadata={"extracted_text": "words"})
    assert (found.data, found.missing) == (b"inside files/notes.txt", None)
    assert (found.filename, found.media_type, found.size_bytes) == ("notes.txt", "text/plain", 22)
    assert found.extracted_text == "words"


def test_absolute_path_within_the_folder_is_read(home: Path) -> None:
    assert read(home, str(home / "files" / "notes.txt")).data is not None


@pytest.mark.parametrize(
    ("storage_path", "reason"),
    [
        (None, "no copy"),
        ("", "no copy"),
        ("files/gone.txt", "is gone"),
        ("files", "doesn't name a file"),
        ("../secret.txt", "leads out"),
        ("files/../../secret.txt", "leads out"),
        ("/etc/passwd", "leads out"),
        ("~/secret.txt", "is gone"),
        ("file:///etc/passwd", "is gone"),
        (".env", "private"),
        (".ssh/id", "private"),
        ("sitegen.toml", "private"),
        ("other.duckdb", "private"),
        ("one.duckdb", "private"),
        ("files/cert.PEM", "private"),
        ("files/notes.txt\0.png", "can't be a path"),
        ("x" * 5000, "can't be read"),
    ],
)
def test_what_may_not_or_cannot_be_read_says_why(home: Path, storage_path: str | None, reason: str) -> None:
    found = read(home, storage_path, size_bytes=7)
    assert found.data is None
    assert reason in (found.missing or "")
    assert found.size_bytes == 7


def test_link_that_leads_out_is_not_followed(home: Path) -> None:
    (home / "files" / "link.txt").symlink_to(home.parent / "secret.txt")
    (home / "files" / "loop").symlink_to(home / "files" / "loop")
    assert "leads out" in (read(home, "files/link.txt").missing or "")
    assert read(home, "files/loop").data is None


def test_pipe_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "pipe")
    assert "doesn't name a file" in (read(home, "pipe").missing or "")


def test_large_file_stays_where_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "SIZE_LIMIT", 5)
    assert "larger than" in (read(home, "files/notes.txt").missing or "")


def test_file_of_another_content_is_not_shown(home: Path) -> None:
    assert "isn't the one" in (read(home, "files/notes.txt", content_hash="0" * 64).missing or "")
    assert read(home, "files/notes.txt", content_hash="of some other kind").data is not None


def test_attachments_keep_their_order(home: Path) -> None:
    rows = tuple(attachment(name) for name in ("c", "a", None, "b", "a"))
    (message,) = read_one(home, conversation("s1", user("See", attachments=rows))).messages
    assert [found.filename for found in message.attachments] == ["c", "a", None, "b", "a"]


def test_paths_that_cannot_be_read_still_make_heads(home: Path) -> None:
    rows = tuple(attachment("x", storage_path=path) for path in ("x" * 5000, "a\0b", "../secret.txt"))
    path = make_projection(home / "p.duckdb", [conversation("s1", user("See", attachments=rows))])
    assert len(heads(path)["s1"].digest) == 64
