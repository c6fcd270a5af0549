"""What pages need of Claude Code's own records beyond the messages made of them: a few parts of each.

They are picked as a projection is written, and kept beside the records, whose parsing takes ten times as long; a
projection that has none is read record by record. What the parts mean for messages is for the projection's reader.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final

from msgspec import MsgspecError, Raw, Struct, field, msgpack
from msgspec.json import Decoder

from sitegen.model import Json, JsonObject, Usage
from sitegen.values import REFUSED, decode, moment_in, object_in, parse

SOURCE: Final = "claude_code"
"""The source whose records these are."""
FORMAT: Final = 1
"""Of what is kept. It rises whenever anything else is picked, or packed otherwise: what is kept by an older one counts
for nothing."""
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
TITLE_BYTES: Final = 4000
"""Records that name a title are shorter."""
_PART_BYTES: Final = 4_000


# Not frozen, for it takes half as long to make one: there are as many as messages.
class RawRecord(Struct, array_like=True):
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
    tool_detail: Mapping[str, Any] | None = None
    said: Mapping[str, Any] | None = None


def pick(line: int, payload: bytes) -> RawRecord | None:
    """What is kept of a record, which may hold whole files, twice; None for one without an id or anything to tell.

    `payload` is the record as JSON text.
    """
    try:
        parts = _decode_parts(payload)
        return _record(line, parts, detail=_detail_in(parts.tool_use_result), whole=partial(decode, payload))
    except REFUSED:
        record = parse(payload.decode())
        return pick_parsed(line, record) if isinstance(record, dict) else None


def pick_parsed(line: int, record: JsonObject) -> RawRecord | None:
    """The same of a record that was parsed."""
    detail = pick_detail(object_in(record, "toolUseResult"))
    return _record(line, _parts_in(record), detail=detail, whole=lambda: record)


def _may_name_title(payload: str) -> bool:
    is_short = len(payload) < TITLE_BYTES and len(payload.encode("utf-8", "replace")) < TITLE_BYTES
    return is_short and ('-title"' in payload or '"summary"' in payload)


class Pack(Struct, frozen=True):
    """What was picked of consecutive lines of a conversation."""

    first_line: int
    last_line: int
    titles: bytes
    """Of records that may name a title: (line, the record)."""
    records: list[tuple[int, bytes]]
    """Parts by their first lines: longer ones DuckDB holds apart, and fetches with all that lie beside them."""


class Picker(Struct):
    """Picks what is kept of a conversation's records, one after the other."""

    lines: list[int] = field(default_factory=list)
    titles: list[tuple[int, str]] = field(default_factory=list)
    records: list[RawRecord] = field(default_factory=list)

    def add(self, line: int, payload: str, parsed: JsonObject | None = None) -> None:
        """Picks from one more record: JSON text and, if it has been parsed already, what that says."""
        self.lines.append(line)
        # Of what isn't Unicode nothing is kept that would count, for it's stored otherwise.
        record = pick(line, payload.encode("utf-8", "replace")) if parsed is None else pick_parsed(line, parsed)
        if _may_name_title(payload):
            self.titles.append((line, payload))
        if record is not None:
            self.records.append(record)

    def pack(self) -> Pack | None:
        """What was picked since this was asked for last; None for no lines, and for what can't be packed."""
        lines, self.lines = self.lines, []
        titles, self.titles = self.titles, []
        records, self.records = self.records, []
        with suppress(OverflowError, UnicodeEncodeError):  # whole numbers have 64 bits in MessagePack
            return Pack(lines[0], lines[-1], _pack(titles), _in_parts(records)) if lines else None
        return None


def _in_parts(records: Iterable[RawRecord]) -> list[tuple[int, bytes]]:
    parts: list[tuple[int, bytes]] = []
    waiting: list[Raw] = []
    first_line, size = 0, 0
    for record in records:
        packed = _pack(record)
        if waiting and size + len(packed) > _PART_BYTES:
            parts.append((first_line, _pack(waiting)))
            waiting, size = [], 0
        first_line = first_line if waiting else record.line
        waiting.append(Raw(packed))
        size += len(packed)
    return [*parts, (first_line, _pack(waiting))] if waiting else parts


_pack: Final = msgpack.Encoder().encode
_unpack_titles: Final = msgpack.Decoder(list[tuple[int, str]]).decode
_unpack_records: Final = msgpack.Decoder(list[RawRecord]).decode


def unpack_titles(packed: bytes) -> list[tuple[int, str]] | None:
    """The records that may name a title, each with its line; None when they aren't what was packed."""
    with suppress(MsgspecError):
        return _unpack_titles(packed)
    return None


def unpack_records(packed: Iterable[bytes]) -> list[RawRecord] | None:
    """What was picked of a conversation, in the order of its lines; None when it isn't what was packed."""
    with suppress(MsgspecError):
        return in_order(record for each in packed for record in _unpack_records(each))
    return None


def in_order(records: Iterable[RawRecord]) -> list[RawRecord]:
    """The records in the order of their lines."""
    return sorted(records, key=lambda record: record.line)


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


_PLAIN: Final = _Parts.__struct_encode_fields__[: _Parts.__struct_fields__.index("message")]
"""What parts are called in records that are picked as they are, the first ones."""
_REQUEST: Final = _Request.__struct_fields__
_decode_parts: Final = Decoder(_Parts).decode
_decode_object: Final = Decoder(dict[str, Raw] | _Other).decode
_NO_REQUEST: Final = _Request()


def _parts_in(record: JsonObject) -> _Parts:
    """What `_decode_parts` makes of it, but for the result."""
    message, attachment, data = record.get("message"), record.get("attachment"), record.get("data")
    plain: Iterable[Any] = map(record.get, _PLAIN)
    return _Parts(  # type: ignore[call-arg]  # what is plain comes first
        *plain,
        _Request(*map(message.get, _REQUEST)) if isinstance(message, dict) else None,
        _Kind(attachment.get("type")) if isinstance(attachment, dict) else None,
        _Kind(data.get("type")) if isinstance(data, dict) else None,
    )


def _record(line: int, record: _Parts, *, detail: JsonObject, whole: Callable[[], JsonObject]) -> RawRecord | None:
    """What is kept of a record; None for nothing. Raises one of REFUSED for what must be parsed otherwise."""
    uuid, kind = _text(record.uuid), record.type
    said = None if kind in _SPEAKERS or not _tells(record) else _said(whole())
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
        tool_detail=detail,
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
