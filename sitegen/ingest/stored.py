"""What a projection holds of conversations from earlier ingests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from sitegen.ingest.records import Stored
from sitegen.picked import FORMAT

if TYPE_CHECKING:
    import duckdb

_PICKED_LINES: Final = """
SELECT source_native_conversation_id, max(last_line) FROM picked_stretches WHERE source_id = ? AND format = ? GROUP BY 1
"""


def stored_conversations(connection: duckdb.DuckDBPyConnection, source_id: str) -> dict[str, Stored]:
    """The conversations of a source, by native id."""
    rows = connection.execute(
        "SELECT source_native_id, id, content_hash, message_count, metadata FROM conversations WHERE source_id = ?",
        [source_id],
    ).fetchall()
    picked = dict(connection.execute(_PICKED_LINES, [source_id, FORMAT]).fetchall())
    return {
        native_id: _stored(row_id, content_hash, count, meta, picked.get(native_id, 0))
        for native_id, row_id, content_hash, count, meta in rows
    }


def _stored(
    row_id: str, content_hash: str | None, message_count: int, metadata: str | None, picked_lines: int
) -> Stored:
    known = json.loads(metadata or "{}")
    return Stored(
        row_id=row_id,
        content_hash=content_hash,
        adapter_version=known.get("adapter_version"),
        source_bytes=int(known.get("source_bytes", 0)),
        source_lines=int(known.get("source_lines", 0)),
        message_count=message_count,
        qualifier=str(known.get("qualifier", "")),
        metadata=known,
        picked_lines=picked_lines,
    )
