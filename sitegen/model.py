"""The values that pass between the stages: frozen, slotted, and free of behaviour beyond small derived facts.

Nothing here reads, writes or renders. Times are timezone-aware UTC or None; None means that the source didn't say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = Mapping[str, Json]

Role = Literal["user", "assistant", "system", "tool"]
BlockKind = Literal["text", "tool_use", "tool_result", "thinking", "image", "attachment"]


# ---------------------------------------------------------------------------------------------- read from a projection


@dataclass(frozen=True, slots=True)
class Block:
    """One content block of a message, as the projection's `content_blocks` row has it.

    `payload` is the parsed JSON object of the row ({} when NULL). For a `tool_result` whose `text` is there, the reader
    leaves out what `text` repeats and keeps `is_error` and blocks that aren't text (images).
    """

    kind: BlockKind
    text: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    payload: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request, as its last record has them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that belongs to a message. `data` holds its bytes when they could be read, else `missing` says why not."""

    filename: str | None
    media_type: str | None
    size_bytes: int | None = None
    content_hash: str | None = None
    storage_path: str | None = None
    extracted_text: str | None = None
    data: bytes | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One row of `messages` with its blocks and what the raw events add.

    `id` is stable across re-ingests and safe in a URL and in an HTML id: 12 hex digits of SHA-256 over the native id (or
    the sequence index), with `-2`, `-3` … when one conversation repeats a native id. `parent_id` is such an id, or None
    when there is no parent or the parent isn't in the projection.
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


@dataclass(frozen=True, slots=True)
class ConversationHead:
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

    @property
    def key(self) -> str:
        return f"{self.source_id}:{self.native_id}"


@dataclass(frozen=True, slots=True)
class Fork:
    """Branches after the message `after` (None: before the first); `branches` holds the id of each one's first message."""

    after: str | None
    branches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation whole. `messages` are in the projection's order (sequence_index), every branch included."""

    head: ConversationHead
    messages: tuple[Message, ...]
    subagents: tuple[Conversation, ...] = ()
    forks: tuple[Fork, ...] = ()
    """Forks that the projection itself records (`divergences`); those of `parent_id` are found when rendering."""
    git_branch: str | None = None
    state: Literal["idle", "running", "paused", "complete", "failed"] | None = None


@dataclass(frozen=True, slots=True)
class SharedView:
    """A row of a projection's `shared_views` table, as the product wrote it."""

    slug: str
    conversation_id: str
    gate_type: str | None
    gate_secret: str | None
    expires_at: datetime | None
    view_limit: int | None


# ------------------------------------------------------------------------------------------------- who may see what


class Gate(StrEnum):
    """What stands between a reader and a share."""

    NONE = "none"
    PASSWORD = "password"  # noqa: S105 - the name of a gate, not a password
    EMAIL = "email"
    OTP = "otp"
    AGREEMENT = "agreement"


class Show(StrEnum):
    """How much of a conversation a share shows."""

    ALL = "all"
    CALLS = "calls"
    """Tool calls in one line each, without what they returned and without thinking."""
    CONVERSATION = "conversation"
    """Prompts and answers only."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project as the site shows it. `slug` is unique in the site, `name` is for people."""

    slug: str
    name: str
    description: str | None = None
    gate: Gate = Gate.NONE


@dataclass(frozen=True, slots=True)
class Share:
    """One conversation published under one slug: everything that is decided before its content is read.

    `origin` says in words where it comes from ("sitegen.toml:31", "a rule", "shared_views"), for messages.
    """

    slug: str
    head: ConversationHead
    project: Project | None
    origin: str
    title: str | None = None
    """The title its owner gave; None: the conversation's own."""
    gate: Gate = Gate.NONE
    secret: str | None = None
    """A reference (`env:NAME`, `file:PATH`, `private:NAME`), never the secret itself."""
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    expires: datetime | None = None
    is_expired: bool = False
    view_limit: int | None = None
    listed: bool = False
    show: Show = Show.ALL
    messages: tuple[tuple[int, int | None], ...] = ()
    """Ranges of messages shown, counted from 1, ends included; empty: all; an open end is None."""
    epoch: int = 0

    @property
    def is_gated(self) -> bool:
        return self.gate is not Gate.NONE or self.agreement is not None


# ------------------------------------------------------------------------------------------------------- rendered

ROOT = "\x00root\x00"
"""Stands in fragments for the way from a page to its share's own folder ("" or "../"). No page text can hold a NUL."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One prompt in the outline: the anchor it leads to and its first line as plain text."""

    anchor: str
    text: str
    created_at: datetime | None = None


MarkKind = Literal["prompt", "answer", "tool", "error"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of the timeline picture."""

    kind: MarkKind
    anchor: str
    at: datetime | None
    weight: int = 1
    """How much there is: characters of an answer, calls of a run."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt and all that came of it, as one complete HTML fragment.

    `html` may hold ROOT. `anchors` are all ids in it that a link may point to. `search_text` is the prose a reader can
    search for.
    """

    anchor: str
    html: str
    messages: int
    anchors: tuple[str, ...] = ()
    outline: OutlineEntry | None = None
    marks: tuple[Mark, ...] = ()
    search_text: str = ""


@dataclass(frozen=True, slots=True)
class ShareFile:
    """A file beside a share's pages (image, attachment, heavy output); `name` is relative to the share's folder."""

    name: str
    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What the header and the indexes say about a conversation."""

    title: str
    source: str
    """The source's name for people: "Claude Code"."""
    models: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    """Prompts on the path that is shown."""
    messages: int = 0
    tool_calls: int = 0
    tools: tuple[tuple[str, int], ...] = ()
    """Tool names with their counts, most used first, then by name."""
    errors: int = 0
    usage: Usage | None = None
    git_branch: str | None = None
    state: str | None = None
    first_prompt: str = ""
    """First line of the first prompt, plain text."""
    hidden: tuple[tuple[str, int], ...] = ()
    """What the share's policy left out: ("tool results", 3)."""


@dataclass(frozen=True, slots=True)
class BranchPage:
    """An alternative path through the conversation, on a page of its own under `s/<slug>/<name>/`."""

    name: str
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation rendered for one share: what the pages are made of, and all that is cached between builds."""

    facts: Facts
    exchanges: tuple[Exchange, ...]
    branches: tuple[BranchPage, ...] = ()
    files: tuple[ShareFile, ...] = ()
    markdown: str = ""
    """`conversation.md`."""
    json: str = ""
    """`conversation.json`."""


@dataclass(frozen=True, slots=True)
class Card:
    """What an index knows of a share; made from the transcript's facts and kept between builds."""

    slug: str
    title: str
    is_protected: bool
    project: str | None
    """The project's slug."""
    listed: bool
    source: str = ""
    models: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    messages: int = 0
    tool_calls: int = 0
    tools: tuple[tuple[str, int], ...] = ()
    errors: int = 0
    first_prompt: str = ""
    shape: tuple[int, ...] = ()
    """The sparkline: twenty-four values of 0–9."""
    parent_slug: str | None = None
    """Slug of the share whose subagent this is."""


# ---------------------------------------------------------------------------------------------------------- written


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the output: a path relative to its root, with `/`, and its bytes."""

    path: str
    data: bytes
