"""The messages of the workspace: rows with blocks in a JSON column, calls in another, results in rows of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, get_args

from msgspec import Struct, field

from sitegen.ingest.claude_blocks import read_blocks
from sitegen.ingest.fields import (
    Object,
    checked_moment,
    first_text,
    moment_of,
    number_of,
    object_of,
    text_of,
    texts_of,
    without_nothing,
)
from sitegen.ingest.files import missing
from sitegen.ingest.lines import kind_of
from sitegen.ingest.records import AttachmentRecord, BlockRecord, MessageRecord
from sitegen.model import Json, Role

_ROLES: Final[tuple[Role, ...]] = get_args(Role)
_SUMMARIES: Final = ("summary", "compressed_summary", "compaction")
_CANVASES: Final = ("canvas", "canvas_ref", "canvas_reference")
_FILES: Final = ("attachment", "attachment_ref", "attachments", "file")
_PROSE: Final = ("text", "markdown", "error", *_SUMMARIES)
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_BACKTICKS: Final = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


class _Said(Struct):
    """What the content of one message comes to."""

    blocks: list[BlockRecord] = field(default_factory=list)
    files: list[AttachmentRecord] = field(default_factory=list)
    is_summary: bool = False
    failed: bool = False


def read_message(row: Object, reasons: list[str]) -> MessageRecord:
    """The message that a row is; what isn't as it should be is told in `reasons`, and kept."""
    role, said = _role(row, reasons), _said(row.get("content"), reasons)
    call_id = text_of(row.get("tool_call_id"))
    if role == "tool" or call_id is not None:
        said.blocks = [_result(said, call_id, has_failed=row.get("is_error") is True), *_beside(said)]
    said.blocks += list(_calls(row.get("tool_calls"), reasons))
    is_summary = said.is_summary or row.get("is_summary") is True or _subtype(row) in _SUMMARIES
    return MessageRecord(
        # What stands for older turns is nobody's answer.
        role="system" if is_summary and role == "assistant" else role,
        blocks=tuple(said.blocks),
        native_id=name_of(row.get("id")),
        model=text_of(row.get("model")),
        created_at=checked_moment(row, "created_at", reasons),
        metadata=without_nothing(
            {"turn_index": number_of(row.get("turn_index")), "subtype": "compressed_summary" if is_summary else None}
        ),
        attachments=tuple(said.files),
    )


def read_pause(row: Object) -> MessageRecord:
    """A pause point as a message of its own, that says nothing but what was waited for."""
    # Details may stand in a JSON column of whatever name; the columns themselves come first.
    inner = {key: value for column in row.values() for key, value in object_of(column).items()}
    point: Object = {
        key: value
        for key, value in {**inner, **row}.items()
        if isinstance(value, list) or (isinstance(value, str) and not _UUID.fullmatch(value))
    }
    return MessageRecord(
        role="system",
        blocks=(),
        native_id=f"pause-{name_of(row.get('id'))}",
        created_at=moment_of(row.get("created_at")),
        metadata={"pause_point": point},
    )


def name_of(value: Json) -> str | None:
    """An id as text, whatever it is made of."""
    return text_of(value) if value is None or isinstance(value, str) else json.dumps(value)


def _role(row: Object, reasons: list[str]) -> Role:
    role = row.get("role")
    for known in _ROLES:
        if role == known:
            return known
    reasons.append(f"its role is {str(role)[:40]!r} where one of {', '.join(_ROLES)} was expected")
    return "system"


def _subtype(row: Object) -> str | None:
    inner = object_of(row.get("metadata"))
    return first_text(row.get("subtype"), row.get("kind"), inner.get("subtype"), inner.get("kind"))


# ------------------------------------------------------------------------------------------------------------- blocks


def _said(content: Json, reasons: list[str]) -> _Said:
    said = _Said()
    match content:
        case None:
            return said
        case {"blocks": list(items)}:
            pass
        case list(items):
            pass
        case _:
            items = [content]
    for item in items:
        _add(said, item, reasons)
    return said


def _add(said: _Said, item: Json, reasons: list[str]) -> None:
    if isinstance(item, str):
        said.blocks.append(BlockRecord("text", item))
    elif isinstance(item, dict):
        _add_object(said, item, reasons)
    else:
        reasons.append(f"a block of it is {kind_of(item)} where an object was expected")
        said.blocks.append(BlockRecord("text", payload={"unknown_block": item}))


def _add_object(said: _Said, item: Object, reasons: list[str]) -> None:
    match item.get("type"):
        case str() as kind if kind in _PROSE:
            said.is_summary = said.is_summary or kind in _SUMMARIES
            said.failed = said.failed or kind == "error"
            said.blocks.append(_prose(item, reasons))
        case "code":
            said.blocks.append(_code(item, reasons))
        case str() as kind if kind in _CANVASES:
            said.blocks.append(BlockRecord("text", payload={"canvas": _canvas(item)}))
        case str() as kind if kind in _FILES:
            _add_files(said, item)
        case _:
            # In the shape that models' providers give them; unknown ones are kept as they are.
            blocks, files = read_blocks([item], reasons)
            said.blocks += blocks
            said.files += files


def _prose(item: Object, reasons: list[str]) -> BlockRecord:
    text = first_text(item.get("text"), item.get("content"), item.get("markdown"), item.get("message"))
    if text is None and item.get("text") != "":
        reasons.append(f"a block of type {str(item.get('type'))[:40]} has no text")
        return BlockRecord("text", payload={"unknown_block": item})
    return BlockRecord("text", text or "")


def _code(item: Object, reasons: list[str]) -> BlockRecord:
    code = first_text(item.get("code"), item.get("text"), item.get("content"))
    if code is None:
        reasons.append("a block of type code has no code")
        return BlockRecord("text", payload={"unknown_block": item})
    fence = "`" * max([2, *(len(ticks) for ticks in _BACKTICKS.findall(code))]) + "`"
    language = re.sub(r"[^\w+#.-]", "", first_text(item.get("language"), item.get("lang")) or "")
    end = "" if code.endswith("\n") else "\n"
    return BlockRecord("text", f"{fence}{language}\n{code}{end}{fence}")


def _canvas(item: Object) -> Object:
    """The reference, with the words that it may hold; its id only where it has no name."""
    inner = {**object_of(item.get("canvas")), **{key: value for key, value in item.items() if key != "type"}}
    name = first_text(inner.get("title"), inner.get("name"), inner.get("filename"))
    known = name_of(inner.get("canvas_id") or inner.get("id") or inner.get("ref"))
    said, language = first_text(inner.get("content"), inner.get("text")), text_of(inner.get("language"))
    return without_nothing({"title": name, "id": known, "language": language, "content": said})


def _add_files(said: _Said, item: Object) -> None:
    names = texts_of(item.get("ids") or item.get("attachment_ids"))
    for name in names or [first_text(item.get("attachment_id"), item.get("id"), item.get("file_id")) or ""]:
        filename = first_text(item.get("filename"), item.get("file_name"), item.get("name")) or f"attachment {name[:8]}"
        media_type = first_text(item.get("mime_type"), item.get("media_type"), item.get("content_type"))
        size = number_of(item.get("size_bytes") or item.get("size"))
        record = AttachmentRecord(filename, media_type, size_bytes=size, metadata=without_nothing({"id": name}))
        said.files.append(missing(record, "the workspace's database doesn't hold it"))
        kept = {"file_name": filename, "file_type": media_type, "file_size": size, "attachment_id": name}
        said.blocks.append(BlockRecord("attachment", filename, payload=without_nothing(kept)))


# ------------------------------------------------------------------------------------------------------ calls, results


def _result(said: _Said, call_id: str | None, *, has_failed: bool) -> BlockRecord:
    texts = [block.text for block in said.blocks if block.kind == "text" and block.text is not None]
    images: list[Json] = [{"type": "image", **(block.payload or {})} for block in said.blocks if block.kind == "image"]
    return BlockRecord(
        "tool_result",
        "\n".join(texts),
        tool_use_id=call_id,
        payload=without_nothing({"is_error": has_failed or said.failed, "raw_content": images}),
        images=len(images),
    )


def _beside(said: _Said) -> Iterator[BlockRecord]:
    """What a result holds that no result can show."""
    return (block for block in said.blocks if block.kind != "image" and (block.kind != "text" or block.text is None))


def _calls(calls: Json, reasons: list[str]) -> Iterator[BlockRecord]:
    if calls is None:
        return
    for call in calls if isinstance(calls, list) else [calls]:
        if not isinstance(call, dict):
            reasons.append(f"a call of it is {kind_of(call)} where an object was expected")
            continue
        function = object_of(call.get("function"))
        call_id = first_text(call.get("id"), call.get("call_id"), call.get("tool_call_id"))
        name = first_text(function.get("name"), call.get("name"), call.get("tool"), call.get("tool_name"))
        yield BlockRecord("tool_use", tool_name=name, tool_use_id=call_id, payload=_input({**call, **function}))
        if (result := call.get("result", call.get("output"))) is not None:
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
            yield BlockRecord(
                "tool_result", text, tool_use_id=call_id, payload={"is_error": call.get("is_error") is True}
            )


def _input(call: Object) -> Object:
    given = next((call[key] for key in ("arguments", "input", "args", "parameters") if call.get(key) is not None), None)
    if isinstance(given, str):
        try:
            parsed = json.loads(given)
        except (ValueError, RecursionError):
            return {"arguments": given}
        return {"input": parsed} if isinstance(parsed, dict) else {"arguments": given}
    return {"input": {} if given is None else given}
