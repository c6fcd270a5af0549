"""Characters that may not reach a page, or may not hide on it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.render.text import clean, first_line, shorten, visible

_ANY = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x1b[1m", "a\ufffdb\ufffd[1m"),
        ("\ud83d", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\x85\x7f", "\ufffd\ufffd"),
    ],
)
def test_control_bytes_and_lone_surrogates_are_replaced(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(_ANY)
def test_clean_text_can_be_written_and_holds_no_control_byte(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", cleaned)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain name.txt", "plain name.txt"),
        ("photo\u202egpj.exe", "photo⟨U+202E⟩gpj.exe"),
        ("a\x00b\x1b\x7f", "a␀b␛␡"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("日本語", "日本語"),
    ],
)
def test_nothing_hides_in_a_name(name: str, expected: str) -> None:
    assert visible(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n\n  one  two \nthree", "one two"),
        ("", ""),
        (" \n ", ""),
        ("x" * 200, "x" * 19 + "…"),
        ("some words that go on", "some words that go…"),
    ],
)
def test_the_first_line_is_short_and_not_blank(text: str, expected: str) -> None:
    assert first_line(text, 20) == expected


def test_a_joined_emoji_is_kept_whole_or_left_out() -> None:
    assert shorten("ab👩\u200d👧cd", 5) == "ab…"


@given(_ANY, st.integers(min_value=1, max_value=40))
def test_a_shortened_text_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
