"""Codex's sessions are read as they were held: everything once, calls with their outputs, nothing of it lost."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.errors import IngestError
from sitegen.ingest import IngestReport, ingest
from tests.ingest.reading import blocks, everything, one, payloads, query, texts, title
from tests.support.rollouts import (
    CWD,
    NAME,
    SESSION_ID,
    Fields,
    call,
    event,
    item,
    output,
    prompt,
    said,
    session_meta,
    turn_context,
    write_rollout,
)

ENVIRONMENT = "<environment_context>\n  <cwd>/home/ann/code/parser</cwd>\n</environment_context>"
PNG = "data:image/png;base64,iVBORw0KGgo="


def read(folder: Path, *records: Fields | str) -> tuple[Path, IngestReport]:
    write_rollout(folder / "sessions" / "2026" / "03" / "13" / NAME, *records)
    return folder / "a.duckdb", ingest("codex", folder / "sessions", folder / "a.duckdb")


def messages(db: Path) -> list[tuple[Any, ...]]:
    """Role and text of all messages, in order."""
    return query(
        db,
        """SELECT m.role, b.text FROM messages m JOIN content_blocks b ON b.message_id = m.id
        ORDER BY m.sequence_index, b.block_index""",
    )


# ------------------------------------------------------------------------------------------------------- said twice


ITEM, EVENT = prompt("Why does it fail?")
ANSWER = "A regular expression is wrong."
ORDERS = [
    pytest.param((ITEM, EVENT), id="item first"),
    pytest.param((EVENT, ITEM), id="event first"),
    pytest.param((ITEM,), id="item alone"),
    pytest.param((EVENT,), id="event alone"),
    pytest.param((ITEM, turn_context(), event("token_count", info=None), EVENT), id="with other records between"),
]


@pytest.mark.parametrize("records", ORDERS)
def test_prompt_stands_once(tmp_path: Path, records: tuple[Fields, ...]) -> None:
    db, report = read(tmp_path, session_meta(), *records, said("assistant", ANSWER))
    assert messages(db) == [("user", "Why does it fail?"), ("assistant", ANSWER)]
    assert (report.tally.messages, report.problems) == (2, ())


def test_prompt_sent_twice_stays_twice(tmp_path: Path) -> None:
    db, _ = read(tmp_path, *prompt("Go on"), said("assistant", "Done."), *prompt("Go on"), said("assistant", "Done."))
    assert [text for _, text in messages(db)] == ["Go on", "Done.", "Go on", "Done."]


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((event("agent_message", message=ANSWER), said("assistant", ANSWER)), id="event first"),
        pytest.param((said("assistant", ANSWER), event("agent_message", message=ANSWER)), id="item first"),
        pytest.param((event("agent_message", message=ANSWER),), id="event alone"),
        pytest.param((event("agent_message", message=ANSWER), event("task_complete")), id="event alone in its turn"),
    ],
)
def test_answer_stands_once(tmp_path: Path, records: tuple[Fields, ...]) -> None:
    db, _ = read(tmp_path, *prompt("Why?"), *records)
    assert messages(db) == [("user", "Why?"), ("assistant", ANSWER)]


@pytest.mark.parametrize("has_item", [True, False])
def test_thinking_stands_once(tmp_path: Path, has_item: bool) -> None:
    summary = [{"type": "summary_text", "text": "**Looking**"}]
    items = (item("reasoning", summary=summary, encrypted_content="gAAA"),) if has_item else ()
    db, _ = read(
        tmp_path, *prompt("Why?"), event("agent_reasoning", text="**Looking**"), *items, event("task_complete")
    )
    assert [(kind, text) for kind, text, *_ in blocks(db)] == [("text", "Why?"), ("thinking", "**Looking**")]


def test_thinking_that_is_encrypted_has_no_text_and_is_kept_raw(tmp_path: Path) -> None:
    db, _ = read(tmp_path, item("reasoning", summary=[], encrypted_content="gAAAsecret"))
    assert blocks(db) == [("thinking", None, None, None, {"has_encrypted_content": True})]
    assert payloads(db)[0]["payload"]["encrypted_content"] == "gAAAsecret"


# ------------------------------------------------------------------------------------------------------------- calls


PATCH = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch\n"
SHELL: Fields = {"command": ["bash", "-lc", "ls"], "workdir": CWD}
CALLS = [
    pytest.param(call("shell", SHELL), "shell", "call_1", {"arguments": json.dumps(SHELL)}, id="function"),
    pytest.param(
        item("function_call", namespace="mcp__docs__", name="find", arguments="{}", call_id="call_1"),
        "mcp__docs__find",
        "call_1",
        {"arguments": "{}"},
        id="tool of a server",
    ),
    pytest.param(
        item("custom_tool_call", name="apply_patch", input=PATCH, call_id="call_1"),
        "apply_patch",
        "call_1",
        {"input": PATCH},
        id="patch",
    ),
    pytest.param(
        item(
            "local_shell_call",
            call_id="call_1",
            status="completed",
            action={"type": "exec", "command": ["ls"], "working_directory": CWD},
        ),
        "local_shell",
        "call_1",
        {"input": {"command": ["ls"], "workdir": CWD}},
        id="local shell",
    ),
    pytest.param(
        item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "duckdb"}),
        "web_search",
        "ws_1",
        {"input": {"action": {"type": "search", "query": "duckdb"}}, "is_embedded": True},
        id="web search",
    ),
    pytest.param(
        item("function_call", name="shell", arguments="{}", call_id="call_1", status="in_progress"),
        "shell",
        "call_1",
        {"arguments": "{}", "status": "in_progress"},
        id="unfinished",
    ),
]


@pytest.mark.parametrize(("record", "name", "call_id", "payload"), CALLS)
def test_call_is_read(tmp_path: Path, record: Fields, name: str, call_id: str, payload: object) -> None:
    db, report = read(tmp_path, record)
    assert blocks(db) == [("tool_use", None, name, call_id, payload)]
    assert (report.tally.calls, report.tally.results) == (1, 0)


OUTPUTS = [
    pytest.param("a.py\n", "a.py\n", None, id="text"),
    pytest.param([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", None, id="parts"),
    pytest.param(
        {"output": "ok", "metadata": {"exit_code": 0}},
        '{"output": "ok", "metadata": {"exit_code": 0}}',
        None,
        id="object",
    ),
    pytest.param({"content": "no such file", "success": False}, "no such file", {"is_error": True}, id="failure"),
    pytest.param(
        [{"type": "input_text", "text": "here"}, {"type": "input_image", "image_url": PNG}],
        "here",
        {"raw_content": [{"type": "image", "image_url": PNG}]},
        id="image",
    ),
    pytest.param(None, None, None, id="nothing"),
    pytest.param(7, "7", None, id="number"),
]


@pytest.mark.parametrize("custom", [False, True])
@pytest.mark.parametrize(("value", "text", "payload"), OUTPUTS)
def test_output_is_paired_with_its_call(
    tmp_path: Path, value: object, text: str | None, payload: object, custom: bool
) -> None:
    db, report = read(tmp_path, call("shell", SHELL), output(value, custom=custom))
    assert blocks(db)[1] == ("tool_result", text, None, "call_1", payload)
    assert query(db, "SELECT role FROM messages ORDER BY sequence_index") == [("assistant",), ("tool",)]
    assert report.tally.results == 1


def test_drawn_image_is_the_result_of_its_call(tmp_path: Path) -> None:
    db, report = read(tmp_path, item("image_generation_call", id="ig_1", revised_prompt="A cat", result="iVBORw0KGgo="))
    assert [block[0] for block in blocks(db)] == ["tool_use", "tool_result"]
    assert blocks(db)[0][4] == {"input": {"prompt": "A cat"}}
    assert report.tally.images == 1


@pytest.mark.parametrize("event_first", [True, False])
def test_images_of_a_prompt_belong_to_it(tmp_path: Path, event_first: bool) -> None:
    image: Fields = {"type": "input_image", "image_url": PNG}
    records = [
        said("user", "<image name=[Image #1]>", image, "</image>", "What is this?"),
        event("user_message", message="What is this?", images=[PNG]),
    ]
    db, report = read(tmp_path, *(reversed(records) if event_first else records), said("assistant", "A cat."))
    assert [(kind, text) for kind, text, *_ in blocks(db)] == [
        ("text", "What is this?"),
        ("image", None),
        ("text", "A cat."),
    ]
    assert blocks(db)[1][4] == {"image_url": PNG}
    assert report.tally.images == 1


# ------------------------------------------------------------------------------------------- what belongs to the whole


def test_session_has_its_project_branch_model_and_tokens(tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 5}
    db, _ = read(
        tmp_path,
        session_meta(git={"branch": "fix", "commit_hash": "abc"}),
        turn_context("gpt-5"),
        *prompt("Why?"),
        said("assistant", "Because."),
        turn_context("gpt-5-codex"),
        event("token_count", info={"total_token_usage": usage}),
        said("assistant", "Really."),
    )
    (row,) = query(
        db,
        """SELECT source_id, source_native_id, title, project, metadata->>'git_branch', metadata->'usage'
        FROM conversations""",
    )
    assert row[:5] == ("codex_cli", SESSION_ID, "Why?", CWD, "fix")
    assert json.loads(row[5]) == usage
    assert query(db, "SELECT model FROM messages ORDER BY sequence_index") == [(None,), ("gpt-5",), ("gpt-5-codex",)]


TITLES = [
    pytest.param((said("user", ENVIRONMENT), *prompt("Fix it")), "Fix it", id="not the environment"),
    pytest.param(
        (said("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe kind\n</INSTRUCTIONS>"), *prompt("Fix")),
        "Fix",
        id="not the instructions",
    ),
    pytest.param(
        prompt("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nRename it\n"),
        "Rename it",
        id="not the editor's state",
    ),
    pytest.param((*prompt("Fix it"), event("thread_name_updated", thread_name="Parser")), "Parser", id="its name"),
    pytest.param((said("user", ENVIRONMENT),), None, id="none"),
]


@pytest.mark.parametrize(("records", "expected"), TITLES)
def test_title_is_the_first_that_the_user_asked(
    tmp_path: Path, records: tuple[Fields, ...], expected: str | None
) -> None:
    db, _ = read(tmp_path, *records)
    assert title(db) == expected


def test_instructions_are_marked_and_prompts_too(tmp_path: Path) -> None:
    db, _ = read(tmp_path, said("developer", "Obey."), said("user", ENVIRONMENT), *prompt("Fix it"))
    assert [json.loads(row[0]) for row in query(db, "SELECT metadata FROM messages ORDER BY sequence_index")] == [
        {"is_meta": True},
        {"is_prompt": True},
    ]
    assert len(payloads(db)) == 4


def test_compaction_leaves_its_summary(tmp_path: Path) -> None:
    db, _ = read(tmp_path, *prompt("Fix"), {"type": "compacted", "payload": {"message": "We fixed it.", "x": 1}})
    assert messages(db)[1] == ("system", "We fixed it.")
    assert one(db, "SELECT metadata->>'subtype' FROM messages WHERE role = 'system'") == "compaction"


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((event("turn_aborted", reason="interrupted"),), id="event"),
        pytest.param((said("user", "<turn_aborted>\nx\n</turn_aborted>"), event("turn_aborted")), id="both"),
    ],
)
def test_interruption_stands_once(tmp_path: Path, records: tuple[Fields, ...]) -> None:
    db, _ = read(tmp_path, *prompt("Fix"), *records)
    assert [role for role, _ in messages(db)] == ["user", "system"]


def test_subagent_names_the_session_that_started_it(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "parent-id", "depth": 1}}}
    db, _ = read(tmp_path, session_meta(source=source), *prompt("Look for it"))
    assert one(db, "SELECT metadata->>'parent_native_id' FROM conversations") == "parent-id"


def test_session_of_spring_2025_is_read(tmp_path: Path) -> None:
    header = {"id": "abc", "timestamp": "2025-05-07T10:00:00Z", "instructions": None, "git": {"branch": "main"}}
    db, report = read(
        tmp_path,
        json.dumps(header),
        json.dumps({"record_type": "state"}),
        json.dumps({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]}),
        json.dumps({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1", "id": "fc_1"}),
        json.dumps({"type": "function_call_output", "call_id": "c1", "output": "ok"}),
    )
    assert [(kind, text, name, call_id) for kind, text, name, call_id, _ in blocks(db)] == [
        ("text", "Why?", None, None),
        ("tool_use", None, "shell", "c1"),
        ("tool_result", "ok", None, "c1"),
    ]
    assert one(db, "SELECT metadata->>'git_branch' FROM conversations") == "main"
    assert report.problems == ()


# ----------------------------------------------------------------------------------------------- where sessions are


@pytest.mark.parametrize("where", ["file", "day", "sessions", "home"])
def test_sessions_are_found_from(tmp_path: Path, where: str) -> None:
    home = tmp_path / ".codex"
    file = write_rollout(home / "sessions" / "2026" / "03" / "13" / NAME, *prompt("Hello"))
    write_rollout(home / "archived_sessions" / "rollout-old.jsonl", *prompt("Old"))
    place = {"file": file, "day": file.parent, "sessions": home / "sessions", "home": home}[where]
    report = ingest("codex", place, tmp_path / "a.duckdb")
    assert report.new == (2 if where == "home" else 1)


@pytest.mark.parametrize(("place", "sentence"), [("gone", "doesn't exist"), (".", "holds no sessions")])
def test_place_without_sessions_is_told(tmp_path: Path, place: str, sentence: str) -> None:
    with pytest.raises(IngestError, match=sentence):
        ingest("codex", tmp_path / place, tmp_path / "a.duckdb")


def test_session_that_went_on_has_the_rows_of_one_read_at_once(tmp_path: Path) -> None:
    records = [session_meta(), *prompt("Why?"), event("agent_message", message="Hm"), said("assistant", "Hm")]
    for count in (3, 4, 5):
        db, report = read(tmp_path, *records[:count])
    assert (report.updated, messages(db)) == (1, [("user", "Why?"), ("assistant", "Hm")])
    before = everything(db)
    assert ingest("codex", tmp_path / "sessions", db).unchanged == 1
    assert everything(db) == before


# ----------------------------------------------------------------------------------------------------------- damage


WRONG = [
    pytest.param({"type": "response_item", "payload": "x"}, "its payload is text where an object", id="payload"),
    pytest.param(item("message", role="user", content=7), "its content is a number where a list", id="content"),
    pytest.param("no JSON", "it isn't JSON", id="no JSON"),
]


@pytest.mark.parametrize(("record", "reason"), WRONG)
def test_wrong_record_costs_only_itself(tmp_path: Path, record: Fields | str, reason: str) -> None:
    db, report = read(tmp_path, *prompt("Before"), record, said("assistant", "After"))
    assert texts(db) == ["Before", "After"]
    (problem,) = report.problems
    assert (problem.line, problem.reason.startswith(reason), problem.is_kept) == (3, True, False)
    assert len(payloads(db)) == 4


anything: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id"]), inner),
    max_leaves=5,
)
kinds = st.sampled_from(
    ["message", "reasoning", "function_call", "function_call_output", "user_message", "agent_message", "token_count"]
)
keys = st.sampled_from(
    ["role", "content", "summary", "call_id", "output", "message", "images", "info", "name", "arguments", "git"]
)
wild = st.builds(
    lambda outer, kind, fields: {"type": outer, "payload": {"type": kind, **fields}},
    st.sampled_from(["response_item", "event_msg", "session_meta", "turn_context", "compacted", "other"]),
    kinds,
    st.dictionaries(keys, anything, max_size=4),
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(wild, max_size=8))
def test_wild_records_cost_nothing_else(records: list[Fields]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        db, _ = read(folder, *prompt("The first prompt"), *records, *prompt("The last prompt"))
        assert {"The first prompt", "The last prompt"} <= set(texts(db))
        assert one(db, "SELECT count(*) FROM raw_events") == len(records) + 4
        before = everything(db)
        assert ingest("codex", folder / "sessions", db).unchanged == 1
        assert everything(db) == before
