"""After an ingest a build looks only at what that touched; whatever else happened to a projection, at all of it."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sitegen.build.listings import Kept
from sitegen.ingest.writer import Writer
from sitegen.output.cache import Cache
from sitegen.projection import open_all
from sitegen.projection.digest import Only, fingerprint
from tests.projection.reading import writing_process
from tests.support.sessions import (
    append_records,
    assistant,
    custom_title,
    tool_use,
    user,
    write_session,
    write_subagent,
)
from tests.support.workshop import Workshop

ALL = None
"""That everything was looked at."""
CHANGE = "UPDATE content_blocks SET text = 'They hum.' WHERE text = 'All about wrens.'"


class Sessions:
    """Three sessions, the first with a subagent, and a folder in which they're ingested and built."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.folder = workshop.folder / "sessions"
        for name in ("heron", "wren", "teal"):
            write_session(self.path(name), user(f"What about {name}s?"), assistant(f"All about {name}s."))
        self.agent = write_subagent(self.path("heron"), "a1", user("Look for nests."), assistant("Two nests."))
        workshop.configure()
        self.ingest()

    @property
    def projection(self) -> Path:
        return self.workshop.folder / "archive.duckdb"

    @property
    def ledger(self) -> Path:
        return self.workshop.folder / ".archive.duckdb.changes"

    def path(self, name: str) -> Path:
        return self.folder / "-home-ann-birds" / f"{name}.jsonl"

    def go_on(self, name: str, said: str) -> None:
        append_records(self.path(name), user("And then?"), assistant(said))

    def ingest(self) -> None:
        assert self.workshop.run("ingest", "claude-code", str(self.folder)).exit_code == 0


@pytest.fixture
def sessions(workshop: Workshop) -> Sessions:
    return Sessions(workshop)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """At how many conversations each build looked from now on; nothing when at none."""
    found: list[int | None] = []

    def look(*arguments: Any, only: Only, **more: Any) -> Any:
        found.append(ALL if only.ids is None else len(only.ids))
        return fingerprint(*arguments, only=only, **more)

    monkeypatch.setattr("sitegen.projection.heads.fingerprint", look)
    return found


def shown(workshop: Workshop) -> str:
    """All pages of shares, one after the other."""
    return "".join(
        map(
            workshop.page,
            sorted(path for path in workshop.paths() if path.startswith("s/") and path.endswith("/index.html")),
        )
    )


def assert_as_from_nothing(workshop: Workshop, tmp_path: Path) -> None:
    """The site is what it would be had it never been built before."""
    fresh = Workshop(tmp_path / "fresh")
    shutil.copytree(workshop.folder, fresh.folder, ignore=shutil.ignore_patterns("public", ".sitegen", ".*.changes"))
    fresh.build()
    assert workshop.tree() == fresh.tree()


def test_only_what_ingests_touched_is_looked_at(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None]
) -> None:
    workshop.build()
    sessions.go_on("wren", "They sing.")
    sessions.ingest()
    sessions.go_on("teal", "They swim.")
    sessions.ingest()
    workshop.build()
    assert looks == [ALL, 2]
    assert "They sing." in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)


def test_what_no_ingest_touched_is_not_looked_at_when_the_settings_change(
    sessions: Sessions, workshop: Workshop, looks: list[int | None]
) -> None:
    workshop.build()
    sessions.ingest()
    workshop.configure(base_url="https://ann.example.org/birds/")
    workshop.build()
    assert looks == [ALL]
    assert "https://ann.example.org/birds/" in shown(workshop)


def test_a_new_conversation_and_a_new_title_are_found(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None]
) -> None:
    workshop.build()
    write_session(sessions.path("coot"), user("What about coots?"), assistant("They dive."))
    append_records(sessions.path("wren"), custom_title("On wrens"))
    sessions.ingest()
    workshop.build()
    assert looks == [ALL, 2]
    assert "They dive." in shown(workshop)
    assert "<title>On wrens" in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)


def test_what_a_subagent_goes_on_with_is_on_the_page_of_its_conversation(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None]
) -> None:
    workshop.build()
    append_records(sessions.agent, assistant("And a third."), cwd="/home/ann/code/parser")
    sessions.ingest()
    report = workshop.build()
    assert looks == [ALL, 1]
    assert report["written"] > 0
    assert_as_from_nothing(workshop, tmp_path)


def _write_foreign(sessions: Sessions) -> None:
    with duckdb.connect(str(sessions.projection)) as connection:
        connection.execute(CHANGE)


def _put_a_copy_in_its_place(sessions: Sessions) -> None:
    copy = sessions.projection.with_name("copy.duckdb")
    shutil.copyfile(sessions.projection, copy)
    copy.replace(sessions.projection)


def _lose_the_ledger(sessions: Sessions) -> None:
    sessions.ledger.unlink()


def _damage_the_ledger(sessions: Sessions) -> None:
    sessions.ledger.write_bytes(sessions.ledger.read_bytes()[:-9])


def _write_nonsense_into_the_ledger(sessions: Sessions) -> None:
    sessions.ledger.write_text('[[[1], [2, 3, 4, 5], ["x"]], null, {}]')


def _touch(sessions: Sessions) -> None:
    os.utime(sessions.projection)


@pytest.mark.parametrize(
    "happen",
    [
        _write_foreign,
        _put_a_copy_in_its_place,
        _lose_the_ledger,
        _damage_the_ledger,
        _write_nonsense_into_the_ledger,
        _touch,
    ],
)
@pytest.mark.parametrize("is_first", [True, False], ids=["before-the-ingest", "after-the-ingest"])
def test_whatever_else_happens_all_is_looked_at(
    sessions: Sessions,
    workshop: Workshop,
    tmp_path: Path,
    looks: list[int | None],
    happen: Callable[[Sessions], None],
    is_first: bool,
) -> None:
    sessions.go_on("heron", "They wade.")
    sessions.ingest()  # so that there is a ledger
    workshop.build()
    sessions.go_on("teal", "They swim.")
    if not is_first:
        sessions.ingest()
    happen(sessions)
    if is_first:
        sessions.ingest()
    workshop.build()
    if is_first and "ledger" in happen.__name__:  # what the ingest wrote after it is all that's needed
        assert looks == [ALL, 1]
    else:
        assert looks == [ALL, ALL]
    assert "They swim." in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)


def test_what_was_written_from_outside_between_two_ingests_is_shown(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None]
) -> None:
    workshop.build()
    sessions.go_on("teal", "They swim.")
    sessions.ingest()
    _write_foreign(sessions)
    sessions.go_on("teal", "They dabble.")
    sessions.ingest()
    workshop.build()
    assert looks == [ALL, ALL]
    assert "They hum." in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)


def test_a_change_that_waits_in_the_journal_is_shown(
    sessions: Sessions, workshop: Workshop, looks: list[int | None]
) -> None:
    workshop.build()
    with writing_process(sessions.projection, [CHANGE], seconds=0):
        pass
    workshop.build()
    assert looks == [ALL, ALL]
    assert "They hum." in shown(workshop)


@pytest.mark.parametrize("then", ["nothing", "settings", "ingest"])
def test_a_change_that_waits_in_the_journal_of_a_linked_file_is_shown(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, then: str
) -> None:
    real = tmp_path / "elsewhere.duckdb"
    sessions.projection.replace(real)
    sessions.projection.symlink_to(real)
    workshop.build()
    with writing_process(sessions.projection, [CHANGE], seconds=0):
        pass
    if then == "settings":
        workshop.configure(base_url="https://ann.example.org/birds/")
    if then == "ingest":
        sessions.go_on("teal", "They swim.")
        sessions.ingest()
    workshop.build()
    assert "They hum." in shown(workshop)


def test_the_ledger_names_nobody(sessions: Sessions) -> None:
    sessions.go_on("teal", "They swim.")
    sessions.ingest()
    assert "teal" not in sessions.ledger.read_text()


def test_a_full_build_looks_at_all(sessions: Sessions, workshop: Workshop, looks: list[int | None]) -> None:
    workshop.build()
    workshop.build("--full")
    assert looks == [ALL, ALL]


def test_labels_asked_for_later_are_looked_for(sessions: Sessions, workshop: Workshop, looks: list[int | None]) -> None:
    workshop.build()
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text() + "\n[pages]\nlabels = true\n")
    workshop.build()
    assert looks == [ALL, ALL]


def test_a_listing_that_is_damaged_is_none(sessions: Sessions, workshop: Workshop, looks: list[int | None]) -> None:
    workshop.build()
    for entry in (workshop.folder / ".sitegen" / "listings").glob("?/*.entry"):
        entry.write_bytes(entry.read_bytes()[:-5])
    workshop.configure(base_url="https://ann.example.org/birds/")
    workshop.build()
    assert looks == [ALL, ALL]


def test_a_conversation_that_is_deleted_leaves_no_trace_in_what_is_kept(
    sessions: Sessions, workshop: Workshop, looks: list[int | None]
) -> None:
    workshop.build()
    sessions.projection.unlink()
    sessions.path("teal").unlink()
    sessions.ingest()
    workshop.build()
    assert looks == [ALL, ALL]
    folder = workshop.folder / ".sitegen" / "listings"
    (entry,) = folder.rglob("*.entry")
    kept = Cache(folder).get(entry.parent.name + entry.stem, Kept)
    assert kept is not None
    assert len(kept.listing.contents) == len({"heron", "its subagent", "wren"})


def test_no_word_of_a_conversation_is_kept(sessions: Sessions, workshop: Workshop) -> None:
    append_records(sessions.path("wren"), custom_title("On kinglets"))
    sessions.ingest()
    workshop.build()
    kept = (workshop.folder / ".sitegen" / "listings").rglob("*.entry")
    said = b"".join(zlib.decompressobj().decompress(entry.read_bytes().partition(b"\n")[2]) for entry in kept)
    assert len(said) > 200
    for word in (b"heron", b"wren", b"kinglet", b"birds", b"nest"):
        assert word not in said


def test_a_title_that_is_in_no_row_is_looked_for_each_time(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None]
) -> None:
    write_session(sessions.path("coot"), assistant(tool_use("Read", {"file_path": "/srv/coots.md"})))
    sessions.ingest()
    workshop.build()
    assert "<title>Read coots.md" in shown(workshop)
    workshop.configure(base_url="https://ann.example.org/birds/")
    workshop.build()
    assert looks == [ALL, 1]
    assert_as_from_nothing(workshop, tmp_path)


def test_a_file_put_in_its_place_while_it_is_ingested_into_is_shown(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.build()
    other = tmp_path / "other.duckdb"
    shutil.copyfile(sessions.projection, other)
    with duckdb.connect(str(other)) as connection:
        connection.execute(CHANGE)
    write = Writer.write

    def write_into_what_gave_way(*arguments: Any) -> Any:
        written = write(*arguments)
        other.replace(sessions.projection)
        return written

    monkeypatch.setattr(Writer, "write", write_into_what_gave_way)
    sessions.go_on("teal", "They swim.")
    sessions.ingest()
    workshop.build()
    assert looks == [ALL, ALL]
    assert "They hum." in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)


def test_what_is_written_while_a_build_waits_for_it_is_shown(
    sessions: Sessions, workshop: Workshop, tmp_path: Path, looks: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.build()
    workshop.configure(base_url="https://ann.example.org/birds/")

    def open_after_an_ingest(*arguments: Any, **more: Any) -> Any:
        sessions.go_on("teal", "They swim.")
        sessions.ingest()
        return open_all(*arguments, **more)

    monkeypatch.setattr("sitegen.build.reading.open_all", open_after_an_ingest)
    workshop.build()
    assert looks == [ALL, ALL]
    assert "They swim." in shown(workshop)
    assert_as_from_nothing(workshop, tmp_path)
