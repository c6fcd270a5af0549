"""Mending of fenced blocks before parsing: a ```markdown fence that holds fences of its own length.

CommonMark ends the outer block at the first inner end. Models mean the whole, so the outer fence is made longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_LEAD = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
_NESTING = {mark: re.compile(rf"{mark}+[ \t]*(?:[mM][aAdD]|[rRqQ][mM])") for mark in ("```", "~~~")}
"""Where a Markdown fence may begin. Sought are these letters as they are: that is quick."""
_FENCE = re.compile(rf"({_LEAD})(`{{3,}}|~{{3,}})(.*)")
_MARKDOWN = re.compile(r"(?:markdown|md|mdx|rmd|qmd)\b", re.I)
_NESTING_REACH = 400
"""A Markdown fence that holds more fences than this is left as it is."""


class _Fence(Struct, frozen=True):
    line: int
    lead: str
    mark: str
    info: str

    def closes(self, opener: _Fence) -> bool:
        return not self.info and self.mark[0] == opener.mark[0] and len(self.mark) >= len(opener.mark)

    def nests_in(self, opener: _Fence) -> bool:
        return bool(self.info) and self.mark[0] == opener.mark[0] and len(self.mark) >= len(opener.mark)


def mend_fences(text: str) -> str:
    """`text` in which every Markdown fence is longer than the fences inside it; the same text when none is."""
    if not any(mark in text and nesting.search(text) for mark, nesting in _NESTING.items()):
        return text
    lines = text.split("\n")
    fences = list(_fences(lines))
    position = 0
    while position < len(fences):
        opener = fences[position]
        end = _end(fences, position)
        inner = fences[position + 1 : end]
        if _MARKDOWN.match(opener.info) and end < len(fences) and any(fence.nests_in(opener) for fence in inner):
            _lengthen(lines, opener, fences[end], length=max(len(fence.mark) for fence in inner) + 1)
        position = end + 1
    return "\n".join(lines)


def _fences(lines: list[str]) -> Iterator[_Fence]:
    for number, line in enumerate(lines):
        match = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
        if match is not None and not (match[2][0] == "`" and "`" in match[3]):
            yield _Fence(number, match[1], match[2], match[3].strip())


def _end(fences: list[_Fence], start: int) -> int:
    """Where the block that begins at `start` ends; len(fences) when it doesn't."""
    if _MARKDOWN.match(fences[start].info):
        nested = _closing(fences[start : start + _NESTING_REACH], 0, nesting=True)
        if nested is not None:
            return start + nested
    plain = _closing(fences, start, nesting=False)
    return len(fences) if plain is None else plain


def _closing(fences: list[_Fence], start: int, *, nesting: bool) -> int | None:
    opener, depth = fences[start], 0
    for position in range(start + 1, len(fences)):
        fence = fences[position]
        if nesting and fence.nests_in(opener):
            depth += 1
        elif fence.closes(opener):
            if depth == 0:
                return position
            depth -= 1
    return None


def _lengthen(lines: list[str], opener: _Fence, closer: _Fence, *, length: int) -> None:
    mark = opener.mark[0] * length
    lines[opener.line] = f"{opener.lead}{mark}{opener.info}"
    lines[closer.line] = f"{closer.lead}{mark}"
