"""A diff as a figure: every line with its sign, numbers where they're known, changed words marked.

Where the rows come from is `patches`'; colours are `diff.css`'s and never say anything alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from markupsafe import Markup, escape

from sitegen.render.ansi import visible_escapes
from sitegen.render.context import Context
from sitegen.render.figure import block, content, folded, head_lines, numbered
from sitegen.render.patches import FilePatch, Row, RowKind, matches, parse_unified
from sitegen.render.text import is_clean, visible

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_WORD_EDITS = 60
_LINE_LIMIT = 1_000
"""In a longer line no words are marked."""
_ALIKE = 0.4
"""Two lines are versions of one when this part of them is equal."""
_ELEMENTS = {"-": "del", "+": "ins"}


def render_diff(rows: Sequence[Row], ctx: Context, *, label: Markup | None = None) -> Markup:
    """A figure of `rows`, with `label` as its caption."""
    shown = _marked(rows)
    head = head_lines(len(rows), ctx)
    body: str = block(_lines(rows[:head], shown), _numbers(rows, 0, head))
    if head < len(rows):
        tail = block(_lines(rows[head:], shown[head:]), _numbers(rows, head, len(rows)))
        body = f"{body}{folded(tail, len(rows), ctx)}"
    title = f"<figcaption>{label}</figcaption>" if label else ""
    return Markup(f'<figure class="code diff">{title}{body}</figure>\n')


def render_patch(text: str, ctx: Context) -> Markup:
    """A unified diff as a figure a file."""
    return Markup().join(render_diff(file.rows, ctx, label=path_label(file)) for file in parse_unified(text))


def path_label(file: FilePatch) -> Markup:
    """The file's path, and where it moved to."""
    moved = Markup(" → {}").format(visible(file.moved_to)) if file.moved_to else Markup()
    return escape(visible(file.path)) + moved


def _lines(rows: Sequence[Row], shown: Sequence[str]) -> str:
    parts: list[str] = []
    start = 0
    for kind, end in _stretches(rows):
        texts, start = shown[start:end], end
        if kind == "@":
            parts += [f'<span class="hunk">{text or "⋯"}</span>\n' for text in texts]
            continue
        text = "".join([f"{kind}{text}\n" for text in texts])
        name = _ELEMENTS.get(kind)
        parts.append(f"<{name}>{text}</{name}>" if name else text)
    return "".join(parts)


def _stretches(rows: Iterable[Row]) -> Iterator[tuple[RowKind, int]]:
    """The kinds of rows that follow one another, each with the place where it ends."""
    end = 0
    for kind, group in groupby([row.kind for row in rows]):
        end += len(list(group))
        yield kind, end


def _numbers(rows: Sequence[Row], start: int, end: int) -> str | None:
    """Old line numbers and new ones, a column each; None when nothing is numbered."""
    if all(row.old is None and row.new is None for row in rows):
        return None
    return _column(row.old for row in rows[start:end]) + _column(row.new for row in rows[start:end])


def _column(numbers: Iterable[int | None]) -> str:
    return numbered(["" if number is None else str(number) for number in numbers])


# ----------------------------------------------------------------------------------------------------- changed words


def _marked(rows: Sequence[Row]) -> list[str]:
    """The HTML of each row's text. Where lines were replaced, the words that changed are marked."""
    texts = _texts(rows)
    shown = content("\n".join(texts)).split("\n")
    for removed, added in _replacements(rows):
        for old, new in zip(removed, added, strict=False):
            marked = _mark_words(texts[old], texts[new])
            if marked is not None:
                shown[old], shown[new] = marked
    return shown


def _texts(rows: Sequence[Row]) -> list[str]:
    """The text of each row, on one line and with every control byte in sight."""
    texts = [row.text for row in rows]
    whole = "\n".join(texts)
    if is_clean(whole) and whole.count("\n") == len(texts) - 1:
        return texts
    return [visible_escapes(text).replace("\n", " ") for text in texts]


def _replacements(rows: Sequence[Row]) -> Iterator[tuple[range, range]]:
    """Where removed lines are followed by added ones, as places in `rows`."""
    last = range(0)
    start = 0
    for kind, end in _stretches(rows):
        here, start = range(start, end), end
        if kind == "+" and last:
            yield last, here
        last = here if kind == "-" else range(0)


def _mark_words(old: str, new: str) -> tuple[str, str] | None:
    """Both lines with their differing words in `<b>`; None when nothing is to be marked.

    That is when they are the same, have too little in common or are very long.
    """
    if old == new or max(len(old), len(new)) > _LINE_LIMIT or not old.strip() or not new.strip():
        return None
    a, b = _WORD.findall(old), _WORD.findall(new)
    equal = matches(a, b, limit=_WORD_EDITS)
    same = ["".join(a[i : i + length]) for i, _, length in equal]
    kept = len("".join("".join(same).split()))  # white space is no word
    if kept < _ALIKE * max(len(old.strip()), len(new.strip())):
        return None
    shown = list(map(content, same))
    return (
        _with_marks(a, [(i, length) for i, _, length in equal], shown),
        _with_marks(b, [(j, length) for _, j, length in equal], shown),
    )


def _with_marks(words: list[str], equal: Iterable[tuple[int, int]], shown: Iterable[str]) -> str:
    """A line of `words`; `shown` is the HTML of those that are equal, what stands between them is marked."""
    parts: list[str] = []
    at = 0
    for (start, length), same in zip(equal, shown, strict=True):
        if start > at:
            parts.append(f"<b>{content(''.join(words[at:start]))}</b>")
        parts.append(same)
        at = start + length
    if at < len(words):
        parts.append(f"<b>{content(''.join(words[at:]))}</b>")
    return "".join(parts)
