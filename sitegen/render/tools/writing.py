"""Whole files written: the content, or the diff to what was there before when the record has it."""

from __future__ import annotations

from markupsafe import Markup, escape

from sitegen.render.context import Context
from sitegen.render.diff import render_diff
from sitegen.render.languages import find_language
from sitegen.render.patches import counts, from_structured
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import visible
from sitegen.render.tools.inputs import path_in, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    base_name,
    changed,
    failure,
    joined,
    make_step,
    named,
    outcome,
    say,
    sentence,
    source,
)

NAMES = frozenset({"write", "write_file", "create_file", "writefile", "create"})


def _size(added: int, removed: int, ctx: Context) -> Markup:
    if removed or not added:
        return changed(added, removed)
    return Markup(f" · {say(ctx, 'found_lines', n=added)}")


def render(call: PairedCall, ctx: Context) -> Step:
    """A file that was written."""
    path = path_in(call.input)
    text = text_in(call.input, "content", "file_text", "contents", "text")
    rows = from_structured(call.tool_detail.get("structuredPatch"))
    lines = text.count("\n") + 1 - text.endswith("\n") if text else 0
    added, removed = counts(rows) if rows else (lines, 0)
    failed = outcome(call, ctx).failed
    key = "tried_to_write" if failed else "rewrote" if rows else "wrote"
    label = escape(visible(path))
    shown = render_diff(rows, ctx, label=label) if rows else NOTHING
    if not rows and text:
        shown = source(text, ctx, language=find_language(path) if path else "", label=label)
    return make_step(
        call,
        ctx,
        "write",
        joined(say(ctx, key, file=named(path, ctx)), NOTHING if failed else _size(added, removed, ctx)),
        lead=joined(sentence(text_in(call.input, "description")), failure(call, ctx)),
        body=shown,
        excerpt=text,
        object=base_name(path) if path else "",
        key=path,
        added=added,
        removed=removed,
    )
