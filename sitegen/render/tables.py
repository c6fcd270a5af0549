"""Tables of Markdown as one token each, where the library makes three of every cell.

Reads them as the library's own rule does, and leaves to it whether something else is interrupted by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as library_table
from markdown_it.rules_block.table import MAX_AUTOCOMPLETED_CELLS, escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from sitegen.render.simple import is_simple
from sitegen.render.tokens import Table, texts

_RULE = re.compile(r"(?:[|:][-:| \t]|-[-:|])[-:| \t]*")
_COLUMN = re.compile("(:?)-+(:?)")
_ALIGNMENTS = {("", ""): "", (":", ""): "left", ("", ":"): "right", (":", ":"): "center"}


def quick_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Makes a token of the table that begins with the line `start`, if one does."""
    if silent:
        return library_table(state, start, end, silent)
    if start + 2 > end or state.sCount[start + 1] < state.blkIndent or state.is_code_block(start + 1):
        return False
    alignments, head = _alignments(_line(state, start + 1)), mdTrim(_line(state, start))
    if not alignments or "|" not in head or state.is_code_block(start):
        return False
    columns = _columns(head)
    if len(columns) != len(alignments):
        return False
    token = state.push("table", "table", 0)
    around, state.parentType = state.parentType, "table"
    rows = [columns, *_body(state, start + 2, end, width=len(columns))]
    state.parentType, state.line = around, start + 1 + len(rows)
    token.meta = {"table": Table(alignments, [[_cell(text) for text in row] for row in rows])}
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _alignments(rule: str) -> list[str]:
    """How each column is aligned by the line below a table's head; nothing when it isn't that."""
    if _RULE.fullmatch(rule) is None:
        return []
    columns = [
        _COLUMN.fullmatch(column.strip(" \t"))
        for column in rule.strip(" \t").removeprefix("|").removesuffix("|").split("|")
    ]
    return [_ALIGNMENTS[column[1], column[2]] for column in columns if column] if all(columns) else []


def _columns(line: str) -> list[str]:
    columns = escapedSplit(line) if "\\" in line else line.split("|")
    if columns[0] == "":
        del columns[0]
    if columns and columns[-1] == "":
        del columns[-1]
    return columns


def _body(state: StateBlock, line: int, end: int, *, width: int) -> Iterator[list[str]]:
    """The rows from that line on, each with as many columns."""
    enders = state.md.block.ruler.getRules("blockquote")  # what ends a quotation ends a table
    missing = 0
    while line < end and state.sCount[line] >= state.blkIndent:
        if any(ends(state, line, end, True) for ends in enders):
            return
        text = mdTrim(_line(state, line))
        if not text or state.is_code_block(line):
            return
        columns = _columns(text)
        missing += width - len(columns)
        if missing > MAX_AUTOCOMPLETED_CELLS:
            return
        yield columns[:width] + [""] * (width - len(columns))
        line += 1


def _cell(text: str) -> str | Token:
    text = mdTrim(text)
    return text if not text or is_simple(text) else Token("inline", "", 0, content=text)


def with_cells(rule: Callable[[StateCore], None]) -> Callable[[StateCore], None]:
    """A rule for all texts within lines that takes those of tables' cells too."""

    def apply(state: StateCore) -> None:
        rule(StateCore(state.src, state.md, state.env, cast("list[Token]", list(texts(state.tokens)))))

    return apply
