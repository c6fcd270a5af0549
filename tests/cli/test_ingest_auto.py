"""`sitegen ingest --auto` finds what is on the machine, reads it, and says what it found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen.cli import main
from sitegen.ingest.finding import look_around
from tests.ingest.reading import query
from tests.support.exports import claude, human, write_folder
from tests.support.rollouts import NAME, prompt, write_rollout
from tests.support.sessions import user, write_session


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home folder, empty yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    (tmp_path / "site").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CHATSTRATA_DB", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "site")
    return folder


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["ingest", *args], prog_name="sitegen")


def furnish(home: Path) -> Path:
    """Puts a session of each program in its place, and an archive."""
    write_session(home / ".claude" / "projects" / "-p" / "s1.jsonl", user("Hi"))
    write_rollout(home / ".codex" / "sessions" / "2026" / "03" / "13" / NAME, *prompt("Hello"))
    archive = home / ".local" / "share" / "chatstrata" / "chatstrata.duckdb"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"")
    return archive


def test_reads_what_is_there_and_says_so(home: Path) -> None:
    archive = furnish(home)
    result = run("--auto")
    assert result.exit_code == 0, result.stderr
    assert f"claude-code: 1 session in {home}/.claude/projects" in result.stdout
    assert f"codex: 1 session in {home}/.codex/sessions" in result.stdout
    assert f"chatstrata: an archive in {archive}. It needs no ingest" in result.stdout
    assert f'[source]\n  projection = "{archive}"' in result.stdout
    assert query(Path("archive.duckdb"), "SELECT source_id, title FROM conversations ORDER BY 1") == [
        ("claude_code", "Hi"),
        ("codex_cli", "Hello"),
    ]


def test_second_time_changes_nothing(home: Path) -> None:
    furnish(home)
    run("--auto")
    assert run("--auto").stdout.count("0 new, 0 updated, 1 unchanged") == 2


def test_scripts_get_an_object(home: Path) -> None:
    archive = furnish(home)
    found = json.loads(run("--auto", "--json").stdout)
    assert [(place["source"], place["new"], place["messages"]) for place in found["found"]] == [
        ("claude-code", 1, 1),
        ("codex", 1, 1),
    ]
    assert found["archive"] == str(archive)


def test_nothing_found_says_where_it_looked(home: Path) -> None:
    result = run("--auto")
    assert result.exit_code == 1
    assert f"No conversations were found on this machine (looked at {home}/.claude/projects" in result.stderr
    assert not Path("archive.duckdb").exists()


def test_archive_alone_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "mine.duckdb").write_bytes(b"")
    monkeypatch.setenv("CHATSTRATA_DB", "~/mine.duckdb")
    result = run("--auto")
    assert (result.exit_code, f"an archive in {home}/mine.duckdb" in result.stdout) == (0, True)


def test_places_that_the_environment_names_are_looked_at(tmp_path: Path) -> None:
    write_session(tmp_path / "c" / "projects" / "-p" / "s1.jsonl", user("Hi"))
    write_rollout(tmp_path / "x" / "sessions" / NAME, *prompt("Hello"))
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    assert [place.source for place in look_around(environment, tmp_path / "home").places] == ["claude-code", "codex"]


@pytest.mark.parametrize(
    ("system", "environment", "place"),
    [
        ("linux", {}, ".local/share/chatstrata/chatstrata.duckdb"),
        ("linux", {"XDG_DATA_HOME": "HOME/data"}, "data/chatstrata/chatstrata.duckdb"),
        ("darwin", {}, "Library/Application Support/chatstrata/chatstrata.duckdb"),
        ("win32", {}, "AppData/Local/chatstrata/chatstrata.duckdb"),
    ],
)
def test_archive_is_where_the_system_keeps_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, environment: dict[str, str], place: str
) -> None:
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_bytes(b"")
    monkeypatch.setattr("sys.platform", system)
    named = {name: value.replace("HOME", str(tmp_path)) for name, value in environment.items()}
    assert look_around(named, tmp_path).archive == tmp_path / place


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--auto", "codex"), "--auto finds sources and paths by itself"),
        (("codex",), "Missing argument PATH"),
        ((), "Missing argument SOURCE: say what to read, or let --auto look for it"),
    ],
)
def test_asks_for_one_or_the_other(home: Path, args: tuple[str, ...], sentence: str) -> None:
    result = run(*args)
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr


def test_an_export_is_told_in_its_own_words(home: Path) -> None:
    write_folder(home / "export", {"conversations.json": [claude(human("m", "Hi")), {"uuid": "x"}]})
    result = run("claude-export", str(home / "export"))
    assert result.stdout.startswith("1 conversation found: 1 new, 0 updated, 0 unchanged in archive.duckdb")
    assert "1 record not as expected; all others were read:" in result.stderr
    assert "conversations.json:2: it is no conversation with an id" in result.stderr


def test_progress_tells_counts_and_rate(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.cli.ingest._SAY_S", 0.0)
    for name in ("s1", "s2"):
        write_session(home / "p" / f"{name}.jsonl", user(name * 4_500_000))
    result = run("claude-code", str(home / "p"))
    lines = result.stderr.splitlines()
    assert lines[0].startswith("read 0 of 2 sessions (0.0 MB of 18.0 MB, ")
    assert all(line.endswith("MB/s)") for line in lines)
