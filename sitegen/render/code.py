"""Source code as a figure: its language named, its words coloured by short classes, its tail folded when it's long.

Tokens come from `lexing`; the colours of the classes are `syntax.css`'s. Diffs and terminal output have rooms of their
own and are only passed on from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from markupsafe import Markup, escape
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

from sitegen.render.ansi import render_terminal, visible_escapes
from sitegen.render.context import Context
from sitegen.render.diff import render_patch
from sitegen.render.figure import block, content, counted, folded, head_lines
from sitegen.render.lexing import Token, find_lexer, lex
from sitegen.render.patches import is_patch
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

_MARKS = {name: chr(number) for number, name in enumerate(sorted({*_CLASSES.values()} - {""}), start=0x0E)}
_ENDS = {name: chr(number) for number, name in enumerate(_ELEMENTS.values(), start=0x03)}
_SPLIT = "\x02"
"""Where spans begin and end, while the text is put together. A text that's shown can't hold them."""

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
    return None if first is None else counted(first + start, first + end - 1)


def _line_start(text: str, line: int) -> int:
    position = 0
    for _ in range(line):
        position = text.index("\n", position) + 1
    return position


def colourable(text: str, limit: int, *, lines: int | None = None) -> int:
    """How much of `text` is coloured: whole lines up to `limit` characters, `lines` lines and the first endless one."""
    end = len(text) if len(text) <= limit else text.rfind("\n", 0, limit) + 1
    position = count = 0
    while position < end and count != lines:
        next_line = text.find("\n", position) + 1 or len(text)
        if next_line - position > _LINE_LIMIT:
            return position
        position = next_line
        count += 1
    return min(position, end)


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
    parts: list[str] = []
    classes = _CLASS_OF_JSON if lexer.name in _JSON else _CLASS_OF
    for start, end, name in _spans(lex(lexer, text + "\n", quiet=_is_plain), text, classes):
        parts.append(_span(text[start : min(end, split)], name) if start < split else "")
        if start < split <= end:
            parts.append(_SPLIT)
        if end > split:
            parts.append(_span(text[max(start, split) : end], name))
    head, _, tail = "".join(parts).partition(_SPLIT)
    return _written(head), _written(tail)


def _span(text: str, name: str) -> str:
    return f"{_MARKS[name]}{text}{_ENDS[_ELEMENTS.get(name, 'i')]}" if name and text else text


def _written(marked: str) -> str:
    """The HTML of a text in which spans are control characters: one escaping for all instead of one each."""
    html = content(marked)
    for element, end in _ENDS.items():
        html = html.replace(end, f"</{element}>")
    for name, mark in _MARKS.items():
        html = html.replace(mark, f"<{_ELEMENTS[name]}>" if name in _ELEMENTS else f"<i class={name}>")
    return html


def _spans(tokens: Iterable[Token], text: str, classes: dict[_TokenType, str]) -> Iterator[tuple[int, int, str]]:
    """Stretches of `text` of one class, in order and without a gap, whatever the lexer says.

    White space between two tokens of a class joins them. A lexer that goes astray loses its colours from there on, and
    nothing else: what's shown is always the text itself.
    """
    start, solid, position, name = 0, 0, 0, ""
    for at, kind, value in tokens:
        if at != position:
            if at > position:
                break
            continue
        position += len(value)
        found = "" if kind is Keyword and not value[:1].isalnum() else classes[kind]  # a shell's $( and :-
        if found != name:
            if not found and (value.isspace() or not value):
                continue
            if not name:
                yield start, at, ""
            else:
                yield start, solid, name
                if found:
                    yield solid, at, ""
            start, name = at if found or not name else solid, found
        solid = position
    solid = min(solid, len(text)) if name else start
    yield start, solid, name
    yield solid, len(text), ""


class _ClassOf(dict[_TokenType, str]):
    """The class of each kind of token: its own, or that of the kind above it."""

    def __missing__(self, kind: _TokenType) -> str:
        found = self[kind] = "" if kind.parent is None else self[kind.parent]
        return found


def _is_plain(kind: _TokenType) -> bool:
    """Whether tokens of that kind look like any text."""
    return not _CLASS_OF[kind]


_CLASS_OF = _ClassOf(_CLASSES)
_CLASS_OF_JSON = _ClassOf({**_CLASSES, Name.Tag: ""})
"""Keys are names as well, and their values stand out."""
