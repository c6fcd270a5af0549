"""Subagents: the task that one was given and what it answered. Its own conversation is put below by the core."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line, visible
from sitegen.render.tools.inputs import number_in, object_in, result_text, text_in
from sitegen.render.tools.parts import NOTHING, failure, make_step, outcome, output, prose, say

_LATER = frozenset({"send_input", "sendmessage", "wait", "wait_agent", "close_agent", "resume_agent"})
NAMES = frozenset({"task", "agent", "spawn_agent", "dispatch_agent"}) | _LATER
_TRAILER = re.compile(r"\n*agentId: [\w-]+[^\n]*(?:\n<usage>.*?</usage>)?\s*\Z", re.S)
_USAGE = re.compile(r"<usage>.*?(?:tool_uses|toolUses): (\d{1,9}).*?</usage>", re.S)
_LAUNCHED = re.compile(r"\s*(?:Async agent launched|Teammate spawned|Spawned successfully|Agent launched)")
_GENERAL = frozenset({"", "general-purpose", "general", "default"})
_LINE_LIMIT = 90


def render(call: PairedCall, ctx: Context) -> Step:
    """A task given to a subagent, or a word with one."""
    prompt = text_in(call.input, "prompt", "message", "task", "instructions")
    subject = first_line(text_in(call.input, "description", "task_name", "name") or prompt, _LINE_LIMIT)
    lead = NOTHING if call.has_subagent else _prompt(prompt, call, ctx)
    return make_step(
        call,
        ctx,
        "agent",
        _summary(call, subject, ctx),
        lead=lead,
        body=failure(call, ctx) or _answer(call, ctx),
        excerpt="" if _LAUNCHED.match(result_text(call)) else result_text(call),
        object=subject,
        key=f"{call.message_id}-{call.block_number}",
        duration_s=_duration(call),
    )


def _summary(call: PairedCall, subject: str, ctx: Context) -> Markup:
    kind = first_line(text_in(call.input, "subagent_type", "agent_type", "agent"), 40)
    if call.tool_name.strip().lower() in _LATER:
        summary = say(ctx, "agent_again", subject=subject) if subject else say(ctx, "agent_again_plain")
    elif kind in _GENERAL:
        summary = say(ctx, "agent", subject=subject)
    else:
        summary = say(ctx, "agent_of_kind", kind=kind, subject=subject)
    calls = _calls(call)
    if calls and not call.has_subagent:
        summary += Markup(" · {}").format(say(ctx, "agent_calls", n=calls))
    if _is_in_background(call):
        summary += Markup(' · <span class="state">{}</span>').format(ctx.t("tools.in_background"))
    return summary


def _calls(call: PairedCall) -> int:
    found = _USAGE.search(result_text(call)[-2000:])
    return number_in(call.tool_detail, "totalToolUseCount") or (int(found[1]) if found else 0)


def _is_in_background(call: PairedCall) -> bool:
    return call.tool_detail.get("isAsync") is True or _LAUNCHED.match(result_text(call)) is not None


def _duration(call: PairedCall) -> float | None:
    """Seconds, when the record says how long the subagent worked."""
    milliseconds = number_in(call.tool_detail, "totalDurationMs")
    return None if milliseconds is None else milliseconds / 1000


def _prompt(prompt: str, call: PairedCall, ctx: Context) -> Markup:
    if not prompt.strip():
        return NOTHING
    label = escape(ctx.t("tools.agent_prompt"))
    return Markup(f'<p class="label">{label}</p>') + prose(prompt, call, ctx, part="p")


def _answer(call: PairedCall, ctx: Context) -> Markup:
    text = _TRAILER.sub("", result_text(call))
    # What a launch returns are orders to the model and ids; that it works on is said in the line.
    if not text.strip() or outcome(call, ctx).failed or _LAUNCHED.match(text):
        return NOTHING
    if _is_in_background(call):
        return output(text, ctx, key="note")
    label = escape(ctx.t("tools.agent_answer"))
    model = text_in(object_in(call.tool_detail, "usage"), "model") or text_in(call.input, "model")
    named = Markup(' <span class="model">{}</span>').format(visible(model)) if model else NOTHING
    return Markup('<p class="label">{}{}</p>').format(label, named) + prose(text, call, ctx, part="r")
