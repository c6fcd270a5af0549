"""What an ingest kept of records reads as the records do, and counts only for the very records that are there."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace

from sitegen import picked
from sitegen.ingest import ingest
from sitegen.model import Conversation
from sitegen.picked import FORMAT, Picker, RawRecord
from tests.ingest.reading import one
from tests.projection.reading import heads, read_all
from tests.projection.recorded import ANSWERED, ASKED, failed, waited
from tests.support.sessions import (
    Fields,
    ai_title,
    append_records,
    assistant,
    custom_title,
    tool_result,
    tool_use,
    user,
    write_session,
)

RAN = (
    assistant(tool_use("Bash", {"command": "ls"}, id="t1"), usage={"input_tokens": 7}, requestId="r1"),
    user(tool_result("t1", "one\ntwo"), toolUseResult={"stdout": "one\ntwo", "exitCode": 0}, gitBranch="main"),
)
SESSION = (
    ASKED,
    waited("And the tests?"),
    ANSWERED,
    *RAN,
    failed(),
    ai_title("A pattern"),
    custom_title("The pattern"),
)


class Archive:
    """A session in a projection of its own."""

    def __init__(self, folder: Path, *records: Fields) -> None:
        self.file = folder / "projects" / "-home-ann-parser" / "s1.jsonl"
        self.projection = folder / "archive.duckdb"
        write_session(self.file, *records)
        self.ingest()

    def ingest(self) -> None:
        ingest("claude-code", self.file, self.projection)

    def change(self, sql: str) -> None:
        with duckdb.connect(str(self.projection)) as connection:
            connection.execute(sql)

    def is_kept(self) -> bool:
        """Whether the session is read without its records."""
        return heads(self.projection)["s1"].keeps_records

    def read(self) -> Conversation:
        """The session, without how it was read."""
        talk = read_all(self.projection)["s1"]
        return replace(talk, head=replace(talk.head, keeps_records=False))

    def read_without(self) -> Conversation:
        """The same after what was kept is gone."""
        self.change("DROP TABLE picked_stretches; DROP TABLE picked_records")
        assert not self.is_kept()
        return self.read()


def outputs(talk: Conversation) -> list[Any]:
    return [message.tool_detail["stdout"] for message in talk.messages if "stdout" in message.tool_detail]


def test_session_reads_the_same_from_what_was_kept_and_from_its_records(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    assert archive.is_kept()
    kept = archive.read()
    assert (kept.head.title, kept.git_branch, outputs(kept)) == ("The pattern", "main", ["one\ntwo"])
    assert kept == archive.read_without()


def test_long_records_and_many_are_kept_too(tmp_path: Path) -> None:
    runs = [
        (
            assistant(tool_use("Bash", {}, id=f"t{n}")),
            user(tool_result(f"t{n}", "x"), toolUseResult={"stdout": "é" * size}),
        )
        for n, size in enumerate((3, 3_000, 10_000, *range(300)))
    ]
    archive = Archive(tmp_path, ASKED, *(record for run in runs for record in run))
    assert archive.is_kept()
    assert one(archive.projection, "SELECT count(*) FROM picked_records") > 3
    assert archive.read() == archive.read_without()


def test_session_that_goes_on_reads_as_if_it_was_ingested_whole(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION[:3])
    append_records(archive.file, *SESSION[3:])
    archive.ingest()
    assert archive.is_kept()
    assert one(archive.projection, "SELECT count(*) FROM picked_stretches") == 2
    assert archive.read().messages == Archive(tmp_path / "whole", *SESSION).read().messages
    assert archive.read() == archive.read_without()


def test_session_that_was_written_anew_keeps_nothing_of_before(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    write_session(archive.file, ASKED, custom_title("Another"))
    archive.ingest()
    assert archive.is_kept()
    assert one(archive.projection, "SELECT sum(last_line - first_line + 1) FROM picked_stretches") == 2
    assert archive.read().head.title == "Another"


def test_what_somebody_took_out_of_a_record_is_shown_no_more(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    archive.change("UPDATE raw_events SET payload = replace(payload::VARCHAR, 'one\\ntwo', 'six\\nten')")
    assert not archive.is_kept()
    assert outputs(archive.read()) == ["six\nten"]


def test_record_that_somebody_removed_is_shown_no_more(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    archive.change("DELETE FROM raw_events WHERE contains(payload::VARCHAR, 'custom-title')")
    assert not archive.is_kept()
    assert archive.read().head.title == "A pattern"


def test_projection_of_an_earlier_version_is_read_from_its_records_until_a_session_goes_on(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    before = heads(archive.projection)["s1"].digest
    assert archive.read_without().head.digest == before  # so that nothing is rendered anew for it
    archive.ingest()
    assert not archive.is_kept()
    append_records(archive.file, user("And then?"), assistant("That's all."))
    archive.ingest()
    assert archive.is_kept()
    assert archive.read() == archive.read_without()


@pytest.mark.parametrize("line", ['{"type": "user", "uuid": "u9"', "[]", '{"a": NaN}', '{"n": 1e999}', "\udcff"])
def test_session_with_a_damaged_line_reads_as_its_records_do(tmp_path: Path, line: str) -> None:
    archive = Archive(tmp_path, *SESSION)
    with archive.file.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(line + "\n")
    append_records(archive.file, *RAN)
    archive.ingest()
    assert archive.read() == archive.read_without()


def test_number_that_cannot_be_kept_costs_nothing(tmp_path: Path) -> None:
    huge = user(tool_result("t1", "x"), toolUseResult={"stdout": "x", "durationMs": 10**30})
    archive = Archive(tmp_path, *SESSION, huge)
    assert archive.read() == archive.read_without()


@pytest.mark.parametrize("sql", ["DELETE FROM picked_records", "INSERT INTO picked_records FROM picked_records"])
def test_what_was_kept_and_is_not_whole_is_read_from_the_records(tmp_path: Path, sql: str) -> None:
    archive = Archive(tmp_path, *SESSION)
    archive.change(sql)
    assert not archive.is_kept()
    append_records(archive.file, *RAN)
    archive.ingest()
    assert archive.read() == archive.read_without()


@pytest.mark.parametrize("table", ["picked_stretches SET titles", "picked_records SET records"])
def test_what_was_kept_and_is_damaged_is_read_from_the_records(tmp_path: Path, table: str) -> None:
    archive = Archive(tmp_path, *SESSION)
    archive.change(f"UPDATE {table} = '\\xC1\\x00'::BLOB")
    assert archive.read() == archive.read_without()


def test_what_another_version_kept_is_not_read_and_goes(tmp_path: Path) -> None:
    archive = Archive(tmp_path, *SESSION)
    archive.change("UPDATE picked_stretches SET format = 0; UPDATE picked_records SET format = 0")
    assert not archive.is_kept()
    append_records(archive.file, user("And then?"))
    archive.ingest()
    assert archive.is_kept()
    assert one(archive.projection, "SELECT min(format) FROM picked_records") == FORMAT


def test_format_rises_with_whatever_is_picked() -> None:
    """When this fails for what was changed in `picked`, `FORMAT` has to rise, and then this changes with it."""
    picker = Picker()
    for line, record in enumerate([*SESSION, _with_everything()]):
        picker.add(line, json.dumps({"uuid": f"u{line}", "timestamp": "2030-01-02T03:04:05Z", **_steady(record)}))
    pack = picker.pack()
    assert pack is not None
    found = hashlib.sha256(b"".join((pack.titles, *(part for _, part in pack.records)))).hexdigest()[:12]
    assert (FORMAT, len(RawRecord.__struct_fields__), found) == (1, 16, "b718045812c9")


def _steady(record: Fields) -> Fields:
    return {name: value for name, value in record.items() if name not in ("uuid", "timestamp", "parentUuid")}


def _with_everything() -> Fields:
    """A record with all that may be picked of one, and more."""
    detail = {name: name for name in sorted((*picked._DETAIL_FIELDS, "content"))}
    file = {name: name for name in sorted((*picked._FILE_FIELDS, "content"))}
    said = {name: name for name in sorted((*picked._SAID_FIELDS, "more"))}
    tokens = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return {
        **said,
        **dict.fromkeys(("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"), True),
        **{name: name for name in ("parentUuid", "agentId", "gitBranch", "requestId", "subtype")},
        "type": "system",
        "message": {"model": "m", "id": "i", "usage": dict.fromkeys(tokens, 3)},
        "toolUseResult": {**detail, "file": file},
        "data": {"message": {"a": 1}, "agentId": "a", "more": 1},
    }
