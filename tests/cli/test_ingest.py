"""`sitegen ingest` says what it read, refuses in sentences, and answers scripts with JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen.cli import main
from sitegen.ingest.claude_code import ClaudeCode
from tests.ingest.reading import one
from tests.support.sessions import assistant, user, write_session


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_session(tmp_path / "projects" / "-p" / "s1.jsonl", user("Hi"), "{", assistant("Hello"))
    (tmp_path / "site").mkdir()
    monkeypatch.chdir(tmp_path / "site")
    return tmp_path / "site"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["ingest", *args], prog_name="sitegen")


def test_reads_into_an_archive_here(folder: Path) -> None:
    result = run("claude-code", "../projects")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "1 session found: 1 new, 0 updated, 0 unchanged in archive.duckdb",
    )
    assert "read 2 messages, 0 tool calls, 0 results, 0 images" in result.stdout
    assert one(folder / "archive.duckdb", "SELECT count(*) FROM messages") == 2


def test_tells_each_line_that_was_not_as_expected(folder: Path) -> None:
    result = run("claude-code", "../projects")
    assert "1 line not as expected" in result.stderr
    assert "s1.jsonl:2: it isn't JSON: expecting property name" in result.stderr


def test_second_time_says_that_nothing_is_new(folder: Path) -> None:
    run("claude-code", "../projects")
    result = run("claude-code", "../projects")
    assert result.stdout == "1 session found: 0 new, 0 updated, 1 unchanged in archive.duckdb\n"


def test_json_has_all_counts(folder: Path) -> None:
    result = run("claude-code", "../projects", "--json", "--db", "other.duckdb")
    report = json.loads(result.stdout)
    assert {key: report[key] for key in ("projection", "files", "new", "messages", "bad_lines")} == {
        "projection": "other.duckdb",
        "files": 1,
        "new": 1,
        "messages": 2,
        "bad_lines": 1,
    }
    assert report["problems"][0] | {"file": "", "reason": ""} == {"file": "", "line": 2, "reason": "", "kept": False}


def test_reads_into_the_projection_that_the_configuration_names(folder: Path) -> None:
    (folder / "sitegen.toml").write_text('[source]\nprojection = "data/talks.duckdb"\n')
    assert run("claude-code", "../projects").exit_code == 0
    assert (folder / "data" / "talks.duckdb").is_file()


def test_asks_which_of_several_projections(folder: Path) -> None:
    (folder / "sitegen.toml").write_text('[source]\nprojection = ["a.duckdb", "b.duckdb"]\n')
    result = run("claude-code", "../projects")
    assert result.exit_code == 2
    assert "say which one with --db" in result.stderr


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        pytest.param(["chat-log", "."], 2, "there is no source “chat-log”; there is: claude-code", id="source"),
        pytest.param(["claude-code", "gone"], 1, "gone doesn't exist. Name a session", id="no such path"),
        pytest.param(["claude-code", "."], 1, "holds no sessions: expected SESSION.jsonl", id="no sessions"),
        pytest.param(["claude-code"], 2, "Missing argument", id="no path"),
    ],
)
def test_refuses_in_a_sentence(folder: Path, args: list[str], code: int, sentence: str) -> None:
    result = run(*args)
    assert (result.exit_code, sentence in result.stderr) == (code, True), result.stderr
    assert not (folder / "archive.duckdb").exists()


def test_session_that_cannot_be_read_fails_after_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_session(folder.parent / "projects" / "-p" / "s2.jsonl", user("Hi"))
    monkeypatch.setattr(ClaudeCode, "parse", _denied_for("s2"))
    result = run("claude-code", "../projects")
    assert result.exit_code == 1
    assert "s2.jsonl: it can't be read: Permission denied. All others were read." in result.stderr
    assert one(folder / "archive.duckdb", "SELECT count(*) FROM conversations") == 1


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), RuntimeError("Query interrupted")], ids=["us", "DuckDB"])
def test_interruption_says_that_the_next_ingest_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    def interrupted(self: ClaudeCode, handle: object) -> object:
        raise interruption

    with monkeypatch.context() as patch:
        patch.setattr(ClaudeCode, "parse", interrupted)
        result = run("claude-code", "../projects")
    assert result.exit_code == 130
    assert "stopped; archive.duckdb holds what was read, and the next ingest goes on" in result.stderr
    assert run("claude-code", "../projects").exit_code == 0


def _denied_for(native_id: str) -> object:
    parse = ClaudeCode.parse

    def parse_or_fail(self: ClaudeCode, handle: object) -> object:
        if getattr(handle, "native_id", None) == native_id:
            raise PermissionError(13, "Permission denied")
        return parse(self, handle)  # type: ignore[arg-type]

    return parse_or_fail
