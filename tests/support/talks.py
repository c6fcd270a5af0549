"""Conversations for rendering, written as short as they are told: `talk(ask("Why?"), say("Because."))`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from sitegen.model import Block, Conversation, ConversationHead, Exchange, Json, Message, Role, Transcript
from sitegen.render.context import RenderOptions
from sitegen.render.transcript import render

START = datetime(2026, 1, 2, 14, 3, 5, tzinfo=UTC)

Line = Callable[[int], Message]
"""A message that waits for its place in the conversation."""


def message(role: Role, *blocks: Block, **fields: Any) -> Line:
    """A message of a role; `fields` are those of Message. Its id is `m<place>` unless given."""

    def placed(place: int) -> Message:
        known: dict[str, Any] = {"id": f"m{place}", "created_at": START + timedelta(seconds=10 * place)}
        known["native_id"] = known["id"] = fields.get("id", known["id"])
        return Message(role=role, index=place, blocks=blocks, **(known | fields))

    return placed


def ask(text: str, **fields: Any) -> Line:
    """A prompt."""
    return message("user", Block("text", text), **fields)


def say(text: str, **fields: Any) -> Line:
    """An answer."""
    return message("assistant", Block("text", text), **fields)


def think(text: str, **fields: Any) -> Line:
    """A block of thinking."""
    return message("assistant", Block("thinking", text), **fields)


def call(name: str, call_id: str | None = "c1", *, arguments: Json = None, **fields: Any) -> Line:
    """A tool call."""
    block = Block("tool_use", tool_name=name, tool_use_id=call_id, payload={"input": arguments or {}})
    return message("assistant", block, **fields)


def result(text: str | None, call_id: str | None = "c1", *, failed: bool = False, **fields: Any) -> Line:
    """What a call returned."""
    return message("user", Block("tool_result", text, tool_use_id=call_id, payload={"is_error": failed}), **fields)


def talk(*lines: Line, source: str = "claude_code", title: str | None = None, **fields: Any) -> Conversation:
    """A conversation in which each message follows the one before unless it names its parent."""
    messages: list[Message] = []
    for place, line in enumerate(lines):
        made = line(place)
        follows = messages[-1].id if messages and made.parent_id is None else made.parent_id
        messages.append(replace(made, parent_id=None if follows == "" else follows))
    return Conversation(head=head(messages, source=source, title=title), messages=tuple(messages), **fields)


def head(messages: Sequence[Message], *, source: str = "claude_code", title: str | None = None) -> ConversationHead:
    """The head of a conversation of these messages."""
    times = [each.created_at for each in messages if each.created_at]
    return ConversationHead(
        row_id="row",
        source_id=source,
        native_id="native",
        title=title,
        project=None,
        started_at=times[0] if times else None,
        ended_at=times[-1] if times else None,
        message_count=len(messages),
        digest="digest",
    )


def rendered(conversation: Conversation, **options: Any) -> Transcript:
    """The transcript of a conversation."""
    return render(conversation, RenderOptions(**options))


def page(exchanges: Sequence[Exchange] | Transcript) -> str:
    """The HTML of exchanges, one after the other."""
    found = exchanges.exchanges if isinstance(exchanges, Transcript) else exchanges
    return "\n".join(exchange.html for exchange in found)


def shown(*lines: Line, **options: Any) -> str:
    """The HTML of a conversation of these messages."""
    return page(rendered(talk(*lines), **options))
