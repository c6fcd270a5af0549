"""What only the source's records know reaches the messages: whose they are, what they used, what tools returned."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.model import Message, Usage
from tests.projection.reading import read_one
from tests.support.projections import (
    ConversationRow,
    Value,
    assistant,
    call,
    conversation,
    result,
    text,
    thinking,
    user,
)
from tests.support.projections import message as message_row


def messages(folder: Path, *rows: ConversationRow) -> tuple[Message, ...]:
    return read_one(folder, *rows).messages


def usage(output: int) -> Value:
    return {
        "input_tokens": 3,
        "output_tokens": output,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "service_tier": "standard",
    }


@pytest.mark.parametrize(
    ("record", "attribute", "expected"),
    [
        ({"isMeta": True}, "is_meta", True),
        ({"isMeta": False}, "is_meta", False),
        ({"isMeta": "yes"}, "is_meta", False),
        ({"isSidechain": True}, "is_sidechain", True),
        ({"isCompactSummary": True}, "is_compact_summary", True),
        ({"isApiErrorMessage": True}, "is_api_error", True),
        ({"agentId": "a1"}, "agent_id", "a1"),
        ({"agentId": ["a1"], "message": "x", "toolUseResult": {"file": "x"}}, "agent_id", None),
        ({"requestId": "req_1"}, "request_id", "req_1"),
        ({"message": {"id": "msg_1"}}, "request_id", "msg_1"),
        ({"subtype": "local_command"}, "metadata", {"subtype": "local_command"}),
        ({"message": {"model": "claude-x"}}, "model", "claude-x"),
        ({"message": {"model": "<synthetic>"}}, "model", None),
        ({"message": {"usage": usage(5)}}, "usage", Usage(3, 5, 100, 20)),
        ({"message": {"usage": {"output_tokens": -1, "input_tokens": "x"}}}, "usage", Usage()),
        ({"message": {"usage": 7}}, "usage", None),
        ({"toolUseResult": {"stdout": "ok", "stderr": ""}}, "tool_detail", {"stdout": "ok", "stderr": ""}),
        ({"toolUseResult": "Error: no"}, "tool_detail", {}),
        ({"toolUseResult": [{"type": "text"}]}, "tool_detail", {}),
    ],
    ids=str,
)
def test_record_enriches_its_message(tmp_path: Path, record: Value, attribute: str, expected: object) -> None:
    (message,) = messages(tmp_path, conversation("s1", user("x", raw=record)))
    assert getattr(message, attribute) == expected


def test_tool_detail_has_the_patch_and_not_the_files(tmp_path: Path) -> None:
    patch: Value = [{"oldStart": 1, "lines": ["-a", "+b"]}]
    detail: Value = {
        "filePath": "/a.py",
        "structuredPatch": patch,
        "originalFile": "a" * 10_000,
        "content": "b" * 10_000,
        "file": {"filePath": "/a.py", "content": "c" * 10_000, "numLines": 3},
    }
    (message,) = messages(tmp_path, conversation("s1", user(result("ok"), raw={"toolUseResult": detail})))
    assert message.tool_detail == {
        "filePath": "/a.py",
        "structuredPatch": patch,
        "file": {"filePath": "/a.py", "numLines": 3},
    }


def test_messages_of_one_request_share_its_last_usage(tmp_path: Path) -> None:
    def part(block: object, output: int, request: str | None = "req_1") -> Value:
        return {"requestId": request, "message": {"id": "msg_1", "usage": usage(output)}}

    talk = conversation(
        "s1",
        assistant(thinking("Hm"), raw=part("a", 1), metadata={"request_id": "req_1"}),
        assistant(text("Yes"), raw=part("b", 2), metadata={"request_id": "req_1"}),
        assistant(call("Bash", {}), raw=part("c", 90), metadata={"request_id": "req_1"}),
        assistant(text("Other"), raw={"requestId": "req_2", "message": {"usage": usage(7)}}),
    )
    found = messages(tmp_path, talk)
    assert [(one.request_id, one.usage.output_tokens if one.usage else None) for one in found] == [
        ("req_1", 90),
        ("req_1", 90),
        ("req_1", 90),
        ("req_2", 7),
    ]


def test_repeated_ids_take_their_records_in_turn(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        user("a", native_id="x", raw={"isMeta": True}),
        user("b", native_id="x", raw={"isMeta": False}),
        user("c", native_id="x", raw={"isSidechain": True}),
        user("d", native_id=None, raw={"isMeta": True}),
        user("e", native_id="y"),
    )
    found = messages(tmp_path, talk)
    assert [(one.is_meta, one.is_sidechain) for one in found] == [
        (True, False),
        (False, False),
        (False, True),
        (False, False),
        (False, False),
    ]


def test_more_messages_than_records_share_the_last(tmp_path: Path) -> None:
    talk = conversation("s1", user("a", native_id="x", raw={"isMeta": True}), user("b", native_id="x"))
    assert [one.is_meta for one in messages(tmp_path, talk)] == [True, True]


def test_branch_is_the_last_that_was_named(tmp_path: Path) -> None:
    branches = ("main", "fix/parser", "HEAD", "")
    talk = conversation("s1", *(user("x", raw={"gitBranch": branch}) for branch in branches))
    assert read_one(tmp_path, talk).git_branch == "fix/parser"
    assert read_one(tmp_path, conversation("s1", user("x"))).git_branch is None


def test_parent_that_is_no_message_is_stepped_over(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        user("a", raw={"parentUuid": None}),
        user("b", parent=None, raw={"parentUuid": "p2"}),
        user("c", parent=None, raw={"parentUuid": "lost"}),
        user("d", parent=None, raw={"parentUuid": None, "logicalParentUuid": "m1"}),
        raw_events=(
            {"type": "progress", "uuid": "p1", "parentUuid": "m0"},
            {"type": "attachment", "uuid": "p2", "parentUuid": "p1"},
        ),
    )
    first, second, third, fourth = messages(tmp_path, talk)
    assert (second.parent_id, third.parent_id, fourth.parent_id) == (first.id, None, second.id)


def test_circle_of_records_ends(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        user("a", parent=None, raw={"parentUuid": "p1"}),
        raw_events=({"uuid": "p1", "parentUuid": "p2"}, {"uuid": "p2", "parentUuid": "p1"}),
    )
    assert messages(tmp_path, talk)[0].parent_id is None


def test_doubtful_parent_is_the_first_of_its_id(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        user("a", native_id="x", raw={}),
        user("b", native_id="x", raw={}),
        user("c", native_id="y", raw={"parentUuid": "x"}),
    )
    first, _, third = messages(tmp_path, talk)
    assert third.parent_id == first.id


def test_records_of_another_source_are_left_alone(tmp_path: Path) -> None:
    talk = conversation("s1", user("x", raw={"isMeta": True}), source="opencode")
    assert messages(tmp_path, talk)[0].is_meta is False


# ---------------------------------------------------------------------------------------------------------------- Codex


def codex(*rows: object) -> ConversationRow:
    return conversation("s1", *rows, source="codex_cli")  # type: ignore[arg-type]


def shown(folder: Path, talk: ConversationRow) -> list[tuple[str | None, bool]]:
    return [(one.blocks[0].text, one.is_meta) for one in messages(folder, talk)]


def test_codex_prompt_is_there_once_and_instructions_are_meta(tmp_path: Path) -> None:
    context, rules = "<environment_context>\n<cwd>/a</cwd>\n</environment_context>", "# AGENTS.md instructions for /a"
    talk = codex(
        user("Fix it"), user(context), user(rules), user("Fix it\n"), assistant("Done"), user("Again"), user("Again")
    )
    assert shown(tmp_path, talk) == [
        ("Fix it", False),
        (context, True),
        (rules, True),
        ("Done", False),
        ("Again", False),
    ]


def test_codex_prompt_sent_twice_stays_twice(tmp_path: Path) -> None:
    talk = codex(*(user("go on") for _ in range(4)), assistant("Done"), user("go on"))
    assert [said for said, _ in shown(tmp_path, talk)] == ["go on", "go on", "Done", "go on"]


def test_codex_answers_said_twice_stay(tmp_path: Path) -> None:
    talk = codex(
        assistant("Done"), assistant("Done"), message_row("tool", result("ok")), message_row("tool", result("ok"))
    )
    assert [said for said, _ in shown(tmp_path, talk)] == ["Done", "Done", "ok", "ok"]


def test_codex_parent_of_a_dropped_prompt_is_the_kept_one(tmp_path: Path) -> None:
    first, answer = messages(tmp_path, codex(user("Fix it"), user("Fix it"), assistant("Done")))
    assert answer.parent_id == first.id
    assert first.parent_id is None


def test_ids_stay_when_a_prompt_is_dropped(tmp_path: Path) -> None:
    rows = (user("x", native_id=None), user("x", native_id=None), assistant("y", native_id=None))
    plain = messages(tmp_path, conversation("s1", *rows, source="other"))
    assert [one.id for one in messages(tmp_path, codex(*rows))] == [plain[0].id, plain[2].id]
