"""Fingerprints of conversations, all of them in one scan a table.

Rows are hashed by DuckDB with their place in the conversation, and summed up, so their order on disk doesn't matter.
Row ids, ingest times and paths of source files aren't part of it. Raw events count whole: a new record that no page
shows makes a conversation look changed, which costs one needless rendering and no more.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from sitegen.projection.database import Database, Row
from sitegen.projection.schema import Schema

ENRICHED_SOURCES: Final = ("claude_code", "codex_cli")
"""Sources whose raw events say more than their messages do."""

# Tables are joined by numbers made of their ids: DuckDB copies one of the two, and of 10,000 conversations it has room
# for numbers, but not for texts. Should two ids ever make one number, a row counts twice, in each build alike.
_MESSAGES: Final = """
SELECT m.conversation_id, count(*), 0, sum(hash(m.sequence_index, m.source_native_id, m.role, m.model,
    epoch_us(m.created_at), m.metadata, m.parent_message_id IS NULL,
    parent.sequence_index, parent.conversation = hash(m.conversation_id::VARCHAR)))
FROM p.main.messages m LEFT JOIN (SELECT hash(id::VARCHAR) AS number, hash(conversation_id::VARCHAR) AS conversation,
    sequence_index FROM p.main.messages) parent
ON parent.number = hash(m.parent_message_id::VARCHAR) WHERE true {only} GROUP BY 1
"""
# DuckDB takes a table for small of which a span of rows is asked for, and copies the smaller one to join it: with both
# asked for so, it's the messages that are copied.
_BLOCKS: Final = """
SELECT c.id, count(*), sum(coalesce(strlen(b.text), 0) + coalesce(strlen(b.payload), 0)),
    sum(hash(m.sequence_index, b.block_index, b.type, b.text, b.tool_name, b.tool_use_id, b.payload))
FROM (SELECT * FROM p.main.content_blocks WHERE rowid BETWEEN ? AND ?) b
JOIN (SELECT hash(m.id::VARCHAR) AS number, m.sequence_index, c.rowid AS conversation FROM p.main.messages m
    JOIN p.main.conversations c ON c.id = m.conversation_id WHERE m.rowid >= 0) m
ON m.number = hash(b.message_id::VARCHAR)
JOIN p.main.conversations c ON c.rowid = m.conversation GROUP BY 1
"""
# Of some conversations DuckDB goes by the ids themselves: it reads texts only where a block's message is one of theirs.
_SOME_BLOCKS: Final = """
SELECT m.conversation_id, count(*), sum(coalesce(strlen(b.text), 0) + coalesce(strlen(b.payload), 0)),
    sum(hash(m.sequence_index, b.block_index, b.type, b.text, b.tool_name, b.tool_use_id, b.payload))
FROM p.main.content_blocks b JOIN p.main.messages m ON m.id = b.message_id WHERE true {only} GROUP BY 1
"""
_ATTACHMENTS: Final = """
SELECT m.conversation_id, count(*), sum(coalesce(a.size_bytes, 0)),
    sum(hash(m.sequence_index, a.filename, a.mime_type, a.storage_path, a.content_hash, a.size_bytes, a.metadata))
FROM p.main.attachments a JOIN p.main.messages m ON m.id = a.message_id WHERE true {only} GROUP BY 1
"""
_FORKS: Final = """
SELECT d.conversation_id, count(*), 0, sum(hash(coalesce(f.sequence_index::VARCHAR, d.fork_after),
    coalesce(b.sequence_index::VARCHAR, d.branch_message)))
FROM p.main.divergences d LEFT JOIN p.main.messages f ON f.id = d.fork_after
LEFT JOIN p.main.messages b ON b.id = d.branch_message WHERE true {only} GROUP BY 1
"""
_MESSAGE_LABELS: Final = """
SELECT m.conversation_id, count(*), 0, sum(hash(m.sequence_index, l.pack, l.question, l.choice, l.value))
FROM p.main.labels l JOIN p.main.messages m ON m.id = l.target_id WHERE l.target_kind = 'message' {only}
GROUP BY 1
"""
_CALL_LABELS: Final = """
SELECT m.conversation_id, count(*), 0, sum(hash(m.sequence_index, b.block_index, l.pack, l.question, l.choice, l.value))
FROM p.main.labels l JOIN p.main.content_blocks b ON b.id = l.target_id JOIN p.main.messages m ON m.id = b.message_id
WHERE l.target_kind = 'tool_call' {only} GROUP BY 1
"""


class Only(Struct, frozen=True):
    """Which conversations are looked at: those of these ids, or all of them (None)."""

    ids: tuple[str, ...] | None = None

    def narrow(self, sql: str, column: str) -> str:
        """The query with its `{only}` filled in; `column` holds such an id."""
        return sql.format(only="" if self.ids is None else f"AND {column} IN (SELECT unnest(?))")

    @property
    def parameters(self) -> tuple[list[str], ...]:
        """What a narrowed query takes."""
        return () if self.ids is None else (list(self.ids),)


class Total(Struct):
    """What the scan of one table found of one conversation."""

    rows: int = 0
    size_bytes: int = 0
    hashes: int = 0
    """The sum of the rows' hashes."""

    def add(self, rows: int, size_bytes: int | None, hashes: int) -> None:
        self.rows += rows
        self.size_bytes += int(size_bytes or 0)
        self.hashes += hashes


class Fingerprints:
    """What the scans found, by conversation row id."""

    def __init__(self) -> None:
        self._totals: dict[str, dict[str, Total]] = defaultdict(lambda: defaultdict(Total))

    def add(self, row_id: str, scan: str, rows: int, size_bytes: int | None, hashes: int) -> None:
        """Count what a scan found in one stretch of a table."""
        self._totals[row_id][scan].add(rows, size_bytes, hashes)

    def messages(self, row_id: str) -> int:
        """How many messages a conversation has."""
        return self._totals[row_id]["messages"].rows

    def of(self, row_id: str) -> str:
        """All that the scans found of one conversation, as text."""
        totals = sorted(self._totals[row_id].items())
        return " ".join(f"{scan}:{total.rows}:{total.hashes}" for scan, total in totals if total.rows)

    def size_bytes(self, row_id: str) -> int:
        """Bytes of text and payload of a conversation, and of its attachments."""
        return sum(total.size_bytes for total in self._totals[row_id].values())


def fingerprint(database: Database, schema: Schema, *, labels: bool, only: Only) -> Fingerprints:
    """Fingerprints of everything but the conversation's own row and its raw events. `only` has row ids."""
    found = Fingerprints()
    for row_id, *totals in _block_totals(database, only):
        found.add(row_id, "blocks", *totals)
    for scan, (sql, column) in _small_scans(schema, labels=labels).items():
        for row_id, *totals in database.query(only.narrow(sql, column), only.parameters):
            found.add(row_id, scan, *totals)
    return found


def _block_totals(database: Database, only: Only) -> Iterable[Row]:
    if only.ids is None:
        return database.query_span(_BLOCKS, *span(database, "content_blocks"))
    return database.query(only.narrow(_SOME_BLOCKS, "m.conversation_id"), only.parameters)


def span(database: Database, table: Literal["content_blocks", "raw_events"]) -> tuple[int, int]:
    """The first and the last row number of a table."""
    (first, last), *_ = database.query(f"SELECT min(rowid), max(rowid) FROM p.main.{table}")  # noqa: S608 - a literal
    return first or 0, last or 0


def seal(parts: Sequence[str]) -> str:
    """One digest of text parts, none of which can run into the next."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8) + data)
    return whole.hexdigest()


def _small_scans(schema: Schema, *, labels: bool) -> Mapping[str, tuple[str, str]]:
    """Queries, each with its column of conversation row ids."""
    scans = {"messages": (_MESSAGES, "m.conversation_id")}
    if schema.has("attachments"):
        scans["attachments"] = (_ATTACHMENTS, "m.conversation_id")
    if schema.has("divergences"):
        scans["forks"] = (_FORKS, "d.conversation_id")
    if labels and schema.has("labels"):
        scans["message labels"] = (_MESSAGE_LABELS, "m.conversation_id")
        scans["call labels"] = (_CALL_LABELS, "m.conversation_id")
    return scans
