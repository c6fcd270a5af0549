"""Diffs: every changed line with its sign, changed words marked, from whatever form a change is stored in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.render.diff import render_diff, render_patch
from sitegen.render.patches import (
    Row,
    compare,
    counts,
    from_structured,
    matches,
    parse_codex,
    parse_unified,
)
from tests.support.calls import context, words
from tests.support.strict_html import faults

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=25)


def signs(rows: list[Row] | tuple[Row, ...]) -> list[str]:
    return [f"{row.kind}{row.text}" for row in rows]


def applied(rows: list[Row], *, kinds: str) -> list[str]:
    return [row.text for row in rows if row.kind in kinds]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        pytest.param("a\nb\nc\n", "a\nx\nc\n", [" a", "-b", "+x", " c"], id="a line replaced"),
        pytest.param("", "a\nb\n", ["+a", "+b"], id="all new"),
        pytest.param("a\n", "", ["-a"], id="all gone"),
        pytest.param("a", "a\n", [], id="only the last line end"),
        pytest.param("a\r\nb\r\n", "a\nb\n", [], id="only line ends"),
        pytest.param("a\nb", "b\na", ["-a", " b", "+a"], id="lines swapped"),
        pytest.param(
            "1\n2\n3\n4\n5\n6\n7\n8\n9",
            "1\n2\n3\n4\nx\n6\n7\n8\n9",
            ["@", " 2", " 3", " 4", "-5", "+x", " 6", " 7", " 8"],
            id="three lines around",
        ),
    ],
)
def test_two_texts_become_rows(old: str, new: str, rows: list[str]) -> None:
    assert signs(compare(old, new)) == rows


def test_whole_files_have_line_numbers() -> None:
    rows = compare("a\nb\n", "a\nc\nb\n", is_numbered=True)
    assert [(row.kind, row.old, row.new) for row in rows] == [(" ", 1, 1), ("+", None, 2), (" ", 2, 3)]


@settings(max_examples=300, deadline=None)
@given(LINES, LINES)
def test_rows_hold_both_texts(old: list[str], new: list[str]) -> None:
    at, bt = 0, 0
    for i, j, length in (*matches(old, new), (len(old), len(new), 0)):
        assert i >= at
        assert j >= bt
        assert old[i : i + length] == new[j : j + length]
        at, bt = i + length, j + length


@settings(max_examples=200, deadline=None)
@given(LINES, LINES)
def test_an_edit_is_as_short_as_can_be(old: list[str], new: list[str]) -> None:
    kept = sum(length for _, _, length in matches(old, new))
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            best[i + 1][j + 1] = best[i][j] + 1 if one == other else max(best[i][j + 1], best[i + 1][j])
    assert kept == best[-1][-1]


def test_what_differs_everywhere_is_shown_whole() -> None:
    old = "".join(f"old {n}\n" for n in range(30_000))
    new = "".join(f"new {n}\n" for n in range(30_000))
    assert counts(compare(f"same\n{old}", f"same\n{new}")) == (30_000, 30_000)


def test_recurring_lines_end_well() -> None:
    old, new = "x\ny\n" * 20_000, "y\nx\nx\n" * 15_000
    rows = compare(old, new)
    assert counts(rows)[0] >= 1


# -------------------------------------------------------------------------------------------------------- the figure


def test_signs_stand_in_the_text_and_words_are_marked() -> None:
    html = str(render_diff(compare("let total = sum(a);\n", "let total = sum(a, b);\n"), context()))
    assert "<del>-let total = sum(a);\n</del><ins>+let total = sum(a<b>, b</b>);\n</ins>" in html
    assert faults(html) == []


def test_lines_with_little_in_common_have_no_marked_words() -> None:
    html = str(render_diff(compare("import os\n", "return None\n"), context()))
    assert "<b>" not in html


def test_an_endless_line_has_no_marked_words() -> None:
    html = str(render_diff(compare("a " * 5000 + "b", "a " * 5000 + "c"), context()))
    assert "<b>" not in html
    assert html.count("a a a") > 2


def test_numbers_stand_beside_the_lines() -> None:
    rows = from_structured([{"oldStart": 9, "newStart": 9, "lines": [" a", "-b", "+c", " d"]}])
    html = str(render_diff(rows, context()))
    columns = re.findall(r'<pre class="ln" aria-hidden="true">(.*?)</pre>', html, re.S)
    assert [column.split("\n") for column in columns] == [["9", "10", "", "11"], ["9", "", "10", "11"]]


def test_numbers_begin_beside_their_line() -> None:
    """A browser leaves out a line break that a block begins with."""
    rows = from_structured([{"oldStart": 9, "newStart": 9, "lines": ["-a", "+b"]}])
    assert '<pre class="ln" aria-hidden="true">\n\n9</pre>' in str(render_diff(rows, context()))


def test_a_long_diff_folds_and_loses_none() -> None:
    rows = [Row("+", f"line {n}") for n in range(300)]
    html = str(render_diff(rows, context(code_lines=30)))
    assert "Show all 300 lines" in html
    assert re.findall(r"\+line (\d+)", html) == [str(n) for n in range(300)]


def test_bytes_in_a_diff_are_visible() -> None:
    assert "+␛[31mred␀" in words(str(render_diff([Row("+", "\x1b[31mred\x00")], context())))


def test_a_row_is_one_line_whatever_it_holds() -> None:
    rows = [Row("-", "a\r"), Row("+", "b\nc"), Row(" ", "\nd\r\ne")]
    html = str(render_diff(rows, context()))
    assert "<del>-a␍\n</del><ins>+b c\n</ins>  d e\n" in html


# ------------------------------------------------------------------------------------------------------ stored forms


def test_a_structured_patch_has_its_hunks() -> None:
    patch = [
        {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+B"]},
        {
            "oldStart": 50,
            "oldLines": 1,
            "newStart": 50,
            "newLines": 1,
            "lines": ["-y", "+Y", "\\ No newline at end of file"],
        },
    ]
    rows = from_structured(patch)  # type: ignore[arg-type]
    assert signs(rows) == [" a", "-b", "+B", "@", "-y", "+Y", "@No newline at end of file"]
    assert (rows[4].old, rows[5].new) == (50, 50)


@pytest.mark.parametrize(
    "patch",
    [None, "x", 3, {}, [None], [{}], [{"lines": "x"}], [{"lines": [1, None]}], [{"lines": [], "oldStart": "x"}]],
)
def test_what_is_no_structured_patch_has_no_rows(patch: object) -> None:
    assert from_structured(patch) == []  # type: ignore[arg-type]


GIT = """diff --git a/src/a.py b/src/a.py
index 111..222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -10,3 +10,4 @@ def f():
 one
-two
+2
+3
 four
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def test_a_unified_diff_has_its_files() -> None:
    first, second = parse_unified(GIT)
    assert (first.path, second.path) == ("src/a.py", "gone.txt")
    assert signs(first.rows) == ["@def f():", " one", "-two", "+2", "+3", " four"]
    assert [(row.old, row.new) for row in first.rows[1:4]] == [(10, 10), (11, None), (None, 11)]


def test_lines_that_look_like_headers_belong_to_their_hunk() -> None:
    (file,) = parse_unified("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n x\n")
    assert (
        signs(file.rows)
        == ["@" if "@" in sign else sign for sign in ["@", "--- old comment", "+++ new comment", " x"]][1:]
    )


def test_a_diff_without_headers_is_one_file() -> None:
    (file,) = parse_unified("-a\n+b\n c\nd")
    assert file.path == ""
    assert signs(file.rows) == ["-a", "+b", " c", " d"]


CODEX = """*** Begin Patch
*** Update File: src/a.js
*** Move to: src/b.js
@@ function f
 const x = 1;
-const y = 2;
+const y = 3;
*** Add File: new.txt
+hello
*** Delete File: old.txt
*** End Patch
"""


def test_a_codex_patch_has_its_files() -> None:
    changed, new, old = parse_codex(CODEX)
    assert (changed.path, changed.verb, changed.moved_to) == ("src/a.js", "update", "src/b.js")
    assert signs(changed.rows) == ["@function f", " const x = 1;", "-const y = 2;", "+const y = 3;"]
    assert (new.path, new.verb, signs(new.rows)) == ("new.txt", "add", ["+hello"])
    assert (old.path, old.verb, old.rows) == ("old.txt", "delete", ())


@pytest.mark.parametrize(
    "text",
    ["", "*** Begin Patch", "*** Begin Patch\n*** End Patch", "*** Begin Patch\nstray\n*** End Patch", "no patch"],
)
def test_a_patch_of_nothing_has_no_files(text: str) -> None:
    assert parse_codex(text) == []


@settings(max_examples=250, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "--- a/x",
                "+++ b/x",
                "@@ -1,2 +1,2 @@",
                "@@",
                "@@ -9999999999 +1 @@",
                "diff --git a/x b/x",
                "+a",
                "-b",
                " c",
                "\\ No newline",
                "*** Begin Patch",
                "*** Add File: <b>",
                "*** End Patch",
                "",
                "\x1b[31m",
                "<script>",
                "\r",
            ]
        ),
        max_size=20,
    ).map("\n".join)
)
def test_any_patch_makes_sound_html(text: str) -> None:
    assert faults(str(render_patch(text, context(code_lines=5)))) == []
    for file in parse_codex(text):
        assert faults(str(render_diff(file.rows, context()))) == []
