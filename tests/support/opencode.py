"""OpenCode's database for tests, its rows said in short."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

Fields = dict[str, object]
FIRST_MS = 1_767_323_045_000
"""2026-01-02 03:04:05 UTC"""
_TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER,
    time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
    data TEXT);
"""


def write_opencode(path: Path, *sessions: tuple[str, list[Fields], Fields]) -> Path:
    """A new database of sessions made by `session`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_TABLES)
        for name, messages, columns in sessions:
            row: Fields = {"title": "A talk", "directory": "/home/ann/talks", "parent_id": None, **columns}
            last = FIRST_MS + 1000 * len(messages)
            values = (name, row["parent_id"], row["directory"], row["title"], FIRST_MS, last)
            db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", values)
            for number, message in enumerate(messages):
                _insert(db, name, number, message)
    return path


def _insert(db: sqlite3.Connection, session_id: str, number: int, message: Fields) -> None:
    at, own = FIRST_MS + 1000 * number, f"{session_id}-{number}"
    parts = message["parts"]
    data = {"time": {"created": at}, **{key: value for key, value in message.items() if key != "parts"}}
    db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (own, session_id, at, at, json.dumps(data)))
    assert isinstance(parts, tuple)
    for n, part in enumerate(parts):
        text = part if isinstance(part, str) else json.dumps(part)
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"{own}-{n}", own, session_id, at + n, at + n, text))


def session(name: str, *messages: Fields, **columns: object) -> tuple[str, list[Fields], Fields]:
    return name, list(messages), columns


def user(*parts: object, **data: object) -> Fields:
    return {"role": "user", "parts": tuple(map(_part, parts)), **data}


def assistant(*parts: object, **data: object) -> Fields:
    return {"role": "assistant", "modelID": "model-x", "parts": tuple(map(_part, parts)), **data}


def tool(name: str, given: Fields, output: str | None = None, **state: object) -> Fields:
    told: Fields = {"status": "running" if output is None else "completed", "input": given, **state}
    return {"type": "tool", "tool": name, "callID": f"c-{name}", "state": told | ({"output": output} if output else {})}


def _part(part: object) -> object:
    return {"type": "text", "text": part} if isinstance(part, str) and not part.startswith("{") else part
