"""Where things stand in a TOML text: the same keys as tomllib finds, each on its own line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.config.places import KeyPath, find_places

TRICKY = '''# a comment with [brackets] and "quotes"
top = "a # no comment"
"quoted key" = 'x'
[site]
title = """
two lines [not] a table
"""
a.b . c = 1 # dotted
literal = \'\'\'
it's "fine"\'\'\'\'
[[share]]
slug = "one\\"#"
when = 2027-01-31 10:00:00
list = [ # opens
  1, [2, "],"],
  { x = 1, "y.z" = [3] },
]
[[share]]
match = { project = "talks", since = 2026-01-01, nested = { deep = true } }
  [share.sub]
  key = 1.5e3
[["rule"]]
[[share]]
slug = "three"
'''


def key_paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Every path to a key or to an array's element of parsed TOML."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, Mapping):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, below in inner:
        yield (*path, key)
        yield from key_paths(below, (*path, key))


def is_known(path: KeyPath, places: Mapping[KeyPath, object]) -> bool:
    """Arrays of tables and tables that only their inner tables name have no place of their own."""
    return path in places or any(other[: len(path)] == path for other in places)


def test_every_key_that_tomllib_finds_has_a_place() -> None:
    places = find_places(TRICKY)
    assert all(is_known(path, places) for path in key_paths(tomllib.loads(TRICKY)))
    assert set(places) <= set(key_paths(tomllib.loads(TRICKY)))


@pytest.mark.parametrize(
    ("path", "beginning"),
    [
        pytest.param(("top",), "top =", id="top-level"),
        pytest.param(("quoted key",), '"quoted key"', id="quoted-key"),
        pytest.param(("site", "a", "b", "c"), "a.b", id="dotted-key"),
        pytest.param(("site", "literal"), "literal", id="after-multi-line-text"),
        pytest.param(("share", 0), "[[share]]\nslug = \"one", id="first-of-an-array-of-tables"),
        pytest.param(("share", 0, "list", 1, 1), '"],"', id="element-of-a-nested-array"),
        pytest.param(("share", 0, "list", 2, "y.z"), '"y.z"', id="key-of-an-inline-table-in-an-array"),
        pytest.param(("share", 1, "match", "nested", "deep"), "deep", id="key-of-an-inline-table"),
        pytest.param(("share", 1, "sub", "key"), "key = 1.5", id="table-within-the-last-of-an-array"),
        pytest.param(("rule", 0), '[["rule"]]', id="quoted-array-of-tables"),
        pytest.param(("share", 2, "slug"), 'slug = "three"', id="array-of-tables-taken-up-again"),
    ],
)  # fmt: skip
def test_place_is_where_the_text_is(path: KeyPath, beginning: str) -> None:
    place = find_places(TRICKY)[path]
    assert TRICKY[place.start :].startswith(beginning)
    assert place.line == TRICKY[: place.start].count("\n") + 1


def test_place_spans_the_whole_value() -> None:
    place = find_places(TRICKY)[("share", 0, "list")]
    assert TRICKY[place.start : place.end].startswith("list = [")
    assert TRICKY[place.start : place.end].endswith("]")


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=6)
SCALARS = (
    st.integers(-(10**9), 10**9)
    | st.booleans()
    | st.datetimes().map(lambda moment: moment.replace(microsecond=0))
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written(value: object, blank: str) -> str:
    """A value as TOML, with blanks and comments where they are allowed."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return quoted(value)
        case list():
            return "[" + ",".join(f"{blank}{written(item, blank)}" for item in value) + f"{blank}]"
        case dict():
            return "{" + ", ".join(f"{quoted(key)} = {written(item, blank)}" for key, item in value.items()) + "}"
        case _:
            return str(value)


@given(
    tables=st.lists(st.tuples(KEYS, st.dictionaries(KEYS, VALUES, max_size=4)), max_size=4),
    blank=st.sampled_from(["", " ", "\n  # ] } \" '\n"]),
)
def test_any_document_is_walked_like_tomllib_does(tables: list[tuple[str, dict[str, object]]], blank: str) -> None:
    text = "".join(
        f"[[{quoted(name)}]]\n" + "".join(f"{quoted(key)} = {written(value, blank)}\n" for key, value in table.items())
        for name, table in tables
    )
    parsed = tomllib.loads(text)
    places = find_places(text)
    assert set(places) == {path for path in key_paths(parsed) if len(path) != 1}
