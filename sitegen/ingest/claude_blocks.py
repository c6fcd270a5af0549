"""Content blocks in the shape of Anthropic's Messages API, as Claude Code writes them, made into block records.

The payloads' shapes are part of the schema's contract, so that one reader serves the projections of every writer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Final

from sitegen.ingest.lines import kind_of
from sitegen.ingest.records import AttachmentRecord, BlockRecord

if TYPE_CHECKING:
    from sitegen.model import Json

_Object = dict[str, "Json"]

_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_FILES: Final = ("document", "attachment", "file")


def read_blocks(content: Json, reasons: list[str]) -> tuple[tuple[BlockRecord, ...], tuple[AttachmentRecord, ...]]:
    """A message's blocks and the files among them; what isn't as it should be is told in `reasons`, and kept."""
    match content:
        case None:
            return (), ()
        case str():
            return (BlockRecord("text", content),), ()
        case list():
            blocks = tuple(_block(item, reasons) for item in content)
            return blocks, tuple(_attachment(item, n) for n, item in enumerate(content) if _is_file(item))
        case _:
            reasons.append(f"its content is {kind_of(content)} where text or a list was expected")
            return (), ()


def _block(raw: Json, reasons: list[str]) -> BlockRecord:
    if not isinstance(raw, dict):
        reasons.append(f"a block of it is {kind_of(raw)} where an object was expected")
        return BlockRecord("text", raw) if isinstance(raw, str) else _unknown(raw)
    kind = raw.get("type")
    match kind:
        case "text":
            return _prose(raw, "text", reasons)
        case "thinking":
            return _prose(raw, "thinking", reasons)
        case "redacted_thinking":
            return BlockRecord("thinking", payload={"redacted": True})
        case "image":
            return BlockRecord("image", payload={"source": raw.get("source", {})}, images=1)
        case str() if kind in _CALLS:
            return _call(raw, reasons)
        case str() if kind.endswith("tool_result"):
            return _result(raw, reasons)
        case str() if kind in _FILES:
            return BlockRecord("attachment", payload={key: value for key, value in raw.items() if key != "type"})
        case _:
            return _unknown(raw)


def _unknown(raw: Json) -> BlockRecord:
    return BlockRecord("text", payload={"unknown_block": raw})


def _prose(raw: _Object, kind: str, reasons: list[str]) -> BlockRecord:
    text = raw.get(kind)
    if not isinstance(text, str):
        reasons.append(f"a block's {kind} is {kind_of(text)} where text was expected")
        return _unknown(raw)
    return BlockRecord("thinking" if kind == "thinking" else "text", text)


def _call(raw: _Object, reasons: list[str]) -> BlockRecord:
    return BlockRecord(
        "tool_use",
        tool_name=_name(raw, "name", reasons),
        tool_use_id=_name(raw, "id", reasons),
        payload={"input": raw.get("input", {})},
    )


def _result(raw: _Object, reasons: list[str]) -> BlockRecord:
    content = raw.get("content")
    return BlockRecord(
        "tool_result",
        text=_result_text(content),
        tool_use_id=_name(raw, "tool_use_id", reasons),
        payload={"is_error": raw.get("is_error", False), "raw_content": content},
        images=sum(1 for item in _objects(content) if item.get("type") == "image"),
    )


def _result_text(content: Json) -> str | None:
    if isinstance(content, str):
        return content
    parts = [
        text for item in _objects(content) if item.get("type") == "text" and isinstance(text := item.get("text"), str)
    ]
    return "\n".join(parts) if parts else None


def _objects(content: Json) -> list[_Object]:
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []


def _name(raw: _Object, key: str, reasons: list[str]) -> str | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        reasons.append(f"a block's {key} is {kind_of(value)} where text was expected")
    return value if isinstance(value, str) else None


# ------------------------------------------------------------------------------------------------------------- files


def _is_file(raw: Json) -> bool:
    return isinstance(raw, dict) and raw.get("type") in _FILES


def _attachment(raw: Json, block_index: int) -> AttachmentRecord:
    block = raw if isinstance(raw, dict) else {}
    source = block.get("source")
    origin = source if isinstance(source, dict) else {}
    data = _bytes(origin)
    return AttachmentRecord(
        filename=_first_text(block.get("title"), block.get("filename"), block.get("name")),
        media_type=_first_text(origin.get("media_type"), block.get("media_type")),
        source_url=_first_text(origin.get("url")),
        content_hash=None if data is None else hashlib.sha256(data).hexdigest(),
        size_bytes=None if data is None else len(data),
        metadata={"block_index": block_index},
    )


def _first_text(*values: Json) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _bytes(source: _Object) -> bytes | None:
    """The file that travels inside a block, if one does."""
    data = source.get("data")
    match source.get("type"):
        case "base64" if isinstance(data, str):
            try:
                return base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError):
                return None
        case "text" if isinstance(data, str):
            return data.encode(errors="replace")
        case _:
            return None
