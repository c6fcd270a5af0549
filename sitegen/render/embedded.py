"""Thinking and artifacts that claude.ai once kept inside the text of an answer, as the blocks they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.model import Block

_ELEMENT = re.compile(r"<(antThinking|antArtifact)(\s[^>]*)?>(.*?)(?:</\1>|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


def unfolded(text: str) -> Iterator[Block]:
    """The blocks of an answer in their order; an artifact is a call of `artifacts` that creates it."""
    position = 0
    for match in _ELEMENT.finditer(text):
        yield from _text(text[position : match.start()])
        if match[1] == "antThinking":
            yield Block("thinking", text=match[3].strip())
        else:
            yield _artifact(dict(_ATTRIBUTE.findall(match[2] or "")), match[3])
        position = match.end()
    yield from _text(text[position:])


def _text(text: str) -> Iterator[Block]:
    if text.strip():
        yield Block("text", text=text.strip("\n"))


def _artifact(attributes: dict[str, str], content: str) -> Block:
    arguments = {
        "command": "create",
        "id": attributes.get("identifier", ""),
        "type": attributes.get("type", ""),
        "title": attributes.get("title", ""),
        "language": attributes.get("language", ""),
        "content": content.strip("\n"),
    }
    payload = {"input": {name: value for name, value in arguments.items() if value}, "is_embedded": True}
    return Block("tool_use", tool_name="artifacts", payload=payload)  # type: ignore[arg-type]  # strings are JSON
