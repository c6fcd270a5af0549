"""What is known of Codex's sessions: prompts may be there twice, and instructions as if the user wrote them.

`sitegen ingest` writes prompts once and marks them (`is_prompt`, `is_meta`); chatstrata does neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sitegen.model import Json, Message, Usage
from sitegen.wording.titles import is_machine_text


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


def with_usage(messages: Sequence[Message], counts: Json) -> tuple[Message, ...]:
    """The messages, the last of the assistant's with the tokens that the whole session used."""
    last = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].role == "assistant"), None)
    if last is None or not isinstance(counts, dict) or not counts:
        return tuple(messages)
    cached = _count(counts.get("cached_input_tokens"))
    usage = Usage(
        input_tokens=max(0, _count(counts.get("input_tokens")) - cached),
        output_tokens=_count(counts.get("output_tokens")),
        cache_read_tokens=cached,
    )
    return (*messages[:last], replace(messages[last], usage=usage), *messages[last + 1 :])


def _count(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 0


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
    if run[0].role != "user" or any(message.metadata.get("is_prompt") for message in run):
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
    if message.role != "user" or message.metadata.get("is_prompt"):
        return False
    return message.metadata.get("is_meta") is True or (bool(_text(message)) and is_machine_text(_text(message)))


def _text(message: Message) -> str:
    return "\n".join(block.text or "" for block in message.blocks if block.kind == "text").strip()
