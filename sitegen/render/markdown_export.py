"""`conversation.md`: the conversation as a text that reads well in any editor."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from markupsafe import Markup

from sitegen.bulk import Bulk, Bulky
from sitegen.model import Attachment, Facts
from sitegen.render.context import Context
from sitegen.render.drawing import Drawing
from sitegen.render.items import Adrift, Answer, Aside, Call, ForkMark, Item, Prompt, Run, Thought
from sitegen.render.json_export import Strand
from sitegen.render.notes import note_label, note_title
from sitegen.render.text import clean, shorten, visible

_LINES = 60
"""How many lines of an input or output are written; conversation.json has them all."""
_LINE_LIMIT = 2000
_NEWLINE = "\n"
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_TAG = re.compile(r"<[^>]*>")
_SIGNS = (("<code>", "`"), ("</code>", "`"), ("<q>", "“"), ("</q>", "”"))


def export_markdown(facts: Facts, strands: Iterable[Strand], ctx: Context) -> Bulk:
    """The file."""
    blocks: list[Bulky] = [_joined([f"# {_line(facts.title)}", _facts(facts, ctx)])]
    for strand in strands:
        if strand.name:
            blocks.append(_joined(["---", f"*{ctx.t('render.md_branch')}*"]))
        blocks.extend(written.markdown for written in strand.written)
    pieces = [piece for block in blocks if block for piece in (b"\n\n", block)]
    return Bulk([*pieces[1:], b"\n"])


def write_blocks(item: Item, drawing: Drawing) -> bytes:
    """An item of the file that was just drawn."""
    return _joined(_blocks(item, drawing, drawing.ctx))


def _joined(blocks: Iterable[str]) -> bytes:
    return "\n\n".join(filter(None, blocks)).encode("utf-8", "replace")


def _blocks(item: Item, drawing: Drawing, ctx: Context) -> Iterator[str]:
    match item:
        case Prompt():
            yield _heading(2, ctx.t(f"render.{item.role}"), item.message.created_at, ctx)
            yield from (f"`{_line(item.command)}`" if item.command else "", closed(item.text))
            yield from (f"- {_line(file.filename or ctx.t('render.images_only'))}" for file in item.attachments)
        case Answer():
            yield _heading(3, ctx.t("render.answer"), item.message.created_at, ctx)
            yield from _answer(item)
        case Aside():
            yield _note(item, ctx)
        case Run():
            yield from _run(item, drawing, ctx)
        case ForkMark():
            yield f"*{ctx.t('render.fork_label')}*"
        case Adrift():
            yield from (agent.markdown for agent in drawing.nested.get(item.key, ()))


def quoted(blocks: Iterable[str]) -> str:
    """Blocks as one quotation."""
    return "\n".join(f"> {line}".rstrip() for line in "\n\n".join(blocks).split("\n"))


def _facts(facts: Facts, ctx: Context) -> str:
    dates = [_moment(moment, ctx) for moment in (facts.started_at, facts.ended_at) if moment]
    return " · ".join([facts.source, *map(_line, facts.models), " – ".join(dict.fromkeys(dates))]).rstrip(" ·")


def _heading(level: int, text: str, moment: datetime | None, ctx: Context) -> str:
    return f"{'#' * level} {text}" + (f" · {_moment(moment, ctx)}" if moment else "")


def _moment(moment: datetime, ctx: Context) -> str:
    return ctx.local(moment).isoformat(" ", "minutes")[:16]


def _answer(item: Answer) -> Iterator[str]:
    for part in item.parts:
        if isinstance(part.content, Attachment):
            yield f"- {_line(part.content.filename or '')}"
        elif part.content.text:
            yield closed(part.content.text)


def _run(run: Run, drawing: Drawing, ctx: Context) -> Iterator[str]:
    yield f"**{_plain(drawing.tell([*drawing.steps.values()]))}**"
    for entry in run.entries:
        match entry:
            case Thought():
                yield quoted([closed(entry.text)])
            case Aside():
                yield _note(entry, ctx)
            case Call(paired=paired):
                yield "- " + _indented([_plain(drawing.steps[paired.anchor].summary), *_detail(entry)])
                yield from (_indented_all(agent.markdown) for agent in drawing.nested.get(paired.anchor, ()))


def _detail(call: Call) -> Iterator[str]:
    """What was given and what came back, where the line above can't have said it."""
    for value in call.paired.input.values():
        if isinstance(value, str) and "\n" in value.strip():
            yield fenced(value)
    result = call.paired.result
    if result is not None and result.text and result.text.strip() and call.paired.is_result_shown:
        yield fenced(result.text)


def _note(item: Aside, ctx: Context) -> str:
    note = item.note
    label = note_label(note, ctx)
    title = f" `{_line(note_title(note))}`" if note_title(note) else ""
    body = "" if not note.body else f"\n\n{closed(note.body) if note.form == 'prose' else fenced(note.body)}"
    return f"*{label}*{title}{body}"


def fenced(text: str) -> str:
    """`text` in a fence longer than any in it, cut after a number of lines."""
    text = clean(text).strip("\n")
    lines = text.split("\n", _LINES)
    if len(lines) > _LINES:
        lines[_LINES] = f"… ({lines[_LINES].count(_NEWLINE) + 1})"
    if max(map(len, lines)) > _LINE_LIMIT:
        lines = [shorten(line, _LINE_LIMIT) for line in lines]
    body = "\n".join(lines)
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}\n{body}\n{fence}"


def closed(text: str) -> str:
    """Markdown with the fence closed that it may leave open, so that what follows isn't code."""
    text = clean(text).strip("\n")
    if "```" not in text and "~~~" not in text:
        return text
    opened = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match is None:
            continue
        if not opened:
            opened = match[1]
        elif match[1].startswith(opened) and not match[2].strip():
            opened = ""
    return f"{text}\n{opened}" if opened else text


def _indented(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks).replace("\n", "\n  ").replace("\n  \n", "\n\n")


def _indented_all(text: str) -> str:
    return "  " + _indented([text])


def _plain(markup: Markup) -> str:
    """A line of HTML as Markdown: code stays code, all else becomes text."""
    text = str(markup)
    for tag, sign in _SIGNS:
        text = text.replace(tag, sign)
    return _line(html.unescape(_TAG.sub("", text)))


def _line(text: str) -> str:
    return visible(" ".join(text.split()))
