"""Reads what Claude Code's own records hold beyond the messages made of them: a few parts of each.

What those parts mean for messages is for `enrich`, and what records without a message say is for `unstored`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from sitegen.model import Json, JsonObject, Usage
from sitegen.projection.blocks import object_in
from sitegen.projection.database import Database, Row
from sitegen.projection.values import REFUSED, decode, moment_in, parse

_DETAIL_FIELDS: Final = frozenset(
    (
        *("structuredPatch", "filePath", "replaceAll", "userModified", "type", "mode", "numLines", "numFiles"),
        *("filenames", "stdout", "stderr", "interrupted", "isImage", "exitCode", "returnCodeInterpretation"),
        *("backgroundTaskId", "shellId", "command", "truncated", "appliedLimit", "durationMs", "durationSeconds"),
        *("status", "agentId", "agent_id", "name", "agentType", "isAsync", "outputFile", "prompt", "description"),
        *("totalDurationMs", "totalTokens", "totalToolUseCount", "usage", "oldTodos", "newTodos", "questions"),
        *("answers", "plan", "url", "code", "codeText", "bytes", "query", "results", "matches"),
        *("total_deferred_tools", "success", "commandName", "message", "taskId"),
    )
)
"""What is kept of `toolUseResult`: not the files themselves, nor what the result's text says already."""
_FILE_FIELDS: Final = frozenset(
    ("filePath", "startLine", "numLines", "totalLines", "type", "originalSize", "dimensions")
)
TELLING_ATTACHMENTS: Final = (
    *("queued_command", "file", "directory", "mcp_resource", "edited_text_file", "teammate_mailbox"),
    *("opened_file_in_ide", "selected_lines_in_ide", "hook_additional_context", "hook_blocking_error"),
    *("hook_non_blocking_error", "hook_error_during_execution", "hook_stopped_continuation", "hook_system_message"),
)
"""Kinds of attachments that tell a reader something. Others remind the model of what it was told before."""
_SPEAKERS: Final = ("user", "assistant")
_TELLING_TYPES: Final = ("system", "queue-operation")
_TELLING_PROGRESS: Final = ("agent_progress", "skill_progress")
_SAID_FIELDS: Final = frozenset(
    (
        *("type", "subtype", "timestamp", "sessionId", "content", "level", "operation", "error", "cause"),
        *("retryAttempt", "hookErrors", "preventedContinuation", "stopReason", "attachment"),
    )
)
_DATA_FIELDS: Final = ("message", "agentId")
_RAW_RECORDS: Final = """
SELECT source_native_conversation_id, line_number, encode(payload::VARCHAR)
FROM p.main.raw_events WHERE {numbered}
"""


class RawRecord(Struct):  # not frozen, for it takes half as long to make one: there are as many as messages
    """The parts of one record that its message lacks. `said` is what a record without a message may have to tell."""

    uuid: str
    line: int = 0
    at: datetime | None = None
    """When it was written, for a message without an id: its message is known by that alone."""
    parent_uuid: str | None = None
    is_meta: bool = False
    is_sidechain: bool = False
    is_compact_summary: bool = False
    is_api_error: bool = False
    agent_id: str | None = None
    git_branch: str | None = None
    request_id: str | None = None
    subtype: str | None = None
    model: str | None = None
    usage: Usage | None = None
    tool_detail: JsonObject | None = None
    said: JsonObject | None = None


def read_raw_records(database: Database, numbers: Sequence[int], *, at_once: int) -> dict[str, list[RawRecord]]:
    """The records that have an id or something to tell, in the order of their lines, by their conversation's native id.

    `numbers` are row numbers of `raw_events`, of which so many are asked for at once.
    """
    found: dict[str, list[RawRecord]] = defaultdict(list)
    for native_id, record in database.query_rows(_RAW_RECORDS, numbers, _picked, at_once=at_once):
        if record is not None:
            found[native_id].append(record)
    return {native_id: sorted(records, key=lambda record: record.line) for native_id, records in found.items()}


def _picked(row: Row) -> tuple[str, RawRecord | None]:
    """The native id of a record's conversation, and what is kept of the record: it may hold whole files, twice."""
    native_id, line, payload = row
    try:
        return native_id, _record(line or 0, payload) if payload else None
    except REFUSED:
        record = parse(payload.decode())
        return native_id, _record(line or 0, json.dumps(record).encode()) if isinstance(record, dict) else None


class _Request(Struct, gc=False):
    """What is picked of a record's `message`."""

    id: Any = None
    model: Any = None
    usage: Any = None


class _Kind(Struct, gc=False):
    """What is picked first of an `attachment` or of `data`."""

    type: Any = None


_NULL: Final = Raw(b"null")
_Other = str | int | float | bool | list[Raw] | None
"""What should be an object, and isn't."""


class _Parts(Struct, rename="camel", gc=False):
    """What is picked of a record. The rest is passed over, which takes a fifth of the time that making it takes."""

    uuid: Any = None
    type: Any = None
    subtype: Any = None
    timestamp: Any = None
    parent_uuid: Any = None
    logical_parent_uuid: Any = None
    is_meta: Any = None
    is_sidechain: Any = None
    is_compact_summary: Any = None
    is_api_error_message: Any = None
    agent_id: Any = None
    git_branch: Any = None
    request_id: Any = None
    message: _Request | _Other = None
    attachment: _Kind | _Other = None
    data: _Kind | _Other = None
    tool_use_result: Raw = _NULL


_decode_parts: Final = Decoder(_Parts).decode
_decode_object: Final = Decoder(dict[str, Raw] | _Other).decode
_NO_REQUEST: Final = _Request()


def _record(line: int, payload: bytes) -> RawRecord | None:
    """What is kept of a record; None for nothing. Raises one of REFUSED for what must be parsed otherwise."""
    record = _decode_parts(payload)
    uuid, kind = _text(record.uuid), record.type
    said = None if kind in _SPEAKERS or not _tells(record) else _said(decode(payload))
    if uuid is None and said is None and kind not in _SPEAKERS:
        return None
    request = record.message if isinstance(record.message, _Request) else _NO_REQUEST
    return RawRecord(
        uuid=uuid or "",
        line=line,
        at=moment_in(record.timestamp) if uuid is None and kind in _SPEAKERS else None,
        parent_uuid=_text(record.parent_uuid) or _text(record.logical_parent_uuid),
        is_meta=record.is_meta is True,
        is_sidechain=record.is_sidechain is True,
        is_compact_summary=record.is_compact_summary is True,
        is_api_error=record.is_api_error_message is True,
        agent_id=_text(record.agent_id),
        git_branch=_text(record.git_branch),
        request_id=_text(record.request_id) or _text(request.id),
        subtype=_text(record.subtype),
        model=_text(request.model),
        usage=usage_of(request.usage),
        tool_detail=_detail_in(record.tool_use_result),
        said=said,
    )


def _detail_in(result: Raw) -> JsonObject:
    """`pick_detail` of what isn't parsed yet."""
    parts = _parts_of(result)
    detail = {name: decode(part) for name, part in parts.items() if name in _DETAIL_FIELDS}
    file_parts = _parts_of(parts.get("file", _NULL)).items()
    file = {name: decode(part) for name, part in file_parts if name in _FILE_FIELDS}
    return {**detail, "file": file} if file else detail


def _parts_of(value: Raw) -> dict[str, Raw]:
    parts = _decode_object(value)
    return parts if isinstance(parts, dict) else {}


def _tells(record: _Parts) -> bool:
    return (
        record.type in _TELLING_TYPES
        or (isinstance(record.attachment, _Kind) and record.attachment.type in TELLING_ATTACHMENTS)
        or (isinstance(record.data, _Kind) and record.data.type in _TELLING_PROGRESS)
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _said(record: JsonObject) -> JsonObject:
    data = _fields(object_in(record, "data"), _DATA_FIELDS)
    return _fields(record, _SAID_FIELDS) | {f"data.{name}": value for name, value in data.items()}


def _fields(values: JsonObject, names: Collection[str]) -> dict[str, Json]:
    return {name: value for name, value in values.items() if name in names}


def usage_of(counts: Json) -> Usage | None:
    """A record's count of tokens; None when it has none."""
    if not isinstance(counts, dict):
        return None
    return Usage(
        input_tokens=_count(counts, "input_tokens"),
        output_tokens=_count(counts, "output_tokens"),
        cache_read_tokens=_count(counts, "cache_read_input_tokens"),
        cache_write_tokens=_count(counts, "cache_creation_input_tokens"),
    )


def _count(counts: JsonObject, name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def pick_detail(result: JsonObject) -> JsonObject:
    """What is kept of a `toolUseResult`."""
    detail, file = _fields(result, _DETAIL_FIELDS), _fields(object_in(result, "file"), _FILE_FIELDS)
    return {**detail, "file": file} if file else detail
