"""Messages of a tree come in line: parents first, the chosen path last, whatever the tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.ingest.trees import in_line, path_to

TREE: dict[str, str | None] = {"q": None, "a1": "q", "a2": "q", "b1": "a1", "b2": "a1", "c": "a2"}


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ("c", ["q", "a1", "b1", "b2", "a2", "c"]),
        ("b1", ["q", "a2", "c", "a1", "b2", "b1"]),
        ("b2", ["q", "a2", "c", "a1", "b1", "b2"]),
        (None, ["q", "a1", "b1", "b2", "a2", "c"]),
        ("gone", ["q", "a1", "b1", "b2", "a2", "c"]),
    ],
)
def test_chosen_path_comes_last(leaf: str | None, expected: list[str]) -> None:
    assert in_line(TREE, leaf) == expected


def test_circle_comes_before_the_chosen_path() -> None:
    assert in_line({"b": "f", "a": None, "f": "b"}, "a") == ["b", "f", "a"]


def test_circle_loses_nothing() -> None:
    assert sorted(in_line({"a": "b", "b": "a", "c": "c", "d": None}, "a")) == ["a", "b", "c", "d"]


def test_tree_may_be_deeper_than_the_stack() -> None:
    chain: dict[str, str | None] = {str(n): str(n - 1) if n else None for n in range(50_000)}
    assert in_line(chain, "49999") == list(chain)


names = st.sampled_from("abcdefgh")


@given(st.dictionaries(names, st.none() | names | st.just("gone"), max_size=8), st.none() | names)
def test_random_trees_keep_every_message_once_and_in_order(parents: dict[str, str | None], leaf: str | None) -> None:
    order = in_line(parents, leaf)
    assert sorted(order) == sorted(parents)
    for name, parent in parents.items():
        if parent in parents and parent != name and name not in path_to(parents, parent):
            assert order.index(parent) < order.index(name)
    if leaf in parents and not any(leaf == parent for parent in parents.values()) and _is_rooted(parents, leaf):
        assert order[-1] == leaf


def _is_rooted(parents: dict[str, str | None], name: str) -> bool:
    top = [each for each in path_to(parents, name) if parents[each] not in parents]
    return bool(top)
