"""markdown-it's rules driven faster, with the same tokens: only those are tried that can begin with the next character.

Knows what each rule begins with and nothing else of it. A rule that isn't known here is tried everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from itertools import accumulate
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import Rule, Ruler
from markdown_it.rules_block import StateBlock, lheading
from markdown_it.rules_core import StateCore, text_join
from markdown_it.rules_inline import StateInline, fragments_join
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.render.plain import plain_at

_InlineRule = Callable[[StateInline, bool], bool]
_BlockRule = Callable[[StateBlock, int, int, bool], bool]
_ByOpening = Mapping[tuple[str, bool], list[_BlockRule]]

_INLINE_BEGINS = {
    "angle_link": "<",
    "backticks": "`",
    "bare_link": ":",
    "emphasis": "*_",
    "entity": "&",
    "escape": "\\",
    "footnote_ref": "[",
    "image": "!",
    "link": "[",
    "math_inline": "$\\",
    "newline": "\n",
    "strikethrough": "~",
}
_MARK = re.compile(r"[\n$&*<\[\\\]_`~]|!(?=\[)|:(?=//)")
"""Where text ends and a rule may begin; `]` ends the text of a link."""
_PAIRED = re.compile("[*_~]")

_BLOCK_BEGINS = {
    "blockquote": ">",
    "fence": "`~",
    "footnote_def": "[",
    "heading": "#",
    "hr": "*-_",
    "list": "*+-0123456789",
    "math_block": "$\\",
    "reference": "[",
}
_OPENERS = frozenset("".join(_BLOCK_BEGINS.values()))
_TABLES = frozenset({"table", "table_below"})
"""Rules that want a `|` in the line, wherever it is."""
_SILENT = frozenset({"lheading", "table_below"})
"""Rules that begin nothing: a line below makes a heading of a paragraph, or ends it."""
_UNDERLINE = re.compile(r"(?:-+|=+)[ \t]*")


class QuickInline(ParserInline):
    """Text within a line. Each of its rules must be known here by what it begins with."""

    @cached_property
    def _rules(self) -> Mapping[str, list[_InlineRule]]:
        named = [(rule.name, rule.fn) for rule in self.ruler.__rules__ if rule.enabled and rule.name != "text"]
        marks = {character for name, _ in named for character in _INLINE_BEGINS[name]}
        return {mark: [rule for name, rule in named if mark in _INLINE_BEGINS[name]] for mark in sorted(marks)}

    def tokenize(self, state: StateInline) -> None:
        """Adds the tokens of what is between the state's position and its end."""
        source, end, rules = state.src, state.posMax, self._rules
        depth = state.md.options.maxNesting
        while state.pos < end:
            position = state.pos
            if (mark := _MARK.match(source, position)) is None:
                state.pos = stop = _text_end(source, position, end)
                state.append_pending(source[position:stop])
                continue
            candidates = rules.get(mark.group(), ()) if state.level < depth else ()
            if not any(rule(state, False) for rule in candidates):
                state.append_pending(source[position])
                state.pos += 1
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802 - the library's name
        """Moves behind the token that begins at the state's position, or one character on."""
        position = state.pos
        if position not in state.cache:
            state.cache[position] = self._behind(state, position)
        state.pos = state.cache[position]

    def _behind(self, state: StateInline, position: int) -> int:
        if state.level >= state.md.options.maxNesting:
            return state.posMax
        if (mark := _MARK.match(state.src, position)) is None:
            return _text_end(state.src, position, state.posMax)
        state.level += 1
        is_found = any(rule(state, True) for rule in self._rules.get(mark.group(), ()))
        state.level -= 1
        return state.pos if is_found else position + 1

    def finish(self, state: StateInline) -> None:
        """Pairs the marks of emphasis and joins what is left of them."""
        if _PAIRED.search(state.src) is not None:
            for rule in self.ruler2.getRules(""):
                rule(state)
        elif len(state.tokens) > 1:
            fragments_join(state)


def _text_end(source: str, position: int, end: int) -> int:
    mark = _MARK.search(source, position)
    return mark.start() if mark else end


class _Lines(StateBlock):
    """Finds all lines and their indents at once."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):
            lines.pop()  # what ends a text is no line
        ends = [*accumulate(lines, lambda end, line: end + 1 + len(line), initial=-1)]
        indents = [len(line) - len(line.lstrip(" \t")) for line in lines]
        self.src = src
        self.bMarks = [end + 1 for end in ends[:-1]] + [len(src)]
        self.eMarks = [*ends[1:], len(src)]
        self.tShift = [*indents, 0]
        widths = map(_width, lines, indents) if "\t" in src else indents
        self.sCount = [*widths, 0]
        self.bsCount = [0] * (len(lines) + 1)
        self.lineMax = len(lines)


def _width(line: str, indent: int) -> int:
    return len(line[:indent].expandtabs(4))


class _QuickRuler(Ruler[_BlockRule]):
    """Has one rule for all that can end a block: it tries those of them that can begin with the line."""

    def __compile__(self) -> None:
        super().__compile__()
        enabled = [rule for rule in self.__rules__ if rule.enabled]
        for chain in {chain for rule in enabled for chain in rule.alt}:
            enders = _by_opening(rule for rule in enabled if chain in rule.alt)
            cast("dict[str, list[_BlockRule]]", self.__cache__)[chain] = [partial(_is_any, enders)]


def _is_any(rules: _ByOpening, state: StateBlock, line: int, end: int, silent: bool) -> bool:
    return any(rule(state, line, end, silent) for rule in rules[_opening(state, line)])


def _by_opening(rules: Iterable[Rule[_BlockRule]]) -> _ByOpening:
    """Those for a line by its first character ("" for any that begins none), and by whether it holds a `|`."""
    named = [(rule.name, rule.fn) for rule in rules]
    return {
        (opener, has_bar): [
            rule
            for name, rule in named
            if opener in frozenset(_BLOCK_BEGINS.get(name, [opener])) and (has_bar or name not in _TABLES)
        ]
        for opener in ("", *sorted(_OPENERS))
        for has_bar in (False, True)
    }


class QuickBlock(ParserBlock):
    """The blocks of a text. A rule that isn't known here is tried on every line."""

    def __init__(self) -> None:
        super().__init__()
        rules, self.ruler = self.ruler.__rules__, _QuickRuler()
        self.ruler.__rules__ = rules
        self.ruler.at("paragraph", self._paragraph)

    @cached_property
    def _rules(self) -> _ByOpening:
        return _by_opening(rule for rule in self.ruler.__rules__ if rule.enabled and rule.name not in _SILENT)

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> list[Token] | None:  # noqa: N803
        """The tokens of the blocks of `src`, whose text within lines isn't parsed yet."""
        if src:
            state = _Lines(src, md, env, outTokens)
            self.tokenize(state, 0, state.lineMax)
        return outTokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803 - the library's names
        """Adds the tokens of these lines."""
        line, depth, has_empty_lines = startLine, state.md.options.maxNesting, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= depth:
                state.line = endLine
                break
            if state.level or not _plainly(state, line):
                any(rule(state, line, endLine, False) for rule in self._rules[_opening(state, line)])
            state.tight = not has_empty_lines
            line = state.line
            if line - 1 < endLine and state.isEmpty(line - 1):
                has_empty_lines = True
            if line < endLine and state.isEmpty(line):
                has_empty_lines = True
                line += 1
                state.line = line

    def _paragraph(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        around, state.parentType = state.parentType, "paragraph"
        stop, is_heading = self._paragraph_end(state, start)
        if is_heading:
            state.parentType = around
            if lheading(state, start, end, silent):
                return True
        state.parentType, state.line = "paragraph", stop  # the type stays, as the library's rules leave it
        content = mdTrim(state.getLines(start, stop, state.blkIndent, False))
        state.push("paragraph_open", "p", 1).map = [start, stop]
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = content, [start, stop], []
        state.push("paragraph_close", "p", -1)
        return True

    def _paragraph_end(self, state: StateBlock, start: int) -> tuple[int, bool]:
        """The line before which the paragraph ends: an empty one, one with which something else begins, an underline.

        And whether it's an underline.
        """
        line, end = start + 1, state.lineMax
        enders = self.ruler.getRules("paragraph")
        while line < end and not state.isEmpty(line):
            if state.sCount[line] <= state.blkIndent + 3:
                if state.sCount[line] >= state.blkIndent and _is_underline(state, line):
                    return line, True
                if state.sCount[line] >= 0 and any(ends(state, line, end, True) for ends in enders):
                    break
            line += 1
        return line, False


def _is_underline(state: StateBlock, line: int) -> bool:
    return _UNDERLINE.fullmatch(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line]) is not None


def _plainly(state: StateBlock, line: int) -> bool:
    """Makes one token of the plain block that begins with `line`; whether there is one. It's in no other block."""
    start = state.bMarks[line]
    plain = plain_at(state.src, start)
    if plain is None:
        return False
    token, end = plain
    state.tokens.append(cast("Token", token))  # the library looks at its type alone
    state.line = line + 1 + state.src.count("\n", start, end)
    return True


def _opening(state: StateBlock, line: int) -> tuple[str, bool]:
    position = state.bMarks[line] + state.tShift[line]
    first = state.src[position : position + 1]
    has_bar = state.src.find("|", state.bMarks[line], state.eMarks[line]) >= 0
    return (first if first in _OPENERS else ""), has_bar


def join_texts(state: StateCore) -> None:
    """Joins what escapes and entities became with the text around, where there are any."""
    if "\\" in state.src or "&" in state.src:
        text_join(state)
