"""Images that a model had made: what it asked for, and the images."""

from __future__ import annotations

from markupsafe import Markup

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import parsed, result_text, text_in
from sitegen.render.tools.parts import failure, images, make_step, output, say, sentence

NAMES = frozenset(
    {"dalle.text2im", "dalle", "image_gen", "image_gen.text2im", "image_generation", "image_generation_call"}
)
_LINE_LIMIT = 80


def render(call: PairedCall, ctx: Context) -> Step:
    """An image that was made."""
    inner = parsed(text_in(call.input, "input"))
    values = inner if isinstance(inner, dict) else call.input
    prompt = text_in(values, "prompt", "revised_prompt", "input")
    summary = say(ctx, "made_image")
    if prompt.strip():
        summary += Markup(': <span class="hint">{}</span>').format(first_line(prompt, _LINE_LIMIT))
    shown = images(call, ctx)
    return make_step(
        call,
        ctx,
        "image",
        summary,
        lead=shown + sentence(prompt),
        body=failure(call, ctx) or (output(result_text(call), ctx, key="note") if not shown else Markup()),
        is_open=bool(shown),
        key=call.anchor,
    )
