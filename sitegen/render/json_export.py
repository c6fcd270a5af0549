"""`conversation.json`: what the pages show, as data. docs/reference/conversation-json.md says what each field means."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from sitegen.bulk import Bulk, Bulky
from sitegen.model import Attachment, Facts, Message, Usage
from sitegen.render.drawing import Drawing
from sitegen.render.fragments import Written
from sitegen.render.items import Adrift, Answer, Aside, Call, ForkMark, Item, Part, Prompt, Run, Thought
from sitegen.render.text import clean_json
from sitegen.wording.wrappers import Note

FORMAT = "sitegen-conversation"
VERSION = 1

_Object = dict[str, Any]
"""JSON's values, and times."""


class Strand(Struct, frozen=True):
    """A path by its name, or a subagent's thread by the step that started it; and what was written of its items."""

    written: Sequence[Written]
    name: str = ""
    started_by: str | None = None


def export_json(facts: Facts, strands: Iterable[Strand], agents: Iterable[Strand]) -> Bulk:
    """The file: one item a line, so that versions can be compared."""
    head = {"format": FORMAT, "version": VERSION, **_facts(facts)}
    paths = _listed([_strand(strand, {"name": strand.name}) for strand in strands])
    threads = _listed([_strand(agent, {"started_by": agent.started_by}) for agent in agents])
    # In pieces: put together, a long conversation would take as much memory as all else.
    return Bulk([_line(head)[:-1], b', "paths": [\n', *paths, b'], "subagents": [\n', *threads, b"]}\n"])


def write_line(item: Item, drawing: Drawing) -> bytes:
    """The line of an item that was just drawn; b"" when it has none."""
    value = _item(item, drawing)
    return _line(value) if value else b""


def _strand(strand: Strand, head: _Object) -> list[Bulky]:
    lines = _listed([[written.lines] for written in strand.written if written.lines])
    return [_line(head)[:-1], b', "items": [\n', *(lines or [b"\n"]), b"]}"]


def _listed(values: Sequence[Sequence[Bulky]]) -> list[Bulky]:
    """Values, each in some parts, as the lines of a list."""
    parts: list[Bulky] = [part for value in values for part in (*value, b",\n")]
    return [*parts[:-1], b"\n"] if parts else []


def _line(value: _Object) -> bytes:
    return clean_json(_quickly(value) or _slowly(value))


def _quickly(value: _Object) -> bytes | None:
    """What the standard library makes of a value, in a third of the time; None where it may be something else."""
    if _has_fractions(value.values()):  # very large and very small ones are written otherwise
        return None
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=0)
    except (UnicodeEncodeError, TypeError):  # half of a surrogate pair, or what is a text and more
        return None


def _slowly(value: _Object) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=_as_text).encode("utf-8", "surrogatepass")


def _has_fractions(values: Iterable[Any]) -> bool:
    for value in values:
        if isinstance(value, str):
            continue
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if isinstance(value, float) or (inner and _has_fractions(inner)):
            return True
    return False


def _facts(facts: Facts) -> _Object:
    return _without_gaps(
        {
            "title": facts.title,
            "source": facts.source,
            "models": list(facts.models),
            "started_at": _time(facts.started_at),
            "ended_at": _time(facts.ended_at),
            "git_branch": facts.git_branch,
            "state": facts.state,
            "usage": _usage(facts.usage) if facts.usage else None,
            "left_out": dict(facts.hidden) or None,
        }
    )


def _usage(usage: Usage) -> _Object:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    }


def _item(item: Item, drawing: Drawing) -> _Object | None:
    match item:
        case Prompt():
            more: _Object = {"command": item.command} if item.command else {}
            more |= {"meanwhile": True} if item.role == "prompt_meanwhile" else {}
            return _said("prompt", item.message, drawing, text=item.text) | more | _attachments(item.attachments)
        case Answer():
            text = "\n\n".join(_texts(item.parts))
            files = [part.content for part in item.parts if isinstance(part.content, Attachment)]
            return _said("answer", item.message, drawing, text=text) | _attachments(files)
        case Aside():
            return _said("note", item.message, drawing) | _note(item.note)
        case Run():
            return _said("work", item.message, drawing, letter="r") | {
                "steps": [_step(e, drawing) for e in item.entries]
            }
        case ForkMark():
            others = [
                {"path": other.path, "first": f"m-{drawing.scope}{other.first}"}
                for other in drawing.choices[item.message.id]
            ]
            return _said("fork", item.message, drawing, letter="v") | {"alternatives": others}
        case Adrift():
            return None


def _said(kind: str, message: Message, drawing: Drawing, *, letter: str = "m", text: str | None = None) -> _Object:
    anchor = f"{letter}-{drawing.scope}{message.id}"
    return _without_gaps(
        {
            "kind": kind,
            "id": anchor,
            "at": _time(message.created_at),
            "model": message.model if kind == "answer" else None,
            "labels": list(message.labels) or None if letter == "m" else None,
            "text": text,
            "files": list(drawing.files.get(anchor, ())) or None,
        }
    )


def _texts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if not isinstance(part.content, Attachment) and part.content.kind == "text" and part.content.text:
            yield part.content.text


def _step(entry: Thought | Call | Aside, drawing: Drawing) -> _Object:
    match entry:
        case Thought():
            return {"kind": "thinking", "id": f"t-{drawing.scope}{entry.message.id}-{entry.number}", "text": entry.text}
        case Aside():
            return {"kind": "note"} | _note(entry.note)
        case Call():
            return _call(entry, drawing)


def _call(call: Call, drawing: Drawing) -> _Object:
    paired = call.paired
    result = paired.result.text if paired.result else None
    return _without_gaps(
        {
            "kind": "call",
            "id": paired.anchor,
            "at": _time(paired.created_at),
            "finished_at": _time(paired.finished_at),
            "tool": paired.tool_name or None,
            "input": dict(paired.input),
            "output": result if paired.is_result_shown else None,
            "failed": drawing.steps[paired.anchor].failed or None,
            "labels": list(paired.labels) or None,
            "files": list(drawing.files.get(paired.anchor, ())) or None,
        }
    )


def _note(note: Note) -> _Object:
    return _without_gaps(
        {
            "note": note.kind,
            "title": note.title or None,
            "text": note.body or None,
            "failed": True if note.failed else None,
            "times": note.times if note.times > 1 else None,
        }
    )


def _attachments(files: Sequence[Attachment]) -> _Object:
    return {"attachments": [_attachment(file) for file in files]} if files else {}


def _attachment(file: Attachment) -> _Object:
    return _without_gaps({"name": file.filename, "media_type": file.media_type, "size_bytes": file.size_bytes})


def _time(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def _as_text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _without_gaps(values: _Object) -> _Object:
    return {name: value for name, value in values.items() if value is not None}
