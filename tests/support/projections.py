"""Builds small projections straight from Python values, in any schema version, for tests of whatever reads one.

Row ids come from `row_salt`: the same conversations with another salt are what a re-ingest leaves behind.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

import duckdb

from sitegen.model import SharedView
from tests.support.projection_rows import (
    FIRST_MOMENT,
    AttachmentRow,
    Auto,
    BlockRow,
    ConversationRow,
    LabelRow,
    MessageRow,
    RawJson,
    Value,
    assistant,
    attachment,
    call,
    conversation,
    image,
    label,
    message,
    result,
    text,
    thinking,
    user,
)
from tests.support.projection_schema import schema

__all__ = [
    "FIRST_MOMENT",
    "AttachmentRow",
    "BlockRow",
    "ConversationRow",
    "LabelRow",
    "MessageRow",
    "RawJson",
    "Value",
    "assistant",
    "attachment",
    "call",
    "conversation",
    "image",
    "label",
    "make_projection",
    "message",
    "result",
    "row_id",
    "text",
    "thinking",
    "user",
    "with_storage_version",
]

Cell = bool | int | float | str | None


def make_projection(
    path: Path,
    conversations: Iterable[ConversationRow],
    *,
    version: int = 5,
    shared_views: Sequence[SharedView] = (),
    row_salt: str = "a",
    then: Sequence[str] = (),
) -> Path:
    """Write a new projection of `version` to `path` and return the path.

    `shared_views` makes that table too; `then` are SQL statements run at the end (to take a column away, say).
    """
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as db:
        db.begin()  # one write to disk instead of twenty
        for statement in schema(version):
            db.execute(statement)
        for table, rows in _rows(conversations, version=version, salt=row_salt).items():
            _insert(db, table, rows)
        if shared_views:
            _insert_shared_views(db, shared_views)
        db.commit()
        for statement in then:
            db.execute(statement)
    return path


def row_id(native_id: str, *, source: str = "claude_code", salt: str = "a") -> str:
    """The row id that `make_projection` gives a conversation."""
    return _uuid(salt, source, native_id)


def with_storage_version(path: Path, number: int) -> Path:
    """The file, as if a DuckDB had written it whose format has this number."""
    head = bytearray(path.read_bytes()[:4096])
    head[12:20] = number.to_bytes(8, "little")
    checksum = 5381
    for (word,) in struct.iter_unpack("<Q", head[8:]):
        checksum ^= word * 0xBF58476D1CE4E5B9 % 2**64
    head[:8] = checksum.to_bytes(8, "little")
    with path.open("r+b") as file:
        file.write(head)
    return path


Row = dict[str, Cell]
Table = Literal[
    "sources", "conversations", "messages", "content_blocks", "attachments", "raw_events", "labels", "divergences"
]


def _uuid(*parts: object) -> str:
    return str(uuid5(NAMESPACE_URL, "\x1f".join(map(str, parts))))


def _json(value: Value) -> str | None:
    if value is None or isinstance(value, RawJson):
        return value
    return json.dumps(value)


def _moment(value: datetime | str | Auto | None, default: datetime | None) -> str | None:
    chosen = default if isinstance(value, Auto) else value
    return chosen.isoformat() if isinstance(chosen, datetime) else chosen


def _rows(conversations: Iterable[ConversationRow], *, version: int, salt: str) -> dict[Table, list[Row]]:
    tables: dict[Table, list[Row]] = {name: [] for name in ("sources", "conversations", "messages", "content_blocks")}
    tables |= {"attachments": [], "raw_events": []}
    if version >= 4:
        tables["labels"] = []
    if version >= 5:
        tables["divergences"] = []
    for talk in conversations:
        _add_conversation(tables, talk, salt=salt)
    return tables


def _add_conversation(tables: dict[Table, list[Row]], talk: ConversationRow, *, salt: str) -> None:
    own = talk.id or _uuid(salt, talk.source, talk.native_id)
    if all(row["id"] != talk.source for row in tables["sources"]):
        tables["sources"].append({"id": talk.source, "name": talk.source})
    last = FIRST_MOMENT + timedelta(minutes=max(len(talk.messages) - 1, 0))
    tables["conversations"].append(
        {
            "id": own,
            "source_id": talk.source,
            "source_native_id": talk.native_id,
            "title": talk.title,
            "project": talk.project,
            "started_at": _moment(talk.started_at, FIRST_MOMENT),
            "ended_at": _moment(talk.ended_at, last),
            "message_count": len(talk.messages) if talk.message_count is None else talk.message_count,
            "raw_path": talk.raw_path,
            "metadata": _json(talk.metadata),
            **talk.extra,
        }
    )
    natives = [f"m{n}" if isinstance(row.native_id, Auto) else row.native_id for n, row in enumerate(talk.messages)]
    ids = {native: _uuid(own, n) for n, native in reversed(list(enumerate(natives))) if native is not None}
    for n, row in enumerate(talk.messages):
        _add_message(tables, row, own=own, n=n, natives=natives, ids=ids)
    _add_raw_events(tables, talk, natives=natives, salt=salt)
    if "divergences" in tables:
        tables["divergences"] += [
            {
                "conversation_id": own,
                "fork_after": ids.get(after or ""),
                "branch_message": ids.get(branch, branch),
                "devices": "[]",
            }
            for after, branch in talk.divergences
        ]


def _add_message(
    tables: dict[Table, list[Row]],
    row: MessageRow,
    *,
    own: str,
    n: int,
    natives: list[str | None],
    ids: dict[str, str],
) -> None:
    message_id = _uuid(own, n)
    if isinstance(row.parent, Auto):
        parent = _uuid(own, n - 1) if n else None
    else:
        parent = ids.get(row.parent, row.parent) if row.parent is not None else None
    tables["messages"].append(
        {
            "id": message_id,
            "conversation_id": own,
            "source_native_id": natives[n],
            "parent_message_id": parent,
            "role": row.role,
            "model": row.model,
            "created_at": _moment(row.at, FIRST_MOMENT + timedelta(minutes=n)),
            "sequence_index": n if row.index is None else row.index,
            "metadata": _json(row.metadata),
        }
    )
    tables["content_blocks"] += [
        {
            "id": _uuid(message_id, number),
            "message_id": message_id,
            "block_index": number,
            "type": block.kind,
            "text": block.text,
            "tool_name": block.tool_name,
            "tool_use_id": block.tool_use_id,
            "payload": _json(block.payload),
        }
        for number, block in enumerate(row.blocks)
    ]
    tables["attachments"] += [
        {
            "id": _uuid(message_id, "attachment", number),
            "message_id": message_id,
            "filename": file.filename,
            "mime_type": file.mime_type,
            "storage_path": file.storage_path,
            "source_url": file.source_url,
            "content_hash": file.content_hash,
            "size_bytes": file.size_bytes,
            "metadata": _json(file.metadata),
        }
        for number, file in enumerate(row.attachments)
    ]
    if "labels" in tables:
        tables["labels"] += [_label_row(note, message_id) for note in row.labels]


def _label_row(note: LabelRow, message_id: str) -> Row:
    return {
        "pack": note.pack,
        "target_kind": "message" if note.block is None else "tool_call",
        "target_id": message_id if note.block is None else _uuid(message_id, note.block),
        "question": note.question,
        "answer_type": "choice" if note.choice is not None else "noul",
        "value": note.value,
        "choice": note.choice,
        "pack_version": "1",
    }


def _add_raw_events(
    tables: dict[Table, list[Row]], talk: ConversationRow, *, natives: list[str | None], salt: str
) -> None:
    lines: list[Value] = list(talk.raw_events)
    for native, row in zip(natives, talk.messages, strict=True):
        if row.raw is not None:
            lines.append({"type": row.role, "uuid": native, **row.raw})
    tables["raw_events"] += [
        {
            "id": _uuid(salt, talk.source, talk.native_id, "raw", number),
            "source_id": talk.source,
            "source_native_conversation_id": talk.native_id,
            "raw_path": talk.raw_path,
            "line_number": number,
            "payload": _json(line),
        }
        for number, line in enumerate(lines)
    ]


def _insert(db: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    columns = list(rows[0])
    # Whole columns at once: row by row DuckDB needs a millisecond each.
    values = ", ".join("unnest(?::VARCHAR[])" for _ in columns)
    lists = [[None if row[name] is None else str(row[name]) for row in rows] for name in columns]
    db.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values}", lists)


def _insert_shared_views(db: duckdb.DuckDBPyConnection, views: Sequence[SharedView]) -> None:
    db.execute(
        """CREATE TABLE shared_views (slug VARCHAR PRIMARY KEY, conversation_id VARCHAR NOT NULL, gate_type VARCHAR,
        gate_secret VARCHAR, expires_at TIMESTAMPTZ, view_count INTEGER NOT NULL DEFAULT 0, view_limit INTEGER,
        created_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp)"""
    )
    _insert(
        db,
        "shared_views",
        [
            {
                "slug": view.slug,
                "conversation_id": view.conversation_id,
                "gate_type": view.gate_type,
                "gate_secret": view.gate_secret,
                "expires_at": _moment(view.expires_at, None),
                "view_limit": view.view_limit,
            }
            for view in views
        ],
    )
