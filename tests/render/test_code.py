"""Source code in a page: coloured by short classes, nothing lost, nothing that acts, folded when long."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import json
import re
import textwrap
from functools import cache
from random import Random
from types import ModuleType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pygments import lexer as pygments_lexer
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Punctuation, _TokenType
from pygments.token import Text as TextKind

from sitegen.render.code import _class_of, _stretches, render_code
from sitegen.render.languages import find_language, find_lexer
from sitegen.render.lexing import Classes, lex, told
from sitegen.render.scans import Span
from sitegen.render.yaml_lexing import lex_yaml
from tests.bench.workload.code import Code
from tests.bench.workload.text import Text
from tests.support.calls import context, words
from tests.support.strict_html import faults

PYTHON = '''import os

@cache
class A(B):
    """What it is."""
    def f(self, x: int = 1) -> None:
        # why
        return f"{x!r} \\n" if x else None
'''
SAMPLES = {
    "python": PYTHON,
    "typescript": "const a: number = `x ${b}` as any; // c\nexport class D<T> extends E { async f(): void {} }\n",
    "javascript": "let r = /a[b/]c/gi.test('x') ? 1e3 : null;\nfunction* g() { yield* h; }\n",
    "tsx": "const A = () => <B c='d' e={f}>g &amp; {h}</B>;\n",
    "bash": "for f in *.py; do echo \"$f: $(wc -l < $f)\" | grep -v '^#' && exit 1; done # c\ncat <<EOF\n$x\nEOF\n",
    "json": '{"a": [1, 2.5e3, true, null, "b\\n"]}\n',
    "yaml": "a: &x\n  - 'b' # c\n  - {d: 1, e: *x}\n---\n",
    "sql": "SELECT a.b, count(*) FROM t AS a WHERE c = 'd' -- e\nGROUP BY 1;\n",
    "css": "@media (min-width: 3rem) { .a > #b::before { color: #fff; margin: -1px } } /* c */\n",
    "html": "<!doctype html><p class='a'>b &lt; c<script>let d = 1;</script></p>\n",
    "rust": "fn f<'a>(x: &'a str) -> Result<u8, E> { /* n /* m */ */ Ok(b'a') }\n",
    "go": "func (a *B) F(c ...int) error { return fmt.Errorf(`x %w`, err) }\n",
    "toml": 'a = 1979-05-27\n[b."c"]\nd = """e\nf"""\n',
    "markdown": (
        "# a\n\n*b* `c` d e_f_ _g_ #h [i](j)\n\n```python\nx = 1\n```\n```sh y\nls 1\n```\n"
        "```no\n```\n- k **l** m\n1. ~~n~~ [o]: p\n"
    ),
    "cpp": "#include <a>\ntemplate <class T> auto f(T&& x) -> decltype(x) { return x; } // c\n",
    "csharp": '[A]\nclass B<T> : C where T : new() { int @d = 0x1F; string E => $"{d}"; } // f\n',
    "console": "$ ls\na b\n",
    "kotlin": '@A class B<T>(val c: Int = 1) : D() { fun `e f`(): String? = "$c ${c + 1}" } // g\n',
    "scala": 'package a.b\n@c class D[T](val e: Int) extends F with G { def h(i: T)(using J) = s"$e" } // k\n',
    "haskell": "module A (b) where\nimport qualified C.D as E\nb :: Int -> F\nb x' = G { h = x' `i` 1 } -- j\n",
}


def render(
    source: str,
    language: str = "",
    *,
    code_lines: int = 40,
    colour_bytes: int | None = None,
    first_number: int | None = None,
) -> str:
    ctx = context(code_lines=code_lines)
    return str(render_code(source, ctx, language=language, colour_bytes=colour_bytes, first_number=first_number))


def numbers_of(html: str) -> list[int]:
    """What stands beside the lines, with the tens that the style sheet counts."""
    found: list[int] = []
    for start, items in re.findall(r'<ol class="ln" aria-hidden="true" start="(\d+)">(.*?)</ol>', html, re.S):
        for ten, written in enumerate(re.findall("<li>(.*?)</li>", items, re.S), start=int(start)):
            found += map(int, written.split("\n")) if written else range(ten * 10, ten * 10 + 10)
    return found


def code_of(html: str) -> str:
    return words("".join(re.findall(r"<code>(.*?)</code>", html, re.S)))


def class_unless_dull(kind: _TokenType) -> str:
    return "" if kind[:1] in (TextKind, Punctuation) else str(kind)


def assert_tokens_are_those_of_pygments(language: str, source: str) -> None:
    lexer = find_lexer(language)
    assert lexer is not None
    ways: list[Classes] = [class_unless_dull] if language == "json" else [class_unless_dull, _class_of, str]
    for classes in ways:
        ours, theirs = lex(lexer, source, classes), told(their_lexer(language), source, classes)
        if language == "yaml" and classes is _class_of:  # white space between tokens of one class looks as they do
            assert _stretches(ours, source) == _stretches(theirs, source)
        else:
            assert stretches(ours) == stretches(theirs)


def stretches(tokens: list[Span]) -> list[Span]:
    """The tokens, neighbours of one class as one: that is how they look."""
    found: list[Span] = []
    for start, end, name in tokens:
        if found and found[-1][1:] == (start, name):
            start = found.pop()[0]
        found.append((start, end, name))
    return found


@cache
def their_lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


@pytest.mark.parametrize("language", SAMPLES)
def test_tokens_are_those_of_pygments(language: str) -> None:
    sample = SAMPLES[language]
    assert_tokens_are_those_of_pygments(language, sample * 3)
    assert_tokens_are_those_of_pygments(language, sample * 3 + "\x00é中\n\n  \n" + sample[: len(sample) // 2])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(SAMPLES)),
    st.lists(
        st.sampled_from([
            *"\"'`$(){}[]<>/*#=:;,.\\ \n\t@!~-+&|é中ſK", "a", "def", "if", "0x", "1", "/*", '"""', "\n    ", "```\n",
            "```py\n", "match x", "\\u12aF", '"b": ', "true", "-1.5e3", "</", "<!--", "\n\n", "b_c", "=>", "...", "?.",
            "TypeError", "await", "in", "null", "() {", "fi", "done", "1.5", "class ", "from ", "import ", "f'{", 'f"',
            "}}", "`${", "$x", "${", "$(", "'a'", '"b"', "r'", ":2}", "!r}", "//", "a.b", "yield from ", "?:", "\\n",
            "$1", "/a/g", ": ", "@a", "module ", "_", "0", "é: ", "this", "type", "string", "<!", "+=",
            "a: ", " as ", "None",
        ]),
        max_size=30,
    ),
)  # fmt: skip
@example("typescript", ["=>", "/*", " */ ", "a"])
@example("typescript", ["?", "=>", "/*", "/"])
@example("typescript", ["...", "1"])
@example("typescript", ["b_c", "?.", "in", " ", ":", " ", "null"])
@example("python", ["(", "\n    ", "match x", ":\n", "\n", "\n    ", 'r"""', "a", '"""'])
@example("typescript", ["a", ";", "\n", "/", "b", "/"])
@example("javascript", ["a", ".5", "b_c", "() {"])
def test_tokens_are_those_of_pygments_for_any_text(language: str, pieces: list[str]) -> None:
    assert_tokens_are_those_of_pygments(language, "".join(pieces))


@pytest.mark.parametrize("module", [contextlib, dataclasses, enum, textwrap])
def test_tokens_of_a_library_are_those_of_pygments(module: ModuleType) -> None:
    assert_tokens_are_those_of_pygments("python", inspect.getsource(module))


@pytest.mark.parametrize("language", ["python", "typescript", "bash", "json", "sql", "yaml"])
def test_tokens_of_long_code_are_those_of_pygments(language: str) -> None:
    assert_tokens_are_those_of_pygments(language, Code(Text(Random("1"))).of(language, 400) + "\n")


def words_of(lexer: Lexer) -> set[str]:
    """All words that a lexer's rules name, wherever they do."""
    definitions: dict[str, list[object]] = type(lexer).get_tokendefs()  # type: ignore[attr-defined]
    patterns = [rule[0] for rules in definitions.values() for rule in rules if isinstance(rule, tuple)]
    named = {word for each in patterns if isinstance(each, pygments_lexer.words) for word in each.words}
    return named.union(*(re.findall(r"\w+", each) for each in patterns if isinstance(each, str) and each.isascii()))


@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "bash"])
def test_no_word_that_pygments_knows_is_stepped_over(language: str) -> None:
    lexer = find_lexer(language)
    assert lexer is not None
    for word in sorted(words_of(lexer)):
        assert_tokens_are_those_of_pygments(language, f"a {word} b = ({word}, a.{word});\n{word} c\n")


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=12,
    ),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_tokens_of_json_are_those_of_pygments(value: object, indent: int | None, is_ascii: bool) -> None:
    assert_tokens_are_those_of_pygments("json", json.dumps(value, indent=indent, ensure_ascii=is_ascii))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["", "", " ", "  ", "    ", "- ", "  - ", "-   ", "- - ", "? ", "-", "---"]),
            st.sampled_from([
                *("", "a: ", "a b:  ", "'a': ", '"a b": ', "a:", "a: b: ", "a : ", ": ", "[a]: ", "&a ", "%a"),
            ]),
            st.sampled_from([
                *("", "b", "b c  d", "b#c", "b # c", " # c", "#c", "http://b:80/c", "-1.5", "b: c", "b, c: d", ":b"),
                *("b:", "'b  c' ", '"b" # c', "'b''c'", '"b\\n"', '"b', '"b" c', "[]", "[b, 'c d', e f]", "[b,]"),
                *("[b: c]", "[b #c]", "{}", "{ b: c, d e: 'f' }", "{b:c}", "{b: }", "{b: [c]}", "[b", "|", ">-", "*b"),
                *("!b c", "@b", "b\tc", "é"),
            ]),
        ),
        max_size=8,
    ),
)  # fmt: skip
def test_tokens_of_yaml_are_those_of_pygments(lines: list[str]) -> None:
    assert_tokens_are_those_of_pygments("yaml", "\n".join([*lines, ""]))


@pytest.mark.parametrize("source", ["a: b\n- c: 'd'  # e\n", "a:\n  - b: [c, 'd']\n\n    e: {f: g}\n"])
def test_yaml_of_plain_lines_is_read_without_pygments(source: str) -> None:
    assert lex_yaml(source, _class_of) is not None


@pytest.mark.parametrize("language", SAMPLES)
def test_coloured_code_is_the_code(language: str) -> None:
    html = render(SAMPLES[language], language)
    assert re.search("<(b|i class=[a-z])>", html)
    assert code_of(html) + "\n" == SAMPLES[language]
    assert faults(html) == []


@pytest.mark.parametrize(
    ("source", "language", "code"),
    [
        pytest.param("a, b = (c + d)", "python", "a, b = (c + d)", id="names and punctuation stay plain"),
        pytest.param("len(self)", "python", "len(self)", id="so do names that come with the language"),
        pytest.param("# one\n# two", "python", "<i class=c># one\n# two</i>", id="neighbours are one"),
        pytest.param(
            "public static void f();", "java", "<b>public static</b> void <i class=f>f</i>();", id="so do types"
        ),
        pytest.param("return None", "python", "<b>return None</b>", id="and constants"),
        pytest.param('f"a{b}c"', "python", '<i>f"a{</i>b<i>}c"</i>', id="brackets belong to their text"),
        pytest.param("a=$(b)", "bash", "a=$(b)", id="signs of a shell stay plain"),
        pytest.param('{"a": "b"}', "json", '{"a": <i>"b"</i>}', id="so do keys"),
        pytest.param("<a b='c'>", "html", "&lt;<b>a</b> <i class=a>b</i>=<i>'c'</i>>", id="but tags don't"),
        pytest.param('x = "a>b" < 1 & 2', "python", 'x = <i>"a>b"</i> &lt; <u>1</u> &amp; <u>2</u>', id="escaped"),
    ],
)
def test_few_words_are_coloured(source: str, language: str, code: str) -> None:
    assert f"<code>{code}</code>" in render(source, language)


@pytest.mark.parametrize(
    ("language", "data"),
    [
        pytest.param("Python", "python", id="case doesn't matter"),
        pytest.param("jsonc", "jsonc", id="what people write"),
        pytest.param("mermaid", "mermaid", id="a diagram is its source"),
        pytest.param("no-such-language", "no-such-language", id="unknown"),
    ],
)
def test_the_language_is_named(language: str, data: str) -> None:
    html = render("a = 1", language)
    assert f'<figure class="code" data-lang="{data}"><figcaption>{data}</figcaption>' in html


@pytest.mark.parametrize(
    "language",
    ['"><script>', "a b", "\x00", "\u202epy", "x" * 500, "../../etc", "python'"],
)
def test_a_hostile_language_names_nothing_that_acts(language: str) -> None:
    html = render("a = 1", language)
    assert faults(html) == []
    assert code_of(html) == "a = 1"


def test_code_without_a_language_is_plain() -> None:
    html = render("def f(): pass")
    assert html == '<figure class="code"><pre tabindex="0"><code>def f(): pass</code></pre></figure>\n'


def test_a_long_block_folds_at_a_line_and_loses_none() -> None:
    source = "".join(f"x{n} = '''a\nb'''\n" for n in range(100))
    html = render(source, "python", code_lines=25)
    assert "Show all 200 lines" in html
    assert code_of(html) + "\n" == source
    assert words(html.split("<details")[0]).count("\n") == 25
    assert faults(html) == []


def test_a_block_a_little_longer_than_the_limit_does_not_fold() -> None:
    assert "<details" not in render("a\n" * 24, code_lines=20)
    assert "<details" in render("a\n" * 25, code_lines=20)


def test_lines_are_numbered_from_where_they_are() -> None:
    html = render("a\nb\n", first_number=97)
    numbers = '<ol class="ln" aria-hidden="true" start="9"><li>97\n98</li></ol>'
    assert f'<div class="lined">{numbers}<pre tabindex="0"><code>a\nb</code>' in html


@pytest.mark.parametrize(
    ("first", "last"), [(0, 9), (1, 1), (1, 50), (7, 31), (9, 10), (10, 19), (10, 20), (95, 104), (999, 1001), (0, 0)]
)
def test_every_line_has_its_number(first: int, last: int) -> None:
    html = render("a\n" * (last - first + 1), code_lines=1000, first_number=first)
    assert numbers_of(html) == [*range(first, last + 1)]


def test_numbers_go_on_behind_the_fold() -> None:
    html = render("a\n" * 50, code_lines=20, first_number=1)
    assert numbers_of(html) == [*range(1, 51)]


def test_colouring_ends_where_it_gets_too_much_and_says_so() -> None:
    html = render("x = 1\n" * 1000, "python", colour_bytes=600, code_lines=40)
    assert html.count("<u>1</u>") == 40
    assert "not coloured after line 40" in html
    assert code_of(html).count("x = 1") == 1000


def test_a_short_block_within_the_limit_is_coloured_whole() -> None:
    html = render("x = 1\n" * 90, "python", colour_bytes=600, code_lines=40)
    assert html.count("<u>1</u>") == 90
    assert "not coloured" not in html


def test_an_endless_line_is_not_coloured() -> None:
    html = render("x = 1\n" + "y = 2; " * 10_000, "python")
    assert html.count("<u>") == 1
    assert code_of(html) == "x = 1\n" + "y = 2; " * 10_000


def test_bytes_of_a_source_are_visible_and_never_style() -> None:
    assert code_of(render("\x1b[31mred\x1b[0m\x00")) == "␛[31mred␛[0m␀"


def test_a_fence_of_terminal_output_is_shown_as_a_terminal() -> None:
    assert '<pre class="term" tabindex="0"><span class="h1">red</span></pre>' in render("\x1b[31mred\x1b[0m", "ansi")


def test_a_fence_of_a_diff_is_shown_as_one() -> None:
    html = render("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one two five\n+one three five\n", "diff")
    assert "<del>-one <b>two</b> five\n</del><ins>+one <b>three</b> five\n</ins>" in html


def test_a_fence_called_diff_that_is_none_is_code() -> None:
    assert code_of(render("no signs here", "diff")) == "no signs here"


@pytest.mark.parametrize(
    ("name", "language"),
    [
        pytest.param("a/b/parser.py", "python", id="everyday"),
        pytest.param("C:\\x\\y.TS", "typescript", id="a Windows path in capitals"),
        pytest.param("Dockerfile", "docker", id="a name of its own"),
        pytest.param("Makefile", "make", id="another"),
        pytest.param("py", "", id="only what looks like an ending"),
        pytest.param("notes.unknown", "", id="unknown"),
        pytest.param("", "", id="no name"),
        pytest.param("x" * 1000 + ".zzz", "", id="endless"),
    ],
)
def test_a_file_name_tells_the_language(name: str, language: str) -> None:
    assert find_language(name) == language


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["", "python", "html", "bash", "diff", "yaml", "json", "markdown"]))
def test_any_text_in_any_language_makes_sound_html(source: str, language: str) -> None:
    assert faults(render(source, language, code_lines=3)) == []
