"""Terminal output: what the screen showed in the end, by class, and nothing that could act."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitegen.render.ansi import plain, render_terminal, styled, visible_escapes
from tests.support.calls import context, words
from tests.support.strict_html import faults

TERM_CSS = (Path(__file__).parents[2] / "static/css/term.css").read_text("utf-8")
THEME_CSS = (Path(__file__).parents[2] / "static/css/theme.css").read_text("utf-8")

PIECES = [
    *("\x1b", "\x1b[", "\x1b[31", "\x1b[31m", "\x1b[0m", "\x1b[1;4;7m", "\x1b[38;5;208m", "\x1b[48;2;1;2;3m", "\x9b1m"),
    *("\x1b]0;title", "\x1b]8;;https://example.org/", "\x1b]8;;javascript:alert(1)", "\x07", "\x1b\\", "\x1b]8;;\x07"),
    *("\r", "\n", "\r\n", "\b", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[1G", "\x1b[2J", "\x1b[3A", "\x1bP", "\x1b(B"),
    *("text", " ", "<script>", '"', "&", "é", "中", "\x00", "\x7f", "\x85", "\ud800", ";", ":", "m", "38", "\t"),
]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param("plain <b> & \"q\" 'q'", "plain &lt;b> &amp; \"q\" 'q'", id="plain text is escaped"),
        pytest.param("\x1b[31mred\x1b[0m", '<span class="h1">red</span>', id="one of sixteen"),
        pytest.param(
            "\x1b[91mred\x1b[39m x", '<span class="h1">red</span> x', id="a bright one, and the default again"
        ),
        pytest.param("\x1b[38;5;46mok\x1b[m", '<span class="h5">ok</span>', id="one of 256"),
        pytest.param("\x1b[38;5;244mpale\x1b[m", '<span class="y0">pale</span>', id="a grey of 256"),
        pytest.param("\x1b[38;2;255;0;0mtrue\x1b[m", '<span class="h1">true</span>', id="true colour"),
        pytest.param("\x1b[38:2::255:0:0mtrue\x1b[m", '<span class="h1">true</span>', id="true colour with colons"),
        pytest.param("\x1b[48;5;1mback\x1b[m", '<span class="q1">back</span>', id="behind text"),
        pytest.param(
            "\x1b[40mx\x1b[47my\x1b[49mz", '<span class="q13">x</span><span class="q12">y</span>z', id="greys"
        ),
        pytest.param(
            "\x1b[1;4mboth\x1b[24mbold", '<span class="b u">both</span><span class="b">bold</span>', id="flags"
        ),
        pytest.param("\x1b[2mdim\x1b[22;3mit\x1b[23;9mout", None, id="dim, italic, struck"),
        pytest.param("\x1b[7minv\x1b[27m", '<span class="v">inv</span>', id="inverse"),
        pytest.param("\x1b[4:3mcurly\x1b[4:0m.", '<span class="u">curly</span>.', id="a curly underline is one"),
        pytest.param("\x1b[38;5mx", "x", id="a colour without its number"),
        pytest.param("\x1b[999999999999m\x1b[;;mx", "x", id="numbers beyond any meaning"),
        pytest.param("\x1b[>4;2mx\x1b[?25ly", "xy", id="private sequences"),
        pytest.param("\x1b]0;a title\x07x\x1b]2;b\x1b\\y", "xy", id="titles"),
        pytest.param("x\x1b]0;never ends\nnext", "x\nnext", id="a title that is cut off ends with its line"),
        pytest.param("x\x1b[38;5", "x", id="a colour that is cut off"),
        pytest.param("x\x1b", "x", id="an escape alone"),
        pytest.param("\x1b(B\x1b=x\x1bcy", "xy", id="two and three bytes"),
        pytest.param("\x1b[2J\x1b[H\x1b[3A\x1b[5Cx", "x", id="movement"),
        pytest.param("a\x00b\x07c\x7fd\x85e", "abcde", id="other control bytes"),
    ],
)
def test_sequences_become_classes_or_nothing(raw: str, shown: str | None) -> None:
    html = str(styled(raw))
    if shown is None:
        shown = '<span class="d">dim</span><span class="i">it</span><span class="s">out</span>'
    assert html == shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(" 10%\r 50%\r100%\n", "100%\n", id="progress"),
        pytest.param("working\rdone\x1b[K", "done", id="the rest of the line is erased"),
        pytest.param("working\rok", "okrking", id="what isn't written over stays"),
        pytest.param("\x1b[2K\x1b[1G⠋ one\x1b[2K\x1b[1G⠙ two\n", "⠙ two\n", id="a spinner"),
        pytest.param("ab\bX", "aX", id="backspace"),
        pytest.param("\b\b\rx", "x", id="backspace at the start"),
        pytest.param("abc\x1b[1Kd", "   d", id="erased to the left"),
        pytest.param("one\r\ntwo\r\n", "one\ntwo\n", id="line ends of Windows"),
        pytest.param("a\rb\nc\rd", "b\nd", id="each line for itself"),
        pytest.param("\x1b[31mfail\r\x1b[32mpass", "pass", id="with colours"),
    ],
)
def test_a_line_shows_its_last_state(raw: str, shown: str) -> None:
    assert plain(raw) == shown
    assert words(str(styled(raw))) == shown


def test_a_line_written_over_keeps_the_last_colour_only() -> None:
    assert str(styled("\x1b[31mfail\r\x1b[32mpass\x1b[0m\n")) == '<span class="h5">pass</span>\n'


@pytest.mark.parametrize("end", ["\x07", "\x1b\\"], ids=["bell", "string terminator"])
def test_a_link_to_the_web_is_one(end: str) -> None:
    html = str(styled(f"see \x1b]8;id=1;https://example.org/a?b&c{end}here\x1b]8;;{end}."))
    assert html == 'see <a href="https://example.org/a?b&amp;c" rel="noopener noreferrer nofollow">here</a>.'


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//example.org", ""]
)
def test_any_other_link_is_only_its_words(target: str) -> None:
    assert str(styled(f"\x1b]8;;{target}\x07here\x1b]8;;\x07")) == "here"


@pytest.mark.parametrize("line", ["\x1b[3{c}mline {n}\x1b[0m\n", "line {n}\n"], ids=["coloured", "plain"])
def test_output_of_many_lines_folds_and_loses_none(line: str) -> None:
    raw = "".join(line.format(n=n, c=n % 8) for n in range(200))
    html = str(render_terminal(raw, context(code_lines=20), label="Output"))
    assert "Show all 200 lines" in html
    assert re.findall(r"line (\d+)", html) == [str(n) for n in range(200)]
    assert html.index("line 19") < html.index("<details") < html.index("line 20")
    assert faults(html) == []


def test_short_output_does_not_fold() -> None:
    html = str(render_terminal("one\ntwo\n", context()))
    assert '<pre class="term" tabindex="0">one\ntwo</pre>' in html
    assert "<details" not in html


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "␛[31mred␛[0m", id="escapes are seen"),
        pytest.param("a\x00b\x07\x7f", "a␀b␇␡", id="other bytes are seen"),
        pytest.param("a\r\nb\tc\n", "a\nb\tc\n", id="line ends and tabs are not"),
        pytest.param("100%\rdone", "100%␍done", id="nothing is written over"),
        pytest.param("clean", "clean", id="a clean file is itself"),
    ],
)
def test_bytes_of_a_file_are_made_visible(raw: str, shown: str) -> None:
    assert visible_escapes(raw) == shown


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("\x1b]8;;https://example.org/\x9b1m\x07x")
def test_nothing_a_terminal_is_sent_can_act(raw: str) -> None:
    html = str(render_terminal(raw, context(code_lines=3)))
    assert faults(html) == []
    assert "javascript:" not in re.sub(r">[^<]*<", "", html)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=300))
def test_no_control_byte_reaches_the_page(raw: str) -> None:
    for shown in (str(styled(raw)), plain(raw), visible_escapes(raw)):
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", shown) is None


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("\x1b[31m" * 50_000, id="colours"),
        pytest.param("\x1b]8;;" * 50_000, id="links that never end"),
        pytest.param("\x1b]0;x\n" * 50_000, id="titles that never end"),
        pytest.param("\x1bP" * 50_000, id="strings that never end"),
        pytest.param("x" * 50_000 + "\x1b[1K\x1b[2K" * 50_000, id="erasing a long line"),
        pytest.param("x" * 50_000 + "\b\x1b[1K" * 50_000, id="erasing a long line from its end"),
        pytest.param("\r" * 100_000, id="returns"),
        pytest.param("\x1b[" + "1;" * 50_000 + "m", id="a long list of parameters"),
    ],
)
def test_hostile_output_ends_well(raw: str) -> None:
    assert faults(str(styled(raw))) == []


# ---------------------------------------------------------------------------------------------------------- contrast

BOTH = re.compile(r"light-dark\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\)")


def pairs(css: str, name: str) -> dict[str, tuple[str, str]]:
    """Light and dark value of each rule that sets the property `name`."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", css, flags=re.S))
    found = {}
    for selector, body in rules:
        match = re.search(rf"(?:^|[;\s]){re.escape(name)}:\s*{BOTH.pattern}", body)
        if match:
            found[selector.strip()] = (match[1], match[2])
    return found


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def theme(name: str) -> tuple[str, str]:
    match = re.search(rf"--{name}: {BOTH.pattern}", THEME_CSS)
    assert match is not None
    return match[1], match[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_terminal_colour_reads_on_every_other(scheme: int) -> None:
    fronts = {**pairs(TERM_CSS, "--f"), "ink": theme("ink")}
    backs = {**pairs(TERM_CSS, "--g"), "wash": theme("wash")}
    assert len(fronts) == 14
    assert len(backs) == 15
    low = {
        (front, back): contrast(colour[scheme], ground[scheme])
        for front, colour in fronts.items()
        for back, ground in backs.items()
        if contrast(colour[scheme], ground[scheme]) < 4.5
    }
    assert low == {}


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("sheet", "grounds"),
    [
        pytest.param("syntax", ["wash"], id="source code"),
        pytest.param("tools", ["wash", "paper"], id="the rest of a step"),
    ],
)
def test_colours_of_blocks_read_on_their_ground(sheet: str, grounds: list[str], scheme: int) -> None:
    css = (Path(__file__).parents[2] / f"static/css/{sheet}.css").read_text("utf-8")
    colours = list(pairs(css, "color").values())
    colours += [theme(name) for name in re.findall(r"[\s{;]color: var\(--(\w+)\)", css)]
    assert colours
    assert all(contrast(colour[scheme], theme(ground)[scheme]) >= 4.5 for colour in colours for ground in grounds)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_reads_on_every_ground_of_a_diff(scheme: int) -> None:
    css = (Path(__file__).parents[2] / "static/css/diff.css").read_text("utf-8")
    grounds = [*pairs(css, "background").values(), theme("added"), theme("removed")]
    assert len(grounds) == 4
    assert all(contrast(theme("ink")[scheme], ground[scheme]) >= 4.5 for ground in grounds)
    assert contrast(theme("muted")[scheme], theme("wash")[scheme]) >= 4.5
