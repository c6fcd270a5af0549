"""What is known of Codex's sessions: prompts are there twice, and instructions as if the user wrote them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.model import Message
from sitegen.projection.titles import is_machine_text


def tidy(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with instructions marked as meta and each prompt once."""
    marked = [replace(message, is_meta=True) if _is_machine_written(message) else message for message in messages]
    kept: list[Message] = []
    renamed: dict[str, str] = {}
    for run in _runs(marked):
        kept += _without_echoes(run, renamed)
    return tuple(
        replace(message, parent_id=renamed[message.parent_id]) if message.parent_id in renamed else message
        for message in kept
    )


def _runs(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages in runs: the user's that follow one another, and what lies between."""
    run: list[Message] = []
    for message in messages:
        if run and run[-1].role != message.role:
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _without_echoes(run: Sequence[Message], renamed: dict[str, str]) -> list[Message]:
    """A run without the second copy of each prompt; a prompt that was sent twice (stored four times) stays twice."""
    if run[0].role != "user":
        return list(run)
    copies = Counter(_text(message) for message in run)
    kept: dict[str, list[Message]] = {}
    for message in run:
        same = kept.setdefault(_text(message), [])
        if len(same) < (copies[_text(message)] + 1) // 2 or not _text(message):
            same.append(message)
        else:
            renamed[message.id] = same[-1].id
    order = {message.id: place for place, message in enumerate(run)}
    return sorted((message for same in kept.values() for message in same), key=lambda message: order[message.id])


def _is_machine_written(message: Message) -> bool:
    return message.role == "user" and bool(_text(message)) and is_machine_text(_text(message))


def _text(message: Message) -> str:
    return "\n".join(block.text or "" for block in message.blocks if block.kind == "text").strip()
