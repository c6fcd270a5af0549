"""Blocks that can be read at a glance: paragraphs of simple text, lists with a line of it for each item, fences.

Most of what people and models write is that, and is written at once, as the parser would have it. Only what stands at
the left, in nothing else, is looked at here; what isn't surely a plain block is left to the parser.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sitegen.render.simple import is_simple
from sitegen.render.tokens import Plain

_BLOCK = r"[\s>#+=$\\_-]|\*(?:\s|\*[\s*])|\[\^|```|~~~|\d{1,9}[.)](?:\s|\Z)"
"""What no line of a paragraph begins with: whatever can end one."""
_BEGINS_A_BLOCK = re.compile(_BLOCK)
_INTERRUPTION = r"(?:[-*+]|1[.)]) \S|>|#{1,6} |```+[^`\n]*(?:\n|\Z)|~~~"
"""What a block begins with that needs no blank line above."""
_PARAGRAPH = re.compile(rf"(?!{_BLOCK})[^\n|]++(?:\n(?!{_BLOCK})[^\n|]++)*+(?<!\s)(?=\n\n|\n*\Z|\n(?:{_INTERRUPTION}))")
_ROW = re.compile(r"( *)([-*+]|\d{1,9}[.)])( {1,4})(?! )([^\n|]*[^\s|]) *(?:\n|\Z)")
_LIST_END = re.compile(r"\n++(?![ \t]|[-*+](?:[ \t\n]|\Z)|\d{1,9}[.)](?:[ \t\n]|\Z))|\Z")
_FENCE = re.compile(r"(```+)([^`\n]*)\n")
_FENCE_END = re.compile(r"\n {0,3}(```+)[ \t]*(?=\n|\Z)")
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}) *(?=\n|\Z)")
_TASK = re.compile(r"\[[ xX]\](?= )")
_BOX_NAMED = re.compile(r"\[\s*[xX]\s*\]:")
"""What makes a link of the box of a task that's done."""
_DEPTH = 8
_INDENT = 3
"""A list may begin so many columns right of where the text that it belongs to begins."""


class Item(Struct, frozen=True):
    """An item of a list, its text with the box of a task."""

    depth: int
    number: int | None
    """None: it has a bullet."""
    text: str
    is_loose: bool
    """Whether its text is a paragraph, for there are blank lines between the items of its list."""


class _Level(Struct, frozen=True):
    """An open list: where its markers stand, what they end with, where its last item's text begins, its first row."""

    column: int
    marker: str
    text_column: int
    first: int


def plain_blocks(source: str) -> tuple[list[Plain], int]:
    """A token for each plain block that `source` begins with, and where what follows them begins."""
    tokens: list[Plain] = []
    position = 0
    while (plain := plain_at(source, position)) is not None:
        token, end = plain
        tokens.append(token)
        position = _behind_blank_lines(source, end)
    return tokens, position


def plain_at(source: str, start: int) -> tuple[Plain, int] | None:
    """A token for the plain block that begins at `start`, the first of a line, and where its last line ends.

    None when there's no such. A paragraph's text is the token's content, a list's items are in its `meta`.
    """
    begins = _BEGINS.get(source[start : start + 1])
    if begins is not None and (found := begins(source, start)) is not None:
        return found
    paragraph = _PARAGRAPH.match(source, start)
    if paragraph is None or not is_simple(paragraph.group()):
        return None
    return Plain("plain_paragraph", paragraph.group()), paragraph.end()


def _fence_at(source: str, start: int) -> tuple[Plain, int] | None:
    opener = _FENCE.match(source, start)
    if opener is None:
        return None
    mark = opener[1]
    at = source.find(mark, opener.end())
    while at >= 0:
        line_end = source.rfind("\n", at - 4, at)
        end = _FENCE_END.match(source, line_end) if line_end >= 0 else None
        if end is not None and len(end[1]) >= len(mark):
            content = source[opener.end() : line_end + 1]
            return Plain("fence", content, info=opener[2]), end.end()
        at = source.find(mark, at + len(mark))
    return None


def _list_at(source: str, start: int) -> tuple[Plain, int] | None:
    rows: list[tuple[_Level, int, int | None, str]] = []
    levels: list[_Level] = []
    loose: set[int] = set()
    row, end = _ROW.match(source, start), start
    while row is not None:
        indent, marker, _, text = row.groups()
        number = int(marker[:-1]) if marker[0].isdigit() else None
        above = len(levels)
        level = _Level(len(indent), marker[-1], row.start(4) - row.start(), len(rows))
        if not _enter(levels, level, number):
            if indent or row.start() == end:
                return None
            break  # below a blank line another list begins
        box = _TASK.match(text)
        if _BEGINS_A_BLOCK.match(text) is not None or not is_simple(text[box.end() :] if box else text):
            return None
        if box and "]:" in source and _BOX_NAMED.search(source) is not None:
            return None
        if rows and end < row.start():  # it's the list that the blank line stands in
            loose.add(levels[above - 1 if len(levels) > above else -1].first)
        rows.append((levels[-1], len(levels) - 1, number, text))
        end = row.end()
        row = _ROW.match(source, _behind_blank_lines(source, end))
    else:
        if not rows or _LIST_END.match(source, end) is None:
            return None
    items = [Item(depth, number, text, level.first in loose) for level, depth, number, text in rows]
    return Plain("plain_list", meta={"items": items}), end - source.startswith("\n", end - 1)


def _rule_or_list_at(source: str, start: int) -> tuple[Plain, int] | None:
    rule = _RULE.match(source, start)
    return _list_at(source, start) if rule is None else (Plain("hr"), rule.end())


_BEGINS = {"`": _fence_at} | dict.fromkeys("-*_", _rule_or_list_at) | dict.fromkeys("+0123456789", _list_at)
"""What a block may be by its first character; a paragraph begins with any."""


def _behind_blank_lines(source: str, position: int) -> int:
    while source.startswith("\n", position):
        position += 1
    return position


def _enter(levels: list[_Level], level: _Level, number: int | None) -> bool:
    """Change `levels` to those that are open at an item of `level`; whether it surely belongs there."""
    if levels and level.column < levels[-1].text_column:
        while level.column < levels[-1].column:
            levels.pop()
        before = levels[-1]
        levels[-1] = _Level(level.column, level.marker, level.text_column, before.first)
        return (before.column, before.marker) == (level.column, level.marker)
    begins = level.column - levels[-1].text_column <= _INDENT and number in (None, 1) if levels else level.column == 0
    levels.append(level)
    return begins and len(levels) <= _DEPTH
