"""Writes Claude Code sessions as JSONL from short Python values; knows the record shapes and nothing of sitegen.

    path = write_session(
        tmp_path / "-home-ann-parser" / "s1.jsonl",
        user("Why does it fail?"),
        assistant(thinking("Let me look."), tool_use("Read", {"file_path": "/home/ann/parser/a.py"}, id="t1")),
        user(tool_result("t1", "1→import re"), toolUseResult={"type": "text"}),
        assistant("A regular expression is wrong."),
    )

Every record gets a `uuid`, a `parentUuid` (the record before), a `timestamp` (ten seconds later), `sessionId`, `cwd`,
`version` and `gitBranch`, unless it names its own; pass `uuid=None` or `timestamp=None` to leave one out.
"""

from __future__ import annotations

import base64
import itertools
import json
import struct
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

Fields = dict[str, object]
"""A record or a content block, as it goes into the file."""

START = datetime(2026, 1, 2, 14, 3, 5, tzinfo=UTC)
STEP = timedelta(seconds=10)
CWD = "/home/ann/code/parser"
MODEL = "claude-sonnet-4-5"

_CHAINED = ("user", "assistant", "system", "attachment", "progress")


# ------------------------------------------------------------------------------------------------------------- blocks


def text(value: str) -> Fields:
    return {"type": "text", "text": value}


def thinking(value: str) -> Fields:
    return {"type": "thinking", "thinking": value, "signature": "c2ln"}


def tool_use(name: str, given: Mapping[str, object] | None = None, *, id: str | None = "toolu_1") -> Fields:
    return {"type": "tool_use", "id": id, "name": name, "input": dict(given or {})}


def tool_result(id: str | None, content: object = "", *, is_error: bool = False) -> Fields:
    """A result; `content` is a string or a list of blocks."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **({"is_error": True} if is_error else {})}


def image(data: bytes | None = None, *, media_type: str = "image/png") -> Fields:
    """An image block; without `data`, a small real PNG."""
    encoded = base64.b64encode(png() if data is None else data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}


def png(width: int = 4, height: int = 3, *, colour: tuple[int, int, int] = (200, 60, 40)) -> bytes:
    """Bytes of a real PNG of one colour."""
    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


# ------------------------------------------------------------------------------------------------------------ records


def user(*content: str | Fields, **fields: object) -> Fields:
    """A user record: one string stays a string (as prompts do), anything else becomes a list of blocks."""
    body: object = content[0] if len(content) == 1 and isinstance(content[0], str) else _blocks(content)
    return {"type": "user", "message": {"role": "user", "content": body}, **fields}


def assistant(
    *content: str | Fields,
    model: str | None = MODEL,
    message_id: str | None = None,
    usage: Mapping[str, int] | None = None,
    **fields: object,
) -> Fields:
    """An assistant record. Records of one request share `requestId`, which defaults to one of its own."""
    message: Fields = {"id": message_id, "type": "message", "role": "assistant", "model": model}
    message |= {"content": _blocks(content), "stop_reason": None}
    message |= {"usage": dict(usage or {"input_tokens": 100, "output_tokens": 20})}
    return {"type": "assistant", "message": message, **fields}


def system(content: str, *, subtype: str = "local_command", **fields: object) -> Fields:
    return {"type": "system", "subtype": subtype, "content": content, "level": "info", **fields}


def meta(content: str, **fields: object) -> Fields:
    """A user record that the program wrote (`isMeta`)."""
    return user(content, isMeta=True, **fields)


def compact_boundary(**fields: object) -> Fields:
    return system("Conversation compacted", subtype="compact_boundary", **{"parentUuid": None, **fields})


def compact_summary(content: str = "This session is being continued from a previous conversation.") -> Fields:
    return user(content, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def progress(**fields: object) -> Fields:
    """A record that is no message but stands in the chain of parents."""
    return {
        "type": "progress",
        "data": {"type": "bash_progress", "output": ""},
        "toolUseID": "bash-progress-0",
        **fields,
    }


def summary(value: str, *, leaf: str = "00000000-0000-0000-0000-000000000000") -> Fields:
    """A summary of the session that `leaf` (a record's uuid) belongs to."""
    return {"type": "summary", "summary": value, "leafUuid": leaf}


def custom_title(value: str) -> Fields:
    return {"type": "custom-title", "customTitle": value}


def ai_title(value: str) -> Fields:
    return {"type": "ai-title", "aiTitle": value}


# -------------------------------------------------------------------------------------------------------------- files


def write_session(
    path: Path, *records: Fields | str | bytes, cwd: str | None = CWD, branch: str = "main", start: datetime = START
) -> Path:
    """Writes a session file and returns its path; its stem is the session's id.

    A record given as `str` or `bytes` is written as a line as it stands: that's how damaged lines are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    shared: Fields = {"sessionId": path.stem, "cwd": cwd, "version": "2.1.34", "gitBranch": branch}
    path.write_bytes(b"".join(_lines(records, shared=shared, clock=itertools.count(), start=start, parent=None)))
    return path


def append_records(path: Path, *records: Fields | str | bytes, cwd: str | None = CWD, branch: str = "main") -> Path:
    """Goes on with a session written by `write_session`, as its program would."""
    written = path.read_bytes().splitlines()
    parent = next((known for line in reversed(written) if (known := _uuid_of(line))), None)
    shared: Fields = {"sessionId": path.stem, "cwd": cwd, "version": "2.1.34", "gitBranch": branch}
    clock = itertools.count(len(written))
    with path.open("ab") as file:
        file.writelines(_lines(records, shared=shared, clock=clock, start=START, parent=parent))
    return path


def write_subagent(
    session: Path, agent_id: str, *records: Fields | str | bytes, cwd: str = CWD, start: datetime = START
) -> Path:
    """Writes a subagent's file under `<session>/subagents/` and returns its path."""
    path = session.with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    shared: Fields = {"sessionId": session.stem, "agentId": agent_id, "isSidechain": True, "cwd": cwd}
    path.write_bytes(b"".join(_lines(records, shared=shared, clock=itertools.count(), start=start, parent=None)))
    return path


def _lines(
    records: Iterable[Fields | str | bytes],
    *,
    shared: Fields,
    clock: Iterator[int],
    start: datetime,
    parent: object,
) -> Iterator[bytes]:
    session = str(shared.get("agentId") or shared["sessionId"])
    for record in records:
        n = next(clock)
        if isinstance(record, str | bytes):
            yield (record.encode() if isinstance(record, str) else record) + b"\n"
            continue
        if record["type"] in _CHAINED:
            record = _chained(record, shared=shared, parent=parent, at=start + n * STEP, uid=_uid(session, n))
            parent = record.get("uuid") or parent
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _chained(record: Fields, *, shared: Fields, parent: object, at: datetime, uid: str) -> Fields:
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    known: Fields = {"parentUuid": parent, "isSidechain": False, **shared, "uuid": uid, "timestamp": stamp}
    if record["type"] == "assistant":
        known["requestId"] = f"req_{uid[:8]}"
    merged = known | record
    return {key: value for key, value in merged.items() if value is not None or key == "parentUuid"}


def _blocks(content: Iterable[str | Fields]) -> list[Fields]:
    return [text(item) if isinstance(item, str) else item for item in content]


def _uid(session: str, n: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{session}/{n}"))


def _uuid_of(line: bytes) -> object:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record.get("uuid") if isinstance(record, dict) else None
