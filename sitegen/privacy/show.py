"""Narrows a conversation to what its share shows: which messages, with or without tools, thinking, files, context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from msgspec.structs import replace

from sitegen.model import Block, BlockKind, Conversation, Message, Share, Show
from sitegen.privacy.context import is_context, without_context, without_embedded_thinking
from sitegen.privacy.started import names_of_agent, started_by

_SHOWN: dict[Show, frozenset[BlockKind]] = {
    Show.ALL: frozenset({"text", "image", "attachment", "tool_use", "tool_result", "thinking"}),
    Show.CALLS: frozenset({"text", "image", "attachment", "tool_use", "tool_result"}),
    Show.CONVERSATION: frozenset({"text", "image", "attachment"}),
}
_NAMES: dict[BlockKind, str] = {
    "thinking": "thinking",
    "tool_use": "tool calls",
    "tool_result": "tool results",
    "text": "texts",
    "image": "images",
    "attachment": "attachments",
}
_STARTERS = ("Task", "Agent")
"""The tools that start subagents."""


def narrow(conversation: Conversation, share: Share) -> Conversation:
    """The part of a conversation that its share shows, with counts of what was left out in `hidden`.

    `show = "calls"` keeps each call but not what it returned, and no thinking; `"conversation"` keeps prompts and
    answers only. Subagents are part of their calls' results and go with them. A part of a conversation has the title
    of the whole only when its owner gave one.
    """
    hidden: Counter[str] = Counter()
    messages = _linked(
        tuple(_shown(_in_range(conversation.messages, share, hidden), share, hidden)), conversation.messages
    )
    messages, subagents = _with_subagents(conversation, messages, share, hidden)
    head = conversation.head
    if share.is_part and not share.title:
        # Its title tells of the whole; without one, the first prompt that is shown stands in.
        head = replace(head, title=None)
    elif _is_same(messages, conversation.messages) and _is_same(subagents, conversation.subagents):
        return conversation
    return replace(
        conversation,
        head=head,
        messages=messages,
        subagents=subagents,
        hidden=tuple((what, count) for what, count in sorted(hidden.items()) if count),
    )


def _with_subagents(
    conversation: Conversation, messages: tuple[Message, ...], share: Share, hidden: Counter[str]
) -> tuple[tuple[Message, ...], tuple[Conversation, ...]]:
    """The messages and subagents that are shown: neither of those withheld, nor of those that another part called."""
    if share.show is not Show.ALL or any(fnmatchcase(name, each) for name in _STARTERS for each in share.exclude_tools):
        return messages, ()
    left = started_by(conversation, messages) if share.is_part else conversation.subagents
    left = tuple(each for each in left if each.head.key not in share.withheld)
    if len(left) < len(conversation.subagents):
        kept = {each.head.row_id for each in left}
        gone = [each for each in conversation.subagents if each.head.row_id not in kept]
        hidden["subagents"] += len(gone)
        # A subagent may be there a second time, as a side chain.
        names = {name for each in gone for name in names_of_agent(each)}
        messages = tuple(message for message in messages if not (message.is_sidechain and message.agent_id in names))
    inner = replace(share, messages=(), exclude=())
    subagents = tuple(narrow(subagent, inner) for subagent in left)
    for subagent in subagents:
        hidden.update(dict(subagent.hidden))
    return messages, subagents


def _linked(messages: tuple[Message, ...], all_messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Messages whose parent is gone hang on the nearest before it that is left."""
    if len(messages) == len(all_messages):
        return messages
    left = {message.id for message in messages}
    parents: dict[str, str | None] = {}
    for message in all_messages:
        up = message.parent_id
        parents[message.id] = up if up is None or up in left else parents.get(up)
    return tuple(
        message if message.parent_id == parents[message.id] else replace(message, parent_id=parents[message.id])
        for message in messages
    )


def _is_same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    return len(new) == len(old) and all(one is other for one, other in zip(new, old, strict=True))


def _in_range(messages: Iterable[Message], share: Share, hidden: Counter[str]) -> Iterator[Message]:
    if not share.is_part:
        yield from messages
        return
    for message in messages:
        if not _is_in_range(message, share):
            hidden["messages"] += 1
        elif message.is_compact_summary:
            hidden["messages"] += 1  # it retells what isn't shown
        else:
            yield message


def _is_in_range(message: Message, share: Share) -> bool:
    """Messages count from 1 in the projection's order."""
    number = message.index + 1
    return (not share.messages or _holds(share.messages, number)) and not _holds(share.exclude, number)


def _holds(ranges: Iterable[tuple[int, int | None]], number: int) -> bool:
    return any(first <= number and (last is None or number <= last) for first, last in ranges)


# ---------------------------------------------------------------------------------------------------------- messages


def _shown(messages: Iterable[Message], share: Share, hidden: Counter[str]) -> Iterator[Message]:
    excluded = _Excluded(share.exclude_tools)
    is_simple = share.show is Show.ALL and share.thinking and share.attachments and not share.exclude_tools
    for message in messages:
        if is_simple and message.role != "system" and not message.is_meta and not _has_tags(message):
            yield message
        elif message.is_sidechain and share.show is not Show.ALL:
            hidden["messages"] += 1
        elif not share.context and is_context(message):
            hidden["context"] += message.role == "system" and bool(message.blocks)
            # It stays as a link between the others.
            yield replace(message, blocks=(), attachments=(), tool_detail={}) if message.blocks else message
        elif (left := _narrowed(message, share, excluded, hidden)) is not None:
            yield left


def _has_tags(message: Message) -> bool:
    """Whether anything in a message could be wrapped by a program."""
    return any(block.text is not None and "<" in block.text for block in message.blocks)


def _narrowed(message: Message, share: Share, excluded: _Excluded, hidden: Counter[str]) -> Message | None:
    """What is left of a message; None when nothing is. The same message when nothing goes."""
    blocks = tuple(block for each in message.blocks if (block := _block(each, message, share, excluded, hidden)))
    attachments = message.attachments
    has_results = any(block.kind == "tool_result" for block in message.blocks)
    if not share.attachments or (has_results and share.show is not Show.ALL):
        # The files that came with a result are part of what its call returned.
        hidden["attachments"] += 0 if has_results and share.show is not Show.ALL else len(attachments)
        attachments = ()
    is_whole = _is_same(blocks, message.blocks) and len(attachments) == len(message.attachments)
    if is_whole and (share.show is Show.ALL or not message.tool_detail):
        return message
    if not blocks and not attachments:
        return None
    # The record of a result says again what its blocks said.
    return replace(message, blocks=blocks, attachments=attachments, tool_detail={})


class _Excluded:
    """Calls of tools that the share leaves out, and what they returned."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._patterns = patterns
        self._ids: set[str] = set()
        self._nameless = 0

    def holds(self, block: Block) -> bool:
        if not self._patterns:
            return False
        if block.kind == "tool_use" and any(fnmatchcase(block.tool_name or "", each) for each in self._patterns):
            if block.tool_use_id is None:
                self._nameless += 1
            else:
                self._ids.add(block.tool_use_id)
            return True
        if block.kind != "tool_result":
            return False
        if block.tool_use_id is None and self._nameless:
            self._nameless -= 1
            return True
        named = block.tool_name is not None and any(fnmatchcase(block.tool_name, each) for each in self._patterns)
        return named or block.tool_use_id in self._ids


def _block(block: Block, message: Message, share: Share, excluded: _Excluded, hidden: Counter[str]) -> Block | None:
    if block.kind not in _SHOWN[share.show] or (block.kind == "thinking" and not share.thinking):
        hidden[_NAMES[block.kind]] += 1
        return None
    if excluded.holds(block):
        hidden[_NAMES[block.kind]] += block.kind == "tool_use"
        return None
    match block.kind:
        case "image" | "attachment" if not share.attachments:
            hidden[_NAMES[block.kind]] += 1
            return None
        case "tool_result":
            return _result(block, share, hidden)
        case "text":
            return _text(block, message, share, hidden)
        case _:
            return block


def _result(block: Block, share: Share, hidden: Counter[str]) -> Block:
    is_error = block.payload.get("is_error") is True
    if share.show is not Show.ALL:
        hidden["tool results"] += 1
        # That a call failed is part of the call; what it printed isn't.
        return replace(block, text=None, payload={"is_error": is_error, "is_hidden": True})
    if not share.attachments and len(block.payload) > 1:
        images = str(block.payload).count("'type': 'image'")
        hidden["images"] += images
        block = replace(block, payload={"is_error": is_error}) if images else block
    return block if share.context else without_context(block, is_result=True)


def _text(block: Block, message: Message, share: Share, hidden: Counter[str]) -> Block | None:
    if not (share.thinking and share.show is Show.ALL):
        block = without_embedded_thinking(block, hidden)
    if share.context or message.role != "user":
        return block
    left = without_context(block)
    if left is block:
        return block
    hidden["context"] += 1
    return left if left.text and left.text.strip() else None
