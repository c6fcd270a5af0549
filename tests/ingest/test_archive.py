"""Zips and folders of any kind are read or refused in a sentence; nothing is written where an entry's name says."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import pytest

from sitegen.errors import IngestError
from sitegen.ingest import ingest
from sitegen.ingest.archive import Entry, FileIndex, list_entries
from tests.ingest.reading import one, query, texts
from tests.support.exports import Contents, chat, claude, node, picture, write_folder, write_zip
from tests.support.sessions import png

TALK = chat(node("q", "user", "Why?", picture("file-Photo12345")), node("a", "assistant", "Because."))
WHOLE: Contents = {"conversations.json": [TALK], "file-Photo12345.png": png()}


def read(place: Path) -> Path:
    db = place.parent / "a.duckdb"
    ingest("chatgpt-export", place, db)
    return db


def encrypted(path: Path, *, only: str = "") -> Path:
    """The zip with the mark of encryption on all entries, or on one."""
    data = bytearray(path.read_bytes())
    for signature, flags, length, name in ((b"PK\3\4", 6, 26, 30), (b"PK\1\2", 8, 28, 46)):
        at = data.find(signature)
        while at >= 0:
            (size,) = struct.unpack_from("<H", data, at + length)
            if not only or data[at + name : at + name + size] == only.encode():
                data[at + flags] |= 1
            at = data.find(signature, at + 4)
    path.write_bytes(data)
    return path


def test_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=r"is protected by a password\. Unpack it, and name the folder"):
        read(encrypted(write_zip(tmp_path / "e.zip", WHOLE)))


def test_entry_with_a_password_is_told(tmp_path: Path) -> None:
    place = encrypted(write_zip(tmp_path / "e.zip", WHOLE), only="conversations.json")
    with pytest.raises(
        IngestError, match=r"conversations\.json:0: it can't be read to its end: it is protected by a pa"
    ):
        read(place)


def test_zip_of_zips_names_them(tmp_path: Path) -> None:
    with pytest.raises(
        IngestError, match=r"holds only other zips \(a\.zip, b\.zip\)\. Unpack it, and name one of them"
    ):
        read(write_zip(tmp_path / "e.zip", {"a.zip": b"PK", "b.zip": b"PK"}))


@pytest.mark.parametrize("size", [0, 10, 300])
def test_zip_cut_short_is_told(tmp_path: Path, size: int) -> None:
    place = write_zip(tmp_path / "e.zip", WHOLE)
    place.write_bytes(place.read_bytes()[:size])
    with pytest.raises(IngestError, match=r"e\.zip isn't a zip, or is cut short\. Download it again"):
        read(place)


@pytest.mark.parametrize("name", ["../../conversations.json", "/etc/conversations.json", "C:\\x\\conversations.json"])
def test_entry_with_a_name_that_leads_elsewhere_is_only_read(tmp_path: Path, name: str) -> None:
    db = read(write_zip(tmp_path / "in" / "e.zip", {name: [TALK]}))
    assert texts(db)[0] == "Why?"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.duckdb", "e.zip", "in"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_entries_of_one_name_the_last_counts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        for text in ("Older", "Newer, and longer"):
            archive.writestr("conversations.json", json.dumps([chat(node("q", "user", text))]))
    assert texts(read(tmp_path / "e.zip")) == ["Newer, and longer"]


def test_trap_of_a_zip_is_refused_before_it_opens(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "e.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as entry,
    ):
        for _ in range(110):
            entry.write(b" " * (1 << 20))
    with pytest.raises(
        IngestError, match=r"it would unpack to 110 MB, [\d,]+ times its size in the zip, as only traps"
    ):
        read(tmp_path / "e.zip")


def test_damaged_file_of_a_zip_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    place = write_zip(tmp_path / "e.zip", WHOLE)
    data = bytearray(place.read_bytes())
    at = data.find(b"file-Photo12345.png") + 30
    data[at : at + 8] = b"\xff" * 8
    place.write_bytes(data)
    db = read(place)
    assert texts(db)[0] == "Why?"
    assert one(db, "SELECT metadata->>'missing' FROM attachments").startswith(
        "it couldn't be copied: the zip is damaged"
    )


def test_damage_in_the_middle_keeps_what_stands_before(tmp_path: Path) -> None:
    talks = [{**TALK, "conversation_id": f"c{n}", "title": f"{n}" * 400_000} for n in range(9)]
    with zipfile.ZipFile(tmp_path / "e.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("conversations.json", json.dumps(talks))
        archive.writestr("conversations-2.json", json.dumps([{**TALK, "conversation_id": "z"}]))
    data = bytearray((tmp_path / "e.zip").read_bytes())
    at = data.find(b"77777")
    data[at : at + 4] = b'8"8"'
    (tmp_path / "e.zip").write_bytes(data)
    report = ingest("chatgpt-export", tmp_path / "e.zip", tmp_path / "a.duckdb")
    kept = {name for (name,) in query(tmp_path / "a.duckdb", "SELECT source_native_id FROM conversations")}
    assert kept >= {"c0", "c5", "z"}
    assert "c7" not in kept
    assert [problem.reason for problem in report.unreadable] == [
        "it can't be read to its end: the zip is damaged: Bad CRC-32 for file 'conversations.json'"
    ]


def test_links_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    folder = write_folder(tmp_path / "export", {"conversations.json": [TALK]})
    (folder / "file-Photo12345.png").symlink_to(tmp_path / "secret.png")
    db = read(folder)
    assert query(db, "SELECT * FROM attachments") == []


def test_hidden_files_are_left_alone(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "export", {".trash/conversations.json": [], "a/.x": "", "b.json": TALK})
    assert [entry.name for entry in list_entries(str(folder), expected="an export")] == ["b.json"]


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        ({"notes.txt": "hello"}, "holds no conversation"),
        ({"conversations.json": "[]"}, "holds no conversations. Name ChatGPT's export"),
        ({"conversations.json": '[{"title": 1}]'}, "conversations.json:1: it is no conversation with an id"),
        ({"conversations.json": "this is a letter and no JSON"}, "it isn't JSON: expecting value at its character 1"),
        ({"conversations.json": [claude()]}, "conversations.json:1: it is one for “sitegen ingest claude-export”"),
        ({}, "holds no conversations"),
    ],
)
def test_export_without_conversations_is_refused(tmp_path: Path, contents: Contents, sentence: str) -> None:
    (tmp_path / "export").mkdir()
    with pytest.raises(IngestError) as caught:
        read(write_folder(tmp_path / "export", contents))
    assert sentence in str(caught.value)


def test_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=r"gone\.zip doesn't exist\. Name ChatGPT's export: the zip, the folder"):
        read(tmp_path / "gone.zip")


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("file-AbCdEfGh", "file-AbCdEfGh-my photo.v2.png"),
        ("FILE-abcdefgh", "file-AbCdEfGh-my photo.v2.png"),
        ("file_000012ab", "x/audio/file_000012ab-5d2f.wav"),
        ("file-AbCd", None),
        ("file", None),
        ("", None),
    ],
)
def test_file_is_found_by_the_id_its_name_begins_with(id: str, expected: str | None) -> None:
    names = ("file-AbCdEfGh-my photo.v2.png", "x/audio/file_000012ab-5d2f.wav", "chat.html")
    index = FileIndex.of(Entry(name, name, 1, None, Path(name)) for name in names)
    found = index.by_id(id)
    assert (found.name if found else None) == expected
