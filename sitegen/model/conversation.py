"""Conversations as they are read from a projection."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from msgspec import Struct, field

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = Mapping[str, Json]

Role = Literal["user", "assistant", "system", "tool"]
BlockKind = Literal["text", "tool_use", "tool_result", "thinking", "image", "attachment"]


class Block(Struct, frozen=True):
    """One content block of a message, as the projection's `content_blocks` row has it.

    `payload` is the parsed JSON object of the row ({} when NULL). For a `tool_result` whose `text` is there, the reader
    leaves out what `text` repeats and keeps `is_error` and blocks that aren't text (images).
    """

    kind: BlockKind
    text: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    payload: JsonObject = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    """What was found out about this call; labels of whole messages are the message's."""


class Usage(Struct, frozen=True):
    """Tokens of one request, as its last record has them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Attachment(Struct, frozen=True):
    """A file that belongs to a message. `data` holds its bytes when they could be read, else `missing` says why not."""

    filename: str | None
    media_type: str | None
    size_bytes: int | None = None
    content_hash: str | None = None
    storage_path: str | None = None
    extracted_text: str | None = None
    data: bytes | None = None
    missing: str | None = None


class Message(Struct, frozen=True):
    """One row of `messages` with its blocks and what the raw events add.

    `id` is stable across re-ingests and safe in a URL and in an HTML id: 12 hex digits of SHA-256 over the native id
    (or the sequence index), with `-2`, `-3` … when one conversation repeats a native id. `parent_id` is such an id, or
    None when there is no parent or the parent isn't in the projection.
    """

    id: str
    role: Role
    index: int
    blocks: tuple[Block, ...] = ()
    native_id: str | None = None
    parent_id: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    request_id: str | None = None
    usage: Usage | None = None
    is_meta: bool = False
    is_sidechain: bool = False
    is_compact_summary: bool = False
    is_api_error: bool = False
    agent_id: str | None = None
    tool_detail: JsonObject = field(default_factory=dict)
    """Claude Code's `toolUseResult` of the record (structuredPatch, stdout, stderr, …)."""
    attachments: tuple[Attachment, ...] = ()
    labels: tuple[str, ...] = ()
    metadata: JsonObject = field(default_factory=dict)


class ConversationHead(Struct, frozen=True):
    """A conversation without its messages: enough to list it, match it and tell whether it changed.

    `key` is `source_id:source_native_id`, the identity that survives a re-ingest; `row_id` is the projection's own and
    doesn't. `digest` changes whenever anything a page could show changes, and only then: it covers messages, blocks,
    attachments, raw events and subagents, and no row ids.
    """

    row_id: str
    source_id: str
    native_id: str
    title: str | None
    project: str | None
    started_at: datetime | None
    ended_at: datetime | None
    message_count: int
    digest: str
    metadata: JsonObject = field(default_factory=dict)
    parent_key: str | None = None
    """Key of the conversation this one is a subagent of, when that one is in the projection too."""
    size_bytes: int = 0
    """Text and payloads, without subagents: about what it takes to hold the conversation."""
    place: int = 0
    """Where its row stands among the projection's: what lies side by side is read together in half the time."""
    keeps_records: bool = False
    """Whether what its source's own records add was kept as they were written, so that they needn't be read."""

    @property
    def key(self) -> str:
        return f"{self.source_id}:{self.native_id}"


class Fork(Struct, frozen=True):
    """Branches after the message `after` (None: before the first), each by the id of its first message."""

    after: str | None
    branches: tuple[str, ...]


class Conversation(Struct, frozen=True):
    """A conversation whole. `messages` are in the projection's order (sequence_index), every branch included."""

    head: ConversationHead
    messages: tuple[Message, ...]
    subagents: tuple[Conversation, ...] = ()
    forks: tuple[Fork, ...] = ()
    """Forks that the projection itself records (`divergences`); those of `parent_id` are found when rendering."""
    git_branch: str | None = None
    state: Literal["idle", "running", "paused", "complete", "failed"] | None = None
    hidden: tuple[tuple[str, int], ...] = ()
    """What the share's policy left out, for an honest mark: ("tool results", 3)."""
    folders: tuple[str, ...] = ()
    """Where the program worked, each once: shown nowhere, but a home among them says who must not be named."""


class SharedView(Struct, frozen=True):
    """A row of a projection's `shared_views` table, as the product wrote it."""

    slug: str
    conversation_id: str
    gate_type: str | None
    gate_secret: str | None
    expires_at: datetime | None
    view_limit: int | None
