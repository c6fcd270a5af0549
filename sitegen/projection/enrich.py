"""What Claude Code's own records say beyond the messages made of them.

Which ones aren't the user's or the main thread's, what each request used, what a tool returned in structure, whose
parent was a record without a message, and which branch the work was on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sitegen.model import Json, JsonObject, Message, Usage
from sitegen.projection.database import Database
from sitegen.projection.values import parse

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


_RAW_RECORDS: Final = f"""
SELECT source_native_conversation_id, line_number, TRY(json_extract_string(payload, [{_paths(_FIELDS)}])),
    CASE WHEN contains(payload::VARCHAR, '"toolUseResult"')
    THEN TRY(json_extract(payload, [{_paths(DETAIL_FIELDS, below="toolUseResult.")}])) END
FROM p.main.raw_events
WHERE rowid IN (SELECT unnest(?::BIGINT[]))
"""  # noqa: S608 - made of constants
_NO_MODEL: Final = "<synthetic>"
"""Claude Code's name for messages that no model wrote."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """The parts of one record that its message lacks."""

    uuid: str
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


def read_raw_records(database: Database, numbers: Sequence[int]) -> Mapping[str, list[RawRecord]]:
    """The records that have an id, in the order of their lines, by the native id of their conversation.

    `numbers` are row numbers of `raw_events`.
    """
    found: dict[str, list[tuple[int, RawRecord]]] = defaultdict(list)
    for native_id, line, fields, detail in database.query_rows(_RAW_RECORDS, numbers):
        if fields is not None and fields[0] is not None:
            found[native_id].append((line or 0, _record(fields, detail)))
    return {
        native_id: [record for _, record in sorted(records, key=lambda pair: pair[0])]
        for native_id, records in found.items()
    }


def enrich(messages: Sequence[Message], records: Sequence[RawRecord]) -> tuple[Message, ...]:
    """The messages with what their records add. A message whose id no record has stays as it is."""
    matched = _match(messages, records)
    usages = _final_usages(matched.values())
    return tuple(
        _enriched(message, record, usages) if (record := matched.get(message.id)) else message for message in messages
    )


def parents_by_record(messages: Sequence[Message], records: Sequence[RawRecord]) -> Mapping[str, str]:
    """Parents that the records know better, by message id.

    Where a parent is a record without a message (or one from before a compaction): the next above that has one. Where
    several messages have the parent's id: the first of them, whichever the projection chose.
    """
    repeated = {native for native, count in Counter(m.native_id for m in messages).items() if native and count > 1}
    above = {record.uuid: record.parent_uuid for record in reversed(records)}
    ids = {message.native_id: message.id for message in reversed(messages) if message.native_id}
    found = {}
    for message in messages:
        is_doubtful = message.parent_id is None or above.get(message.native_id or "") in repeated
        if is_doubtful and (parent := _nearest(above.get(message.native_id or ""), above, ids)):
            found[message.id] = parent
    return found


def _nearest(uuid: str | None, above: Mapping[str, str | None], ids: Mapping[str, str]) -> str | None:
    for _ in above:
        if uuid is None or uuid in ids:
            break
        uuid = above.get(uuid)
    return None if uuid is None else ids.get(uuid)


def git_branch(records: Iterable[RawRecord]) -> str | None:
    """The branch the work was on at the end; None if the records don't say."""
    branches = [record.git_branch for record in records if record.git_branch not in (None, "", "HEAD")]
    return branches[-1] if branches else None


def _match(messages: Sequence[Message], records: Sequence[RawRecord]) -> dict[str, RawRecord]:
    """Records by message id. Where an id repeats, the first message gets the first record, and so on."""
    waiting: dict[str, list[RawRecord]] = defaultdict(list)
    for record in reversed(records):
        waiting[record.uuid].append(record)
    matched = {}
    for message in messages:
        queue = waiting.get(message.native_id or "")
        if queue:
            matched[message.id] = queue.pop() if len(queue) > 1 else queue[0]
    return matched


def _final_usages(records: Iterable[RawRecord]) -> dict[str, Usage]:
    """Each request's usage as its last record has it: earlier ones count an answer that was still growing."""
    return {record.request_id: record.usage for record in records if record.request_id and record.usage}


def _enriched(message: Message, record: RawRecord, usages: Mapping[str, Usage]) -> Message:
    model = message.model or record.model
    metadata = message.metadata
    if record.subtype and "subtype" not in metadata:
        metadata = {**metadata, "subtype": record.subtype}
    return replace(
        message,
        model=None if model == _NO_MODEL else model,
        request_id=record.request_id or message.request_id,
        usage=usages.get(record.request_id or "", record.usage),
        is_meta=record.is_meta,
        is_sidechain=record.is_sidechain,
        is_compact_summary=record.is_compact_summary,
        is_api_error=record.is_api_error,
        agent_id=record.agent_id,
        tool_detail=record.tool_detail or {},
        metadata=metadata,
    )


def _record(fields: Sequence[str | None], detail: Sequence[str | None] | None) -> RawRecord:
    uuid, parent, logical, meta, sidechain, compact, *more = fields
    api_error, agent, branch, request, subtype, message_id, model, usage = more
    return RawRecord(
        uuid=uuid or "",
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
        usage=_usage(usage),
        tool_detail=_tool_detail(detail),
    )


def _usage(text: str | None) -> Usage | None:
    counts = parse(text) if text else None
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


def _tool_detail(values: Sequence[str | None] | None) -> JsonObject | None:
    """The parts that are there, those of `file` under that name again."""
    if values is None:
        return None
    detail: dict[str, Json] = {}
    file: dict[str, Json] = {}
    for name, value in zip(DETAIL_FIELDS, values, strict=True):
        if value is not None:
            outer, _, inner = name.partition(".")
            (file if inner else detail)[inner or outer] = parse(value)
    return {**detail, "file": file} if file else detail
