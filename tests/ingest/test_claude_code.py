"""What a Claude Code session becomes: blocks, parents, titles, projects and times."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sitegen.ingest import ingest
from tests.ingest.reading import blocks, one, parents, query, title
from tests.support.sessions import (
    CWD,
    Fields,
    ai_title,
    assistant,
    compact_boundary,
    compact_summary,
    custom_title,
    image,
    meta,
    progress,
    summary,
    system,
    text,
    thinking,
    tool_result,
    tool_use,
    user,
    write_session,
    write_subagent,
)


def ingested(tmp_path: Path, *records: Fields | str, project: str = "-home-ann-parser", **options: Any) -> Path:
    """A projection of one session."""
    write_session(tmp_path / "projects" / project / "s1.jsonl", *records, **options)
    ingest("claude-code", tmp_path / "projects", tmp_path / "archive.duckdb")
    return tmp_path / "archive.duckdb"


# ------------------------------------------------------------------------------------------------------------ blocks

PICTURE = image(b"png")
TOOL = tool_use("Bash", {"command": "ls"}, id="t1")
ERROR = tool_result("t1", "no such file", is_error=True)
MIXED: list[Fields] = [text("one"), PICTURE, text("two")]
DOCUMENT: Fields = {
    "type": "document",
    "title": "plan.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"},
}


@pytest.mark.parametrize(
    ("block", "row"),
    [
        pytest.param(text("Hi"), ("text", "Hi", None, None, None), id="text"),
        pytest.param(thinking("Hm"), ("thinking", "Hm", None, None, None), id="thinking"),
        pytest.param(
            {"type": "redacted_thinking", "data": "x"},
            ("thinking", None, None, None, {"redacted": True}),
            id="redacted thinking",
        ),
        pytest.param(TOOL, ("tool_use", None, "Bash", "t1", {"input": {"command": "ls"}}), id="call"),
        pytest.param(
            {**TOOL, "type": "server_tool_use"},
            ("tool_use", None, "Bash", "t1", {"input": {"command": "ls"}}),
            id="server's call",
        ),
        pytest.param(
            {"type": "tool_use", "name": "Bash"}, ("tool_use", None, "Bash", None, {"input": {}}), id="bare call"
        ),
        pytest.param(
            ERROR,
            ("tool_result", "no such file", None, "t1", {"is_error": True, "raw_content": "no such file"}),
            id="result",
        ),
        pytest.param(
            tool_result("t1", MIXED),
            ("tool_result", "one\ntwo", None, "t1", {"is_error": False, "raw_content": MIXED}),
            id="result of blocks",
        ),
        pytest.param(
            tool_result("t1", [PICTURE]),
            ("tool_result", None, None, "t1", {"is_error": False, "raw_content": [PICTURE]}),
            id="result without text",
        ),
        pytest.param(
            {"type": "tool_result", "content": None},
            ("tool_result", None, None, None, {"is_error": False, "raw_content": None}),
            id="empty result",
        ),
        pytest.param(PICTURE, ("image", None, None, None, {"source": PICTURE["source"]}), id="image"),
        pytest.param(
            DOCUMENT,
            ("attachment", None, None, None, {"title": "plan.pdf", "source": DOCUMENT["source"]}),
            id="document",
        ),
        pytest.param(
            {"type": "hologram", "data": [1]},
            ("text", None, None, None, {"unknown_block": {"type": "hologram", "data": [1]}}),
            id="unknown",
        ),
    ],
)
def test_block_becomes_row(tmp_path: Path, block: Fields, row: tuple[object, ...]) -> None:
    assert blocks(ingested(tmp_path, user(block))) == [row]


def test_document_is_listed_among_attachments(tmp_path: Path) -> None:
    db = ingested(tmp_path, user("Read this", DOCUMENT))
    row = query(db, "SELECT filename, mime_type, size_bytes, metadata->>'block_index' FROM attachments")
    assert row == [("plan.pdf", "application/pdf", 3, "1")]


def test_prompt_that_is_plain_text_is_one_block(tmp_path: Path) -> None:
    assert blocks(ingested(tmp_path, user("Hi <b>there</b>"))) == [("text", "Hi <b>there</b>", None, None, None)]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(user(), id="no blocks"),
        pytest.param(system("Conversation compacted"), id="system notice"),
        pytest.param(progress(), id="progress"),
        pytest.param({"type": "file-history-snapshot", "snapshot": {}}, id="snapshot"),
        pytest.param({"type": "sparkle", "uuid": "u"}, id="unknown type"),
        pytest.param({"silly": "this"} | {"type": ""}, id="no type"),
    ],
)
def test_record_without_content_is_kept_raw_and_is_no_message(tmp_path: Path, record: Fields) -> None:
    db = ingested(tmp_path, record)
    assert one(db, "SELECT count(*) FROM messages") == 0
    assert one(db, "SELECT count(*) FROM raw_events") == 1


def test_message_holds_what_its_record_says(tmp_path: Path) -> None:
    db = ingested(tmp_path, assistant("Hi", uuid="m1", requestId="req_1", timestamp="2026-03-04T05:06:07.890+02:00"))
    (row,) = query(
        db,
        """SELECT source_native_id, role, model, created_at = TIMESTAMPTZ '2026-03-04 03:06:07.89+00', sequence_index,
        metadata->>'request_id', metadata->>'cwd' FROM messages""",
    )
    assert row == ("m1", "assistant", "claude-sonnet-4-5", True, 0, "req_1", CWD)


def test_repeated_native_id_gives_two_messages(tmp_path: Path) -> None:
    db = ingested(tmp_path, user("One", uuid="same"), user("Two", uuid="same"), assistant("Three", parentUuid="same"))
    rows = query(db, "SELECT id, source_native_id, parent_message_id FROM messages ORDER BY sequence_index")
    assert [native for _, native, _ in rows[:2]] == ["same", "same"]
    assert len({row_id for row_id, _, _ in rows}) == 3
    assert rows[2][2] == rows[0][0]


# ----------------------------------------------------------------------------------------------------------- parents


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param(
            [user("One", uuid="a"), assistant("Two", uuid="b")], {"a": None, "b": "a"}, id="the message before"
        ),
        pytest.param(
            [user("One", uuid="a"), progress(uuid="p"), system("Hook", uuid="q"), assistant("Two", uuid="b")],
            {"a": None, "b": "a"},
            id="over what is no message",
        ),
        pytest.param(
            [
                user("One", uuid="a"),
                progress(uuid="p", parentUuid="a"),
                assistant("Two", uuid="b", parentUuid="p"),
                user("Again", uuid="c", parentUuid="p"),
            ],
            {"a": None, "b": "a", "c": "a"},
            id="fork after what is no message",
        ),
        pytest.param(
            [user("One", uuid="a"), compact_boundary(uuid="cb", logicalParentUuid="a"), user("Sum", uuid="s")],
            {"a": None, "s": "a"},
            id="over a compaction",
        ),
        pytest.param([user("One", uuid="a", parentUuid="gone")], {"a": None}, id="not in the file"),
        pytest.param([user("One", uuid="a", parentUuid="a")], {"a": None}, id="itself"),
        pytest.param(
            [
                user("One", uuid="a", parentUuid="p"),
                progress(uuid="p", parentUuid="q"),
                progress(uuid="q", parentUuid="p"),
            ],
            {"a": None},
            id="a circle",
        ),
        pytest.param(
            [assistant("Two", uuid="b", parentUuid="p"), progress(uuid="p", parentUuid="a"), user("One", uuid="a")],
            {"b": "a", "a": None},
            id="later in the file",
        ),
    ],
)
def test_parent_is_the_nearest_message(tmp_path: Path, records: list[Fields], expected: dict[str, str | None]) -> None:
    if "later" in str(tmp_path):
        records[-1] = {**records[-1], "parentUuid": None}
    assert parents(ingested(tmp_path, *records)) == expected


# ------------------------------------------------------------------------------------------------------------ titles

PROMPT = user("Why does the parser fail?\nIt worked before.")


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([PROMPT], "Why does the parser fail?", id="first line of the first prompt"),
        pytest.param([PROMPT, ai_title("Parser failure"), ai_title("Parser")], "Parser", id="newest AI title"),
        pytest.param([custom_title("Mine"), PROMPT, ai_title("Theirs")], "Mine", id="custom title"),
        pytest.param([PROMPT, custom_title(" \x1b")], "Why does the parser fail?", id="empty custom title"),
        pytest.param([{**PROMPT, "uuid": "u1"}, summary("Mended", leaf="u1")], "Mended", id="own summary"),
        pytest.param([summary("Other"), PROMPT], "Why does the parser fail?", id="another session's summary"),
        pytest.param([meta("Caveat: The messages below …"), PROMPT], "Why does the parser fail?", id="meta"),
        pytest.param([user("Caveat: The messages below …"), PROMPT], "Why does the parser fail?", id="caveat"),
        pytest.param(
            [user("<command-message>init</command-message>\n<command-name>/init</command-name>"), PROMPT],
            "Why does the parser fail?",
            id="command",
        ),
        pytest.param([user("<local-command-stdout></local-command-stdout>"), PROMPT], "Why does the parser fail?"),
        pytest.param([user("<bash-input>ls</bash-input>"), PROMPT], "Why does the parser fail?", id="shell input"),
        pytest.param(
            [user("<system-reminder>\nBe kind.\n</system-reminder>\n\nMend it")], "Mend it", id="after a reminder"
        ),
        pytest.param([user("[Request interrupted by user]"), PROMPT], "Why does the parser fail?", id="interruption"),
        pytest.param([compact_summary(), PROMPT], "Why does the parser fail?", id="compaction"),
        pytest.param(
            [user("This session is being continued from a previous conversation."), PROMPT],
            "Why does the parser fail?",
            id="compaction without its mark",
        ),
        pytest.param([user(tool_result("t", "x")), user(image(), "What is this?")], "What is this?", id="blocks"),
        pytest.param(
            [user("Inner", isSidechain=True), PROMPT], "Why does the parser fail?", id="sidechain before the prompt"
        ),
        pytest.param([user("Inner", isSidechain=True)], "Inner", id="sidechain alone"),
        pytest.param(
            [user("<command-name>/review</command-name><command-args>the parser</command-args>")],
            "/review the parser",
            id="commands alone",
        ),
        pytest.param([user("<div> is broken")], "<div> is broken", id="a prompt about markup"),
        pytest.param([user("\x1b[1m a \x00 b\t c")], "[1m a b c", id="control characters"),
        pytest.param([user("x" * 500)], "x" * 200, id="long"),
        pytest.param([assistant("Hello")], None, id="no prompt"),
    ],
)
def test_title(tmp_path: Path, records: list[Fields], expected: str | None) -> None:
    assert title(ingested(tmp_path, *records)) == expected


# ----------------------------------------------------------------------------------------- project, times, metadata


def test_project_is_the_folder_worked_in_first(tmp_path: Path) -> None:
    db = ingested(tmp_path, user("One", cwd="/home/ann/my_parser"), user("Two", cwd="/tmp"), cwd=None)
    assert one(db, "SELECT project FROM conversations") == "/home/ann/my_parser"


@pytest.mark.parametrize(("folder", "project"), [("-home-ann-parser", "/home/ann/parser"), ("talks", "talks")])
def test_project_is_told_by_the_folder_when_no_record_tells(tmp_path: Path, folder: str, project: str) -> None:
    db = ingested(tmp_path, user("One"), project=folder, cwd=None)
    assert one(db, "SELECT project FROM conversations") == project


def test_project_of_a_subagent_is_told_by_its_sessions_folder(tmp_path: Path) -> None:
    session = tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl"
    write_subagent(session, "a", user("Hi", cwd=None))
    ingest("claude-code", tmp_path / "projects", tmp_path / "a.duckdb")
    assert one(tmp_path / "a.duckdb", "SELECT project FROM conversations") == "/home/ann/parser"


def test_times_span_all_messages_even_when_they_go_backwards(tmp_path: Path) -> None:
    moments = ("2026-01-02T10:00:00Z", "2026-01-02T12:00:00+05:00", "2026-01-02T11:00:00", "never")
    db = ingested(tmp_path, *(user("Hi", timestamp=moment) for moment in moments))
    (row,) = query(db, "SELECT epoch(started_at), epoch(ended_at) FROM conversations")
    assert [datetime.fromtimestamp(value, UTC).hour for value in row] == [7, 11]


def test_conversation_tells_where_it_comes_from(tmp_path: Path) -> None:
    db = ingested(tmp_path, user("Hi"))
    path = tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl"
    (row,) = query(db, "SELECT source_id, raw_path, source_file_mtime, metadata->>'event_count' FROM conversations")
    assert row == ("claude_code", str(path), path.stat().st_mtime, "1")
    assert query(db, "SELECT id, name FROM sources") == [("claude_code", "Claude Code")]


def test_session_without_messages_is_not_lost(tmp_path: Path) -> None:
    db = ingested(tmp_path, summary("Nothing happened"))
    assert query(db, "SELECT source_native_id, message_count FROM conversations") == [("s1", 0)]


def test_view_of_tool_calls_lists_them(tmp_path: Path) -> None:
    db = ingested(tmp_path, assistant(tool_use("Read", {"file_path": "a.py"}, id="t1")))
    row = query(db, "SELECT tool_name, tool_use_id, input->>'$.input.file_path', project, source_id FROM tool_calls")
    assert row == [("Read", "t1", "a.py", CWD, "claude_code")]
