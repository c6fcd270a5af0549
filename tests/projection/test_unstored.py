"""What Claude Code recorded beside its messages reaches the reader, at its place and once."""

from __future__ import annotations

import base64
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace

from sitegen.ingest import ingest
from tests.projection.reading import heads, read_all
from tests.projection.recorded import ANSWERED, ASKED, attachment, failed, projection, session, told, waited, words
from tests.support.sessions import (
    Fields,
    append_records,
    assistant,
    compact_boundary,
    compact_summary,
    image,
    progress,
    system,
    text,
    tool_result,
    tool_use,
    user,
    write_session,
    write_subagent,
)

# ------------------------------------------------------------------------------------------- typed while it worked


def test_prompt_that_waited_stands_where_the_model_was_told(tmp_path: Path) -> None:
    talk = session(
        tmp_path,
        ASKED,
        assistant(tool_use("Bash", {"command": "make"}, id="t1")),
        user(tool_result("t1", "ok")),
        waited("Use make -j, please"),
        ANSWERED,
    )
    assert [words(message) for message in talk.messages] == [
        "Why does it fail?",
        "",
        "ok",
        "Use make -j, please",
        "A pattern is wrong.",
    ]
    result, prompt, answer = talk.messages[2:]
    assert (prompt.role, prompt.metadata["subtype"]) == ("user", "queued_command")
    assert (prompt.parent_id, answer.parent_id) == (result.id, prompt.id)
    assert prompt.created_at is not None
    assert prompt.index == result.index


def test_prompt_that_waited_keeps_its_images(tmp_path: Path) -> None:
    prompt = session(tmp_path, ASKED, waited([text("Like this:"), image()]), ANSWERED).messages[1]
    assert [block.kind for block in prompt.blocks] == ["text", "image"]
    assert prompt.blocks[1].payload["source"]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(waited("ls", "bash"), ("user", "queued_command", "<bash-input>ls</bash-input>"), id="shell"),
        pytest.param(waited("Go on", None), ("user", "queued_command", "Go on"), id="without-a-mode"),
        pytest.param(
            waited("Go on", origin={"kind": "human"}), ("user", "queued_command", "Go on"), id="said-to-be-human"
        ),
        pytest.param(
            waited("<task-notification>x</task-notification>", "task-notification"),
            ("system", "notification", "<task-notification>x</task-notification>"),
            id="notification",
        ),
        pytest.param(waited("Done here", origin={"kind": "peer"}), ("system", "peer", "Done here"), id="other-agent"),
        pytest.param(waited("Done here", isMeta=True), ("system", "peer", "Done here"), id="meta"),
        pytest.param(waited("Continue.", origin={"kind": "auto-continuation"}), None, id="the-program-itself"),
        pytest.param(waited(""), None, id="empty"),
        pytest.param(waited(None), None, id="nothing"),
        pytest.param(waited([{"type": "image"}]), None, id="broken"),
    ],
)
def test_what_waited_is_told_by_who_said_it(
    tmp_path: Path, record: Fields, expected: tuple[str, str, str] | None
) -> None:
    assert told(tmp_path, ASKED, record, ANSWERED) == ([expected] if expected else [])


def test_prompt_that_is_a_message_as_well_is_told_once(tmp_path: Path) -> None:
    assert told(tmp_path, user("Hurry up", uuid="own"), waited("Hurry up", source_uuid="own"), ANSWERED) == []


# ------------------------------------------------------------------------------------------------ system records


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(
            system("<command-name>/model</command-name>"),
            ("system", "local_command", "<command-name>/model</command-name>"),
            id="command",
        ),
        pytest.param(compact_boundary(), ("system", "compact_boundary", "Conversation compacted"), id="compaction"),
        pytest.param(
            compact_boundary() | {"content": None},
            ("system", "compact_boundary", "Conversation compacted"),
            id="no-words",
        ),
        pytest.param(
            system("You asked for tests.", subtype="away_summary"),
            ("system", "away_summary", "You asked for tests."),
            id="recap",
        ),
        pytest.param(
            system("\x1b[1mLimit\x1b[22m reached", subtype="informational"),
            ("system", "informational", "Limit reached"),
            id="information",
        ),
        pytest.param(system("All well", subtype="new_thing"), ("system", "new_thing", "All well"), id="unknown"),
        pytest.param(failed(), ("system", "api_retry", "529 Overloaded"), id="failed-request"),
        pytest.param(
            {"type": "system", "subtype": "api_error", "cause": {"code": "ConnectionRefused"}},
            ("system", "api_retry", "ConnectionRefused"),
            id="no-connection",
        ),
        pytest.param(
            {"type": "system", "subtype": "stop_hook_summary", "hookErrors": ["lint failed"]},
            ("system", "hook", "lint failed"),
            id="failed-stop-hook",
        ),
        pytest.param(
            system("PostToolUse:Edit [lint] failed with status 1", level="warning") | {"subtype": None},
            ("system", "hook", "PostToolUse:Edit [lint] failed with status 1"),
            id="failed-hook",
        ),
        pytest.param(system("Running \x1b[1mPostToolUse:Edit\x1b[22m…") | {"subtype": None}, None, id="running-hook"),
        pytest.param({"type": "system", "subtype": "stop_hook_summary", "hookErrors": []}, None, id="stop-hook"),
        pytest.param({"type": "system", "subtype": "turn_duration", "durationMs": 5}, None, id="duration"),
        pytest.param(system("https://example.org/secret", subtype="bridge_status"), None, id="own-address"),
        pytest.param(system("", subtype="informational"), None, id="silent"),
        pytest.param({"type": "system", "content": ["x"], "error": "x", "attachment": 3}, None, id="broken"),
    ],
)
def test_system_record_tells_what_matters(
    tmp_path: Path, record: Fields, expected: tuple[str, str, str] | None
) -> None:
    assert told(tmp_path, ASKED, record, ANSWERED) == ([expected] if expected else [])


def test_failed_requests_in_a_row_are_one_note(tmp_path: Path) -> None:
    talk = session(tmp_path, ASKED, failed(), failed(), failed(500, "Down"), ANSWERED, user("And?"), failed(), ANSWERED)
    first, second = [message for message in talk.messages if message.metadata.get("subtype") == "api_retry"]
    assert (words(first), first.metadata["times"]) == ("529 Overloaded\n500 Down", 3)
    assert "times" not in second.metadata
    assert talk.messages[2].parent_id == first.id


# -------------------------------------------------------------------------------------------------- attachments


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(attachment("hook_success", stdout="fine", content="fine"), None, id="hook-that-went-well"),
        pytest.param(
            attachment("hook_non_blocking_error", hookName="Stop", stderr="no such file"),
            ("system", "hook", "no such file"),
            id="hook-that-failed",
        ),
        pytest.param(
            attachment("hook_blocking_error", hookName="Stop", blockingError={"blockingError": "Write tests"}),
            ("system", "hook", "Write tests"),
            id="hook-that-blocked",
        ),
        pytest.param(
            attachment("hook_blocking_error", hookEvent="PreToolUse", blockingError={"blockingError": "No"}),
            None,
            id="told-by-the-result",
        ),
        pytest.param(
            attachment("hook_additional_context", hookName="SessionStart", content=["One", "Two"]),
            ("system", "hook", "One\nTwo"),
            id="hook-that-told-the-model",
        ),
        pytest.param(attachment("hook_additional_context", content=[]), None, id="hook-without-words"),
        pytest.param(
            attachment("edited_text_file", filename="/home/ann/a.py", snippet="1→x"),
            ("system", "file_changed", "1→x"),
            id="file-that-changed",
        ),
        pytest.param(
            attachment("opened_file_in_ide", filename="/home/ann/a.py"),
            (
                "system",
                "editor",
                "<ide_opened_file>The user opened the file /home/ann/a.py in the IDE.</ide_opened_file>",
            ),
            id="opened-file",
        ),
        pytest.param(
            attachment("teammate_mailbox", messages=[{"from": 'a">', "text": "Done"}, {"from": "b"}, 3]),
            ("system", "peer", '<teammate-message teammate_id="a">\nDone\n</teammate-message>'),
            id="mail",
        ),
        pytest.param(attachment("skill_listing", content="- a: b"), None, id="skills"),
        pytest.param(attachment("nested_memory", content={"content": "Be kind"}), None, id="memory"),
        pytest.param({"type": "attachment", "attachment": "queued_command"}, None, id="broken"),
    ],
)
def test_attachment_tells_what_matters(tmp_path: Path, record: Fields, expected: tuple[str, str, str] | None) -> None:
    assert told(tmp_path, ASKED, record, ANSWERED) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "record",
    [
        attachment("hook_additional_context", hookName="SessionStart", content=["One"]),
        attachment("edited_text_file", filename="a.py", snippet="1→x"),
    ],
    ids=["hook", "changed-file"],
)
def test_what_the_model_alone_was_told_is_marked_as_such(tmp_path: Path, record: Fields) -> None:
    metadata = session(tmp_path, ASKED, record, ANSWERED).messages[1].metadata
    assert "context" in metadata
    assert "subtype" not in metadata


def test_changed_file_is_named_without_its_folder(tmp_path: Path) -> None:
    record = attachment("edited_text_file", filename="/home/ann/code/a.py", snippet="1→x")
    assert session(tmp_path, ASKED, record).messages[1].metadata["title"] == "a.py"


@pytest.mark.parametrize(
    ("record", "name", "content"),
    [
        pytest.param(
            attachment("file", displayPath="a.py", content={"type": "text", "file": {"content": "import re"}}),
            "a.py",
            "import re",
            id="text",
        ),
        pytest.param(
            attachment("directory", path="/home/ann/src", content="a.py"), "/home/ann/src/", "a.py", id="folder"
        ),
        pytest.param(
            attachment("mcp_resource", name="Notes", content={"contents": [{"text": "One"}, {"blob": "x"}]}),
            "Notes",
            "One\n",
            id="resource",
        ),
        pytest.param(
            attachment(
                "file",
                filename="plan.pdf",
                content={"type": "pdf", "file": {"base64": base64.b64encode(b"%PDF").decode()}},
            ),
            "plan.pdf",
            None,
            id="pdf",
        ),
    ],
)
def test_file_put_to_a_prompt_is_a_file(tmp_path: Path, record: Fields, name: str, content: str | None) -> None:
    message = session(tmp_path, ASKED, record, ANSWERED).messages[1]
    (file,) = message.attachments
    assert (message.role, message.blocks, file.filename, file.extracted_text) == ("user", (), name, content)
    assert file.data == (None if content else b"%PDF")


# ------------------------------------------------------------------------------------------------------ subagents


def reported(agent: str, message: Fields, uid: str) -> Fields:
    return progress(data={"type": "agent_progress", "agentId": agent, "message": {**message, "uuid": uid}})


def test_subagent_that_only_reports_hold_is_a_side_chain(tmp_path: Path) -> None:
    talk = session(
        tmp_path,
        ASKED,
        assistant(tool_use("Task", {"prompt": "Look"}, id="t1")),
        reported("a1", user(text("Look")), "u1"),
        reported("a1", assistant(tool_use("Read", {"file_path": "a.py"}, id="r1")), "u2"),
        reported("a1", user(tool_result("r1", "import re"), toolUseResult={"stdout": "x", "originalFile": "y"}), "u3"),
        reported("a1", user(tool_result("r1", "import re")), "u3"),
        user(tool_result("t1", "Found"), toolUseResult={"agentId": "a1"}),
        ANSWERED,
    )
    chain = [message for message in talk.messages if message.is_sidechain]
    assert [(message.role, message.blocks[0].kind) for message in chain] == [
        ("user", "text"),
        ("assistant", "tool_use"),
        ("user", "tool_result"),
    ]
    assert {message.agent_id for message in chain} == {"a1"}
    assert [message.parent_id for message in chain] == [None, chain[0].id, chain[1].id]
    assert chain[2].tool_detail == {"stdout": "x"}


def test_subagent_with_a_session_of_its_own_is_told_once(tmp_path: Path) -> None:
    path = write_session(
        tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl",
        ASKED,
        reported("a1", user(text("Look")), "u1"),
        ANSWERED,
    )
    write_subagent(path, "a1", user("Look"), assistant("Found"))
    ingest("claude-code", tmp_path / "projects", tmp_path / "archive.duckdb")
    talk = read_all(tmp_path / "archive.duckdb")["s1"]
    assert not any(message.is_sidechain for message in talk.messages)
    assert [child.head.native_id for child in talk.subagents] == ["agent-a1"]


def test_what_a_subagents_session_tells_belongs_to_it(tmp_path: Path) -> None:
    path = write_session(tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl", ASKED, ANSWERED)
    write_subagent(path, "a1", user("Look"), failed(), assistant("Found"))
    ingest("claude-code", tmp_path / "projects", tmp_path / "archive.duckdb")
    (child,) = read_all(tmp_path / "archive.duckdb")["s1"].subagents
    assert [message.is_sidechain for message in child.messages] == [True, True, True]


# ------------------------------------------------------------------------------------------------------- everywhere


def test_records_before_and_after_all_messages_are_told(tmp_path: Path) -> None:
    talk = session(
        tmp_path, system("<command-name>/a</command-name>"), ASKED, ANSWERED, system("<command-name>/b</command-name>")
    )
    assert [message.role for message in talk.messages] == ["system", "user", "assistant", "system"]
    assert [message.index for message in talk.messages] == [0, 0, 1, 1]


def test_same_record_twice_is_told_once(tmp_path: Path) -> None:
    record = waited("Go on", uuid=None) | {"uuid": "u1"}
    assert len(told(tmp_path, ASKED, record, ANSWERED, record)) == 1


def test_record_without_an_id_is_told_where_it_stands(tmp_path: Path) -> None:
    record = waited("Go on") | {"uuid": None, "parentUuid": None}
    talk = session(tmp_path, ASKED, record, ANSWERED)
    assert [words(message) for message in talk.messages] == ["Why does it fail?", "Go on", "A pattern is wrong."]


def test_session_without_any_ids_keeps_its_order_and_its_flags(tmp_path: Path) -> None:
    bare = {"uuid": None, "parentUuid": None}
    talk = session(
        tmp_path,
        ASKED | bare,
        compact_boundary() | bare,
        compact_summary() | bare,
        assistant("API Error: no", isApiErrorMessage=True) | bare,
    )
    assert [message.role for message in talk.messages] == ["user", "system", "user", "assistant"]
    assert talk.messages[2].is_compact_summary
    assert talk.messages[3].is_api_error


def test_ids_survive_another_ingest_and_growth(tmp_path: Path) -> None:
    path = projection(tmp_path, ASKED, waited("Go on"), failed() | {"uuid": None}, ANSWERED)
    before = read_all(path)["s1"].messages
    append_records(tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl", user("And?"))
    ingest("claude-code", tmp_path / "projects", path)
    after = read_all(path)["s1"].messages
    assert [message.id for message in after[:-1]] == [message.id for message in before]
    assert len({message.id for message in after}) == 5


def test_both_kinds_of_projection_tell_the_same(tmp_path: Path) -> None:
    """Others leave a parent out where it is a record without a message."""
    path = projection(
        tmp_path, ASKED, failed(), failed(), ANSWERED, user("More?"), waited("Go on"), ANSWERED | {"uuid": "last"}
    )
    ours = read_all(path)["s1"]
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE messages SET parent_message_id = NULL WHERE role = 'assistant'")
    theirs = read_all(path)["s1"]
    assert [replace(message, metadata={}) for message in theirs.messages] == [
        replace(message, metadata={}) for message in ours.messages
    ]
    assert [message.parent_id for message in ours.messages[1:]] == [message.id for message in ours.messages[:-1]]


def test_record_that_a_page_shows_changes_the_digest(tmp_path: Path) -> None:
    path = projection(tmp_path, ASKED, ANSWERED)
    before = heads(path)["s1"].digest
    append_records(tmp_path / "projects" / "-home-ann-parser" / "s1.jsonl", waited("Go on"))
    ingest("claude-code", tmp_path / "projects", path)
    assert heads(path)["s1"].digest != before
