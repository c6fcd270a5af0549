"""The one Markdown parser: CommonMark with tables, strikethrough, footnotes, formulas and bare links, no raw HTML.

Makes markdown-it tokens; links are checked and everything is escaped where they are written, in `writer`.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import inline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.footnote import footnote_plugin

from sitegen.render.driving import QuickBlock, QuickInline, join_texts
from sitegen.render.formulas import add_math
from sitegen.render.links import encoded, web_link_at
from sitegen.render.simple import LIMIT, is_simple
from sitegen.render.tables import quick_table, with_cells

_BLOCK_DEPTH = 30
"""Quotes and lists nested deeper than this (a list counts twice) are shown as they are written."""
_NESTING_LIMIT = 34
"""The parser's own limit, above that of blocks; its time on unmatched brackets grows with it."""

# Pairs of ends instead of a pattern: to prepare one for so many characters takes longer than to need it.
_CJK = ("\u3040\u30ff", "\u3400\u4dbf", "\u4e00\u9fff", "\uac00\ud7af", "\uf900\ufaff")
_TABLE_RULE = re.compile(r"[ \t]{0,40}\|?[ \t]{0,40}:?-+:?[ \t]{0,40}(?:\|[ \t]{0,40}:?-+:?[ \t]{0,40})*\|?[ \t]*")
_SCHEME = re.compile("https?$", re.I)
_ANGLE_LINK = re.compile(
    r"<((?:https?://|mailto:)[^\s<>]+|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})>",
    re.I,
)


def parse(text: str) -> list[Token]:
    """The tokens of `text`, which must be clean (see `text.clean`)."""
    return _parser().parse(text)


class _Parser(MarkdownIt):
    """Takes every link as it is: a link that isn't allowed is shown as text, and its target isn't lost."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return encoded(url)

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


class _State(StateInline):
    """Lets `**` open and close beside Chinese, Japanese and Korean letters, which have no spaces around them."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        scanned = super().scanDelims(start, canSplitWord)
        if not canSplitWord or (scanned.can_open and scanned.can_close):
            return scanned
        before = self.src[start - 1 : start]
        after = self.src[start + scanned.length : start + scanned.length + 1]
        return Scanned(
            scanned.can_open or bool(_is_cjk(before) and after and not after.isspace()),
            scanned.can_close or bool(_is_cjk(after) and before and not before.isspace()),
            scanned.length,
        )


def _is_cjk(character: str) -> bool:
    return character >= _CJK[0][0] and any(ends[0] <= character <= ends[1] for ends in _CJK)


class _Inline(QuickInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        if is_simple(src):
            tokens.append(Token("simple", "", 0, content=src))
            return tokens
        state = _State(src, md, env, tokens)
        if len(src) > LIMIT:  # it's shown as it is written
            state.push("text", "", 0).content = src
        else:
            self.tokenize(state)
            self.finish(state)
        return state.tokens


@cache
def _parser() -> MarkdownIt:
    md = _Parser("zero", {"maxNesting": _NESTING_LIMIT})
    md.inline, md.block = _Inline(), QuickBlock()
    md.configure("commonmark", {"html": False, "maxNesting": _NESTING_LIMIT})
    md.enable(["table", "strikethrough"])
    md.block.ruler.at("table", quick_table, {"alt": ["paragraph", "reference"]})
    md.disable(["html_block", "html_inline", "autolink", "linkify"])
    md.core.ruler.disable("normalize")  # the text is clean
    md.core.ruler.at("inline", with_cells(inline))
    md.core.ruler.at("text_join", with_cells(join_texts))
    footnote_plugin(md, inline=False, move_to_end=False)
    add_math(md)
    md.block.ruler.before("table", "too_deep", _too_deep, {"alt": []})
    md.block.ruler.before("table", "table_below", _table_below, {"alt": ["paragraph"]})
    md.inline.ruler.before("math_inline", "bare_link", _bare_link)
    md.inline.ruler.before("link", "angle_link", _angle_link)
    return md


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Keep what is nested too deep as text, where markdown-it would drop it."""
    if state.level < _BLOCK_DEPTH or silent:
        return False
    line = start
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    token = state.push("too_deep", "", 0)
    token.content = state.getLines(start, line, state.blkIndent, False)
    state.line = line
    return True


def _table_below(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """End the paragraph of a list item or quotation where a table begins below it, at the left again."""
    if not silent or state.sCount[start] >= state.blkIndent or start + 1 >= end:
        return False
    if "|" not in state.src[state.bMarks[start] : state.eMarks[start]]:
        return False
    return _TABLE_RULE.fullmatch(state.src, state.bMarks[start + 1], state.eMarks[start + 1]) is not None


def _bare_link(state: StateInline, silent: bool) -> bool:
    """An http(s) address in running text, taken whole before its `_`, `*` and `&` mean anything."""
    if state.src[state.pos : state.pos + 3] != "://" or state.linkLevel:
        return False
    scheme = _SCHEME.search(state.src[max(0, state.pos - 5) : state.pos])
    if scheme is None:
        return False
    start = state.pos - len(scheme.group())
    end = web_link_at(state.src, start, state.posMax)
    if end is None or end <= state.pos + 3:
        return False
    if not silent:
        if not state.pending.endswith(scheme.group()):
            return False
        state.pending = state.pending[: -len(scheme.group())]
        _push_link(state, state.src[start:end], state.src[start:end])
    state.pos = end
    return True


def _angle_link(state: StateInline, silent: bool) -> bool:
    """`<https://…>` and `<ann@example.org>`; any other `<…>` is text."""
    match = _ANGLE_LINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        address = match[1]
        is_target = address.lower().startswith(("http://", "https://", "mailto:"))
        _push_link(state, address if is_target else f"mailto:{address}", address)
    state.pos = match.end()
    return True


def _push_link(state: StateInline, target: str, text: str) -> None:
    token = state.push("link_open", "a", 1)
    token.attrs = {"href": encoded(target)}
    token.info = "auto"
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1)
