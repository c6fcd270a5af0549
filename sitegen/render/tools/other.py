"""Tools that no other family knows, and results whose call is gone: keys and values, with the JSON at hand."""

from __future__ import annotations

from markupsafe import Markup

from sitegen.model import JsonObject
from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import parsed, result_text
from sitegen.render.tools.parts import (
    NOTHING,
    as_json,
    code,
    fields,
    images,
    make_step,
    outcome,
    output,
    raw_json,
    say,
    source,
)

NAMES = frozenset[str]()
_HINT_LIMIT = 60


def render(call: PairedCall, ctx: Context) -> Step:
    """Any call: what it was given as keys and values, what came back as text, JSON or images."""
    if not call.tool_name:
        summary, name = say(ctx, "orphan_result"), ""
    else:
        name = first_line(call.tool_name, _HINT_LIMIT)
        summary = say(ctx, "used", tool=code(name)) + hint(call.input)
    return make_step(
        call,
        ctx,
        "tool",
        summary,
        lead=given(call.input, ctx),
        body=came_back(call, ctx),
        excerpt=result_text(call),
        object=name,
    )


def hint(values: JsonObject) -> Markup:
    """The first short text of an input, after a colon: it mostly says what the call is about."""
    for value in values.values():
        if isinstance(value, str) and value.strip() and (line := first_line(value, _HINT_LIMIT)):
            return Markup(': <span class="hint">{}</span>').format(line)
    return NOTHING


def given(values: JsonObject, ctx: Context) -> Markup:
    """What a call was given, as keys and values and, folded, as JSON."""
    return fields(values, ctx) + raw_json(values, ctx) if values else NOTHING


def came_back(call: PairedCall, ctx: Context) -> Markup:
    """What a call gave back: an error, JSON, text, images."""
    text = result_text(call)
    value = parsed(text)
    if outcome(call, ctx).failed:
        shown = output(text, ctx, key="error")
    elif value is not None:
        shown = source(as_json(value), ctx, language="json", label=say(ctx, "result"))
    else:
        shown = output(text, ctx, key="result")
    return shown + images(call, ctx)
