"""What the tests ask a projection; everything is read from the file that ingesting left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

EVERYTHING = ("meta", "conversations", "messages", "content_blocks", "attachments", "raw_events")


def query(db: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql, list(values)).fetchall()


def one(db: Path, sql: str, *values: object) -> Any:
    """The first column of the only row."""
    ((value, *_),) = query(db, sql, *values)
    return value


def everything(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table that an ingest fills, with its times of writing."""
    return {table: query(db, f"SELECT * FROM {table} ORDER BY ALL") for table in EVERYTHING}


def texts(db: Path, native_id: str | None = None) -> list[str | None]:
    """The texts of all blocks, in order."""
    rows = query(
        db,
        """SELECT b.text FROM content_blocks b JOIN messages m ON m.id = b.message_id
        JOIN conversations c ON c.id = m.conversation_id WHERE ? IS NULL OR c.source_native_id = ?
        ORDER BY c.source_native_id, m.sequence_index, b.block_index""",
        native_id,
        native_id,
    )
    return [text for (text,) in rows]


def blocks(db: Path) -> list[tuple[str, str | None, str | None, str | None, Any]]:
    """Kind, text, tool name, tool use id and parsed payload of all blocks, in order."""
    rows = query(
        db,
        """SELECT b.type, b.text, b.tool_name, b.tool_use_id, b.payload FROM content_blocks b
        JOIN messages m ON m.id = b.message_id ORDER BY m.conversation_id, m.sequence_index, b.block_index""",
    )
    return [(*row, json.loads(payload) if payload else None) for *row, payload in rows]


def parents(db: Path) -> dict[str, str | None]:
    """Native ids of messages with their parents' native ids."""
    return dict(
        query(
            db,
            """SELECT m.source_native_id, p.source_native_id FROM messages m
            LEFT JOIN messages p ON p.id = m.parent_message_id ORDER BY m.sequence_index""",
        )
    )


def title(db: Path) -> Any:
    return one(db, "SELECT title FROM conversations")


def payloads(db: Path) -> list[Any]:
    """The raw events, parsed, by line."""
    return [json.loads(text) for (text,) in query(db, "SELECT payload FROM raw_events ORDER BY raw_path, line_number")]


def merged_payloads(db: Path) -> list[Any]:
    """What the raw events of each conversation say together."""
    rows = query(
        db,
        """SELECT source_native_conversation_id, payload FROM raw_events
        ORDER BY source_native_conversation_id, line_number""",
    )
    merged: dict[str, Any] = {}
    for native_id, payload in rows:
        merged[native_id] = _merge(merged.get(native_id, {}), json.loads(payload))
    return list(merged.values())


def _merge(one: Any, other: Any) -> Any:
    match one, other:
        case dict(), dict():
            return {**one, **{key: _merge(one[key], other[key]) if key in one else other[key] for key in other}}
        case list(), list():
            return [*one, *other]
        case _:
            return other
