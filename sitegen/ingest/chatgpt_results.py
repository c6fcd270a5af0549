"""What ChatGPT's tools gave back, as the results of their calls; a deep research's report, which is an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sitegen.ingest.archive import FileIndex
from sitegen.ingest.chatgpt_blocks import Content, read_content
from sitegen.ingest.exports import Reading
from sitegen.ingest.fields import Object, object_of, objects_of, text_of, without_nothing
from sitegen.ingest.records import BlockRecord, MessageRecord

if TYPE_CHECKING:
    from sitegen.model import Json


def is_drawn(message: Object) -> bool:
    """Whether a tool's message brings images that the tool has made."""
    parts = objects_of(object_of(message.get("content")).get("parts"))
    drawn = (object_of(part.get("metadata")) for part in parts if part.get("content_type") == "image_asset_pointer")
    return any("dalle" in metadata or "generation" in metadata for metadata in drawn)


def result_block(content: Content, call: str | None) -> BlockRecord:
    """What a tool's message holds, as the result of a call."""
    images: list[Json] = [{"type": "image", **(image.payload or {})} for image in content.images]
    payload = without_nothing({"raw_content": images, "results": content.links})
    return BlockRecord(
        "tool_result",
        content.text or None,
        tool_use_id=call,
        payload={"is_error": content.is_error, **payload},
        images=len(images),
    )


def joined(one: BlockRecord, other: BlockRecord) -> BlockRecord:
    """Two results of one call as one."""
    payload = dict(one.payload or {})
    for key, value in (other.payload or {}).items():
        held = payload.get(key)
        payload[key] = [*held, *value] if isinstance(held, list) and isinstance(value, list) else held or value
    text = "\n\n".join(filter(None, (one.text, other.text))) or None
    return replace(one, text=text, payload=payload, images=one.images + other.images)


def research_report(message: Object, name: str) -> Iterator[MessageRecord]:
    """The report of a deep research, where the state of its widget is all that holds it."""
    state = text_of(object_of(object_of(message.get("metadata")).get("chatgpt_sdk")).get("widget_state"))
    try:
        report = object_of(object_of(json.loads(state or "null")).get("report_message"))
    except (ValueError, RecursionError):
        return
    if report:
        content = read_content(report, Reading(FileIndex(), []))
        if content.text:
            block = BlockRecord("text", content.text)
            yield MessageRecord("assistant", (block,), native_id=f"{name}-report", parent_native_id=name)
