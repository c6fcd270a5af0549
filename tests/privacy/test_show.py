"""A share shows what it says, and what it leaves out is not handed on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

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
