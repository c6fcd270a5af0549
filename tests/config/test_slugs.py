"""Slugs made for shares: safe, told apart, and as random as they must be."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitegen.config.slugs import derived_slug, fault_of, folded, random_slug, readable_slug, simplified

ANY_TEXT = st.text(st.characters(codec=None), max_size=300)


@given(title=ANY_TEXT, key=ANY_TEXT)
@example(title="\u0591", key="")  # a mark without a letter
def test_slug_made_of_anything_can_be_used(title: str, key: str) -> None:
    assert fault_of(readable_slug(title, key)) is None
    assert fault_of(derived_slug(key)) is None


@given(ANY_TEXT)
def test_folding_a_second_time_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(ANY_TEXT)
def test_usable_slug_is_one_plain_part_of_a_path(text: str) -> None:
    if fault_of(text) is None:
        assert not set(text) & set('/\\:*?"<>| \0%#')
        assert text not in (".", "..")


def test_random_slugs_have_128_bits_and_never_repeat() -> None:
    slugs = {random_slug() for _ in range(200)}
    assert len(slugs) == 200
    assert all(len(slug) == 26 and fault_of(slug) is None for slug in slugs)


def test_same_title_of_two_conversations_makes_two_slugs() -> None:
    assert readable_slug("Parser", "a:1") != readable_slug("Parser", "a:2")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Fixing the Parser", "fixing-the-parser"),
        ("--a__b..c--", "a-b-c"),
        ("Größe", "grösse"),
        ("cafe\u0301", "café"),
        ("🎉", ""),
    ],
    ids=["words", "signs", "folding", "composition", "nothing-left"],
)
def test_text_is_simplified_to_words_and_hyphens(text: str, slug: str) -> None:
    assert simplified(text) == slug
