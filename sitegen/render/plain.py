"""Blocks that can be read at a glance: paragraphs of simple text, and tight lists with a line of it for each item.

Most of what people and models write is that, and is written at once, as the parser would have it. Only what stands at
the left, in nothing else, is looked at here; what isn't surely a plain block is left to the parser.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sitegen.render.simple import is_simple

_BEGINS_A_BLOCK = re.compile(r"[\s>#+=-]|\d{1,9}[.)](?:\s|\Z)")
"""What no line of a paragraph begins with. Fences, rules, formulas and notes begin with what isn't simple."""
_ROW = re.compile(r"( *)([-*+]|\d{1,9}[.)])( {1,4})(?! )([^\n|]*[^\s|])(?:\n|\Z)")
_LIST_END = re.compile(r"\n++(?![ \t]|[-*+](?:[ \t\n]|\Z)|\d{1,9}[.)](?:[ \t\n]|\Z))|\Z")
_TASK = re.compile(r"\[[ xX]\](?= )")
_DEPTH = 8
_INDENT = 3
"""A list may begin so many columns right of where the text that it belongs to begins."""


class Item(NamedTuple):
    """An item of a list: how deep it's nested, its number (None: a bullet), its text with the box of a task."""

    depth: int
    number: int | None
    text: str


class _Level(NamedTuple):
    """An open list: where its markers stand, what they end with, and where its last item's text begins."""

    column: int
    marker: str
    text_column: int


def paragraph_at(source: str, start: int) -> str | None:
    """The text of the plain paragraph that begins at `start`, the first of a line; None when it's no such."""
    end = source.find("\n\n", start)
    text = source[start:end] if end >= 0 else source[start:].rstrip("\n")
    if "|" in text or text[-1:].isspace() or any(map(_BEGINS_A_BLOCK.match, text.split("\n"))) or not is_simple(text):
        return None
    return text


def list_at(source: str, start: int) -> list[Item] | None:
    """The items of the plain list that begins at `start`, the first of a line, one a line; None when it's no such."""
    items: list[Item] = []
    levels: list[_Level] = []
    while (row := _ROW.match(source, start)) is not None:
        indent, marker, _, text = row.groups()
        number = int(marker[:-1]) if marker[0].isdigit() else None
        if not _enter(levels, _Level(len(indent), marker[-1], row.start(4) - row.start()), number):
            return None
        box = _TASK.match(text) if "]:" not in source else None
        if _BEGINS_A_BLOCK.match(text) is not None or not is_simple(text[box.end() :] if box else text):
            return None
        items.append(Item(len(levels) - 1, number, text))
        start = row.end()
    return items if items and _LIST_END.match(source, start) is not None else None


def _enter(levels: list[_Level], level: _Level, number: int | None) -> bool:
    """Change `levels` to those that are open at an item of `level`; whether it surely belongs there."""
    if levels and level.column < levels[-1].text_column:
        while level.column < levels[-1].column:
            levels.pop()
        before, levels[-1] = levels[-1], level
        return (before.column, before.marker) == (level.column, level.marker)
    begins = level.column - levels[-1].text_column <= _INDENT and number in (None, 1) if levels else level.column == 0
    levels.append(level)
    return begins and len(levels) <= _DEPTH
