"""A call and its result brought into one form, whatever way the source stored them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec.structs import replace

from sitegen.model import Block, Json, JsonObject, Message
from sitegen.render.pairing import Found
from sitegen.render.steps import PairedCall
from sitegen.wording.wrappers import unwrap_result


def paired_call(message: Message, number: int, block: Block, found: Found | None, *, scope: str) -> PairedCall:
    """The call in `block`, block `number` of `message`, with the result that was found for it.

    A `tool_result` block is an orphan: it comes as a call without a name.
    """
    if block.kind == "tool_result":
        found, name, arguments = Found(message, block), "", {}
    else:
        name, arguments = block.tool_name or "", dict(call_input(block))
    result, is_error = _result(found)
    status = block.payload.get("status")
    return PairedCall(
        anchor=f"t-{scope}{message.id}-{number}",
        message_id=message.id,
        block_number=number,
        tool_name=name,
        input=arguments,
        result=result,
        images=tuple(result_images(result)) if result else (),
        attachments=found.message.attachments if found else (),
        tool_detail=found.message.tool_detail if found else {},
        created_at=message.created_at,
        finished_at=found.message.created_at if found else None,
        is_error=is_error or status == "error",
        status=status if isinstance(status, str) else None,
        labels=block.labels,
        is_result_shown=not (_is_hidden(result) or block.payload.get("is_embedded") is True),
    )


def _is_hidden(result: Block | None) -> bool:
    return result is not None and result.payload.get("is_hidden") is True


def call_input(block: Block) -> JsonObject:
    """The input of a call as an object. JSON in a text is parsed; other text stands under "input"."""
    for key in ("input", "arguments"):
        value = block.payload.get(key)
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, dict):
            return value
        if value is not None:
            return {"input": value}
    return {}


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith("{"):
        return text
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _result(found: Found | None) -> tuple[Block | None, bool]:
    if found is None:
        return None, False
    block = found.block
    is_error = block.payload.get("is_error") is True or block.payload.get("status") == "error"
    if block.text and "<" in block.text:
        text, is_wrapped_error = unwrap_result(block.text)
        return (block if text == block.text else replace(block, text=text)), is_error or is_wrapped_error
    return block, is_error


def result_images(result: Block) -> Iterator[Block]:
    """The images that a result holds, each as a block of kind image."""
    for key in ("raw_content", "content"):
        content = result.payload.get(key)
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "image":
                yield Block("image", payload={name: value for name, value in part.items() if name != "type"})
