"""Markdown of a message as an HTML fragment. The way in; the work is done in `markdown`, `blocks` and `inlines`."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup, escape

from sitegen.render.blocks import write_blocks
from sitegen.render.context import Context
from sitegen.render.fences import mend_fences
from sitegen.render.plain import plain_blocks
from sitegen.render.sheet import Sheet
from sitegen.render.text import clean
from sitegen.render.tokens import Token

_LIMIT = 2_000_000
"""A longer text, in characters, is no prose: it's shown as it is written."""


def render_markdown(
    text: str,
    ctx: Context,
    *,
    prefix: str,
    newlines: Literal["typed", "flow"] = "flow",
    heading_level: int | None = None,
) -> Markup:
    """The HTML of Markdown `text`, to stand in an element of class `prose`. Any text is valid, and none is lost.

    `prefix` begins every id in it, and must differ between texts of one page. With `newlines="typed"` each newline is a
    break, as for a prompt; with "flow" lines that were broken for width are joined, and other newlines are breaks. The
    highest headings in use become those of `heading_level` (the context's by default), and none is more than one rank
    below the heading before it.
    """
    text = clean(text)
    if len(text) > _LIMIT:
        return Markup(f'<pre tabindex="0">{escape(text)}</pre>\n')
    level = ctx.heading_level if heading_level is None else heading_level
    sheet = Sheet(ctx, prefix, text, has_typed_breaks=newlines == "typed", heading_level=level)
    return write_blocks(sheet, _tokens(text))


def _tokens(text: str) -> list[Token]:
    text = mend_fences(text)
    plain, position = plain_blocks(text)
    tokens = list[Token](plain)
    if position < len(text):
        from sitegen.render.markdown import parse  # with the library, which most texts of a conversation do without

        tokens += parse(text[position:])
    return tokens
