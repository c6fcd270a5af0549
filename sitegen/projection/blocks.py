"""Blocks of messages that the projection has only in a record, made as it would have stored them."""

from __future__ import annotations

from typing import Final

from sitegen.model import Block, Json, JsonObject

_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def blocks_of(content: Json) -> tuple[Block, ...]:
    """The blocks of a message's `content`: one for a text, none for whatever isn't content."""
    match content:
        case str():
            return (Block("text", content),) if content.strip() else ()
        case list():
            return tuple(block for item in content if isinstance(item, dict) and (block := _block(item)))
        case _:
            return ()


def text_of(content: Json) -> str:
    """The words in `content`, without anything else."""
    return "\n\n".join(block.text for block in blocks_of(content) if block.kind == "text" and block.text)


def joined(value: Json) -> str:
    """A text, or texts in a list as lines of one."""
    parts = value if isinstance(value, list) else [value]
    return "\n".join(part for part in parts if isinstance(part, str)).strip()


def word_in(values: JsonObject, *names: str) -> str:
    """The first of these that is a text with something in it; "" when none is."""
    return next((value for name in names if isinstance(value := values.get(name), str) and value.strip()), "")


def _block(item: JsonObject) -> Block | None:
    match item:
        case {"type": "text", "text": str(text)}:
            return Block("text", text)
        case {"type": "thinking", "thinking": str(text)}:
            return Block("thinking", text)
        case {"type": "image", "source": dict(source)}:
            return Block("image", payload={"source": source})
        case {"type": "document", **rest}:
            return Block("attachment", payload=rest)
        case {"type": str(kind)} if kind in _CALLS:
            name, call_id = word_in(item, "name") or None, word_in(item, "id") or None
            return Block("tool_use", tool_name=name, tool_use_id=call_id, payload={"input": item.get("input", {})})
        case {"type": str(kind)} if kind.endswith("tool_result"):
            return _result(item)
        case _:
            return None


def _result(item: JsonObject) -> Block:
    content = item.get("content")
    others = (
        [part for part in content if isinstance(part, dict) and part.get("type") != "text"]
        if isinstance(content, list)
        else []
    )
    payload: dict[str, Json] = {"is_error": item.get("is_error") is True}
    if others:
        payload["raw_content"] = list(others)
    text = content if isinstance(content, str) else text_of(content)
    return Block("tool_result", text or None, tool_use_id=word_in(item, "tool_use_id") or None, payload=payload)
