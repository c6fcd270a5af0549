"""Source code as a figure: its language named, its words coloured by short classes, its tail folded when it's long.

Tokens come from `lexing`; the colours of the classes are `syntax.css`'s. Diffs and terminal output have rooms of their
own and are only passed on from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from markupsafe import Markup, escape
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

from sitegen.render.ansi import render_terminal, visible_escapes
from sitegen.render.context import Context
from sitegen.render.diff import render_patch
from sitegen.render.figure import block, content, folded, head_lines
from sitegen.render.lexing import Token, find_lexer, lex
from sitegen.render.patches import is_patch
from sitegen.render.text import first_line, visible

_CLASSES: dict[_TokenType, str] = {
    Comment: "c",
    Comment.Preproc: "d",
    Comment.PreprocFile: "s",
    Keyword: "k",
    Keyword.Constant: "m",
    Keyword.Type: "t",
    Name.Attribute: "a",
    Name.Builtin: "b",
    Name.Class: "t",
    Name.Constant: "m",
    Name.Decorator: "d",
    Name.Entity: "m",
    Name.Exception: "t",
    Name.Function: "f",
    Name.Label: "a",
    Name.Property: "a",
    Name.Tag: "k",
    Name.Variable: "v",
    Literal: "m",
    Literal.Date: "m",
    Number: "m",
    String: "s",
    String.Doc: "c",
    String.Escape: "e",
    String.Interpol: "e",
    String.Symbol: "m",
    Operator.Word: "k",
    Generic.Deleted: "v",
    Generic.Emph: "i",
    Generic.Heading: "h",
    Generic.Inserted: "s",
    Generic.Prompt: "c",
    Generic.Strong: "h",
    Generic.Subheading: "h",
    Generic.Traceback: "v",
}
"""Few classes, so that neighbours merge; plain names, operators and punctuation have none."""

_LINE_LIMIT = 2_000
"""A longer line was made by a machine: nothing from it on is coloured."""
_TERMINALS = frozenset({"ansi", "term"})
_DIFFS = frozenset({"diff", "patch", "udiff"})
_MEMO_BYTES = 65_536


def render_code(
    source: str,
    ctx: Context,
    *,
    language: str = "",
    label: Markup | None = None,
    first_number: int | None = None,
    colour_bytes: int | None = None,
) -> Markup:
    """A figure of `source`, coloured when `language` (a fence's word or a lexer's name) is known.

    `label` stands in the caption instead of the language. `first_number` numbers the lines from there. At most
    `colour_bytes` characters (the options' `highlight_bytes`, unless given) are coloured; the caption says when that
    isn't all.
    """
    name = language.strip().lower()
    if name in _TERMINALS:
        return render_terminal(source, ctx)
    if name in _DIFFS and is_patch(source):
        return render_patch(source, ctx)
    text = visible_escapes(source).removesuffix("\n")
    limit = ctx.options.highlight_bytes if colour_bytes is None else colour_bytes
    coloured = colourable(text, limit) if find_lexer(name) is not None else 0
    return _figure(text, ctx, name=name, label=label, first_number=first_number, coloured=coloured)


def _figure(
    text: str, ctx: Context, *, name: str, label: Markup | None, first_number: int | None, coloured: int
) -> Markup:
    lines = text.count("\n") + 1
    head = head_lines(lines, ctx)
    head_html, tail_html = _parts(text, name, len(text) if head == lines else _line_start(text, head), coloured)
    body = block(head_html, _numbers(first_number, 0, head))
    if head < lines:
        body += folded(block(tail_html, _numbers(first_number, head, lines)), lines, ctx)
    shown = visible(first_line(name, 40))
    caption = escape(shown) if label is None else label
    if 0 < coloured < len(text):
        told = ctx.t("tools.coloured_to", n=text.count("\n", 0, coloured))
        caption += Markup(' <span class="told">{}</span>').format(told)
    data = f' data-lang="{escape(shown)}"' if shown else ""
    title = Markup(f"<figcaption>{caption}</figcaption>") if caption else Markup()
    return Markup(f'<figure class="code"{data}>{title}{body}</figure>\n')


def _numbers(first: int | None, start: int, end: int) -> str | None:
    return None if first is None else "\n".join(map(str, range(first + start, first + end)))


def _line_start(text: str, line: int) -> int:
    position = 0
    for _ in range(line):
        position = text.index("\n", position) + 1
    return position


def colourable(text: str, limit: int) -> int:
    """How much of `text` is coloured: whole lines up to `limit` characters and up to the first endless line."""
    end = len(text) if len(text) <= limit else text.rfind("\n", 0, limit) + 1
    position = 0
    while position < end:
        next_line = text.find("\n", position) + 1 or len(text)
        if next_line - position > _LINE_LIMIT:
            return position
        position = next_line
    return end


def _parts(text: str, language: str, split: int, coloured: int) -> tuple[str, str]:
    """The HTML of `text` before and after `split`, coloured up to `coloured`."""
    if coloured == 0:
        return content(text[:split]), content(text[split:])
    colour = _colour if coloured <= _MEMO_BYTES else _colour.__wrapped__
    head, tail = colour(text[:coloured], language, split)
    return head + content(text[coloured:split]), tail + content(text[max(coloured, split) :])


@lru_cache(maxsize=256)
def _colour(text: str, language: str, split: int) -> tuple[str, str]:
    """The HTML of `text` coloured, before and after `split`."""
    lexer = find_lexer(language)
    if lexer is None:
        return content(text[:split]), content(text[split:])
    head: list[str] = []
    tail: list[str] = []
    for start, end, name in _spans(lex(lexer, text + "\n"), text):
        if start < split:
            head.append(_span(text[start : min(end, split)], name))
        if end > split:
            tail.append(_span(text[max(start, split) : end], name))
    return "".join(head), "".join(tail)


def _span(text: str, name: str) -> str:
    return f'<span class="{name}">{content(text)}</span>' if name else content(text)


def _spans(tokens: Iterable[Token], text: str) -> Iterator[tuple[int, int, str]]:
    """Stretches of `text` of one class, in order and without a gap, whatever the lexer says.

    White space between two tokens of a class joins them. A lexer that goes astray loses its colours from there on, and
    nothing else: what's shown is always the text itself.
    """
    start, solid, position, end, name = 0, 0, 0, len(text), ""
    for at, kind, value in tokens:
        if at > position or position >= end:
            break
        if at < position or not value:
            continue
        position = min(at + len(value), end)
        found = _class_of(kind)
        if not found and value.isspace():
            continue
        if found != name:
            if not name:
                yield start, at, ""
            else:
                yield start, solid, name
                if found:
                    yield solid, at, ""
            start, name = at if found or not name else solid, found
        solid = position
    if not name:
        solid = start
    yield start, solid, name
    yield solid, end, ""


@cache
def _class_of(kind: _TokenType) -> str:
    if kind in _CLASSES:
        return _CLASSES[kind]
    return "" if kind.parent is None else _class_of(kind.parent)
