"""OpenCode's database is read whole: messages, parts, tools and their results, subagents, what went wrong."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import IngestError
from sitegen.ingest import IngestReport, ingest
from tests.ingest.reading import blocks, everything, one, payloads, query, texts
from tests.ingest.test_shown import in_order, shown, words
from tests.support.opencode import Fields, assistant, session, tool, user, write_opencode
from tests.support.sessions import png


def read(folder: Path, *sessions: Any) -> tuple[Path, IngestReport]:
    db = folder / "a.duckdb"
    return db, ingest("opencode", write_opencode(folder / "opencode" / "opencode.db", *sessions), db)


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    talk = session(
        "s1", user("Fix it"), assistant({"type": "reasoning", "text": "Hm"}, "Fixed."), title="Fix the parser"
    )
    db, report = read(tmp_path, talk)
    row = query(db, "SELECT source_id, source_native_id, title, project, epoch(started_at) FROM conversations")
    assert row == [("opencode", "s1", "Fix the parser", "/home/ann/talks", 1_767_323_045)]
    assert query(db, "SELECT role, model, source_native_id FROM messages ORDER BY sequence_index") == [
        ("user", None, "s1-0"),
        ("assistant", "model-x", "s1-1"),
    ]
    assert [(kind, said) for kind, said, *_ in blocks(db)] == [
        ("text", "Fix it"),
        ("thinking", "Hm"),
        ("text", "Fixed."),
    ]
    assert (report.new, report.problems) == (1, ())


@pytest.mark.parametrize("title", ["", "New session - 2026-01-02T03:04:05.000Z"])
def test_a_session_without_a_title_is_called_by_its_first_prompt(tmp_path: Path, title: str) -> None:
    db, _ = read(tmp_path, session("s1", user("Fix the parser"), title=title))
    assert one(db, "SELECT title FROM conversations") == "Fix the parser"


def test_a_tool_is_a_call_with_its_result(tmp_path: Path) -> None:
    parts = (
        tool("bash", {"command": "ls"}, "a.py"),
        tool("read", {"filePath": "b.py"}, None, status="error", error="no such file"),
        tool("grep", {"pattern": "x"}),
    )
    db, report = read(tmp_path, session("s1", user("Look"), assistant(*parts)))
    assert (report.tally.calls, report.tally.results) == (3, 2)
    assert blocks(db)[1:] == [
        ("tool_use", None, "bash", "c-bash", {"input": {"command": "ls"}}),
        ("tool_result", "a.py", None, "c-bash", {"is_error": False}),
        ("tool_use", None, "read", "c-read", {"input": {"filePath": "b.py"}}),
        ("tool_result", "no such file", None, "c-read", {"is_error": True}),
        ("tool_use", None, "grep", "c-grep", {"input": {"pattern": "x"}}),
    ]


def test_images_come_along_and_other_files_are_named(tmp_path: Path) -> None:
    data = base64.b64encode(png()).decode()
    image = {"type": "file", "mime": "image/png", "filename": "a.png", "url": f"data:image/png;base64,{data}"}
    other = {"type": "file", "mime": "application/pdf", "filename": "a.pdf", "url": "file:///home/ann/a.pdf"}
    db, report = read(tmp_path, session("s1", user("Look", image, other)))
    assert report.tally.images == 1
    assert [row[0] for row in blocks(db)] == ["text", "image", "attachment"]
    assert blocks(db)[2][4] == {"file_name": "a.pdf", "file_type": "application/pdf"}


@pytest.mark.parametrize("kind", ["step-start", "step-finish", "snapshot", "patch", "compaction"])
def test_what_only_the_program_needs_is_kept_and_not_shown(tmp_path: Path, kind: str) -> None:
    db, _ = read(tmp_path, session("s1", user("Hi"), assistant({"type": kind, "hash": "abc"}, "Ho")))
    assert texts(db) == ["Hi", "Ho"]
    assert {"type": kind, "hash": "abc"} in [row.get("data") for row in payloads(db)]


def test_what_the_program_told_the_model_is_no_prompt(tmp_path: Path) -> None:
    db, _ = read(tmp_path, session("s1", user("Hi", {"type": "text", "text": "Plan mode", "synthetic": True})))
    assert texts(db) == ["Hi"]


def test_a_session_that_went_on_is_read_again_and_no_other(tmp_path: Path) -> None:
    write_opencode(tmp_path / "o.db", session("s1", user("Hi")), session("s2", user("Ho")), session("empty"))
    db = tmp_path / "a.duckdb"
    assert ingest("opencode", tmp_path / "o.db", db).files == 2
    before = everything(db)
    assert ingest("opencode", tmp_path / "o.db", db).unchanged == 2
    assert everything(db) == before
    with closing(sqlite3.connect(tmp_path / "o.db")) as connection, connection:
        part = json.dumps({"type": "text", "text": "Hello"})
        connection.execute("UPDATE part SET data = ?, time_updated = time_updated + 1 WHERE session_id = 's2'", (part,))
    again = ingest("opencode", tmp_path / "o.db", db)
    assert (again.updated, again.unchanged, sorted(filter(None, texts(db)))) == (1, 1, ["Hello", "Hi"])


@pytest.mark.parametrize(
    ("part", "reason"),
    [("{half", "its data: it isn't JSON"), ({"type": "hologram"}, "")],
    ids=["damaged", "unknown"],
)
def test_a_part_that_is_not_as_it_should_be_costs_itself(tmp_path: Path, part: Any, reason: str) -> None:
    db, report = read(tmp_path, session("s1", user("Hi"), assistant(part, "Ho")))
    assert [reason in problem.reason for problem in report.problems] == ([True] if reason else [])
    assert [said for said in texts(db) if said] == ["Hi", "Ho"]
    assert part in [row.get("data") for row in payloads(db)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no database at all, but long enough to look at", "can't be read as OpenCode's database"),
        (None, "doesn't exist"),
    ],
    ids=["foreign", "missing"],
)
def test_what_is_no_database_is_said(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "opencode.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(IngestError, match=reason):
        ingest("opencode", path, tmp_path / "a.duckdb")


def test_a_database_of_something_else_is_said(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE session (id TEXT)")
    with pytest.raises(IngestError, match="can't be read as OpenCode's database: no such"):
        ingest("opencode", tmp_path / "x.db", tmp_path / "a.duckdb")


def test_a_session_reads_right_on_a_page(tmp_path: Path) -> None:
    failed: Fields = {"name": "ProviderAuthError", "data": {"message": "The key is not valid"}}
    place = write_opencode(
        tmp_path / "opencode.db",
        session(
            "s1",
            user("Fix it"),
            assistant(
                "I'll look.",
                tool("edit", {"filePath": "/home/ann/talks/a.py", "oldString": "x = 1", "newString": "x = 2"}, "ok"),
                tool("bash", {"command": "make test", "description": "Test"}, "1 passed"),
            ),
            assistant("Earlier they fixed it.", summary=True),
            user("And?"),
            assistant(error=failed),
        ),
    )
    text = words(shown("opencode", place))
    in_order(
        text, "Fix it", "I'll look.", "Edited a.py", "x = 2", "1 passed", "Earlier conversation, summarised", "And?"
    )
    assert "The key is not valid" in text


def test_a_subagent_goes_with_the_session_that_started_it(tmp_path: Path) -> None:
    given: Fields = {"description": "Look around", "prompt": "Look into a.py", "subagent_type": "explore"}
    db, _ = read(
        tmp_path,
        session("s1", user("Fix it"), assistant(tool("task", given, "All is well"))),
        session("s2", user("Look into a.py"), assistant("All is well"), parent_id="s1"),
    )
    assert one(db, "SELECT metadata->>'parent_native_id' FROM conversations WHERE source_native_id = 's2'") == "s1"
