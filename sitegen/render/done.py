"""HTML of what was done: a run of work as one line that unfolds to its steps, each of which unfolds to its detail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape

from markupsafe import Markup, escape

from sitegen.model import ROOT, Message, Show
from sitegen.render.activity import duration, seconds_between
from sitegen.render.context import Context
from sitegen.render.drawing import Drawing
from sitegen.render.items import Aside, Call, Run, Thought
from sitegen.render.said import draw_labels, draw_note
from sitegen.render.steps import Step
from sitegen.render.text import clean, first_line
from sitegen.render.tools import render_call

RUN_BYTES = 150_000
RUN_STEPS = 100
"""A run that has reached either goes on in a second one, so that a page can be cut there."""
_THOUGHT_LINE = 140
_THOUGHT_START = 4_000
"""Where its first line is looked for."""
_TAG = re.compile("<[^>]*>")


def draw_run(item: Run, drawing: Drawing, *, is_all: bool) -> Iterator[tuple[Message, str]]:
    """The folds of a run, each with its sentence and its steps, and the message it begins with.

    `is_all` opens it and its last step, for no answer followed.
    """
    entries: list[Thought | Call | Aside] = []
    lines: list[str] = []
    size, began, last = 0, item.began, len(item.entries) - 1
    for at, entry in enumerate(item.entries):
        entries.append(entry)
        lines.append(_entry(entry, drawing, is_open=is_all and at == last))
        size += len(lines[-1])
        if size >= RUN_BYTES or len(lines) >= RUN_STEPS or at == last:
            run = Run(tuple(entries), began)
            yield run.message, _fold(run, lines, drawing, is_open=is_all)
            entries, lines, size, began = [], [], 0, _end(entry)


def _fold(run: Run, lines: list[str], drawing: Drawing, *, is_open: bool) -> str:
    steps = [drawing.steps[entry.paired.anchor] for entry in run.entries if isinstance(entry, Call)]
    anchor = drawing.run_anchor(run.entries[0])
    did = drawing.tell(steps)
    drawing.search(unescape(" ".join(_TAG.sub("", did).split())))
    if steps:
        drawing.mark("tool", anchor, run.message, weight=len(steps))
    return (
        f'<details class="run"{drawing.identity(anchor)}{" open" * is_open}><summary><span class="did">{did}</span>'
        f'{_took(run, drawing.ctx)}</summary><ol class="steps">{"".join(lines)}</ol></details>'
    )


def _took(run: Run, ctx: Context) -> str:
    ends = [end for entry in run.entries if (end := _end(entry)) is not None]
    start = run.began or run.message.created_at
    return _time_taken(seconds_between(start, max(ends, default=None)), ctx)


def _time_taken(seconds: float | None, ctx: Context) -> str:
    took = duration(seconds, ctx.t)
    return f'<span class="took"> · {escape(took)}</span>' if took else ""


def _end(entry: Thought | Call | Aside) -> datetime | None:
    if isinstance(entry, Call) and entry.paired.finished_at is not None:
        return entry.paired.finished_at
    return entry.message.created_at


def _entry(entry: Thought | Call | Aside, drawing: Drawing, *, is_open: bool) -> str:
    match entry:
        case Thought():
            return _thought(entry, drawing, is_open=is_open)
        case Aside():
            return f'<li class="step note">{draw_note(entry, drawing)}</li>'
        case Call():
            step = render_call(entry.paired, drawing.ctx)
            drawing.steps[entry.paired.anchor] = step
            return _call(entry, step, drawing, is_open=is_open)


def _thought(item: Thought, drawing: Drawing, *, is_open: bool) -> str:
    identity = drawing.identity(drawing.anchor("t", item.message, item.number))
    text = item.text.strip()
    label = f'<span class="label">{escape(drawing.ctx.t("render.thought_line"))}</span>'
    if len(text) <= _THOUGHT_LINE and "\n" not in text:
        words = escape(clean(text).strip("*"))
        return f'<li class="step thinking"{identity}><p class="line">{label} {words}</p></li>'
    hint = escape(first_line(text[:_THOUGHT_START].replace("**", "").lstrip("# "), 100))
    return (
        f'<li class="step thinking"><details{identity}{" open" * is_open}><summary>{label} '
        f'<span class="hint">{hint}</span></summary><div class="detail">'
        f"{drawing.prose(text, item.message, item.number)}</div></details></li>"
    )


def _call(item: Call, step: Step, drawing: Drawing, *, is_open: bool) -> str:
    paired, ctx = item.paired, drawing.ctx
    if step.failed:
        drawing.fail(paired.anchor, item.message)
    drawing.note_files(paired.anchor, step.detail)
    identity = drawing.identity(paired.anchor)
    agents = drawing.embed(drawing.nested.get(paired.anchor, ()))
    seconds = step.duration_s
    if seconds is None:
        seconds = seconds_between(paired.created_at, paired.finished_at)
    line = f"{step.summary}{_time_taken(seconds, ctx)}"
    head = f'<li class="step call{" failed" * step.failed}"'
    detail = _detail(step, ctx) if ctx.options.show is Show.ALL else ""
    labels = draw_labels(paired.labels)
    if not detail and not agents:
        return f'{head}{identity}><p class="line">{line}</p>{labels}</li>'
    is_open = is_open or step.is_open
    return (
        f"{head}><details{identity}{' open' * is_open}><summary>{line}</summary>{detail}{agents}</details>{labels}</li>"
    )


def _detail(step: Step, ctx: Context) -> str:
    """The detail, or what stands for it when it's so heavy that it goes to a file of its own."""
    if not step.detail:
        return ""
    size = len(step.detail)
    if size <= ctx.options.heavy_bytes:
        return f'<div class="detail">{step.detail}</div>'
    name = ctx.add_output(step.detail)
    link = Markup(f'<a href="{ROOT}{name}">{escape(ctx.t("render.heavy", size=_size(size)))}</a>')
    return f'<div class="detail">{step.preview}<p class="heavy">{link}</p></div>'


def _size(count: int) -> str:
    return f"{count / 1024:.0f} kB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"
