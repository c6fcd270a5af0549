"""A share shows what it says, and what it leaves out is not handed on."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sitegen.model import Attachment, Block, Conversation, ConversationHead, Message, Share, Show
from sitegen.privacy import narrow

HEAD = ConversationHead("r", "claude_code", "n", "Title", None, None, None, 4, "d")


def message(index: int, role: Any, *blocks: Block, **fields: Any) -> Message:
    return Message(id=f"{index:012}", role=role, index=index, blocks=blocks, **fields)


CONVERSATION = Conversation(
    HEAD,
    (
        message(0, "user", Block("text", "Where is the key?")),
        message(1, "assistant", Block("thinking", "secret thought"), Block("text", "Let me look.")),
        message(
            2, "assistant", Block("tool_use", tool_name="Bash", tool_use_id="t", payload={"input": {"command": "ls"}})
        ),
        message(
            3,
            "user",
            Block("tool_result", "the key is here", tool_use_id="t", payload={"is_error": True, "raw_content": "key"}),
            tool_detail={"stdout": "the key is here"},
        ),
        message(4, "assistant", Block("text", "Found it.")),
    ),
    subagents=(Conversation(replace(HEAD, native_id="sub"), (message(0, "user", Block("text", "sub")),)),),
)


def shown(**fields: Any) -> Conversation:
    return narrow(CONVERSATION, Share(slug="s", head=HEAD, project=None, origin="test", **fields))


def test_all_shows_all() -> None:
    assert shown() is CONVERSATION


def test_calls_show_that_a_tool_was_called_and_failed_but_not_what_it_said() -> None:
    result = shown(show=Show.CALLS)
    assert "key is here" not in repr(result)
    assert "secret thought" not in repr(result)
    assert "ls" in repr(result)
    assert [block.payload for m in result.messages for block in m.blocks if block.kind == "tool_result"] == [
        {"is_error": True, "is_hidden": True}
    ]
    assert dict(result.hidden) == {"thinking": 1, "tool results": 1}


def test_files_that_came_with_a_result_go_with_it() -> None:
    file = Attachment("screen.png", "image/png", data=b"secret")
    messages = tuple(replace(each, attachments=(file,)) for each in CONVERSATION.messages)
    share = Share(slug="s", head=HEAD, project=None, origin="test", show=Show.CALLS)
    result = narrow(replace(CONVERSATION, messages=messages), share)
    assert [len(each.attachments) for each in result.messages] == [1, 1, 1, 0, 1]


def test_conversation_shows_prompts_and_answers_only() -> None:
    result = shown(show=Show.CONVERSATION)
    assert [block.text for m in result.messages for block in m.blocks] == [
        "Where is the key?",
        "Let me look.",
        "Found it.",
    ]
    assert result.subagents == ()
    assert dict(result.hidden) == {"thinking": 1, "tool calls": 1, "tool results": 1}


@pytest.mark.parametrize(
    ("ranges", "kept"),
    [
        pytest.param(((1, 1),), [0], id="one"),
        pytest.param(((1, 2), (5, 5)), [0, 1, 4], id="two ranges"),
        pytest.param(((3, None),), [2, 3, 4], id="open end"),
        pytest.param(((99, None),), [], id="beyond"),
    ],
)
def test_ranges_count_from_one_and_include_their_ends(ranges: Any, kept: list[int]) -> None:
    result = shown(messages=ranges)
    assert [m.index for m in result.messages] == kept
    assert dict(result.hidden).get("messages", 0) == 5 - len(kept)


def test_sidechains_go_with_the_results() -> None:
    inline = replace(
        CONVERSATION, messages=(*CONVERSATION.messages, message(5, "user", Block("text", "aside"), is_sidechain=True))
    )
    share = Share(slug="s", head=HEAD, project=None, origin="test", show=Show.CONVERSATION)
    assert "aside" not in repr(narrow(inline, share))


# ---------------------------------------------------------------------------------------------------- subagents, parts


def start(index: int, id: str, prompt: str) -> Message:
    return message(index, "assistant", Block("tool_use", None, "Task", id, {"input": {"prompt": prompt}}))


def told(index: int, id: str, agent: str) -> Message:
    return message(index, "user", Block("tool_result", "Done.", None, id), tool_detail={"agentId": agent})


def agent(native_id: str, said: str) -> Conversation:
    return Conversation(
        replace(HEAD, row_id=native_id, native_id=f"agent-{native_id}"), (message(0, "user", Block("text", said)),)
    )


STARTING = Conversation(
    HEAD,
    (
        message(0, "user", Block("text", "Look at both.")),
        start(1, "t1", "Look at one"),
        told(2, "t1", "one"),
        start(3, "t2", "Look at two"),
        told(4, "t2", "two"),
        start(5, "t3", "Look at three"),
        message(6, "user", Block("tool_result", "Done.", None, "t3")),
        message(7, "user", Block("text", "Twice: one"), is_sidechain=True, agent_id="one"),
    ),
    subagents=(agent("one", "Look at one"), agent("two", "Look at two"), agent("x3", "Look at three"), agent("?", "?")),
)


def parts(**fields: Any) -> Conversation:
    return narrow(STARTING, Share(slug="s", head=HEAD, project=None, origin="test", **fields))


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        pytest.param({}, ["one", "two", "x3", "?"], id="all"),
        pytest.param({"messages": ((1, 1),)}, [], id="none called"),
        pytest.param({"messages": ((1, 3),)}, ["one"], id="by its id"),
        pytest.param({"messages": ((2, 2),)}, [], id="called, but its result is beyond"),
        pytest.param({"messages": ((5, 7),)}, ["x3"], id="by its prompt"),
        pytest.param({"messages": ((1, None),)}, ["one", "two", "x3"], id="never called"),
        pytest.param({"exclude": ((4, 4),)}, ["one", "x3"], id="call left out"),
    ],
)
def test_a_part_shows_the_subagents_it_called(fields: Any, kept: list[str]) -> None:
    result = parts(**fields)
    assert [each.head.row_id for each in result.subagents] == kept
    assert dict(result.hidden).get("subagents", 0) == 4 - len(kept)


def test_a_subagent_that_was_taken_back_is_not_within_its_parent() -> None:
    result = parts(withheld=("claude_code:agent-one",))
    assert [each.head.row_id for each in result.subagents] == ["two", "x3", "?"]
    assert dict(result.hidden) == {"subagents": 1}
    assert "Twice: one" not in repr(result)


def test_a_subagent_within_a_subagent_may_be_taken_back_too() -> None:
    inner = replace(agent("one", "Look"), subagents=(agent("deep", "Deep"),))
    share = Share(slug="s", head=HEAD, project=None, origin="test", withheld=("claude_code:agent-deep",))
    result = narrow(replace(STARTING, subagents=(inner,)), share)
    assert [each.subagents for each in result.subagents] == [()]
    assert dict(result.hidden) == {"subagents": 1}


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ({}, "Title"),
        ({"messages": ((1, None),)}, None),
        ({"exclude": ((1, 1),)}, None),
        ({"messages": ((1, 1),), "title": "Mine"}, "Title"),
    ],
)
def test_a_part_has_no_title_that_tells_of_the_whole(fields: Any, title: str | None) -> None:
    assert parts(**fields).head.title == title
