"""Where formulas are in Markdown: `$$…$$`, `\\[…\\]`, `\\(…\\)` and, by strict rules, `$…$`.

Decides what is a formula and what is money, a shell variable or an escaped bracket. Converting them is `mathml`'s.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_CLOSERS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
_REACH = 8_000
"""No formula is longer, in characters."""
_LINES = 200
"""No formula has more lines."""

_TEXISH = re.compile(r"[\\^_=+<>{}|]")
_LETTER = re.compile(r"\s*[A-Za-z]'*\s*")
_NAME = re.compile(r"[A-Za-z]{3,}|&&")
_WORD = re.compile(r"[A-Za-z]{4,}")
_TWO_WORDS = re.compile(r"(?<![A-Za-z])[A-Za-z]{3,}\s+[A-Za-z]{2,}")
_SHELL_TEST = re.compile(r"(?:^|\s)--?[a-z]{2,}|[\"']\S{0,40}[*.]")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{2,}")
_SUM_OF_MONEY = re.compile(r"\d[\d.,]*\s*[A-Za-z]{3,}|\d[\d.,]*\s*[-–/]\s*$")


def add_math(md: MarkdownIt) -> None:
    """Teach `md` formulas: tokens `math_block` and `math_inline` with the delimiter as markup."""
    md.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    md.inline.ruler.before("escape", "math_inline", _inline)


def is_displayed(opener: str) -> bool:
    """Whether a formula between such delimiters stands on lines of its own."""
    return opener in ("$$", "\\[", "math")


def closer_of(opener: str) -> str:
    """The delimiter that ends what `opener` begins."""
    return _CLOSERS.get(opener, opener)


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    position = state.bMarks[start] + state.tShift[start]
    opener = state.src[position : position + 2]
    if opener not in ("$$", "\\[") or state.is_code_block(start):
        return False
    last = _last_line(state, start, end, _CLOSERS[opener])
    if last is None:
        return False
    content = state.getLines(start, last + 1, state.sCount[start], False).strip()[2:-2]
    if not _is_formula(content, opener):
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.content, token.markup, token.block, token.map = content, opener, True, [start, last + 1]
    state.line = last + 1
    return True


def _last_line(state: StateBlock, start: int, end: int, closer: str) -> int | None:
    """The line that ends with `closer`, when nothing follows it there and no blank line comes before."""
    for line in range(start, min(end, start + _LINES)):
        begin = state.bMarks[line] + state.tShift[line]
        text = state.src[begin + 2 if line == start else begin : state.eMarks[line]]
        if line > start and (not text.strip() or state.sCount[line] < state.blkIndent or text.startswith("\\[")):
            return None
        if closer in text:
            return line if text.rstrip().endswith(closer) and text.count(closer) == 1 else None
    return None


def _inline(state: StateInline, silent: bool) -> bool:
    match state.src[state.pos : state.pos + 2]:
        case "\\(" | "\\[" | "$$" as opener:
            return _paired(state, opener, silent=silent)
        case opener if opener[:1] == "$":
            return _dollar(state, silent=silent)
        case _:
            return False


def _paired(state: StateInline, opener: str, *, silent: bool) -> bool:
    begin = state.pos + 2
    stop = state.src.find(_CLOSERS[opener], begin, min(state.posMax, begin + _REACH))
    if stop < 0:
        return False
    content = state.src[begin:stop]
    if _is_formula(content, opener):
        return _push(state, content, opener, silent=silent)
    if opener == "\\(" and "`" not in content and "\n" not in content:
        # A regular expression or `find \( … \)`: unescaping it would change what it says.
        if not silent:
            state.pending += state.src[state.pos : stop + 2]
        state.pos = stop + 2
        return True
    return False


def _dollar(state: StateInline, *, silent: bool) -> bool:
    source, begin = state.src, state.pos + 1
    before = source[state.pos - 1 : state.pos]
    if before == "$" or _is_ascii_word(before) or source[begin : begin + 1].isspace():
        return False
    stop = _closing_dollar(source, begin, min(state.posMax, begin + _REACH))
    content = source[begin:stop]
    if stop < 0 or content[-1:].isspace() or not _is_formula(content, "$"):
        return False
    after = source[stop + 1 : stop + 2]
    if _is_ascii_word(after) or after in ("$", "{", "("):
        return False
    return _push(state, content, "$", silent=silent)


def _closing_dollar(source: str, begin: int, end: int) -> int:
    stop = source.find("$", begin, end)
    while stop > begin and source[stop - 1] == "\\":
        stop = source.find("$", stop + 1, end)
    return stop


def _push(state: StateInline, content: str, opener: str, *, silent: bool) -> bool:
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = content, opener
    state.pos += len(opener) + len(content) + len(_CLOSERS.get(opener, opener))
    return True


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _is_formula(content: str, opener: str) -> bool:
    if not content.strip() or "`" in content or (opener != "\\[" and "\n\n" in content):
        return False
    match opener:
        case "$":
            return _is_dollar_formula(content)
        case "\\(":
            return _is_round_formula(content)
        case "$$":
            return _TEXISH.search(content) is not None or _NAME.search(content) is None
        case _:
            return bool(_TEXISH.search(content) or _LETTER.fullmatch(content)) or content[0] in " \n"


def _is_round_formula(content: str) -> bool:
    if _SHELL_TEST.search(content) and "\\" not in content:
        return False
    return _TEXISH.search(content) is not None or _WORD.search(content) is None


def _is_dollar_formula(content: str) -> bool:
    if "\n" in content or _VARIABLE.match(content) or _SUM_OF_MONEY.match(content):
        return False
    return "\\" in content or _TWO_WORDS.search(content) is None
