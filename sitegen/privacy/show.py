"""Narrows a conversation to what its share shows: a range of its messages, with or without tools and thinking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sitegen.model import Block, BlockKind, Conversation, Message, Share, Show

_SHOWN: dict[Show, frozenset[BlockKind]] = {
    Show.CALLS: frozenset({"text", "image", "attachment", "tool_use", "tool_result"}),
    Show.CONVERSATION: frozenset({"text", "image", "attachment"}),
}


def narrow(conversation: Conversation, share: Share) -> Conversation:
    """The part of a conversation that its share shows, with counts of what was left out in `hidden`.

    `show = "calls"` keeps each call but not what it returned, and no thinking; `"conversation"` keeps prompts and
    answers only. Subagents are part of their calls' results and go with them.
    """
    if share.show is Show.ALL and not share.messages:
        return conversation
    hidden: Counter[str] = Counter()
    kept = [message for message in conversation.messages if _is_in_range(message, share)]
    hidden["messages"] = len(conversation.messages) - len(kept)
    if share.show is not Show.ALL:
        kept = list(_without(kept, share.show, hidden))
    return replace(
        conversation,
        messages=tuple(kept),
        subagents=conversation.subagents if share.show is Show.ALL else (),
        hidden=tuple((what, count) for what, count in sorted(hidden.items()) if count),
    )


def _is_in_range(message: Message, share: Share) -> bool:
    """Messages count from 1 in the projection's order."""
    number = message.index + 1
    ranges = share.messages
    return not ranges or any(first <= number and (last is None or number <= last) for first, last in ranges)


def _without(messages: Iterable[Message], show: Show, hidden: Counter[str]) -> Iterable[Message]:
    for message in messages:
        if message.is_sidechain:
            hidden["messages"] += 1
            continue
        blocks = tuple(_narrowed(block, show, hidden) for block in message.blocks)
        left = tuple(block for block in blocks if block is not None)
        if left:
            # The files that came with a result are part of what its call returned.
            has_results = any(block.kind == "tool_result" for block in left)
            files = () if has_results else message.attachments
            yield replace(message, blocks=left, tool_detail={}, attachments=files)


def _narrowed(block: Block, show: Show, hidden: Counter[str]) -> Block | None:
    if block.kind not in _SHOWN[show]:
        hidden[_NAMES[block.kind]] += 1
        return None
    if block.kind != "tool_result":
        return block
    hidden["tool results"] += 1
    # That a call failed is part of the call; what it printed isn't.
    return replace(block, text=None, payload={"is_error": block.payload.get("is_error") is True, "is_hidden": True})


_NAMES: dict[BlockKind, str] = {
    "thinking": "thinking",
    "tool_use": "tool calls",
    "tool_result": "tool results",
    "text": "texts",
    "image": "images",
    "attachment": "attachments",
}
