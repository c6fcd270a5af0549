"""Knows where each conversation's rows lie in the tables: chunks are fetched by row number, not searched for.

DuckDB has no index on what is asked for here; without this every chunk would scan every table whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from sitegen.model import ConversationHead
from sitegen.picked import FORMAT, SOURCE
from sitegen.projection.database import Database
from sitegen.projection.schema import Schema

RowNumbers = Mapping[str, Sequence[int]]
Stretches = Mapping[str, range | None]
"""Row numbers of conversations whose rows lie in a row; None for one whose rows don't."""

_MOST_MESSAGES: Final = 500_000
"""Of how many the stretches fit into DuckDB's memory."""

_MESSAGES: Final = """
SELECT conversation_id, list(rowid) FROM p.main.messages WHERE conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""
_BLOCKS: Final = """
SELECT m.conversation_id, list(b.rowid) FROM p.main.content_blocks b JOIN p.main.messages m ON m.id = b.message_id
WHERE m.conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""
_ATTACHMENTS: Final = """
SELECT m.conversation_id, list(a.rowid) FROM p.main.attachments a JOIN p.main.messages m ON m.id = a.message_id
WHERE m.conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""
_RAW_EVENTS: Final = f"""
SELECT source_native_conversation_id, list(rowid) FROM p.main.raw_events
WHERE source_id = '{SOURCE}' AND source_native_conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""  # noqa: S608 - made of constants

_PICKED_RECORDS: Final = f"""
SELECT source_native_conversation_id, list(rowid) FROM p.main.picked_records
WHERE source_id = '{SOURCE}' AND format = {FORMAT} AND source_native_conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""  # noqa: S608 - made of constants

_ALL_MESSAGES: Final = "SELECT conversation_id, min(rowid), max(rowid), count(*) FROM p.main.messages GROUP BY 1"
# Joined by numbers made of ids, as where all is looked through. Should two ids ever make one number, a conversation's
# rows don't lie in a row any more, and are asked for by the ids.
_ALL_BELOW: Final = """
SELECT c.id, found.first, found.last, found.rows FROM (
    SELECT m.conversation, min(below.rowid) AS first, max(below.rowid) AS last, count(*) AS rows
    FROM p.main.{table} below
    JOIN (SELECT hash(m.id::VARCHAR) AS number, c.rowid AS conversation FROM p.main.messages m
        JOIN p.main.conversations c ON c.id = m.conversation_id) m
    ON m.number = hash(below.message_id::VARCHAR) GROUP BY 1
) found JOIN p.main.conversations c ON c.rowid = found.conversation
"""
_ALL_RAW_EVENTS: Final = f"""
SELECT source_native_conversation_id, min(rowid), max(rowid), count(*) FROM p.main.raw_events
WHERE source_id = '{SOURCE}' GROUP BY 1
"""  # noqa: S608 - made of constants

_ALL_PICKED_RECORDS: Final = f"""
SELECT source_native_conversation_id, min(rowid), max(rowid), count(*) FROM p.main.picked_records
WHERE source_id = '{SOURCE}' AND format = {FORMAT} GROUP BY 1
"""  # noqa: S608 - made of constants


class Places(Struct, frozen=True):
    """Row numbers: by conversation row id, and those of Claude Code's raw events by native id."""

    messages: RowNumbers
    blocks: RowNumbers
    attachments: RowNumbers = field(default_factory=dict)
    raw_events: RowNumbers = field(default_factory=dict)
    """Of conversations whose records aren't kept."""
    picked_records: RowNumbers = field(default_factory=dict)
    """Of the others."""

    def first(self, row_id: str) -> int:
        """Where a conversation begins; one without messages before all others."""
        return min(self.messages.get(row_id, ()), default=-1)


class Map(Struct, frozen=True):
    """Where the rows of all conversations lie that lie in a row, by the same ids; None for a table that isn't on it."""

    messages: Stretches | None = None
    blocks: Stretches | None = None
    attachments: Stretches | None = None
    raw_events: Stretches | None = None
    picked_records: Stretches | None = None


def draw_map(database: Database, schema: Schema, heads: Iterable[ConversationHead]) -> Map:
    """The map of a projection as it is while it's open; there's nothing on that of one that is too large.

    `heads` are of all conversations that may be asked for.
    """
    ((count,),) = database.query("SELECT count(*) FROM p.main.messages")
    if count > _MOST_MESSAGES:
        return Map()
    attachments, raw_events = schema.has("attachments"), schema.has("raw_events")
    keeping = {head.keeps_records for head in heads if head.source_id == SOURCE}
    return Map(
        messages=_stretches(database, _ALL_MESSAGES),
        blocks=_stretches(database, _ALL_BELOW.format(table="content_blocks")),
        attachments=_stretches(database, _ALL_BELOW.format(table="attachments")) if attachments else None,
        raw_events=_stretches(database, _ALL_RAW_EVENTS) if raw_events and False in keeping else None,
        picked_records=_stretches(database, _ALL_PICKED_RECORDS) if True in keeping else None,
    )


def find_places(
    database: Database, schema: Schema, heads: Iterable[ConversationHead], *, known: Map | None = None
) -> Places:
    """Where the rows of the given conversations lie. What isn't on a map is looked for in the tables."""
    listed, known = list(heads), known or Map()
    row_ids = sorted({head.row_id for head in listed})
    told = [head for head in listed if head.source_id == SOURCE]
    kept = sorted({head.native_id for head in told if head.keeps_records})
    others = sorted({head.native_id for head in told if not head.keeps_records})
    attachments, raw_events = schema.has("attachments"), schema.has("raw_events")
    return Places(
        messages=_numbers(database, _MESSAGES, row_ids, known.messages),
        blocks=_numbers(database, _BLOCKS, row_ids, known.blocks),
        attachments=_numbers(database, _ATTACHMENTS, row_ids, known.attachments) if attachments else {},
        raw_events=find_raw_events(database, others, known=known.raw_events) if raw_events else {},
        picked_records=_numbers(database, _PICKED_RECORDS, kept, known.picked_records),
    )


def find_raw_events(database: Database, natives: Sequence[str], *, known: Stretches | None = None) -> RowNumbers:
    """Where the raw events of Claude Code's conversations lie, by their native ids."""
    return _numbers(database, _RAW_EVENTS, natives, known)


def all_numbers(numbers: RowNumbers, keys: Iterable[str]) -> list[int]:
    """The row numbers of all the keys, each once, in the order of the table."""
    return sorted(number for key in dict.fromkeys(keys) for number in numbers.get(key, ()))


def _stretches(database: Database, sql: str) -> Stretches:
    return {
        key: range(first, last + 1) if last - first + 1 == count else None
        for key, first, last, count in database.query(sql)
    }


def _numbers(database: Database, sql: str, keys: Sequence[str], known: Stretches | None) -> RowNumbers:
    found: dict[str, Sequence[int]] = {}
    if known is not None:
        found = {key: stretch for key in keys if (stretch := known.get(key)) is not None}
        keys = [key for key in keys if key in known and key not in found]
    if keys:
        found |= {key: array("q", numbers) for key, numbers in database.query(sql, [keys])}
    return found
