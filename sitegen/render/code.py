"""Source code as a figure: its language named, its words coloured by short classes, its tail folded when it's long.

Tokens come from `lexing`; the colours of the classes are `syntax.css`'s. Diffs and terminal output have rooms of their
own and are only passed on from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from markupsafe import Markup, escape
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

from sitegen.render.ansi import render_terminal, visible_escapes
from sitegen.render.context import Context
from sitegen.render.diff import render_patch
from sitegen.render.figure import block, content, counted, folded, head_lines
from sitegen.render.languages import find_lexer
from sitegen.render.lexing import lex
from sitegen.render.patches import is_patch
from sitegen.render.scans import Span
from sitegen.render.text import first_line, visible

_CLASSES: dict[_TokenType, str] = {
    Comment: "c",
    Comment.Preproc: "d",
    Comment.PreprocFile: "s",
    Keyword: "k",
    Keyword.Type: "",
    Name.Attribute: "a",
    Name.Class: "t",
    Name.Constant: "m",
    Name.Decorator: "d",
    Name.Entity: "m",
    Name.Exception: "t",
    Name.Function: "f",
    Name.Label: "a",
    Name.Property: "a",
    Name.Tag: "k",
    Literal: "m",
    Literal.Date: "m",
    Number: "m",
    String: "s",
    String.Doc: "c",
    String.Escape: "e",
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

_ELEMENTS = {"k": "b", "s": "i", "m": "u"}
"""The commonest classes are elements of their own, which weigh less; all others are `<i class=…>`."""

_TAGS = {
    name: (f"<{_ELEMENTS[name]}>", f"</{_ELEMENTS[name]}>") if name in _ELEMENTS else (f"<i class={name}>", "</i>")
    for name in {*_CLASSES.values()} - {""}
}
_MASKS = {"&": "\x03", "<": "\x04"}
"""What stands for signs to be escaped while tags are put between, so that places stay. A text that's shown can't hold
them."""

_WORD = "word"
"""The class of a keyword, if it is a word: a shell's `$(` and `:-` have none."""

_LINE_LIMIT = 2_000
"""A longer line was made by a machine: nothing from it on is coloured."""
_TERMINALS = frozenset({"ansi", "term"})
_DIFFS = frozenset({"diff", "patch", "udiff"})
_MEMO_BYTES = 65_536
_JSON = frozenset({"JSON", "JSON5"})


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

    `label` stands in the caption instead of the language. `first_number` numbers the lines from there. At most the
    options' `highlight_bytes` are coloured. With `colour_bytes` a longer source is coloured only before its fold. The
    caption says when not all is coloured.
    """
    name = language.strip().lower()
    if name in _TERMINALS:
        return render_terminal(source, ctx)
    if name in _DIFFS and is_patch(source):
        return render_patch(source, ctx)
    text = visible_escapes(source).removesuffix("\n")
    limit = ctx.options.highlight_bytes if colour_bytes is None else colour_bytes
    coloured = 0
    if limit and find_lexer(name) is not None:
        lines = ctx.options.code_lines if colour_bytes is not None and len(text) > limit else None
        coloured = colourable(text, limit, lines=lines)
    return _figure(text, ctx, name=name, label=label, first_number=first_number, coloured=coloured)


def _figure(
    text: str, ctx: Context, *, name: str, label: Markup | None, first_number: int | None, coloured: int
) -> Markup:
    lines = text.count("\n") + 1
    head = head_lines(lines, ctx)
    head_html, tail_html = _parts(text, name, len(text) if head == lines else _line_start(text, head), coloured)
    tail = ""
    if head < lines:
        tail = folded(block(tail_html, _numbers(first_number, head, lines)), lines, ctx)
    shown = _shown(name)
    caption: str = shown if label is None else label
    if 0 < coloured < len(text):
        told = ctx.t("tools.coloured_to", n=text.count("\n", 0, coloured))
        caption = f'{caption} <span class="told">{escape(told)}</span>'
    data = f' data-lang="{shown}"' if shown else ""
    title = f"<figcaption>{caption}</figcaption>" if caption else ""
    body = block(head_html, _numbers(first_number, 0, head))
    return Markup(f'<figure class="code"{data}>{title}{body}{tail}</figure>\n')


@lru_cache(maxsize=256)
def _shown(language: str) -> str:
    return escape(visible(first_line(language, 40)))


def _numbers(first: int | None, start: int, end: int) -> str | None:
    return None if first is None else counted(first + start, first + end - 1)


def _line_start(text: str, line: int) -> int:
    return len(text) - len(text.split("\n", line)[line])


def colourable(text: str, limit: int, *, lines: int | None = None) -> int:
    """How much of `text` is coloured: whole lines up to `limit` characters, `lines` lines and the first endless one."""
    end = len(text) if len(text) <= limit else text.rfind("\n", 0, limit) + 1
    if lines is None and end <= _LINE_LIMIT:
        return end
    rows = text[:end].split("\n", -1 if lines is None else lines)[:lines]
    if max(map(len, rows), default=0) < _LINE_LIMIT:
        return min(sum(map(len, rows)) + len(rows), end)
    position = 0
    for line in rows:
        stop = min(position + len(line) + 1, end)
        if stop - position > _LINE_LIMIT:
            return position
        position = stop
    return position


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
    classes = _class_in_json if lexer.name in _JSON else _class_of
    head = _stretches(lex(lexer, text + "\n", classes), text)
    tail = []
    while head and head[-1][1] > split:
        start, end, name = head.pop()
        tail.append((max(start, split), end, name))
        if start < split:
            head.append((start, split, name))
    for sign, mask in _MASKS.items():
        text = text.replace(sign, mask)
    return _html(text, 0, split, head), _html(text, split, len(text), reversed(tail))


def _stretches(tokens: Iterable[Span], text: str) -> list[Span]:
    """Stretches of `text` of one class, in order: neighbours are one, also with white space between them."""
    stretches: list[Span] = []
    first, last, known = 0, 0, ""
    for start, end, name in tokens:
        if name == _WORD:
            if not text[start:end][:1].isalnum():
                continue
            name = _CLASSES[Keyword]
        if name == known and (start == last or text[last:start].isspace()):
            last = end
            continue
        stretches.append((first, last, known))
        first, last, known = start, end, name
    stretches.append((first, last, known))
    return stretches[1:]


def _html(masked: str, begin: int, end: int, stretches: Iterable[Span]) -> str:
    """The HTML from one place of a masked text to another."""
    parts: list[str] = []
    position = begin
    for start, stop, name in stretches:
        if coloured := masked[start:stop]:
            opening, closing = _TAGS[name]
            parts += (masked[position:start], opening, coloured, closing)
            position = stop
    parts.append(masked[position:end])
    html = "".join(parts)
    for sign, mask in _MASKS.items():
        html = html.replace(mask, content(sign))
    return html


@cache
def _class_of(kind: _TokenType) -> str:
    """The class of that kind of token: its own, or that of the nearest kind above it."""
    if kind is Keyword:
        return _WORD
    above: _TokenType | None = kind
    while above is not None and above not in _CLASSES:
        above = above.parent
    return "" if above is None else _CLASSES[above]


@cache
def _class_in_json(kind: _TokenType) -> str:
    """Keys are names as well, and their values stand out."""
    return "" if kind is Name.Tag else _class_of(kind)
