"""The sessions that are measured: the same everywhere, and as a real tool would have written them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from sitegen.ingest import ingest
from tests.bench.generate import Recipe, continuation, generate, main
from tests.bench.steps import growth

SMALL = Recipe(sessions=3, messages=60, projects=2, images=0.5)


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _records(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_same_seed_gives_same_bytes_on_any_machine(tmp_path: Path) -> None:
    expected = "4ad3ccb0709a5be14c2c98e9310a002f1e35ae1c1d701ebad1fd83a3da8ea9b9"
    assert _digest(generate(SMALL, tmp_path)) == expected


def test_another_seed_gives_other_sessions(tmp_path: Path) -> None:
    first = generate(SMALL, tmp_path / "first")
    second = generate(Recipe(sessions=3, messages=60, projects=2, seed="8"), tmp_path / "second")
    assert {file.name for file in first}.isdisjoint(file.name for file in second)


@pytest.mark.parametrize(
    ("recipe", "messages"),
    [
        pytest.param(SMALL, 180, id="usual"),
        pytest.param(Recipe(sessions=1, messages=7, huge=40, images=0), 47, id="with-a-huge-one"),
        pytest.param(Recipe(sessions=2, messages=6, is_markdown=True), 12, id="markdown"),
    ],
)
def test_sessions_ingest_with_no_bad_line(tmp_path: Path, recipe: Recipe, messages: int) -> None:
    files = generate(recipe, tmp_path / "sessions")
    report = ingest("claude-code", tmp_path / "sessions", tmp_path / "archive.duckdb")
    assert (report.new, report.problems, report.unreadable) == (len(files), (), ())
    assert report.tally.messages == messages


def test_sessions_hold_what_people_and_models_say(tmp_path: Path) -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in generate(Recipe(sessions=8, images=0.5), tmp_path))
    for kind in ("Bash", "Read", "Edit", "Write", "TodoWrite", "Grep", "WebFetch"):
        assert f'"name":"{kind}"' in text
    for sign in ('"thinking"', '"image/png"', "```python", "````markdown", "| ---", "- [x]", "\\u001b[3"):
        assert sign in text


def test_session_that_goes_on_is_the_same_session(tmp_path: Path) -> None:
    first = generate(SMALL, tmp_path)[0]
    last = _records(first)[-1]
    more = [json.loads(line) for line in continuation(SMALL, messages=5).splitlines()]
    assert [record["sessionId"] for record in more] == [last["sessionId"]] * 5
    assert more[0]["parentUuid"] == last["uuid"]


def test_growth_is_ingested_as_an_update(tmp_path: Path) -> None:
    generate(SMALL, tmp_path / "sessions")
    ingest("claude-code", tmp_path / "sessions", tmp_path / "archive.duckdb")
    file, parts = growth(tmp_path / "sessions", SMALL, times=2)
    for part in parts:
        with file.open("a", encoding="utf-8") as growing:
            growing.write(part)
        report = ingest("claude-code", tmp_path / "sessions", tmp_path / "archive.duckdb")
        assert (report.new, report.updated, report.unchanged) == (0, 1, 2)


def test_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(tmp_path), "--sessions", "2", "--turns", "4"])
    assert capsys.readouterr().out.startswith("2 sessions, ")
    assert [len(_records(file)) for file in tmp_path.rglob("*.jsonl")] == [9, 9]  # eight messages and a summary
