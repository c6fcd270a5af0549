"""What is written down of an ingest leads a build on, and anything else in its place leads nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.ledger import changed_between, note
from sitegen.stamps import ABSENT, Stamp

FIRST, SECOND, THIRD = ((1, time, time, 7) for time in (1, 2, 3))
BROKEN = {
    "cut short": '[[[1, 1, 1, 7], [1, 2, 2, 7], ["x"',
    "another shape": '{"a": 1}',
    "stamps of other lengths": '[[[1], [1, 2, 2, 7, 9], ["x"]]]',
    "no list of ids": "[[[1, 1, 1, 7], [1, 2, 2, 7], 5]]",
    "nested deeply": "[" * 100_000,
    "numbers beyond all": "[[[1e999, 1, 1, 7], [1, 2, 2, 7], []]]",
    "not a number": "[[[NaN, 1, 1, 7], [1, 2, 2, 7], []]]",
    "half a character": '[[[1, 1, 1, 7], [1, 2, 2, 7], ["\\ud83d"]]]',
    "not text": "\0" * 50,
    "huge": " " * 5_000_000 + '[[[1, 1, 1, 7], [1, 2, 2, 7], ["x"]]]',
}


@pytest.fixture
def projection(tmp_path: Path) -> Path:
    return tmp_path / "archive.duckdb"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / ".archive.duckdb.changes"


def test_records_lead_from_one_to_the_next(projection: Path) -> None:
    note(projection, FIRST, SECOND, {"wren"})
    note(projection, SECOND, THIRD, {"teal"})
    assert changed_between(projection, FIRST, THIRD) == frozenset({"wren", "teal"})
    assert changed_between(projection, SECOND, THIRD) == frozenset({"teal"})
    assert changed_between(projection, THIRD, THIRD) == frozenset()
    assert changed_between(projection, THIRD, FIRST) is None


def test_links_lead_to_the_same_ledger(projection: Path, tmp_path: Path) -> None:
    projection.touch()
    link = tmp_path / "link" / "talks.duckdb"
    link.parent.mkdir()
    link.symlink_to(projection)
    note(link, FIRST, SECOND, {"wren"})
    assert changed_between(projection, FIRST, SECOND) == frozenset({"wren"})


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_what_is_no_ledger_says_nothing_and_is_replaced(projection: Path, ledger: Path, text: str) -> None:
    ledger.write_text(text)
    assert changed_between(projection, FIRST, SECOND) is None
    note(projection, SECOND, THIRD, {"teal"})
    assert changed_between(projection, SECOND, THIRD) == frozenset({"teal"})


def _link_to_itself(ledger: Path) -> None:
    ledger.symlink_to(ledger)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, _link_to_itself])
def test_what_is_no_file_is_not_read(projection: Path, ledger: Path, make: Callable[[Path], None]) -> None:
    make(ledger)
    assert changed_between(projection, FIRST, SECOND) is None


def test_a_ledger_that_cannot_be_written_leaves_nothing_behind(projection: Path, ledger: Path) -> None:
    ledger.mkdir()
    note(projection, FIRST, SECOND, {"wren"})
    assert list(ledger.parent.iterdir()) == [ledger]


def test_a_projection_that_links_to_itself_has_none(projection: Path) -> None:
    projection.symlink_to(projection)
    assert changed_between(projection, FIRST, SECOND) is None


def test_what_no_build_can_go_by_any_more_is_forgotten(projection: Path, ledger: Path) -> None:
    note(projection, FIRST, SECOND, {"wren"})
    note(projection, (1, 9, 9, 7), THIRD, {"teal"})
    assert changed_between(projection, FIRST, SECOND) is None
    assert "wren" not in ledger.read_text()


@pytest.mark.parametrize("after", [(1, 2, 2, 8), ABSENT])
def test_nothing_is_told_of_a_file_that_gave_way_to_another(projection: Path, after: Stamp) -> None:
    note(projection, FIRST, after, {"wren"})
    assert changed_between(projection, FIRST, after) is None


def test_more_than_is_worth_naming_is_not_named(projection: Path, ledger: Path) -> None:
    note(projection, FIRST, SECOND, {str(number) for number in range(20_000)})
    assert changed_between(projection, FIRST, SECOND) is None
    note(projection, SECOND, THIRD, {"teal"})
    assert changed_between(projection, SECOND, THIRD) == frozenset({"teal"})
    assert ledger.stat().st_size < 200
