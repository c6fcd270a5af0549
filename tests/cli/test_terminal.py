"""Text for a terminal: harmless, and in columns."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.cli.terminal import counted, safe, safe_lines, table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b]0;owned\x07red", "�]0;owned�red"),
        ("a\u202eb\u2066c\u200bd", "a�b�c�d"),
        ("two\r\nlines\tand\u2028more", "two lines and more"),
        ("\ud800x", "�x"),
        ("क\u094d\u200dष 👩\u200d🌾", "क\u094d\u200dष 👩\u200d🌾"),
        ("عربي", "عربي"),
    ],
    ids=["plain", "escape", "bidi", "lines", "half-character", "joiners", "right-to-left"],
)
def test_text_is_shown_in_one_harmless_line(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text(st.characters(codec=None)))
def test_no_text_steers_the_terminal(text: str) -> None:
    assert all(unicodedata.category(char)[0] != "C" or char in "\u200c\u200d" for char in safe(text))
    assert len(safe(text, limit=10)) <= 10
    assert "\n" not in safe(text)


def test_long_text_is_cut_where_it_says_so() -> None:
    assert safe("abcdefghij", limit=5) == "abcd…"
    assert safe_lines("a\x07\nb") == "a�\nb"


def test_columns_stand_under_wide_and_combining_characters() -> None:
    rows = table([("日本", "x", "one"), ("e\u0301", "long", "two")]).splitlines()
    assert rows == ["日本  x     one", "e\u0301     long  two"]


def test_numbers_are_counted_in_words() -> None:
    assert (counted(1, "message"), counted(1200, "message")) == ("1 message", "1,200 messages")
