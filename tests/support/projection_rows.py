"""The values that small projections are made of: conversations, messages, blocks, said in short."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

Value = None | bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]


class Auto:
    """Stands for "choose a sensible value", where None means NULL."""


AUTO: Final = Auto()
FIRST_MOMENT: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BlockRow:
    kind: str
    text: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    payload: Value = None
    """Anything JSON can say; a `RawJson` goes in as it stands."""


class RawJson(str):
    """Text for a JSON column that is stored as it stands."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    filename: str | None = None
    mime_type: str | None = None
    storage_path: str | None = None
    source_url: str | None = None
    content_hash: str | None = None
    size_bytes: int | None = None
    metadata: Value = None


@dataclass(frozen=True, slots=True)
class LabelRow:
    pack: str
    question: str
    choice: str | None = None
    value: float | None = None
    block: int | None = None
    """Number of the tool call's block; None: the label is the message's own."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    role: str
    blocks: tuple[BlockRow, ...]
    native_id: str | Auto | None = AUTO
    parent: str | Auto | None = AUTO
    at: datetime | str | Auto | None = AUTO
    model: str | None = None
    metadata: Value = None
    index: int | None = None
    attachments: tuple[AttachmentRow, ...] = ()
    labels: tuple[LabelRow, ...] = ()
    raw: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class ConversationRow:
    native_id: str
    messages: tuple[MessageRow, ...]
    source: str = "claude_code"
    title: str | None = "A conversation"
    project: str | None = "/home/ann/code/talks"
    started_at: datetime | str | Auto | None = AUTO
    ended_at: datetime | str | Auto | None = AUTO
    message_count: int | None = None
    metadata: Value = None
    raw_events: tuple[Value, ...] = ()
    raw_path: str | None = None
    divergences: tuple[tuple[str | None, str], ...] = ()
    """Pairs: (native id of the message before, native id of the branch's first message)."""
    id: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


def conversation(native_id: str, *messages: MessageRow, **columns: object) -> ConversationRow:
    """A conversation; `columns` are ConversationRow's: source, title, project, started_at, metadata, raw_events, …"""
    return replace(ConversationRow(native_id, messages), **columns)  # type: ignore[arg-type]


def message(role: str, *blocks: BlockRow | str, **columns: object) -> MessageRow:
    """A message of blocks (a plain string is a text block).

    `columns` are MessageRow's. By default its native id is "m0", "m1" …, its parent the message before, and a minute
    lies between two messages; None makes the column NULL. `raw={…}` also writes its raw event, with these fields added.
    """
    rows = tuple(text(block) if isinstance(block, str) else block for block in blocks)
    return replace(MessageRow(role, rows), **columns)  # type: ignore[arg-type]


def user(*blocks: BlockRow | str, **columns: object) -> MessageRow:
    """A message of the user."""
    return message("user", *blocks, **columns)


def assistant(*blocks: BlockRow | str, **columns: object) -> MessageRow:
    """A message of the assistant, by a model."""
    return message("assistant", *blocks, **{"model": "claude-test-1", **columns})


def text(body: str | None, *, payload: Value = None) -> BlockRow:
    """A text block."""
    return BlockRow("text", body, payload=payload)


def thinking(body: str | None) -> BlockRow:
    """A thinking block."""
    return BlockRow("thinking", body)


def call(tool: str | None, arguments: Value, *, id: str | None = "t1", payload: Value = None) -> BlockRow:
    """A tool call as Claude Code has it: its arguments under `input` (`payload` instead says otherwise)."""
    return BlockRow("tool_use", None, tool, id, {"input": arguments} if payload is None else payload)


def result(body: str | None, *, id: str | None = "t1", is_error: bool = False, raw_content: Value = None) -> BlockRow:
    """What a tool returned; `raw_content` defaults to the text itself, as ingests write it."""
    content = body if raw_content is None else raw_content
    return BlockRow("tool_result", body, None, id, {"is_error": is_error, "raw_content": content})


def image(data: bytes, *, media_type: str = "image/png") -> BlockRow:
    """An image within the payload."""
    encoded = base64.b64encode(data).decode()
    return BlockRow("image", payload={"source": {"type": "base64", "media_type": media_type, "data": encoded}})


def attachment(filename: str | None, **columns: object) -> AttachmentRow:
    """A row of `attachments`; `columns` are AttachmentRow's."""
    return replace(AttachmentRow(filename), **columns)  # type: ignore[arg-type]


def label(pack: str, question: str, choice: str | None = None, **columns: object) -> LabelRow:
    """A label on its message, or with `block=n` on the message's tool call."""
    return replace(LabelRow(pack, question, choice), **columns)  # type: ignore[arg-type]
