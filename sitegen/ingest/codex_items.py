"""Items of the Responses API, as Codex writes them, made into block records.

The payloads' shapes are part of the schema's contract: arguments stay the JSON text they are, patches the raw text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sitegen.ingest.fields import Object, first_text, object_of, objects_of, text_of, texts_of, without_nothing
from sitegen.ingest.lines import kind_of
from sitegen.ingest.records import BlockRecord

if TYPE_CHECKING:
    from sitegen.model import Json, Role

ITEM_TYPES: Final = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
        "image_generation_call",
    }
)
# Stands round an image among the texts, for the model to know which is which.
_IMAGE_TAG: Final = re.compile(r"\s*</?image(?: name=[^>]*)?>\s*")
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant"}


class Item(Struct, frozen=True):
    """What one item says; `text` is all of its words."""

    role: Role
    blocks: tuple[BlockRecord, ...]
    native_id: str | None
    text: str = ""


def read_item(item: Object, reasons: list[str]) -> Item | None:
    """What an item says; None when it is nothing to show (a developer's instructions, a snapshot)."""
    native_id = first_text(item.get("call_id"), item.get("id"))
    match item.get("type"):
        case "message":
            return _message(item, native_id, reasons)
        case "reasoning":
            return Item("assistant", (_reasoning(item),), native_id)
        case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
            return Item("assistant", (_call(item),), native_id)
        case "function_call_output" | "custom_tool_call_output":
            return Item("tool", (_result(item.get("call_id"), item.get("output")),), native_id)
        case "image_generation_call":
            return Item("assistant", _drawing(item), native_id)
        case _:
            return None


def thoughts_of(item: Object) -> list[str]:
    """The texts of a reasoning item: what was thought when it is there, else the summaries."""
    whole = [text for part in objects_of(item.get("content")) if (text := text_of(part.get("text")))]
    return whole or [text for part in objects_of(item.get("summary")) if (text := text_of(part.get("text")))]


def image_block(url: Json) -> BlockRecord:
    """An image by its address, which may hold the whole image."""
    return BlockRecord("image", payload={"image_url": url}, images=1)


def _message(item: Object, native_id: str | None, reasons: list[str]) -> Item | None:
    role, content = _ROLES.get(str(item.get("role"))), item.get("content")
    if role is None:
        return None
    if not isinstance(content, str | list):
        reasons.append(f"its content is {kind_of(content)} where a list was expected")
        return None
    parts = objects_of(content)
    words = [content] if isinstance(content, str) else [text for p in parts if (text := text_of(p.get("text")))]
    text = "\n".join(word for word in words if not _IMAGE_TAG.fullmatch(word))
    images = [image_block(part.get("image_url")) for part in parts if part.get("type") == "input_image"]
    blocks = ((BlockRecord("text", text),) if text.strip() else ()) + tuple(images)
    return Item(role, blocks, native_id, text) if blocks else None


def _reasoning(item: Object) -> BlockRecord:
    text = "\n\n".join(thoughts_of(item))
    return BlockRecord("thinking", text or None, payload={"has_encrypted_content": bool(item.get("encrypted_content"))})


def _call(item: Object) -> BlockRecord:
    name, payload = _named(item)
    status = text_of(item.get("status"))
    return BlockRecord(
        "tool_use",
        tool_name=name,
        tool_use_id=first_text(item.get("call_id"), item.get("id")),
        payload=payload if status in (None, "completed") else {**payload, "status": status},
    )


def _named(item: Object) -> tuple[str | None, Object]:
    action = object_of(item.get("action"))
    match item.get("type"):
        case "function_call":
            name = f"{text_of(item.get('namespace')) or ''}{text_of(item.get('name')) or ''}"
            return name or None, {"arguments": item.get("arguments", "")}
        case "custom_tool_call":
            return text_of(item.get("name")), {"input": item.get("input", "")}
        case "local_shell_call":
            given = {key: action.get(key) for key in ("command", "timeout_ms", "user")}
            return "local_shell", {"input": without_nothing({**given, "workdir": action.get("working_directory")})}
        case _:
            # No result of a search is written down: none is missing.
            return "web_search", {"input": {"action": without_nothing(action)}, "is_embedded": True}


def _result(call_id: Json, output: Json) -> BlockRecord:
    images: list[Json] = []
    match output:
        case str():
            text: str | None = output
        case list():
            parts = objects_of(output)
            text = "\n".join(word for part in parts if (word := text_of(part.get("text")))) or None
            images = [{"type": "image", "image_url": url} for part in parts if (url := part.get("image_url"))]
        case {"content": str(content)}:
            text = content
        case {"output": _}:
            # Other versions write such an object as a text; readers know that.
            text = json.dumps(output, ensure_ascii=False)
        case _:
            text = None if output is None else json.dumps(output, ensure_ascii=False)
    payload: Object = {"raw_content": images} if images else {}
    if isinstance(output, dict) and output.get("success") is False:
        payload["is_error"] = True
    return BlockRecord("tool_result", text, tool_use_id=text_of(call_id), payload=payload or None, images=len(images))


def _drawing(item: Object) -> tuple[BlockRecord, ...]:
    """An image that the model had made: the call, and the image as its result."""
    call_id = text_of(item.get("id"))
    asked = without_nothing({"prompt": item.get("revised_prompt")})
    call = BlockRecord("tool_use", tool_name="image_generation_call", tool_use_id=call_id, payload={"input": asked})
    data = text_of(item.get("result"))
    if data is None:
        return (call,)
    image: Json = {"type": "image", "data": data}
    return call, BlockRecord("tool_result", tool_use_id=call_id, payload={"raw_content": [image]}, images=1)


def images_of_event(event: Object) -> list[BlockRecord]:
    """The images that an event of a prompt names by their addresses."""
    return [image_block(url) for url in texts_of(event.get("images"))]
