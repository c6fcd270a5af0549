"""What an adapter hands to the writer: typed records in the order of their source, and the adapter's own shape.

An adapter knows its source's format and nothing of the database; the writer knows the tables and no format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct, field

if TYPE_CHECKING:
    from sitegen.model import BlockKind, JsonObject, Role


class Handle(Struct, frozen=True):
    """One conversation that was found, not read yet.

    `native_id` is what its source calls it. Where a source can give two conversations one id (two files of one name),
    `qualifier` tells them apart: the folder, or the session it belongs to; "" says that the id is enough. `key` is for
    the adapter alone: which conversation of a file that holds many.
    """

    native_id: str
    location: str
    """Where it comes from, as `raw_path` has it: an absolute path, without bytes that aren't text."""
    path: Path | None = None
    key: str = ""
    qualifier: str = ""
    size_bytes: int = 0
    modified_at: float | None = None
    """Seconds since 1970, as the file system says."""


class Stored(Struct, frozen=True):
    """What a projection holds of a conversation from an earlier ingest."""

    row_id: str
    content_hash: str | None
    adapter_version: str | None
    source_bytes: int
    """How long the source was when it was read."""
    source_lines: int
    """The last line (or record) number that was read; 0: none."""
    message_count: int
    qualifier: str
    metadata: JsonObject = field(default_factory=dict)
    picked_lines: int = 0
    """The last line of which what pages need was picked."""


class Change(Enum):
    """How a conversation differs from what is stored of it."""

    NEW = auto()
    UNCHANGED = auto()
    APPENDED = auto()
    """All that is stored is unchanged, in place; more follows."""
    CHANGED = auto()


# ------------------------------------------------------------------------------------------------- what parsing yields


class RawEvent(Struct, frozen=True):
    """One record of the source as it stands there: `payload` is JSON text of an object, `line` counts from 1."""

    line: int
    payload: str
    record: JsonObject | None = None
    """The same as a value, from whoever has it at hand."""


class BlockRecord(Struct, frozen=True):
    """One content block; `payload` is what the columns don't hold."""

    kind: BlockKind
    text: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    payload: JsonObject | None = None
    images: int = 0
    """How many images it is or holds."""


class AttachmentRecord(Struct, frozen=True):
    """A file that belongs to a message. With an `opener` it is at hand, and the writer copies what that gives."""

    filename: str | None = None
    media_type: str | None = None
    storage_path: str | None = None
    source_url: str | None = None
    content_hash: str | None = None
    size_bytes: int | None = None
    metadata: JsonObject | None = None
    opener: Callable[[], IO[bytes]] | None = None


class MessageRecord(Struct, frozen=True):
    """One message; its place among the records is its place in the conversation."""

    role: Role
    blocks: tuple[BlockRecord, ...]
    native_id: str | None = None
    parent_native_id: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    metadata: JsonObject = field(default_factory=dict)
    attachments: tuple[AttachmentRecord, ...] = ()


class PassedOver(Struct, frozen=True):
    """A record that is no message but stands in the chain of parents: whose parent it is has its own parent instead."""

    native_id: str
    parent_native_id: str | None


class LineProblem(Struct, frozen=True):
    """A record that isn't as it should be. `is_kept`: its message was kept all the same, mended."""

    location: str
    line: int
    reason: str
    is_kept: bool = False

    def __str__(self) -> str:
        return f"{self.location}:{self.line}: {self.reason}"


class Seen(Struct, frozen=True):
    """One more conversation was found. Tells how far looking has come, where handles come only at its end."""

    size_bytes: int


class ConversationRecord(Struct, frozen=True):
    """What is known of a conversation once it is read; the last record of each."""

    content_hash: str
    """SHA-256 of all that was read."""
    source_bytes: int
    source_lines: int
    event_count: int
    title: str | None = None
    project: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    metadata: JsonObject = field(default_factory=dict)


Record = RawEvent | MessageRecord | PassedOver | LineProblem | ConversationRecord


class Adapter(Protocol):
    """One source of conversations."""

    @property
    def source_id(self) -> str:
        """The id of its row in `sources`: "claude_code"."""

    @property
    def display_name(self) -> str:
        """What people call it: "Claude Code"."""

    @property
    def version(self) -> str:
        """Changes whenever the same source would give other records; everything stored is then read again."""

    def discover(self, location: str) -> Iterable[Handle | LineProblem | Seen]:
        """The conversations at a path (or URL), in an order that depends on names only. Raises IngestError.

        Where many stand in one file, what can't be one is told among them.
        """

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """Whether a conversation differs from what is stored, without parsing it. Raises OSError."""

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one conversation, a ConversationRecord last. Raises OSError, but never for a bad record."""


class ViewRecord(Struct, frozen=True):
    """A share that was made in the source itself: a row of `shared_views`. Times are text, in UTC."""

    slug: str | None
    conversation_id: str | None
    gate_type: str | None = None
    gate_secret: str | None = None
    """Where the secret is kept, never the secret."""
    expires_at: str | None = None
    view_count: int | None = None
    view_limit: int | None = None
    created_at: str | None = None


@runtime_checkable
class LiveAdapter(Adapter, Protocol):
    """A source that is open while it is read and that holds all there is: what it doesn't hold any more is gone."""

    @property
    def mirrors(self) -> str:
        """What it reads, the same each time; in the metadata of its conversations as `mirrors`."""

    def prepare(self, handles: Sequence[Handle]) -> None:
        """Fetches what parsing these takes, which follows in this order. Raises IngestError: nothing is lost yet."""

    def shared_views(self) -> Iterable[ViewRecord | LineProblem]:
        """What the source itself shares. Raises IngestError."""

    def close(self) -> None:
        """Ends the connection; called in any case, once reading has begun."""


class Progress(Struct, frozen=True):
    """How far an ingest has come."""

    done: int
    total: int
    """How many conversations there are to read; while they are still being looked for (`is_looking`), found so far."""
    bytes_done: int
    bytes_total: int
    is_looking: bool = False


class Tally(Struct, frozen=True):
    """What was written of one conversation, or of several."""

    messages: int = 0
    calls: int = 0
    results: int = 0
    images: int = 0
    problem_count: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            messages=self.messages + other.messages,
            calls=self.calls + other.calls,
            results=self.results + other.results,
            images=self.images + other.images,
            problem_count=self.problem_count + other.problem_count,
        )


class IngestReport(Struct, frozen=True):
    """What an ingest did. `tally` counts what was read this time, not what was there already."""

    files: int
    new: int
    updated: int
    unchanged: int
    tally: Tally
    problems: tuple[LineProblem, ...]
    """The first thousand; `tally.problem_count` counts all."""
    unreadable: tuple[LineProblem, ...]
    """Conversations that couldn't be read at all, with line 0; what was stored of them stays."""
    bytes_read: int
    seconds: float
    removed: int = 0
    """Conversations that the source had and has no more."""
    shared_views: int = 0
    """Shares copied from the source."""

    def as_json(self) -> Mapping[str, object]:
        """The report as `--json` prints it."""
        return {
            "files": self.files,
            "new": self.new,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "shared_views": self.shared_views,
            "messages": self.tally.messages,
            "calls": self.tally.calls,
            "results": self.tally.results,
            "images": self.tally.images,
            "bad_lines": self.tally.problem_count,
            "problems": [_problem_json(problem) for problem in self.problems],
            "unreadable": [{"file": problem.location, "reason": problem.reason} for problem in self.unreadable],
            "bytes": self.bytes_read,
            "seconds": round(self.seconds, 3),
        }


def _problem_json(problem: LineProblem) -> Mapping[str, object]:
    return {"file": problem.location, "line": problem.line, "reason": problem.reason, "kept": problem.is_kept}
