"""What only the workspace stores: approvals that a conversation waited for, references to a canvas, summaries.

A pause point comes in a message's metadata as `pause_point`, a canvas reference as a block's payload under `canvas`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.model import Block, Json, JsonObject, Message
from sitegen.render.text import first_line
from sitegen.wording.wrappers import Note

_QUESTION = ("question", "prompt", "message", "reason", "description")
_DECISION = ("decision", "outcome", "resolution", "status")
_CANVAS_NAME = ("title", "name", "filename", "id")
_SUMMARIES = frozenset({"summary", "compressed_summary", "compaction"})


def approval(message: Message) -> Note | None:
    """The pause point of a message as a note: what was asked, among what, what was decided and by whom."""
    point = message.metadata.get("pause_point")
    if not isinstance(point, dict):
        return None
    options = "\n".join(f"- {option}" for option in _options(point.get("options")))
    asked = "\n\n".join(part for part in (_first(point, _QUESTION), options) if part)
    decided = " · ".join(filter(None, (_first(point, _DECISION), _first(point, ("decided_by", "by")))))
    said = _first(point, ("comment", "note"))
    body = "\n\n".join(part for part in (asked, f"> {said}" if said else "") if part)
    return Note("approval", title=decided, body=body, form="prose")


def canvas(block: Block) -> Note | None:
    """A block that refers to a canvas, as a note with its name and, when it's there, its text: Markdown, or code."""
    reference = block.payload.get("canvas")
    if isinstance(reference, str):
        return Note("canvas", title=reference)
    if not isinstance(reference, dict):
        return None
    text, language = _first(reference, ("content", "text")), _first(reference, ("language",))
    if text and language:
        ticks = "`" * (max((len(run) for run in re.findall("`{3,}", text)), default=2) + 1)
        text = f"{ticks}{first_line(language, 40)}\n{text}\n{ticks}"
    return Note("canvas", title=_first(reference, _CANVAS_NAME), body=text, form="prose")


def is_summary(message: Message) -> bool:
    """Whether the message stands for older turns that were compressed into it."""
    return message.is_compact_summary or message.metadata.get("subtype") in _SUMMARIES


def _first(values: JsonObject, names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := values.get(name), str) and value.strip()), "")


def _options(value: Json) -> Iterator[str]:
    for option in value if isinstance(value, list) else ():
        if isinstance(option, str):
            yield option
        elif isinstance(option, dict):
            yield _first(option, ("label", "title", "name", "value"))
