"""Several projections are read as one; of two copies of a conversation the fuller one is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from sitegen.errors import ProjectionError
from sitegen.model import SharedView
from sitegen.projection import Projections, open_all
from tests.projection.reading import observed
from tests.support.projections import ConversationRow, assistant, conversation, make_projection, user

SHORT = conversation("s1", user("Hello"), ended_at="2026-01-01T00:00:00Z")
LONG = conversation("s1", user("Hello"), assistant("Hi"), ended_at="2025-01-01T00:00:00Z")


@contextmanager
def together(folder: Path, *groups: list[ConversationRow]) -> Iterator[Projections]:
    paths = [make_projection(folder / f"p{n}.duckdb", talks) for n, talks in enumerate(groups)]
    with open_all(paths, temp_folder=folder / "temp", lock_wait_s=0) as projections:
        yield projections


def read(projections: Projections) -> dict[str, list[str | None]]:
    talks = projections.read([head.row_id for head in projections.heads()])
    return {talk.head.native_id: [message.blocks[0].text for message in talk.messages] for talk in talks}


@pytest.mark.parametrize("swap", [False, True], ids=["fuller-last", "fuller-first"])
def test_fuller_copy_wins(tmp_path: Path, swap: bool) -> None:
    groups = [[LONG], [SHORT]] if swap else [[SHORT], [LONG]]
    with together(tmp_path, *groups) as projections:
        (head,) = projections.heads()
        assert head.message_count == 2
        assert read(projections) == {"s1": ["Hello", "Hi"]}


def test_later_end_wins_between_equals(tmp_path: Path) -> None:
    older = conversation("s1", user("Hello, old"), ended_at=None)
    with together(tmp_path, [older], [SHORT], [replace(older, ended_at="2025-12-31T00:00:00Z")]) as projections:
        assert read(projections) == {"s1": ["Hello"]}


def test_conversations_come_in_the_order_asked_for_across_files(tmp_path: Path) -> None:
    first = [conversation(name, user(f"from {name}")) for name in "ace"]
    second = [conversation(name, user(f"from {name}")) for name in "bdf"]
    with together(tmp_path, first, second) as projections:
        rows = {head.native_id: head.row_id for head in projections.heads()}
        assert list(rows) == list("abcdef")
        order = list("fadbecb")
        assert [talk.head.native_id for talk in projections.read([rows[name] for name in order])] == order


def test_subagent_in_another_file_stands_alone(tmp_path: Path) -> None:
    agent = conversation("a1", user("Go"), metadata={"subagent": True, "parent_native_id": "s1"})
    with together(tmp_path, [LONG, agent], [LONG]) as projections:
        assert [head.parent_key for head in projections.heads()] == ["claude_code:s1", None]
    with together(tmp_path, [SHORT, agent], [LONG]) as projections:
        talks = list(projections.read([head.row_id for head in projections.heads()]))
        assert [talk.head.parent_key for talk in talks] == [None, None]
        assert all(not talk.subagents for talk in talks)


def test_a_tombstone_in_one_file_hides_the_copies_in_others(tmp_path: Path) -> None:
    paths = [
        make_projection(tmp_path / "a.duckdb", [LONG, conversation("s2", user("Hi"))]),
        make_projection(tmp_path / "b.duckdb", [], then=[observed("s1", "tombstone")]),
    ]
    with open_all(paths, temp_folder=tmp_path / "temp") as projections:
        assert read(projections) == {"s2": ["Hi"]}


def test_same_file_twice_is_the_file_once(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [LONG])
    with open_all([path, path], temp_folder=tmp_path / "temp") as projections:
        assert read(projections) == {"s1": ["Hello", "Hi"]}


def test_one_projection_is_read_like_itself(tmp_path: Path) -> None:
    with together(tmp_path, [LONG]) as projections:
        known = projections.heads()
        assert [talk.head for talk in projections.read([known[0].row_id], heads=known)] == known


def test_views_and_warnings_of_all_are_told(tmp_path: Path) -> None:
    view = SharedView("b", "c1", None, None, None, None)
    paths = [
        make_projection(tmp_path / "a.duckdb", [], version=7, shared_views=[view]),
        make_projection(tmp_path / "b.duckdb", [], version=8, shared_views=[structs.replace(view, slug="a"), view]),
    ]
    with open_all(paths, temp_folder=tmp_path / "temp") as projections:
        assert [found.slug for found in projections.shared_views()] == ["a", "b", "b"]
        assert len(projections.warnings) == 2


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    good = make_projection(tmp_path / "a.duckdb", [])
    with (
        pytest.raises(ProjectionError, match=r"There is no file .*gone\.duckdb"),
        open_all([good, tmp_path / "gone.duckdb"], temp_folder=tmp_path / "temp"),
    ):
        pass


def test_unknown_id_is_refused(tmp_path: Path) -> None:
    with together(tmp_path, [LONG], []) as projections, pytest.raises(ProjectionError, match="No projection holds"):
        list(projections.read(["gone"]))
