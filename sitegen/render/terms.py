"""The terms of an agreement: Markdown as one HTML text, which the reader agrees to as it stands."""

from __future__ import annotations

from sitegen.model import ROOT, ConversationHead
from sitegen.render.context import Context, RenderOptions
from sitegen.render.prose import render_markdown

_NOWHERE = ConversationHead("", "", "", None, None, None, None, 0, "")


def render_terms(text: str, options: RenderOptions) -> str:
    """The HTML of an agreement, the same for the same text. Raises ValueError when it needs files beside it."""
    html = str(render_markdown(text, Context(options, _NOWHERE), prefix="terms", heading_level=2)).strip()
    if ROOT in html:
        msg = "pictures within the text can't be shown before a page is open"
        raise ValueError(msg)
    return html
