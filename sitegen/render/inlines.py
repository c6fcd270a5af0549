"""Markdown within a line, from tokens to HTML: text, emphasis, code, links, images, formulas, footnote marks.

What a page can't link to stays in sight as text. Nothing is loaded: an image elsewhere is a link that says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from sitegen.render.figure import content
from sitegen.render.formulas import closer_of, is_displayed
from sitegen.render.images import render_data_url
from sitegen.render.links import encoded, is_allowed, link_open, linked, may_hold_link, shown_target, slug_of
from sitegen.render.mathml import to_mathml
from sitegen.render.sheet import Sheet
from sitegen.render.simple import plain_simple, write_simple
from sitegen.render.tokens import Token

_EMPHASIS_LIMIT = 30
_BREAK_TAG = re.compile(r"&lt;br ?/?>", re.I)
_WRAP_WIDTH = (60, 120)


def write_inline(sheet: Sheet, token: Token) -> None:
    """Write the text of one paragraph, heading or cell."""
    children = token.children or ()
    if len(children) == 1 and children[0].type == "simple":
        sheet.out.append(simply(sheet, token.content))
        return
    _set_newline(sheet, token.content)
    for index, child in enumerate(children):
        if child.type == "text":
            _write_text(sheet, child.content)
        else:
            _HANDLERS[child.type](sheet, children, index)


def simply(sheet: Sheet, text: str) -> str:
    """The HTML of a simple text, the whole of a paragraph, heading, cell or item."""
    _set_newline(sheet, text)
    return write_simple(text, newline=sheet.newline, code_attributes=' dir="ltr"' if sheet.direction else "")


def _set_newline(sheet: Sheet, text: str) -> None:
    if "\n" in text:
        flows = not sheet.has_typed_breaks and is_wrapped(text)
        sheet.newline = "\n" if flows else "<br>\n"


def is_wrapped(text: str) -> bool:
    """Whether an editor broke these lines, for width: then they flow. Else a newline is one that was meant.

    Each line is as full as its next word allows, and most go on in lower case.
    """
    lines = [line.strip() for line in text.split("\n")]
    width = max(map(len, lines))
    if not _WRAP_WIDTH[0] <= width <= _WRAP_WIDTH[1]:
        return False
    is_full = all(len(line) + 1 + len(after.split(" ", 1)[0]) > width for line, after in pairwise(lines))
    continued = sum(line[:1].islower() for line in lines[1:])
    return is_full and continued * 2 >= len(lines) - 1


def plain_text(tokens: Sequence[Token]) -> str:
    """What inline `tokens` say, without their markup."""
    return "".join(
        plain_text(token.children or ()) if token.type == "image" else _plain_token(token) for token in tokens
    )


def _plain_token(token: Token) -> str:
    if token.type == "simple":
        return plain_simple(token.content)
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content


def _write_text(sheet: Sheet, text: str) -> None:
    text = sheet.clean(text)
    html = linked(text) if may_hold_link(text) and not sheet.links else content(text)
    if sheet.in_cell and "<br" in text.lower():
        # A table has no other way to break a line, so every chat shows this one tag.
        html = _BREAK_TAG.sub("<br>", html)
    sheet.out.append(html)


def _softbreak(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(sheet.newline)


def _hardbreak(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append("<br>\n")


def _code(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    direction = ' dir="ltr"' if sheet.direction else ""
    sheet.out.append(f"<code{direction}>{content(tokens[index].content)}</code>")


def _emphasis_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.emphasis += 1
    if sheet.emphasis <= _EMPHASIS_LIMIT:
        sheet.out.append(f"<{tokens[index].tag}>")


def _emphasis_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    if sheet.emphasis <= _EMPHASIS_LIMIT:
        sheet.out.append(f"</{tokens[index].tag}>")
    sheet.emphasis -= 1


def _link_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    token = tokens[index]
    target = sheet.clean(str(token.attrs.get("href", "")))
    heading = sheet.heading_ids.get(slug_of(target)) if target.startswith("#") else None
    if heading is not None:
        sheet.out.append(f'<a href="#{escape(heading)}">')
    elif is_allowed(target):
        sheet.out.append(link_open(target, title=sheet.clean(str(token.attrs.get("title", "")))))
    else:
        sheet.out.append('<span class="nolink">')
        says_it = index + 1 < len(tokens) and encoded(tokens[index + 1].content) == target
        sheet.links.append("" if says_it else target)
        return
    sheet.links.append(None)


def _link_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    target = sheet.links.pop()
    if target is None:
        sheet.out.append("</a>")
    elif target:
        sheet.out.append(f" <code>{shown_target(target)}</code></span>")
    else:
        sheet.out.append("</span>")


def _image(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    token = tokens[index]
    target = sheet.clean(str(token.attrs.get("src", "")))
    alt = sheet.clean(plain_text(token.children or ()))
    label = sheet.ctx.t("prose.image_named", name=alt) if alt.strip() else sheet.ctx.t("prose.image")
    if target[:5].lower() == "data:" and not sheet.links:
        sheet.out.append(render_data_url(target, sheet.ctx, alt=alt))
    elif is_allowed(target) and not sheet.links:
        sheet.out.append(f'<span class="image">{link_open(target)}{escape(label)}</a></span>')
    else:
        shown = "" if sheet.links else f" <code>{shown_target(target)}</code>"
        sheet.out.append(f'<span class="image">{escape(label)}{shown}</span>')


def _formula(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(formula(tokens[index].content, tokens[index].markup))


def formula(tex: str, opener: str) -> str:
    """A formula within a line: MathML, or its source when it can't be parsed."""
    display = is_displayed(opener)
    math = to_mathml(tex, display=display)
    if math is not None:
        return f'<span class="math" tabindex="0">{math}</span>' if display else math
    source = escape(f"{opener}{tex}{closer_of(opener)}")
    # A dollar is as often no formula at all: without a command in it, it stays text.
    return source if "$" in opener and "\\" not in tex else Markup(f'<code class="math">{source}</code>')


def _note_mark(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    note = sheet.note(tokens[index].meta["label"])
    if sheet.links:
        sheet.out.append(f"<sup>{note.number}</sup>")
        return
    note.references += 1
    again = f"-{note.references}" if note.references > 1 else ""
    prefix = escape(sheet.prefix)
    label = escape(sheet.ctx.t("prose.footnote", number=note.number))
    sheet.out.append(
        f'<sup><a href="#{prefix}-fn-{note.number}" id="{prefix}-ref-{note.number}{again}"'
        f' aria-label="{label}">{note.number}</a></sup>'
    )


_HANDLERS: dict[str, Callable[[Sheet, Sequence[Token], int], None]] = {
    "softbreak": _softbreak,
    "hardbreak": _hardbreak,
    "code_inline": _code,
    "em_open": _emphasis_open,
    "em_close": _emphasis_close,
    "strong_open": _emphasis_open,
    "strong_close": _emphasis_close,
    "s_open": _emphasis_open,
    "s_close": _emphasis_close,
    "link_open": _link_open,
    "link_close": _link_close,
    "image": _image,
    "math_inline": _formula,
    "footnote_ref": _note_mark,
}
