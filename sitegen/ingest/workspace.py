"""The workspace: conversations in the tables of a PostgreSQL database, and what of them is shared.

Each conversation carries a mark of its rows, so that only those that changed are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from sitegen.errors import IngestError, UsageError
from sitegen.ingest.fields import Object, first_text, moment_of, text_of, without_nothing
from sitegen.ingest.lines import parse_line
from sitegen.ingest.postgres import Server, Table, connect
from sitegen.ingest.records import (
    Change,
    ConversationRecord,
    Handle,
    LineProblem,
    MessageRecord,
    RawEvent,
    Record,
    Seen,
    Stored,
    ViewRecord,
)
from sitegen.ingest.workspace_blocks import name_of, read_message, read_pause
from sitegen.ingest.workspace_rows import DISPENSABLE, NEEDED, Batch, listing, read_views
from sitegen.wording import titles


class Workspace:
    """The adapter for a workspace's database."""

    source_id = "workspace"
    display_name = "Workspace"
    version = "1"

    def __init__(self, *, schema: str = "public", tables: Mapping[str, str] | None = None) -> None:
        """`tables` names tables that aren't called as usual; "" stands for one that isn't there."""
        for known, name in (tables or {}).items():
            if known not in NEEDED:
                raise UsageError(f"there is no table “{known}” in a workspace; there is: {', '.join(NEEDED)}")
            if not name and known not in DISPENSABLE:
                raise UsageError(f"a workspace can't be read without its {known}; name the table")
        self._schema = schema
        self._names = {table: (tables or {}).get(table, table) for table in NEEDED}
        self._server: Server | None = None
        self._tables: dict[str, Table] = {}
        self._batch: Batch | None = None

    @property
    def mirrors(self) -> str:
        """Which table of which database it reads; "" before it does."""
        return "" if self._server is None else f"{self._server.place}#{self._schema}.{self._names['conversations']}"

    def discover(self, location: str) -> Iterable[Handle | Seen]:
        """Every conversation of the database, with a mark that changes whenever a row of it does."""
        self._server = connect(location)
        for name, needed in NEEDED.items():
            if self._names[name]:
                table = self._open.table(self._schema, self._names[name], needed=needed, option=name)
                self._tables[name] = table
        handles = []
        for native_id, mark, size_bytes in self._open.stream(listing(self._tables)):
            handles.append(Handle(str(native_id), self.mirrors, key=str(mark), size_bytes=int(size_bytes or 0)))
            yield Seen(handles[-1].size_bytes)
        if not handles:
            raise IngestError(
                f"{self._open.place} holds no conversations that the user “{self._open.user}” may see. "
                "What was read before is kept; name the right schema with --schema, or ask for the right to read all."
            )
        yield from handles

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """By the mark, which covers the conversation's row, its messages' and its pause points'."""
        return Change.UNCHANGED if stored.content_hash == handle.key else Change.CHANGED

    def prepare(self, handles: Sequence[Handle]) -> None:
        """Fetches all rows of some conversations, so that a lost connection costs nothing that was there."""
        if self._batch is not None:
            self._batch.close()
        self._batch = Batch(self._open, self._tables, [handle.native_id for handle in handles])

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one conversation."""
        if self._batch is None or not self._batch.holds(handle.native_id):
            self.prepare([handle])
        assert self._batch is not None  # noqa: S101 - for the type checker
        yield from _Reading(handle).read(self._batch)

    def shared_views(self) -> Iterator[ViewRecord | LineProblem]:
        """What is shared. A secret comes along only when it is a reference to one."""
        if "shared_views" not in self._tables:
            return
        place = f"{self._open.place}#{self._schema}.{self._names['shared_views']}"
        for number, (view, is_literal) in enumerate(read_views(self._open, self._tables["shared_views"]), start=1):
            if is_literal:
                yield LineProblem(place, number, _literal(view), is_kept=view.gate_type is not None)
            if not is_literal or view.gate_type is not None:
                yield view

    def close(self) -> None:
        """Ends the connection."""
        if self._batch is not None:
            self._batch.close()
        if self._server is not None:
            self._server.close()

    @property
    def _open(self) -> Server:
        assert self._server is not None  # noqa: S101 - discovering comes before all else
        return self._server


def _literal(view: ViewRecord) -> str:
    if view.gate_type is None:
        return f"the share “{view.slug}” has a gate_secret but no gate that would ask for it, and was left out"
    return (
        f"the gate_secret of “{view.slug}” is a secret itself and wasn't copied; write where one is kept into it "
        "(env:NAME), or give this share's secret to the build"
    )


class _Reading:
    """Reads one conversation and gathers what belongs to the whole."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._line = 0
        self._title: str | None = None
        self._last: datetime | None = None
        self._pauses: list[tuple[str | None, MessageRecord]] = []
        """With the id of the message that each came up in, where it's known."""

    def read(self, batch: Batch) -> Iterator[Record]:
        """All records of the conversation."""
        talks, projects, pauses = batch.heads(self._handle.native_id)
        talk: Object = {}
        for raw in (*talks, *projects):
            event, row, _ = self._event(raw)
            yield event
            talk = {**row, **talk}
        for raw in pauses:
            event, row, _ = self._event(raw)
            yield event
            self._pauses.append((name_of(row.get("message_id")), read_pause(row)))
        for raw in batch.messages(self._handle.native_id):
            yield from self._message(raw)
        yield from self._due(lambda at, pause: True)
        yield self._whole(talk)

    def _event(self, raw: bytes) -> tuple[RawEvent, Object, str | None]:
        self._line += 1
        line = parse_line(raw, self._line)
        return RawEvent(self._line, line.payload), line.record or {}, line.problem

    def _message(self, raw: bytes) -> Iterator[Record]:
        event, row, problem = self._event(raw)
        yield event
        reasons = [problem] if problem else []
        message = read_message(row, reasons)
        yield from self._due(lambda at, pause: at is None and _is_before(pause, message))
        yield message
        yield from self._due(lambda at, pause: at is not None and at == message.native_id)
        if reasons:
            yield LineProblem(self._handle.location, self._line, "; ".join(dict.fromkeys(reasons)), is_kept=True)
        self._last = max(filter(None, (self._last, message.created_at)), default=None)
        if self._title is None and message.role == "user":
            said = next((block.text for block in message.blocks if block.kind == "text" and block.text), "")
            self._title = titles.prompt_line(said)

    def _due(self, is_due: Callable[[str | None, MessageRecord], bool]) -> Iterator[MessageRecord]:
        """The pause points whose place has come."""
        due = [pause for at, pause in self._pauses if is_due(at, pause)]
        self._pauses = [(at, pause) for at, pause in self._pauses if pause not in due]
        yield from due

    def _whole(self, talk: Object) -> ConversationRecord:
        named = text_of(talk.get("title"))
        return ConversationRecord(
            content_hash=self._handle.key,
            source_bytes=self._handle.size_bytes,
            source_lines=self._line,
            event_count=self._line,
            title=(titles.first_line(named) if named else None) or self._title,
            project=first_text(talk.get("name")) or name_of(talk.get("project_id")),
            started_at=moment_of(talk.get("created_at")),
            ended_at=moment_of(talk.get("last_message_at")) or self._last,
            metadata={
                **without_nothing({"state": text_of(talk.get("state")), "persona": text_of(talk.get("persona"))}),
                "mirrors": self._handle.location,
            },
        )


def _is_before(pause: MessageRecord, message: MessageRecord) -> bool:
    return pause.created_at is not None and message.created_at is not None and pause.created_at < message.created_at
