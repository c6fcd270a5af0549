"""Reads what Claude Code's own records hold beyond the messages made of them: a few parts of each.

What those parts mean for messages is for `enrich`, and what records without a message say is for `unstored`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sitegen.model import Json, JsonObject, Usage
from sitegen.projection.database import Database
from sitegen.projection.values import moment_in, parse

# Only these parts of a record leave the database: a record holds whole files, and each of them is there twice.
_FIELDS: Final = (
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isApiErrorMessage",
    "agentId",
    "gitBranch",
    "requestId",
    "subtype",
    "message.id",
    "message.model",
    "message.usage",
    "type",
    "timestamp",
)
DETAIL_FIELDS: Final = (
    *("structuredPatch", "filePath", "replaceAll", "userModified", "type", "mode", "numLines", "numFiles", "filenames"),
    *(
        "stdout",
        "stderr",
        "interrupted",
        "isImage",
        "exitCode",
        "returnCodeInterpretation",
        "backgroundTaskId",
        "shellId",
    ),
    *("command", "truncated", "appliedLimit", "durationMs", "durationSeconds", "status", "agentId", "agent_id", "name"),
    *("agentType", "isAsync", "outputFile", "prompt", "description", "totalDurationMs", "totalTokens"),
    *("totalToolUseCount", "usage", "oldTodos", "newTodos", "questions", "answers", "plan", "url", "code", "codeText"),
    *("bytes", "query", "results", "matches", "total_deferred_tools", "success", "commandName", "message", "taskId"),
    *("file.filePath", "file.startLine", "file.numLines", "file.totalLines", "file.type", "file.originalSize"),
    *("file.dimensions",),
)
"""What is kept of `toolUseResult`: not the files themselves, nor what the result's text says already."""


def _paths(names: Iterable[str], *, below: str = "") -> str:
    return ", ".join(f"'$.{below}{name}'" for name in names)


TELLING_ATTACHMENTS: Final = (
    *("queued_command", "file", "directory", "mcp_resource", "edited_text_file", "teammate_mailbox"),
    *("opened_file_in_ide", "selected_lines_in_ide", "hook_additional_context", "hook_blocking_error"),
    *("hook_non_blocking_error", "hook_error_during_execution", "hook_stopped_continuation", "hook_system_message"),
)
"""Kinds of attachments that tell a reader something. Others remind the model of what it was told before."""
_TYPE: Final = _FIELDS.index("type")
_SPEAKERS: Final = ("user", "assistant")
_TELLING_TYPES: Final = ("system", "queue-operation")
_TELLING_PROGRESS: Final = ("agent_progress", "skill_progress")
_SAID_FIELDS: Final = (
    *("type", "subtype", "timestamp", "sessionId", "content", "level", "operation", "error", "cause", "retryAttempt"),
    *("hookErrors", "preventedContinuation", "stopReason", "attachment", "data.message", "data.agentId"),
)
_RAW_RECORDS: Final = f"""
SELECT native_id, line_number, fields, detail,
    CASE WHEN fields[{_TYPE + 1}] IN {_SPEAKERS} THEN NULL
        WHEN fields[{_TYPE + 1}] IN {_TELLING_TYPES} OR TRY(payload->>'$.attachment.type') IN {TELLING_ATTACHMENTS}
            OR TRY(payload->>'$.data.type') IN {_TELLING_PROGRESS}
        THEN TRY(json_extract(payload, [{_paths(_SAID_FIELDS)}])) END
FROM (
    SELECT source_native_conversation_id AS native_id, line_number, payload,
        TRY(json_extract_string(payload, [{_paths(_FIELDS)}])) AS fields,
        CASE WHEN contains(payload::VARCHAR, '"toolUseResult"')
        THEN TRY(json_extract(payload, [{_paths(DETAIL_FIELDS, below="toolUseResult.")}])) END AS detail
    FROM p.main.raw_events
    WHERE rowid IN (SELECT unnest(?::BIGINT[]))
)
"""  # noqa: S608 - made of constants


@dataclass(frozen=True, slots=True)
class RawRecord:
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


def read_raw_records(database: Database, numbers: Sequence[int]) -> Mapping[str, list[RawRecord]]:
    """The records that have an id or something to tell, in the order of their lines, by their conversation's native id.

    `numbers` are row numbers of `raw_events`.
    """
    found: dict[str, list[RawRecord]] = defaultdict(list)
    for native_id, line, fields, detail, said in database.query_rows(_RAW_RECORDS, numbers):
        if fields is not None and (fields[0] is not None or said is not None or fields[_TYPE] in _SPEAKERS):
            found[native_id].append(_record(line or 0, fields, detail, said))
    return {native_id: sorted(records, key=lambda record: record.line) for native_id, records in found.items()}


def _record(
    line: int,
    fields: Sequence[str | None],
    detail: Sequence[str | None] | None,
    said: Sequence[str | None] | None,
) -> RawRecord:
    uuid, parent, logical, meta, sidechain, compact, *more = fields
    api_error, agent, branch, request, subtype, message_id, model, usage, kind, at = more
    return RawRecord(
        uuid=uuid or "",
        line=line,
        at=moment_in(at) if uuid is None and kind in _SPEAKERS else None,
        parent_uuid=parent or logical,
        is_meta=meta == "true",
        is_sidechain=sidechain == "true",
        is_compact_summary=compact == "true",
        is_api_error=api_error == "true",
        agent_id=agent,
        git_branch=branch,
        request_id=request or message_id,
        subtype=subtype,
        model=model,
        usage=usage_of(parse(usage)) if usage else None,
        tool_detail=_tool_detail(detail),
        said=None if said is None else _said(said),
    )


def _said(values: Sequence[str | None]) -> JsonObject:
    return {name: parse(value) for name, value in zip(_SAID_FIELDS, values, strict=True) if value is not None}


def usage_of(counts: Json) -> Usage | None:
    """A record's count of tokens; None when it has none."""
    if not isinstance(counts, dict):
        return None

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    return Usage(
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cache_read_tokens=count("cache_read_input_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
    )


def pick_detail(result: JsonObject) -> JsonObject:
    """What is kept of a `toolUseResult` that is there whole."""
    file = result.get("file")
    parts = {name: _part(result, file, name) for name in DETAIL_FIELDS}
    return _detail({name: value for name, value in parts.items() if value is not None})


def _part(result: JsonObject, file: Json, name: str) -> Json:
    _, _, inner = name.partition(".")
    if not inner:
        return result.get(name)
    return file.get(inner) if isinstance(file, dict) else None


def _tool_detail(values: Sequence[str | None] | None) -> JsonObject | None:
    if values is None:
        return None
    return _detail({name: parse(value) for name, value in zip(DETAIL_FIELDS, values, strict=True) if value is not None})


def _detail(parts: Mapping[str, Json]) -> JsonObject:
    """The parts, those of `file` under that name again."""
    if not any(name.startswith("file.") for name in parts):
        return parts
    file = {name.removeprefix("file."): value for name, value in parts.items() if name.startswith("file.")}
    return {**{name: value for name, value in parts.items() if not name.startswith("file.")}, "file": file}
