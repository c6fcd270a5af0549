"""Commands and tasks that run on: looking at what they print, typing into them, stopping them."""

from __future__ import annotations

import re

from markupsafe import Markup

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import visible
from sitegen.render.tools.inputs import object_in, parsed, result_text, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    code,
    failure,
    make_step,
    outcome,
    output,
    say,
    source,
    told,
)

_STOP = frozenset({"killshell", "killbash", "kill_shell", "taskstop"})
_TYPE = frozenset({"write_stdin"})
NAMES = frozenset({"bashoutput", "taskoutput", "agentoutput", "agentoutputtool", "monitor"}) | _STOP | _TYPE
_TAG = re.compile(r"<(status|stdout|stderr|output|exit_code|result|error)>(.*?)</\1>", re.S)
_SHOWN = 60


def render(call: PairedCall, ctx: Context) -> Step:
    """A look after something in the background."""
    name = call.tool_name.strip().lower()
    which = text_in(call.input, "bash_id", "shell_id", "task_id", "agentId", "session_id")
    label = Markup(" {}").format(code(which, _SHOWN)) if which else NOTHING
    key = "stopped" if name in _STOP else "typed" if name in _TYPE else "looked_after"
    return make_step(
        call,
        ctx,
        "watch",
        say(ctx, key) + label + _state(call),
        lead=source(text_in(call.input, "chars"), ctx) if text_in(call.input, "chars") else NOTHING,
        body=_body(call, ctx),
        excerpt=result_text(call),
        key=which,
    )


def _state(call: PairedCall) -> Markup:
    """The state that the result names, in its own word."""
    found = dict(_TAG.findall(result_text(call)[:2000])).get("status") or text_in(call.tool_detail, "status")
    return Markup(' · <span class="state">{}</span>').format(visible(found.strip()[:_SHOWN])) if found else NOTHING


def _body(call: PairedCall, ctx: Context) -> Markup:
    if outcome(call, ctx).failed:
        return failure(call, ctx)
    text = result_text(call)
    parts = dict(_TAG.findall(text)) if text.lstrip().startswith("<") else {}
    if parts:
        printed = "\n".join(parts[key].strip("\n") for key in ("stdout", "output", "result") if key in parts)
        errors = "\n".join(parts[key].strip("\n") for key in ("stderr", "error") if key in parts)
        return output(printed, ctx) + output(errors, ctx, key="stderr") or told(ctx, "no_output")
    value = parsed(text)
    if isinstance(value, dict):
        text = text_in(value, "output", "stdout", "message") or text_in(object_in(value, "task"), "output") or text
    return output(text, ctx)
