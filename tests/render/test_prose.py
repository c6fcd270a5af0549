"""Markdown of any kind: nothing is lost, nothing acts, ids don't clash, wild input ends well."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import ConversationHead
from sitegen.render.context import Context, RenderOptions
from sitegen.render.prose import render_markdown
from tests.support.strict_html import faults

HEAD = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")

PIECES = [
    *"*_~`#>-+|$\\[](){}<>!&:^@\n \t",
    *("**", "~~", "```", "~~~", "\n\n", "\n- ", "\n1. ", "\n> ", "\n    ", "- [x] ", "| a | b |\n|---|:-:|\n", "[^1]"),
    *(
        "\n[^1]: ",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "$$",
        "\\frac{",
        "\\text{",
        "\\begin{align}",
        "\\end{align}",
        "&",
        "\\\\",
    ),
    *("https://example.org/", "www.", "ann@example.org", "javascript:", "data:image/png;base64,", "](", "![", "[a]: "),
    *("<script>", "</p>", "<br>", '" onclick="', "style=", "&#12;", "&#x202e;", "\x00", "\x1b[31m", "\ud800", "\u202e"),
    *("```markdown\n", "word", "שלום", "中文", "👩‍👩‍👧", "\r\n", "\r", "\f", "\u2028", "#", "# ", "===\n", "---\n"),
]


def render(text: str, *, prefix: str = "m", language: str = "en", typed: bool = False) -> str:
    context = Context(RenderOptions(language=language), HEAD, heading_level=4)
    return str(render_markdown(text, context, prefix=prefix, newlines="typed" if typed else "flow"))


def words_of(html: str) -> str:
    return re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", html)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.booleans())
def test_no_markup_becomes_anything_that_acts(text: str, typed: bool) -> None:
    assert faults(render(text, typed=typed)) == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_makes_sound_html(text: str) -> None:
    assert faults(render(text)) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, "x^2", "\\sum_{i}", "\\href{", "}{y}", "\\style{"]), max_size=20).map("".join)
)
def test_no_formula_becomes_anything_that_acts(tex: str) -> None:
    assert faults(render(f"$${tex}$$\n\n\\({tex}\\) ${tex}$")) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["wa", "wb", "*", "_", "\n", "\n\n", "> ", "- ", "1. ", "# ", "\n```\n", " "]), max_size=30
    )
)
def test_no_word_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    shown = words_of(render(text))
    fences = re.findall(r"^[ >\-]*(?:\d\. )*```(.*)", text, re.M)
    for word in ("wa", "wb"):
        assert shown.count(word) >= text.count(word) - sum(info.count(word) for info in fences)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 5_000, id="opening brackets"),
        pytest.param("![[]()" * 2_000, id="images without an end"),
        pytest.param("*a_ " * 4_000, id="crossed emphasis"),
        pytest.param("**" * 4_000 + "a" + "**" * 4_000, id="strong in strong"),
        pytest.param(">" * 20_000 + "end", id="quotations"),
        pytest.param("\n".join("  " * depth + "- end" for depth in range(300)), id="lists"),
        pytest.param("> - 1. " * 1_000 + "end", id="all nested"),
        pytest.param("$" + "{" * 3_000 + "}" * 3_000 + "$", id="braces in a formula"),
        pytest.param("$$" + "\\frac{" * 900 + "x" + "}{y}" * 900 + "$$", id="fractions in fractions"),
        pytest.param("\\(" * 10_000, id="formulas without an end"),
        pytest.param("\\[\n" * 5_000, id="displayed formulas without an end"),
        pytest.param(" " * 50_000 + "end", id="spaces"),
        pytest.param("\t" * 20_000 + "end", id="tabs"),
        pytest.param("```md\n```x\n```\n" * 2_000, id="nested fences"),
        pytest.param("http://a" + ")" * 50_000, id="brackets after an address"),
        pytest.param("a@" + "b." * 20_000, id="an endless host"),
        pytest.param("".join(f"[^{n}]" for n in range(2_000)) + "\n\n[^1]: x", id="notes"),
        pytest.param("|".join("a" * 500) + "\n" + "|".join("-" * 500) + "\na" * 500, id="a wide table"),
        pytest.param("x" * 300_000, id="one long word"),
        pytest.param("a\n***\nb\n> c\n[^1]: d\n" * 8_000, id="blocks without blank lines"),
        pytest.param("- a\n* b\n\n1. c\n2) d\n" * 10_000, id="many lists"),
        pytest.param("```\n" + "x```" * 50_000 + "\n\nend", id="marks of fences in a line"),
        pytest.param("- a\n\n" * 30_000 + "- *end", id="a long list"),
        pytest.param("- a\n  - b\n c\n" * 5_000, id="lines that only belong to lists"),
        pytest.param("a *b\n" * 30_000, id="a long paragraph"),
        pytest.param("a\n" * 1_100_000, id="a very long text"),
    ],
)
def test_hostile_input_ends_well(text: str) -> None:
    html = render(text)

    assert faults(html) == []
    assert "end" not in text or "end" in words_of(html)


def test_ids_of_two_messages_never_clash() -> None:
    text = "# A\n\n[a](#a) x[^1] y[^1]\n\n[^1]: note"

    first, second = (set(re.findall(r' id="([^"]+)"', render(text, prefix=prefix))) for prefix in ("m1", "m1-2"))

    assert len(first) == len(second) == 4
    assert first.isdisjoint(second)


def test_every_link_within_a_message_finds_its_place() -> None:
    html = render("# A b\n\n[a](#a-b) [gone](#gone) x[^n] y[^n] z[^2]\n\n[^n]: note\n[^2]: two")

    ids = set(re.findall(r' id="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= ids


def test_every_id_begins_with_the_prefix() -> None:
    html = render("# A\n\n[a](#a) x[^1]\n\n[^1]: note", prefix="abc-2")

    assert all(anchor.startswith("abc-2-") for anchor in re.findall(r' id="([^"]+)"', html))


def test_headings_begin_where_the_page_says() -> None:
    context = Context(RenderOptions(), HEAD)

    html = render_markdown("## A\n\n#### B\n\n##### C", context, prefix="m", heading_level=5)

    assert re.findall(r"<(h\d)>", html) == ["h5", "h6", "h6"]


def test_sentences_come_in_the_language_of_the_site() -> None:
    html = render("- [x] ja\n\n![Plan](https://example.org/p.png)\n\nText[^1]\n\n[^1]: Note", language="de")

    assert 'aria-label="Erledigt:"' in html
    assert ">Bild: Plan</a>" in html
    assert 'aria-label="Fußnote 1"' in html


def test_prefix_is_escaped() -> None:
    assert faults(render("x[^1]\n\n# A\n\n[a](#a)\n\n[^1]: y", prefix='"onclick=')) == []


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = render("![a](https://example.org/a.png) ![b](//example.org/b.png) ![c](http://example.org/c.svg 'title')")

    assert "<img" not in html
    assert html.count("Image: ") == 3
