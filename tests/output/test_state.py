"""The state is a memory: lost, broken, foreign or locked, it costs a full build at most, and that is said."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitegen.errors import OutputError
from sitegen.output import database
from sitegen.output.records import FileRecord, FinishedBuild, ShareRecord
from sitegen.output.state import State
from tests.output.world import NOW, World, page


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is not a database, by any means" * 100)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _empty_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE share")
        connection.commit()


def _later_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()


def _wrong_types(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE share SET expires = 'soon'")
        connection.commit()


def _bytes_for_text(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE file SET sha256 = CAST(x'ff00fe' AS TEXT)")
        connection.commit()


@pytest.mark.parametrize(
    "spoil",
    [_garbage, _cut, _empty_table, _later_version, _other_program, _wrong_types, _bytes_for_text],
    ids=lambda spoil: spoil.__name__.strip("_").replace("_", " "),
)
def test_an_unusable_state_means_a_full_build_and_is_said(world: World, spoil: Callable[[Path], None]) -> None:
    world.build({"a": page("A"), "b": page("B")})
    spoil(world.state_file)
    outcome = world.build({"a": page("A")})
    assert outcome.problem is not None
    assert "everything is built anew" in outcome.problem
    assert outcome.kept == []
    assert world.tree() == {"index.html": "home", "s/a/index.html": "A"}
    assert world.build({"a": page("A")}).problem is None
    assert world.look().is_unchanged


@pytest.mark.parametrize("spoil", [_garbage, _cut, _later_version, _other_program])
def test_an_unusable_state_is_never_taken_for_nothing_to_do(world: World, spoil: Callable[[Path], None]) -> None:
    world.build({"a": page("A")})
    spoil(world.state_file)
    assert not world.look().is_unchanged


def test_an_empty_state_file_is_no_state(world: World) -> None:
    world.state_file.parent.mkdir()
    world.state_file.touch()
    assert world.build({"a": page("A")}).problem is None


def test_a_state_that_cannot_be_kept_costs_full_builds_only(world: World) -> None:
    world.state_file.mkdir(parents=True)
    (world.state_file.with_name("state.sqlite.unusable")).mkdir()
    (world.state_file.with_name("state.sqlite.unusable") / "x").touch()
    problem = world.build({"a": page("A")}).problem
    assert problem is not None
    assert "every build will be a full one" in problem
    assert world.build({}).removal.removed == ("s/a/index.html",)


def test_a_state_locked_by_another_program_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.build({})
    monkeypatch.setattr(database, "_BUSY_TIMEOUT_S", 0.01)
    with closing(sqlite3.connect(world.state_file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OutputError, match="in use by another program"):
            world.build({})


def test_the_state_is_readable_by_its_owner_only(world: World) -> None:
    world.build({})
    assert stat.S_IMODE(world.state_file.stat().st_mode) == 0o600


def test_what_a_build_left_is_found_by_the_next(world: World) -> None:
    expires = NOW + timedelta(days=3, microseconds=5)
    share = ShareRecord("a", "claude_code:1", "key", cache_key="0a1b", expires=expires, card='{"title": "A"}')
    record = FileRecord("s/a/index.html", "share a", "f" * 64, (1, 2, 3, 4))
    with world.open_state() as state:
        state.begin()
        state.finish(
            FinishedBuild(
                files={record.path: record},
                built_at=NOW,
                shares={"a": share},
                facts={"templates": "x"},
            )
        )
    with world.open_state() as state:
        assert state.last.is_finished
        assert state.last.files == {record.path: record}
        assert state.last.shares == {"a": share}
        assert state.last.facts == {"templates": "x"}


def test_a_build_that_was_begun_and_not_finished_shows(world: World) -> None:
    world.build({"a": page("A")})
    with world.open_state() as state:
        state.begin()
    with world.open_state() as state:
        assert not state.last.is_finished
        assert "s/a/index.html" in state.last.files
    assert world.look().reason == "there was no finished build like this one before"


def test_what_a_build_no_longer_has_is_forgotten(world: World) -> None:
    world.build({"a": page("A"), "b": page("B")})
    world.build({"b": page("B")})
    with world.open_state() as state:
        assert sorted(state.last.files) == ["index.html", "s/b/index.html"]
        assert "share a" not in state.last.shares


def test_outputs_whose_folder_is_gone_are_forgotten(world: World) -> None:
    for number in range(3):
        passing = World(world.root, output_name=f"passing-{number}")
        passing.build({"a": page("A")})
        shutil.rmtree(passing.output)
    world.build({})
    with closing(sqlite3.connect(world.state_file)) as connection:
        assert connection.execute("SELECT count(*) FROM output").fetchone() == (1,)
        assert connection.execute("SELECT DISTINCT output FROM file").fetchall() == [(4,)]


def test_revoked_slugs_are_remembered_for_every_output(world: World) -> None:
    at = datetime(2026, 2, 3, tzinfo=UTC)
    with world.open_state() as state:
        state.revoke("a", at=at)
        state.revoke("b", at=at)
        state.reinstate("b")
        assert state.revoked == {"a": at}
    with State.open(world.state_file, output=world.root / "elsewhere") as state:
        assert state.revoked == {"a": at}


def test_revoked_slugs_survive_a_state_of_another_version(world: World) -> None:
    at = datetime(2026, 2, 3, tzinfo=UTC)
    with world.open_state() as state:
        state.revoke("a", at=at)
    _later_version(world.state_file)
    with world.open_state() as state:
        assert state.problem is not None
        assert state.revoked == {"a": at}
