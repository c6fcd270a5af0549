"""Sources are found by name; other packages add theirs as the how-to says, and a broken one is told in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitegen.cli import main
from sitegen.errors import UsageError
from sitegen.ingest import ingest
from sitegen.ingest.sources import load_source, source_names
from tests.ingest.reading import query, texts, title

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-source.md"


def example() -> str:
    """The adapter that the page shows."""
    (found,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found  # type: ignore[no-any-return]


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, target: str, name: str = "chat-log") -> None:
    """A package with one source, as if it had been installed."""
    (folder / "chat_log.py").write_text(code, encoding="utf-8")
    info = folder / "chat_log-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chat-log\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[sitegen.sources]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(__import__("sys").modules, "chat_log", raising=False)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "monday.log").write_text("ann: Why does it fail?\n\nbot: A bracket is missing.\nno speaker\n")
    return folder


def test_own_sources_are_named() -> None:
    own = {name: load_source(name).source_id for name in source_names()[:6]}
    assert own == {
        "claude-code": "claude_code",
        "codex": "codex_cli",
        "opencode": "opencode",
        "claude-export": "claude_export",
        "chatgpt-export": "chatgpt_export",
        "workspace": "workspace",
    }


def test_example_of_the_page_works(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, example(), "chat_log:ChatLog")
    assert source_names()[-1] == "chat-log"
    db = tmp_path / "a.duckdb"
    report = ingest("chat-log", logs, db)
    assert (texts(db), title(db)) == (["Why does it fail?", "A bracket is missing."], "Why does it fail?")
    assert query(db, "SELECT role FROM messages ORDER BY sequence_index") == [("user",), ("assistant",)]
    assert [(problem.line, problem.reason) for problem in report.problems] == [(4, "it names no speaker")]
    assert query(db, "SELECT count(*) FROM raw_events") == [(3,)]
    assert ingest("chat-log", logs, db).unchanged == 1
    (logs / "monday.log").write_text("ann: Solved.\n")
    assert ingest("chat-log", logs, db).updated == 1
    assert texts(db) == ["Solved."]


def test_command_line_knows_it(tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, example(), "chat_log:ChatLog")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["ingest", "chat-log", str(logs)], prog_name="sitegen")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "1 conversation found: 1 new, 0 updated, 0 unchanged in archive.duckdb",
    )


BROKEN = [
    pytest.param(
        "raise ImportError('no such library')", "chat_log:ChatLog", "can't be loaded: no such lib", id="import"
    ),
    pytest.param("x = 1", "chat_log:ChatLog", "can't be loaded: .*ChatLog", id="no such name"),
    pytest.param(
        "class ChatLog:\n    version = '1'", "chat_log:ChatLog", "is no adapter: it lacks source_id", id="shape"
    ),
]


@pytest.mark.parametrize(("code", "target", "sentence"), BROKEN)
def test_broken_source_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, target: str, sentence: str
) -> None:
    install(tmp_path, monkeypatch, code, target)
    with pytest.raises(UsageError, match=sentence):
        load_source("chat-log")
    assert load_source("codex").source_id == "codex_cli"


def test_other_packages_cannot_replace_an_own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, example(), "chat_log:ChatLog", name="codex")
    assert load_source("codex").source_id == "codex_cli"


def test_unknown_source_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"There is no source 'x'\. Those there are: claude-code, codex"):
        load_source("x")
