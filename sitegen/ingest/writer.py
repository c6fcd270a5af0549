"""Writes records as rows, many at once. Every id derives from the source, so the same source gives the same rows.

A batch of conversations is one transaction: whenever it is cut short, the projection is as it was before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from sitegen import duck
from sitegen.ingest import row_ids, tables
from sitegen.ingest.behind import Behind, Step
from sitegen.ingest.current import Current, Task
from sitegen.ingest.files import FileStore
from sitegen.ingest.records import (
    Adapter,
    Change,
    ConversationRecord,
    LineProblem,
    MessageRecord,
    PassedOver,
    RawEvent,
    Stored,
    Tally,
)
from sitegen.ingest.store import make_room
from sitegen.ingest.stored import stored_conversations
from sitegen.ingest.tables import Row, Table
from sitegen.picked import FORMAT, SOURCE

if TYPE_CHECKING:
    from sitegen.model import Json, JsonObject

_AS_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
_FLUSH_BYTES: Final = 8 << 20
"""Twice as much is held: while so much is written, as much is read."""
# What a row takes in memory beside its texts; keeps a million empty records from passing for nothing.
_ROW_BYTES: Final = 400
_ORDER: Final = (
    *(tables.CONVERSATIONS, tables.MESSAGES, tables.BLOCKS, tables.ATTACHMENTS, tables.RAW_EVENTS),
    *(tables.PICKED_STRETCHES, tables.PICKED_RECORDS),
)


class Written(Struct, frozen=True):
    """What was written of one conversation."""

    tally: Tally
    problems: tuple[LineProblem, ...]


class UnreadableError(Exception):
    """The source of a task can't be read; nothing of its batch was written."""

    def __init__(self, task: Task, reason: str) -> None:
        super().__init__(reason)
        self.task = task
        self.reason = reason


class Writer:
    """Writes the conversations of one source into an open projection."""

    def __init__(
        self,
        connection: duck.DuckDBPyConnection,
        adapter: Adapter,
        *,
        files: FileStore,
        max_problems: int = 1000,
        on_read: Callable[[int], None] = lambda size: None,
    ) -> None:
        """`on_read` is told now and then how many bytes of the batch under work have been read."""
        self._connection = connection
        self._adapter = adapter
        self._files = files
        self._max_problems = max_problems
        self._on_read = on_read
        self.touched: set[str] = set()
        """The row ids of all conversations that were written, or that it tried to write."""
        self._left_behind: frozenset[str] = frozenset()
        self._inlets = tables.Inlets(connection)
        self._behind = Behind()
        self._picks = adapter.source_id == SOURCE
        self._steps: list[Step] = []
        """What is to be done to the projection next, in order; then come the rows."""
        self._rows: dict[str, list[Row]] = {}
        self._bytes = 0
        self._bytes_read = 0
        self._drop_rows()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Returns when all is written. Raises DuckDB's errors."""
        self._behind.wait()

    def stored(self) -> dict[str, Stored]:
        """What the projection holds of this source, by native id."""
        self._left_behind = tables.natives_left_behind(self._connection, self._adapter.source_id)
        return stored_conversations(self._connection, self._adapter.source_id)

    def write(self, batch: Sequence[Task]) -> list[Written]:
        """Writes a batch whole or not at all. Raises UnreadableError, and DuckDB's own errors.

        The batch may be written to its end only when the next one begins, or when the writer is left: whatever goes
        wrong then is raised there.
        """
        self.touched |= {self._row_id(task) for task in batch}
        self._bytes_read = 0
        self._steps.append(partial(self._begin, batch))
        try:
            written = [self._write_one(task) for task in batch]
            self._steps += [*self._insertions(), *self._seals(), self._connection.commit]
            self._hand_over()
        except BaseException:
            self._undo()
            raise
        return written

    def _begin(self, batch: Sequence[Task]) -> None:
        changed = [task for task in batch if task.change is Change.CHANGED and task.stored]
        rewritten = [task.stored.row_id for task in changed if task.stored]
        tables.empty_conversations(self._connection, rewritten)
        make_room(self._connection, max((task.handle.size_bytes for task in batch), default=0))
        self._connection.begin()
        adapter = self._adapter
        tables.touch_source(self._connection, adapter.source_id, adapter.display_name, adapter.version)
        tables.remove_messages(self._connection, rewritten)
        stale = {task.native_id for task in changed} | (self._left_behind & {task.native_id for task in batch})
        tables.remove_raw_events(self._connection, adapter.source_id, sorted(stale))

    def _undo(self) -> None:
        self._drop_rows()
        self._steps = []
        try:
            self._behind.wait()
        finally:
            # DuckDB ends the transaction itself after its gravest errors.
            with suppress(duck.Error):
                self._connection.rollback()

    # ------------------------------------------------------------------------------------------- one conversation

    def _write_one(self, task: Task) -> Written:
        current = self._open(task)
        try:
            for record in self._adapter.parse(task.handle):
                match record:
                    case RawEvent():
                        self._add_raw_event(current, record)
                    case MessageRecord():
                        self._add_message(current, record)
                    case PassedOver():
                        current.passed_over.setdefault(record.native_id, record.parent_native_id)
                    case LineProblem():
                        self._add_problem(current, record)
                    case ConversationRecord():
                        self._conclude(current, record)
                if self._bytes > _FLUSH_BYTES:
                    self._flush(current)
                    self._on_read(self._bytes_read)
        except OSError as error:
            raise UnreadableError(task, error.strerror or str(error)) from error
        tally = Tally(current.count, current.calls, current.results, current.images, current.problem_count)
        return Written(tally, tuple(current.problems))

    def _open(self, task: Task) -> Current:
        stored = task.stored
        current = Current(self._row_id(task), task, has_row=stored is not None)
        if stored and task.change is Change.APPENDED:
            current.kept_messages, current.kept_lines = stored.message_count, stored.source_lines
            current.picked_lines = stored.picked_lines
        return current

    def _row_id(self, task: Task) -> str:
        return task.stored.row_id if task.stored else row_ids.conversation(self._adapter.source_id, task.native_id)

    def _add_raw_event(self, current: Current, event: RawEvent) -> None:
        self._bytes_read += len(event.payload)
        if self._picks and event.line > current.picked_lines:
            current.picker.add(event.line, event.payload, event.record)
        if event.line <= current.kept_lines:
            return
        event_id = row_ids.event(current.row_id, event.line)
        source, native_id, path = self._adapter.source_id, current.task.native_id, current.task.handle.location
        self._add(tables.RAW_EVENTS, (event_id, source, native_id, path, event.line, event.payload), len(event.payload))

    def _add_message(self, current: Current, message: MessageRecord) -> None:
        index, native_id = current.count, message.native_id
        current.count += 1
        is_first = native_id is not None and native_id not in current.ids
        message_id = row_ids.message(current.row_id, native_id if is_first else None, index=index, taken=current.taken)
        current.taken.add(message_id)
        parent = current.message_of(message.parent_native_id)
        if parent is None and message.parent_native_id is not None:
            current.orphans.append((message_id, message.parent_native_id))
        if is_first and native_id is not None:
            current.ids[native_id] = message_id
        current.count_blocks(message.blocks)
        if index < current.kept_messages:
            return
        row: Row = (message_id, current.row_id, native_id, parent, message.role, message.model, message.created_at)
        self._add(tables.MESSAGES, (*row, index, _json(message.metadata)), 0)
        self._add_blocks(message_id, message)

    def _add_blocks(self, message_id: str, message: MessageRecord) -> None:
        for n, block in enumerate(message.blocks):
            payload = _json(block.payload)
            row: Row = (row_ids.part(message_id, n), message_id, n, block.kind, block.text, block.tool_name)
            self._add(tables.BLOCKS, (*row, block.tool_use_id, payload), len(block.text or "") + len(payload or ""))
        for n, file in enumerate(map(self._files.keep, message.attachments)):
            named: Row = (row_ids.part(message_id, n, kind="a"), message_id, file.filename, file.media_type)
            placed: Row = (file.storage_path, file.source_url, file.content_hash, file.size_bytes)
            self._add(tables.ATTACHMENTS, (*named, *placed, _json(file.metadata)), 0)

    def _add_picked(self, current: Current) -> None:
        pack = current.picker.pack()
        if pack is not None:
            named: Row = (self._adapter.source_id, current.task.native_id)
            stretch: Row = (pack.first_line, pack.last_line, FORMAT, len(pack.records), pack.titles)
            self._add(tables.PICKED_STRETCHES, (*named, *stretch), len(pack.titles))
            for first_line, records in pack.records:
                self._add(tables.PICKED_RECORDS, (*named, first_line, FORMAT, records), len(records))

    def _add_problem(self, current: Current, problem: LineProblem) -> None:
        current.problem_count += 1
        if len(current.problems) < self._max_problems:
            current.problems.append(problem)

    def _conclude(self, current: Current, record: ConversationRecord) -> None:
        self._add_picked(current)
        row = self._conversation_row(current, record)
        if current.has_row:
            self._steps.append(partial(tables.update_conversation, self._connection, row))
        else:
            self._add(tables.CONVERSATIONS, row, 0)
            current.has_row = True
        found = [(child, current.message_of(native)) for child, native in current.orphans]
        late = [(child, parent) for child, parent in found if parent not in (None, child)]
        if late:
            self._flush(None)
            self._steps.append(partial(tables.set_parents, self._connection, late))

    def _conversation_row(self, current: Current, record: ConversationRecord) -> Row:
        task = current.task
        metadata: dict[str, Json] = {
            **record.metadata,
            "event_count": record.event_count,
            "source_bytes": record.source_bytes,
            "source_lines": record.source_lines,
            "adapter_version": self._adapter.version,
            "qualifier": task.handle.qualifier,
        }
        told: Row = (
            record.title,
            record.project,
            record.started_at,
            record.ended_at,
            current.count,
            record.content_hash,
        )
        named: Row = (current.row_id, self._adapter.source_id, task.native_id)
        return (*named, *told, task.handle.location, _json(metadata), task.handle.modified_at)

    # ---------------------------------------------------------------------------------------------------- many rows

    def _add(self, table: Table, row: Row, size_bytes: int) -> None:
        self._rows[table.name].append(row)
        self._bytes += size_bytes + _ROW_BYTES

    def _flush(self, current: Current | None) -> None:
        """Writes all rows so far. A conversation not concluded yet gets its own row first, for messages to refer to."""
        if current is not None and not current.has_row:
            blank = ConversationRecord(content_hash="", source_bytes=0, source_lines=0, event_count=0)
            self._rows[tables.CONVERSATIONS.name].append(self._conversation_row(current, blank))
            current.has_row = True
        if current is not None:
            self._add_picked(current)
        self._steps += self._insertions()
        self._hand_over()

    def _insertions(self) -> list[Step]:
        steps: list[Step] = [partial(self._inlets.insert, table, self._rows[table.name]) for table in _ORDER]
        self._drop_rows()
        return steps

    def _seals(self) -> list[Step]:
        return [partial(tables.seal_picked, self._connection, self._adapter.source_id)] if self._picks else []

    def _hand_over(self) -> None:
        steps, self._steps = self._steps, []
        self._behind.do(steps)

    def _drop_rows(self) -> None:
        self._rows = {table.name: [] for table in _ORDER}
        self._bytes = 0


def _json(value: JsonObject | None) -> str | None:
    return None if value is None else _AS_JSON(value)
