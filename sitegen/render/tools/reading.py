"""Reading a file: which lines, coloured by the file's name and numbered; images and notebooks as what they are."""

from __future__ import annotations

import re
from contextlib import suppress

from markupsafe import Markup, escape
from msgspec import Struct

from sitegen.render.context import Context
from sitegen.render.languages import find_language
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import visible
from sitegen.render.tools.inputs import number_in, object_in, objects_in, path_in, result_text, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    base_name,
    failure,
    images,
    joined,
    make_step,
    named,
    outcome,
    output,
    say,
    source,
    told,
)

NAMES = frozenset({"read", "read_file", "view", "view_image", "notebookread", "read_many_files", "open_file"})
_NUMBERED = re.compile(r" {0,10}(\d{1,9})(→|\t)")


class _Content(Struct, frozen=True):
    text: str
    first: int | None = None
    """The number of its first line, where the result has numbers."""
    after: str = ""
    """What the tool says after the content."""


def render(call: PairedCall, ctx: Context) -> Step:
    """A file that was read."""
    path = path_in(call.input) or path_in(object_in(call.tool_detail, "file"))
    content = numbered(result_text(call))
    return make_step(
        call,
        ctx,
        "read",
        joined(say(ctx, "read", file=named(path, ctx)), _range(call, content, ctx)),
        body=_body(call, content, path, ctx),
        excerpt=content.text,
        object=base_name(path) if path else "",
        key=path,
    )


def numbered(text: str) -> _Content:
    """The content of a result whose lines begin with their number and an arrow or tab, without those."""
    begin = _NUMBERED.match(text)
    if begin is None:
        return _Content(text)
    first, arrow = int(begin[1]), begin[2]
    rows = text.split("\n")
    lines: list[str] = []
    with suppress(ValueError):  # no number
        for number, row in enumerate(rows, start=first):
            told, found, line = row.partition(arrow)
            if not found or int(told) != number:
                break
            lines.append(line)
    after = "\n".join(rows[len(lines) :]).strip()
    return _Content(text) if _NUMBERED.match(after) else _Content("\n".join(lines), first, after)


def _range(call: PairedCall, content: _Content, ctx: Context) -> Markup:
    """ ", lines 95–109" when only a part was read."""
    file = object_in(call.tool_detail, "file")
    start = number_in(file, "startLine") or number_in(call.input, "offset", "start_line") or 1
    count = number_in(file, "numLines") or number_in(call.input, "limit")
    if content.first is not None:
        start, count = content.first, content.text.count("\n") + 1
    total = number_in(file, "totalLines")
    is_part = start > 1 or (count is not None and total is not None and count < total) or "limit" in call.input
    pages = text_in(call.input, "pages")
    if pages:
        return say(ctx, "read_pages", pages=visible(pages)[:40])
    if not is_part or count is None or count < 1:
        return say(ctx, "read_from", start=start) if start > 1 else NOTHING
    return say(ctx, "read_lines", n=count, start=start, end=start + count - 1)


def _body(call: PairedCall, content: _Content, path: str, ctx: Context) -> Markup:
    if outcome(call, ctx).failed:
        return failure(call, ctx)
    shown = joined(images(call, ctx), _cells(call, ctx))
    label = escape(visible(path)) if path else None
    if content.text.strip():
        text = content.text.removesuffix("\n")
        language = find_language(path) if path else ""
        shown = joined(shown, source(text, ctx, language=language, label=label, first_number=content.first))
    elif not shown and call.result is not None:
        shown = told(ctx, "empty_file" if text_in(call.tool_detail, "type") in ("", "text") else "nothing_shown")
    return joined(shown, output(content.after, ctx, key="note")) if content.after else shown


def _cells(call: PairedCall, ctx: Context) -> Markup:
    """The cells of a notebook, when the result has no text of its own."""
    if result_text(call).strip():
        return NOTHING
    cells = objects_in(object_in(call.tool_detail, "file"), "cells")
    return joined(
        *(source(text_in(cell, "source"), ctx, language=text_in(cell, "language") or "python") for cell in cells)
    )
