"""Short ids: short, and enough to find a conversation again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitegen.shares import Finder, short_ids
from tests.shares.world import head

IDS = st.text("ab", min_size=8, max_size=14)


def test_short_ids_have_eight_characters_when_that_is_enough() -> None:
    heads = [head("x", row_id="0123456789"), head("y", row_id="9876543210")]
    assert short_ids(heads) == {"0123456789": "01234567", "9876543210": "98765432"}


def test_short_ids_grow_until_they_tell_apart() -> None:
    heads = [head("x", row_id="0123456789"), head("y", row_id="0123456799")]
    assert sorted(short_ids(heads).values()) == ["012345678", "012345679"]


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=12, unique_by=(lambda pair: pair[0], lambda pair: pair[1])))
def test_short_id_finds_its_conversation(pairs: list[tuple[str, str]]) -> None:
    heads = [head(native, row_id=f"r{row}") for row, native in pairs]
    finder, shortened = Finder(heads), short_ids(heads)
    for each in heads:
        found = finder.find(shortened[each.row_id])
        assert found == (each,)
