"""Knows where each conversation's rows lie in the tables: chunks are fetched by row number, not searched for.

DuckDB has no index on what is asked for here; without this every chunk would scan every table whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from sitegen.model import ConversationHead
from sitegen.projection.database import Database
from sitegen.projection.schema import Schema

RowNumbers = Mapping[str, "array[int]"]

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
_RAW_EVENTS: Final = """
SELECT source_native_conversation_id, list(rowid) FROM p.main.raw_events
WHERE source_id = 'claude_code' AND source_native_conversation_id IN (SELECT unnest(?)) GROUP BY 1
"""


class Places(Struct, frozen=True):
    """Row numbers: by conversation row id, and those of Claude Code's raw events by native id."""

    messages: RowNumbers
    blocks: RowNumbers
    attachments: RowNumbers = field(default_factory=dict)
    raw_events: RowNumbers = field(default_factory=dict)

    def first(self, row_id: str) -> int:
        """Where a conversation begins; one without messages before all others."""
        return min(self.messages.get(row_id, ()), default=-1)


def find_places(database: Database, schema: Schema, heads: Iterable[ConversationHead]) -> Places:
    """Where the rows of the given conversations lie."""
    listed = list(heads)
    row_ids = sorted({head.row_id for head in listed})
    native_ids = sorted({head.native_id for head in listed if head.source_id == "claude_code"})
    return Places(
        messages=_numbers(database, _MESSAGES, row_ids),
        blocks=_numbers(database, _BLOCKS, row_ids),
        attachments=_numbers(database, _ATTACHMENTS, row_ids) if schema.has("attachments") else {},
        raw_events=_numbers(database, _RAW_EVENTS, native_ids) if schema.has("raw_events") else {},
    )


def all_numbers(numbers: RowNumbers, keys: Iterable[str]) -> list[int]:
    """The row numbers of all the keys, each once, in the order of the table."""
    return sorted(number for key in dict.fromkeys(keys) for number in numbers.get(key, ()))


def _numbers(database: Database, sql: str, keys: Sequence[str]) -> RowNumbers:
    if not keys:
        return {}
    return {key: array("q", numbers) for key, numbers in database.query(sql, [keys])}
