"""OpenCode: a SQLite database of sessions; their messages consist of parts, each in a row of its own.

A part's row is rewritten while the tool runs, so a session is read again whole whenever one of its rows has changed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sitegen.errors import IngestError
from sitegen.ingest.fields import (
    Object,
    first_text,
    moment_of,
    number_of,
    object_of,
    objects_of,
    text_of,
    without_nothing,
)
from sitegen.ingest.lines import parse_line
from sitegen.ingest.records import (
    BlockRecord,
    Change,
    ConversationRecord,
    Handle,
    LineProblem,
    MessageRecord,
    RawEvent,
    Record,
    Stored,
)
from sitegen.ingest.session_files import find_files, path_of, shown
from sitegen.wording import titles

if TYPE_CHECKING:
    from sitegen.model import Json

_UNTITLED: Final = ("New session - ", "Child session - ")
_QUIET: Final = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"})
"""Parts that say how the program works, not what was said or done."""
_ENDED: Final = ("completed", "error")
_SESSIONS: Final = """
SELECT s.id, (SELECT coalesce(sum(length(data)), 0) FROM message WHERE session_id = s.id)
    + (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id),
    s.time_updated || ' ' || (SELECT count(*) || ' ' || max(time_updated) FROM message WHERE session_id = s.id)
    || ' ' || (SELECT count(*) || ' ' || coalesce(max(time_updated), 0) FROM part WHERE session_id = s.id),
    s.time_updated
FROM session s WHERE EXISTS (SELECT 1 FROM message WHERE session_id = s.id) ORDER BY s.id
"""
_ROWS: Final = {
    "session": "SELECT * FROM session WHERE id = ?",
    "message": "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id",
    "part": "SELECT * FROM part WHERE message_id = ? ORDER BY time_created, id",
}


class OpenCode:
    """The adapter for OpenCode's database."""

    source_id = "opencode"
    display_name = "OpenCode"
    version = "1"

    def discover(self, location: str) -> Iterable[Handle]:
        """Every session with a message, of a database or of all in a folder."""
        databases = find_files(
            location,
            lambda path: {path} if path.is_file() else set(path.rglob("opencode*.db")),
            expected="opencode.db in it or below",
            named="a database (opencode.db) or its folder",
        )
        found = [handle for database in databases for handle in _handles(database)]
        if not found:
            raise IngestError(f"{location} holds no sessions that anything was said in.")
        return found

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """By how many rows it has, how long they are and when the last one changed."""
        return Change.UNCHANGED if stored.content_hash == handle.key else Change.CHANGED

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one session: its row, and each message's with those of its parts."""
        try:
            with closing(_open(path_of(handle))) as connection:
                yield from _Session(handle, connection).read()
        except sqlite3.Error as error:
            raise OSError(str(error)) from error


def _handles(database: Path) -> Iterator[Handle]:
    try:
        with closing(_open(database)) as connection:
            for native_id, size_bytes, mark, updated in connection.execute(_SESSIONS):
                yield Handle(
                    native_id=str(native_id),
                    location=shown(database),
                    path=database,
                    key=f"{size_bytes} {mark}",
                    qualifier=shown(database.parent.name),
                    size_bytes=int(size_bytes),
                    modified_at=updated / 1000 if isinstance(updated, int | float) else None,
                )
    except sqlite3.Error as error:
        raise IngestError(f"{shown(database)} can't be read as OpenCode's database: {error}.") from error


def _open(database: Path) -> sqlite3.Connection:
    """Read-only. On a disk where its journal can't be written it's read without."""
    place = f"file:{quote(os.fsencode(database))}"
    connection = sqlite3.connect(f"{place}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.OperationalError:
        connection.close()
        connection = sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)
    # Text that isn't UTF-8 must not cost the rows around it.
    connection.text_factory = lambda raw: raw.decode(errors="replace")
    return connection


class _Session:
    """Reads one session and gathers what belongs to the whole."""

    def __init__(self, handle: Handle, connection: sqlite3.Connection) -> None:
        self._handle = handle
        self._connection = connection
        self._line = 0
        self._title: str | None = None
        self._reasons: list[str] = []

    def read(self) -> Iterator[Record]:
        """All records of the session."""
        session: Object = {}
        for event, row in self._rows("session", self._handle.native_id):
            yield event
            session = row
        for event, row in self._rows("message", self._handle.native_id):
            yield event
            yield from self._message(row)
        yield self._whole(session)

    def _rows(self, table: str, key: str) -> Iterator[tuple[RawEvent, Object]]:
        """The rows of a table as JSON, with what their column `data` holds in its place."""
        cursor = self._connection.execute(_ROWS[table], (key,))
        names = [column[0] for column in cursor.description]
        for cells in cursor:
            row: dict[str, Json] = {
                name: cell.hex() if isinstance(cell, bytes) else cell for name, cell in zip(names, cells, strict=True)
            }
            self._line += 1
            if isinstance(text := row.get("data"), str):
                line = parse_line(text.encode("utf-8", "surrogatepass"), self._line)
                row["data"] = line.record if line.record is not None else text
                self._reasons += [f"its data: {line.problem}"] if line.problem else []
            yield RawEvent(self._line, json.dumps({"table": table, **row}, ensure_ascii=False)), row

    def _message(self, row: Object) -> Iterator[Record]:
        data, native_id, line = object_of(row.get("data")), text_of(row.get("id")) or "", self._line
        blocks: list[BlockRecord] = []
        for event, part in self._rows("part", native_id):
            yield event
            blocks += _blocks(object_of(part.get("data")), text_of(part.get("id")) or "")
        role, is_summary = data.get("role"), data.get("summary") is True
        created = number_of(object_of(data.get("time")).get("created")) or number_of(row.get("time_created"))
        message = MessageRecord(
            role="user" if role == "user" else "system" if is_summary else "assistant",
            blocks=tuple(blocks),
            native_id=native_id,
            model=first_text(data.get("modelID"), object_of(data.get("model")).get("modelID"))
            if role != "user"
            else None,
            created_at=_moment(created),
            metadata=without_nothing(
                {
                    "subtype": "compaction" if is_summary else None,
                    **{key: data.get(key) for key in ("agent", "tokens", "cost", "providerID")},
                }
            ),
        )
        if blocks:
            yield message
        if failure := _failure(object_of(data.get("error"))):
            yield MessageRecord(
                role="system",
                blocks=(BlockRecord("text", failure),),
                native_id=f"{native_id}-error",
                created_at=message.created_at,
                metadata={"subtype": "api_error"},
            )
        if role not in ("user", "assistant"):
            self._reasons.append(f"its role is {str(role)[:40]!r} where user or assistant was expected")
        for reason in dict.fromkeys(self._reasons):
            yield LineProblem(self._handle.location, line, reason, is_kept=True)
        self._reasons.clear()
        if self._title is None and role == "user":
            said = next((block.text for block in blocks if block.kind == "text" and block.text), "")
            self._title = titles.prompt_line(said)

    def _whole(self, session: Object) -> ConversationRecord:
        named = text_of(session.get("title")) or ""
        parent = text_of(session.get("parent_id"))
        return ConversationRecord(
            content_hash=self._handle.key,
            source_bytes=self._handle.size_bytes,
            source_lines=self._line,
            event_count=self._line,
            title=self._title if named.startswith(_UNTITLED) or not named else titles.first_line(named),
            project=text_of(session.get("directory")),
            started_at=_moment(number_of(session.get("time_created"))),
            ended_at=_moment(number_of(session.get("time_updated"))),
            metadata=without_nothing({"subagent": parent is not None or None, "parent_native_id": parent}),
        )


def _moment(milliseconds: int | None) -> datetime | None:
    return moment_of(milliseconds / 1000) if milliseconds else None


# ------------------------------------------------------------------------------------------------------------- parts


def _blocks(part: Object, name: str) -> Iterator[BlockRecord]:
    match part.get("type"):
        case "text" if part.get("synthetic") is True or part.get("ignored") is True:
            return  # what the program put beside the prompt, for the model alone
        case "text":
            yield BlockRecord("text", text_of(part.get("text")) or "")
        case "reasoning":
            yield BlockRecord("thinking", text_of(part.get("text")) or "")
        case "tool":
            yield from _call(part, name)
        case "subtask":
            given = without_nothing({key: part.get(key) for key in ("description", "prompt", "agent")})
            yield BlockRecord("tool_use", tool_name="task", tool_use_id=name, payload={"input": given})
        case "file":
            yield _file(part)
        case str() as kind if kind in _QUIET:
            return
        case _:
            yield BlockRecord("text", payload={"unknown_block": part})


def _call(part: Object, name: str) -> Iterator[BlockRecord]:
    state = object_of(part.get("state"))
    call_id, status = text_of(part.get("callID")) or name, text_of(state.get("status"))
    given = without_nothing({"input": object_of(state.get("input"))})
    yield BlockRecord(
        "tool_use", tool_name=text_of(part.get("tool")), tool_use_id=call_id, payload={"input": {}, **given}
    )
    if status in _ENDED:
        text = first_text(state.get("output"), state.get("error")) or ""
        images: list[Json] = [
            {"type": "image", **(block.payload or {})}
            for file in objects_of(state.get("attachments"))
            if (block := _file(file)).kind == "image"
        ]
        payload = without_nothing({"is_error": status == "error", "raw_content": images})
        yield BlockRecord("tool_result", text, tool_use_id=call_id, payload=payload, images=len(images))


def _file(part: Object) -> BlockRecord:
    """An image that travels in the part's URL; another file by its name."""
    media_type, url = text_of(part.get("mime")) or "", text_of(part.get("url")) or ""
    head, comma, data = url.partition(",")
    if media_type.startswith("image/") and comma and head.startswith("data:") and head.endswith(";base64"):
        source: Object = {"type": "base64", "media_type": media_type, "data": data}
        return BlockRecord("image", payload={"source": source}, images=1)
    name = first_text(part.get("filename"), url.rpartition("/")[2] if not url.startswith("data:") else None)
    return BlockRecord("attachment", name, payload=without_nothing({"file_name": name, "file_type": media_type}))


def _failure(error: Object) -> str | None:
    said = first_text(object_of(error.get("data")).get("message"), error.get("message"), error.get("name"))
    return None if error.get("name") == "MessageAbortedError" else said
