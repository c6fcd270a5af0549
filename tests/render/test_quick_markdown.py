"""The quick ways through Markdown lead where the library's own slow ones do, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import table
from markdown_it.rules_core import text_join
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.render import blocks, markdown, prose
from sitegen.render.sheet import Sheet
from tests.render.test_prose import PIECES, render
from tests.support.markdown_cases import Case, cases

ALPHABET = "*_~`#>-+|$\\[](){}<>!&:^@=\n\t .,;?\"'/0123aZé中—\u00a0\u200b"
SPANS = [
    *("**bold**", "*it*", "~~gone~~", "`code`", "` `` `", "` x `", "`  `", "``", "**`x`**", "***both***"),
    *(" ", "  ", "\n", "  \n", "\\\n", "word", "snake_case", "2*3*4", "(", ")", ".", "!", "![", ":", "://"),
    *("**a *b* c**", "http://a.b", "www.example.org", "WWW.a.b", "ann@example.org", "[x](y)", "a|b", "\n---\n"),
    *("\n===\n", "\n| a |\n|--|\n", "\n- ", "\n   1) ", "\n> ", "\n\t", "\n    ", "中文", "**中**文", "שלום"),
    *("&amp;", "&#42;", "#", "\u2003", "—", "“", "$x$", "\\*", "& ", "< ", "<b>"),
    *("**a:**", "(**`x`**)", "*a `b*c` d!*", "~~`x`~~", "**é**", "**a_b**", "a__b", "_a_", "a_", "**[x](http://a.b)**"),
    *("https://a.b/c_d*e?f=1&g#h", "(https://a.b/c)", "http://a.b/~c~", "https://www.a.b", "https://a.b.,:"),
    *("[`x`](https://a.b/c_d?e=1&f)", "[a_b & c](http://www.a.b/)", "[x](https://a.b/&amp;)", "/www.a.b", "[^x](https://a.b)"),
]  # fmt: skip


class _SlowInline(ParserInline):
    """The library's way, with the same rules and limits."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = markdown._State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _slow_parser() -> MarkdownIt:
    with (
        patch.object(markdown, "_Inline", _SlowInline),
        patch.object(markdown, "QuickBlock", ParserBlock),
        patch.object(markdown, "join_texts", text_join),
        patch.object(markdown, "quick_table", table),
    ):
        return markdown._parser.__wrapped__()


_SLOW = _slow_parser()

_CONSTANT = {
    "table_open": '<div class="table" tabindex="0"><table>\n',
    "table_close": "</table></div>\n",
    "thead_open": "<thead>",
    "thead_close": "</thead>\n",
    "tbody_open": "<tbody>",
    "tbody_close": "</tbody>",
    "tr_open": "<tr>",
    "tr_close": "</tr>\n",
}
"""What is written for the library's tokens of tables, of which there are three a cell."""


def _cell_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.in_cell = True
    alignment = str(tokens[index].attrs.get("style", "")).removeprefix("text-align:")
    is_told = alignment in ("center", "right") or (alignment == "left" and sheet.direction)
    named = f' class="{alignment}"' if is_told else ""
    sheet.out.append(f"<{_cell_tag(tokens[index], tokens[index + 1])}{named}{sheet.direction}>")


def _cell_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.in_cell = False
    sheet.out.append(f"</{_cell_tag(tokens[index], tokens[index - 1])}>")


def _cell_tag(token: Token, content: Token) -> str:
    return "td" if token.tag == "th" and not content.content.strip() else token.tag


_HANDLERS = {"th_open": _cell_open, "td_open": _cell_open, "th_close": _cell_close, "td_close": _cell_close}


@contextmanager
def _slowly() -> Iterator[None]:
    with (
        patch.object(markdown, "_parser", lambda: _SLOW),
        patch.object(prose, "plain_blocks", lambda text: ([], 0)),
        patch.dict(blocks._CONSTANT, _CONSTANT),
        patch.dict(blocks._HANDLERS, _HANDLERS),
    ):
        yield


def _assert_same(text: str, *, typed: bool) -> None:
    quick = render(text, typed=typed)
    with _slowly():
        assert quick == render(text, typed=typed)


@settings(max_examples=400, deadline=None)
@given(st.text(ALPHABET, max_size=60), st.booleans())
@example("a\n\t\n", False)
@example("**a**\u00a0b", False)
def test_marks_in_any_order_become_what_the_library_makes_of_them(text: str, typed: bool) -> None:
    _assert_same(text, typed=typed)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *SPANS]), max_size=14).map("".join), st.booleans())
def test_marked_up_text_becomes_what_the_library_makes_of_it(text: str, typed: bool) -> None:
    _assert_same(text, typed=typed)


ROWS = [
    *("- ", "* ", "+ ", "1. ", "2) ", "3. ", "-  ", "1.    ", "  - ", "   - ", "    - ", "  1. ", "   1) ", "     * "),
    *("> ", "# ", "    ", "", "- [x] ", "1. [ ] ", "- - ", "- 1. ", "| ", "```", "~~~", "===", "---", "#", "-"),
    *("--- ", "***", "___", "[x]: ", "[ ]: "),
]
TEXTS = [
    "one",
    "**a:** b_c",
    "`x`",
    "[x] y",
    "[x]: y",
    "[l](http://a.b)",
    "2. x",
    "a | b",
    "--|--",
    "-",
    "#",
    "",
    " ",
    "x  ",
    "é\u00a0",
]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(ROWS), st.sampled_from(TEXTS), st.sampled_from(["\n", "\n", "\n", "\n\n"])),
        max_size=8,
    ).map(lambda rows: "".join(map("".join, rows))),
    st.booleans(),
)
@example("- a\n  - b\n    1. c\n- d\n\ne", False)
@example("1. a\n   - b\n   - c\n\n2. d\n\n   - e\n   - f\n3. g", False)
@example("- [x] a\n  - [ ] **b:** c\n\n[x]: d\n", False)
@example("- [x] a\n- [ ] b\n\n[ X ]: c\n", False)
@example("- [x] a: `b[0]: c`\n- [ ] d\n\n1. e\n   - f\n\n- g\n\n[e]: f\n", False)
@example("- a\n  - b\n\n1. c\n- d\n\n---\n- e \n***  \n+ f\n", False)
def test_lists_become_what_the_library_makes_of_them(text: str, typed: bool) -> None:
    _assert_same(text, typed=typed)


FENCES = [
    *("```", "```py", "````", "``` a`b", "~~~", "   ```", "    ```", "\t```", "``` \t", "```x", "- ```", "> ```"),
    *("", "", "x = 1", "  y", "one", "- a", "``", "x ```", "```md"),
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(FENCES), max_size=9).map("\n".join), st.booleans())
def test_fences_become_what_the_library_makes_of_them(text: str, typed: bool) -> None:
    _assert_same(text, typed=typed)


TABLES = [
    *("|a|b|", "| a | b |", "a | b", "|`x`| **y** |", "| a |", "||", "| \\| | & |", "| &amp; | \\* |", "|a|b|c|"),
    *("| | b|", "|a\u00a0|", "|-|-|", "|--|", "--|--", "| :-: | -: |", "|:-|-|-|", "- | -", "|-||-|", "-", "|", ":-:"),
    *("| :- |", "  |-|-|", "    |-|-|", "| [x](#one) | ![](a) |", "|<br>|$x$|", "| [^x] | [y] |", "[y]: z", "# one"),
    *("> |a|b|", "- |a|b|", "  |-|-|  ", "", "one", "שלום | x"),
]  # fmt: skip


@settings(max_examples=800, deadline=None)
@given(st.lists(st.sampled_from(TABLES), max_size=9).map("\n".join), st.booleans())
@example("# one\n\n| [x](#one) |\n|-|\n| \\| & |", False)
@example("> |a|b|\n> |-|-|\n> | [x](#y) |\n| c |", False)
def test_tables_become_what_the_library_makes_of_them(text: str, typed: bool) -> None:
    _assert_same(text, typed=typed)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_every_known_case_becomes_what_the_library_makes_of_it(case: Case) -> None:
    quick = case.render()
    with _slowly():
        assert quick == case.render()
