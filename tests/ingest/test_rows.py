"""Ingesting gives the same rows whenever and wherever it is done, and touches only what changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from sitegen.ingest import IngestReport, ingest
from sitegen.ingest.claude_code import ClaudeCode
from sitegen.ingest.records import Handle, Progress, Record
from tests.ingest.reading import EVERYTHING, everything, one, parents, query, texts
from tests.support.sessions import (
    append_records,
    assistant,
    image,
    summary,
    tool_result,
    tool_use,
    user,
    write_session,
    write_subagent,
)


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    return tmp_path / "projects"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "archive.duckdb"


def small_session(projects: Path, name: str = "s1", project: str = "-home-ann-parser") -> Path:
    return write_session(
        projects / project / f"{name}.jsonl",
        user(f"Why does {name} fail?"),
        assistant(tool_use("Bash", {"command": "pytest"}, id="t1"), uuid=f"{name}-call"),
        user(tool_result("t1", "1 failed")),
        assistant("The test is wrong."),
    )


def counts(report: IngestReport) -> tuple[int, int, int]:
    return report.new, report.updated, report.unchanged


def test_second_ingest_leaves_every_row_as_it_was(projects: Path, db: Path) -> None:
    small_session(projects)
    assert counts(ingest("claude-code", projects, db)) == (1, 0, 0)
    before = everything(db)
    assert counts(ingest("claude-code", projects, db)) == (0, 0, 1)
    assert everything(db) == before


def test_conversation_that_someone_deleted_is_ingested_anew(projects: Path, db: Path) -> None:
    small_session(projects)
    small_session(projects, "s2")
    ingest("claude-code", projects, db)
    ids = [
        f"SELECT id FROM {name} ORDER BY id" for name in ("conversations", "messages", "content_blocks", "raw_events")
    ]
    before = [query(db, sql) for sql in ids]
    gone = "(SELECT id FROM messages WHERE conversation_id = (SELECT id FROM conversations WHERE title LIKE '%s1%'))"
    with duckdb.connect(str(db)) as connection:
        connection.execute(f"DELETE FROM content_blocks WHERE message_id IN {gone}")
    with duckdb.connect(str(db)) as connection:
        connection.execute(f"DELETE FROM messages WHERE id IN {gone}")
    with duckdb.connect(str(db)) as connection:
        connection.execute("DELETE FROM conversations WHERE title LIKE '%s1%'")
    assert counts(ingest("claude-code", projects, db)) == (1, 0, 1)
    assert [query(db, sql) for sql in ids] == before


def test_report_counts_what_the_files_hold(projects: Path, db: Path) -> None:
    small_session(projects)
    write_session(projects / "-p" / "s2.jsonl", user(image(), "Look"), user(tool_result("t", [image(), image()])), "{")
    report = ingest("claude-code", projects, db)
    assert (report.files, report.tally.messages, report.tally.calls, report.tally.results) == (2, 6, 1, 2)
    assert (report.tally.images, report.tally.problem_count, len(report.problems)) == (3, 1, 1)
    assert report.bytes_read == sum(file.stat().st_size for file in projects.rglob("*.jsonl"))


def test_ids_are_the_same_on_every_machine(projects: Path, tmp_path: Path, db: Path) -> None:
    small_session(projects)
    ingest("claude-code", projects, db)
    elsewhere = shutil.copytree(projects, tmp_path / "moved" / "elsewhere")
    ingest("claude-code", elsewhere, tmp_path / "other.duckdb")
    for table in ("conversations", "messages", "content_blocks", "raw_events"):
        ids = f"SELECT id FROM {table} ORDER BY id"
        assert query(db, ids) == query(tmp_path / "other.duckdb", ids)


def test_appended_session_changes_only_its_own_rows(projects: Path, db: Path) -> None:
    grown = small_session(projects, "s1")
    small_session(projects, "s2")
    ingest("claude-code", projects, db)
    before = everything(db)
    append_records(grown, user("And now?"), assistant("Now it passes."))
    assert counts(ingest("claude-code", projects, db)) == (0, 1, 1)
    after = everything(db)
    assert texts(db, "s1")[-2:] == ["And now?", "Now it passes."]
    assert one(db, "SELECT message_count FROM conversations WHERE source_native_id = 's1'") == 6
    for table in ("messages", "content_blocks", "raw_events"):
        assert set(map(str, before[table])) < set(map(str, after[table])), table
        assert len(after[table]) - len(before[table]) == 2


def test_appended_session_has_the_rows_of_one_read_at_once(projects: Path, tmp_path: Path, db: Path) -> None:
    path = small_session(projects)
    ingest("claude-code", projects, db)
    append_records(path, user("And now?"), {"type": "custom-title", "customTitle": "Passing"})
    ingest("claude-code", projects, db)
    ingest("claude-code", projects, tmp_path / "fresh.duckdb")
    assert _without_times(db) == _without_times(tmp_path / "fresh.duckdb")


def test_rewritten_session_has_the_rows_of_one_read_at_once(projects: Path, tmp_path: Path, db: Path) -> None:
    path = small_session(projects)
    small_session(projects, "s2")
    ingest("claude-code", projects, db)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:], lines[0].replace(b"Why", b"How")]))
    assert counts(ingest("claude-code", projects, db)) == (0, 1, 1)
    ingest("claude-code", projects, tmp_path / "fresh.duckdb")
    assert _without_times(db) == _without_times(tmp_path / "fresh.duckdb")


def test_last_line_that_was_half_written_is_read_when_it_is_whole(projects: Path, tmp_path: Path, db: Path) -> None:
    path = small_session(projects)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    report = ingest("claude-code", projects, db)
    assert [(problem.line, problem.is_kept) for problem in report.problems] == [(4, False)]
    path.write_bytes(whole)
    assert ingest("claude-code", projects, db).problems == ()
    ingest("claude-code", projects, tmp_path / "fresh.duckdb")
    assert _without_times(db) == _without_times(tmp_path / "fresh.duckdb")


def test_new_adapter_version_reads_everything_again(projects: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_session(projects)
    ingest("claude-code", projects, db)
    monkeypatch.setattr("sitegen.ingest.claude_code.ClaudeCode.version", "later")
    assert counts(ingest("claude-code", projects, db)) == (0, 1, 0)
    assert query(db, "SELECT adapter_version FROM sources") == [("later",)]


def test_session_that_is_gone_stays_in_the_projection(projects: Path, db: Path) -> None:
    small_session(projects, "s1")
    small_session(projects, "s2").unlink()
    small_session(projects, "s3")
    ingest("claude-code", projects, db)
    (projects / "-home-ann-parser" / "s3.jsonl").unlink()
    ingest("claude-code", projects, db)
    assert query(db, "SELECT source_native_id FROM conversations ORDER BY 1") == [("s1",), ("s3",)]


# ---------------------------------------------------------------------------------------------------- one native id


def test_two_sessions_of_one_name_are_both_kept(projects: Path, db: Path) -> None:
    write_session(projects / "-a" / "notes.jsonl", user("First"))
    write_session(projects / "-b" / "notes.jsonl", user("Second"))
    ingest("claude-code", projects, db)
    before = everything(db)
    assert query(db, "SELECT source_native_id, title FROM conversations ORDER BY 1") == [
        ("notes", "First"),
        ("notes@-b", "Second"),
    ]
    assert counts(ingest("claude-code", projects, db)) == (0, 0, 2)
    assert everything(db) == before


def test_session_keeps_its_id_when_another_of_its_name_comes_first(projects: Path, db: Path) -> None:
    write_session(projects / "-b" / "notes.jsonl", user("Old"))
    ingest("claude-code", projects, db)
    write_session(projects / "-a" / "notes.jsonl", user("New"))
    ingest("claude-code", projects, db)
    rows = dict(query(db, "SELECT source_native_id, title FROM conversations"))
    assert rows == {"notes": "Old", "notes@-a": "New"}


def test_session_moved_and_continued_stays_one_conversation(projects: Path, db: Path) -> None:
    path = small_session(projects, project="-home-ann-parser")
    ingest("claude-code", projects, db)
    moved = projects / "-home-ann-renamed" / path.name
    moved.parent.mkdir()
    append_records(path.rename(moved), user("Still here"))
    assert counts(ingest("claude-code", projects, db)) == (0, 1, 0)
    assert one(db, "SELECT count(*) FROM conversations") == 1


# ------------------------------------------------------------------------------------------------ where sessions are


def names(db: Path) -> list[str]:
    return [name for (name,) in query(db, "SELECT source_native_id FROM conversations ORDER BY 1")]


@pytest.fixture
def with_subagent(projects: Path) -> Path:
    session = small_session(projects, "main")
    write_subagent(session, "a1b2", user("Look for it"), assistant("Found it."))
    return session


def test_subagent_is_a_conversation_that_names_its_parent(with_subagent: Path, projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    assert names(db) == ["agent-a1b2", "main"]
    (row,) = query(
        db,
        """SELECT metadata->>'subagent', metadata->>'agent_id', metadata->>'parent_native_id', title
        FROM conversations WHERE source_native_id = 'agent-a1b2'""",
    )
    assert row == ("true", "a1b2", "main", "Look for it")


def test_subagent_beside_its_session_names_the_session_of_its_records(projects: Path, db: Path) -> None:
    write_session(projects / "-p" / "agent-9.jsonl", user("Look", sessionId="main"))
    ingest("claude-code", projects, db)
    assert one(db, "SELECT metadata->>'parent_native_id' FROM conversations") == "main"


def test_subagents_of_one_name_in_two_sessions_are_both_kept(projects: Path, db: Path) -> None:
    for name in ("s1", "s2"):
        write_subagent(small_session(projects, name), "same", user(f"For {name}"))
    ingest("claude-code", projects, db)
    assert names(db) == ["agent-same", "agent-same@s2", "s1", "s2"]


@pytest.mark.parametrize("where", ["file", "project", "projects", "home"])
def test_sessions_are_found_from(where: str, tmp_path: Path, db: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    write_subagent(session := small_session(root, "main"), "x", user("Hello"))
    place = {"file": session, "project": session.parent, "projects": root, "home": tmp_path / ".claude"}[where]
    ingest("claude-code", place, db)
    assert names(db) == ["agent-x", "main"]


def test_subagents_folder_alone_can_be_read(with_subagent: Path, db: Path) -> None:
    ingest("claude-code", with_subagent.with_suffix("") / "subagents", db)
    assert names(db) == ["agent-a1b2"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_file_name_that_is_no_text_is_read(projects: Path, db: Path) -> None:
    folder = small_session(projects).parent
    (folder / "s1.jsonl").rename(folder / os.fsdecode(b"s\xff.jsonl"))
    ingest("claude-code", projects, db)
    assert names(db) == ["s�"]


# ---------------------------------------------------------------------------------------------------- large, cut short


def test_session_larger_than_a_buffer_is_one_whole(projects: Path, db: Path) -> None:
    # The first message's parent comes last: it is written long before it can be known.
    late = user("Late", uuid="late", parentUuid=None)
    long = [assistant("x" * 3_000_000, uuid=f"m{n}") for n in range(5)]
    write_session(projects / "-p" / "s1.jsonl", user("Early", uuid="early", parentUuid="late"), *long, late)
    ingest("claude-code", projects, db)
    assert [len(text or "") for text in texts(db)] == [5, *[3_000_000] * 5, 4]
    assert parents(db)["early"] == "late"
    assert parents(db)["m1"] == "m0"
    assert one(db, "SELECT message_count FROM conversations") == 7


def test_killed_ingest_leaves_whole_conversations_and_the_next_goes_on(projects: Path, db: Path) -> None:
    for n in range(230):
        write_session(projects / "-p" / f"s{n:03}.jsonl", user("One"), assistant("Two"))
    program = f"""
import os
from sitegen.ingest import claude_code, ingest
class Killed(claude_code.ClaudeCode):
    def parse(self, handle):
        if handle.native_id == "s215":
            os._exit(9)
        return super().parse(handle)
ingest(Killed(), {str(projects)!r}, {str(db)!r})
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    kept = one(db, "SELECT count(*) FROM conversations")
    assert kept in (0, 200)  # the first batch is written to its end while the second is read
    assert one(db, "SELECT count(*) FROM messages") == 2 * kept
    assert counts(ingest("claude-code", projects, db)) == (230 - kept, 0, kept)
    assert one(db, "SELECT count(*) FROM content_blocks") == 460


def test_rewriting_cut_short_is_healed_by_the_next_ingest(
    projects: Path, tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small_session(projects)
    ingest("claude-code", projects, db)
    path.write_bytes(b"\n".join(reversed(path.read_bytes().splitlines())))
    with monkeypatch.context() as patch:
        patch.setattr("sitegen.ingest.claude_code.ClaudeCode.parse", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            ingest("claude-code", projects, db)
    assert counts(ingest("claude-code", projects, db)) == (0, 1, 0)
    ingest("claude-code", projects, tmp_path / "fresh.duckdb")
    assert _without_times(db) == _without_times(tmp_path / "fresh.duckdb")


def test_unreadable_session_costs_no_other(projects: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_session(projects, "s1")
    small_session(projects, "s2")
    small_session(projects, "s3")
    parse = ClaudeCode.parse

    def fails(self: ClaudeCode, handle: Handle) -> Iterator[Record]:
        if handle.native_id == "s2":
            raise PermissionError(13, "Permission denied")
        return parse(self, handle)

    monkeypatch.setattr(ClaudeCode, "parse", fails)
    report = ingest("claude-code", projects, db)
    assert names(db) == ["s1", "s3"]
    assert [problem.reason for problem in report.unreadable] == ["it can't be read: Permission denied"]


def test_progress_ends_at_the_total(projects: Path, db: Path) -> None:
    small_session(projects)
    told: list[Progress] = []
    ingest("claude-code", projects, db, on_progress=told.append)
    assert (told[-1].done, told[-1].bytes_done) == (told[-1].total, told[-1].bytes_total)


def test_source_records_are_kept_to_the_letter(projects: Path, db: Path) -> None:
    line = '{ "type" : "user",  "n": 1.50, "message": {"content": "caf\\u00e9 \\u0000"}, "n": 2 }'
    write_session(projects / "-p" / "s1.jsonl", summary("Old"), "", line)
    ingest("claude-code", projects, db)
    assert query(db, "SELECT line_number, payload FROM raw_events ORDER BY 1")[1:] == [(3, line)]
    assert texts(db) == ["café \0"]


def _interrupted(*_: object) -> object:
    raise KeyboardInterrupt


def _without_times(db: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows but for when they were written."""
    excluded = {"conversations": "EXCLUDE (ingested_at)", "raw_events": "EXCLUDE (ingested_at)"}
    return {table: query(db, f"SELECT * {excluded.get(table, '')} FROM {table} ORDER BY ALL") for table in EVERYTHING}
