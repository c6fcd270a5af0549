"""Code that a model ran in an interpreter of its own: ChatGPT's Python, claude.ai's analysis, notebooks."""

from __future__ import annotations

import re

from markupsafe import Markup

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import object_in, result_text, text_in
from sitegen.render.tools.parts import NOTHING, Outcome, images, make_step, outcome, output, say, source, told

_JAVASCRIPT = frozenset({"repl", "analysis", "analysis_tool"})
NAMES = _JAVASCRIPT | frozenset(
    {"python", "code_interpreter", "code_execution", "python_user_visible", "execute_code", "ipython", "jupyter"}
)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\)|^-{20,}\n\w*(?:Error|Exception)\b", re.M)
_PICTURE = re.compile(r"^<<ImageDisplayed>>\s*$", re.M)


def render(call: PairedCall, ctx: Context) -> Step:
    """Code with what it printed and drew."""
    code = text_in(call.input, "code", "input", "source", "text")
    language = text_in(call.input, "language").lower()
    if language in ("", "unknown"):
        language = "javascript" if call.tool_name.strip().lower() in _JAVASCRIPT else "python"
    printed = _PICTURE.sub("", result_text(call))
    pictures = images(call, ctx)
    shown = output(printed.strip("\n"), ctx) + pictures
    if _PICTURE.search(result_text(call)) and not pictures:
        shown += told(ctx, "picture_not_kept")
    hint = _hint(code)
    summary = say(ctx, "ran_code", language=_name(language))
    return make_step(
        call,
        ctx,
        "code",
        summary + (Markup(': <span class="hint">{}</span>').format(hint) if hint else NOTHING),
        lead=source(code.replace("\r\n", "\n"), ctx, language=language) if code.strip() else NOTHING,
        body=shown or (told(ctx, "no_output") if call.result is not None else NOTHING),
        excerpt=printed,
        ended=_ended(call, ctx),
        key=code,
    )


def _name(language: str) -> str:
    return {"python": "Python", "javascript": "JavaScript"}.get(language, first_line(language, 20))


def _hint(code: str) -> str:
    """The comment that the code begins with: models mostly say there what it's for."""
    line = first_line(code, 80)
    return line.lstrip("#/ ").strip() if line.startswith(("#", "//")) and not line.startswith("#!") else ""


def _ended(call: PairedCall, ctx: Context) -> Outcome:
    ended = outcome(call, ctx)
    state = text_in(object_in(call.tool_detail, "aggregate_result"), "status")
    has_failed = _TRACEBACK.search(result_text(call)) is not None or state == "failed_with_in_kernel_exception"
    return Outcome(ctx.t("tools.failed"), failed=True) if has_failed and not ended.failed else ended
