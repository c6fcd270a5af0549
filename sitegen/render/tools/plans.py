"""Planning: the plan as the text it is, and whether the user agreed to it."""

from __future__ import annotations

import re

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.tools.inputs import result_text, text_in
from sitegen.render.tools.parts import Outcome, failure, make_step, outcome, prose, reason, say

_START = frozenset({"enterplanmode", "enter_plan_mode"})
NAMES = frozenset({"exitplanmode", "exit_plan_mode"}) | _START
_AGREED = re.compile(r"[Uu]ser has approved|approved your plan")


def render(call: PairedCall, ctx: Context) -> Step:
    """The start of planning, or a plan put before the user."""
    if call.tool_name.strip().lower() in _START:
        return make_step(call, ctx, "plan", say(ctx, "plan_started"), body=failure(call, ctx))
    plan = (
        text_in(call.input, "plan")
        or text_in(call.tool_detail, "plan")
        or result_text(call).partition("## Approved Plan:\n")[2]
    )
    return make_step(
        call,
        ctx,
        "plan",
        say(ctx, "planned"),
        body=prose(plan, call, ctx, part="p") + failure(call, ctx),
        excerpt=plan,
        ended=_ended(call, ctx),
        is_open=True,
    )


def _ended(call: PairedCall, ctx: Context) -> Outcome:
    if _AGREED.search(result_text(call)[:400]):
        return Outcome(ctx.t("tools.approved"))
    ended = outcome(call, ctx)
    was_declined = ended.failed and reason(result_text(call)) == "declined"
    return Outcome(ctx.t("tools.not_approved")) if was_declined else ended
