"""Runs of work told in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from markupsafe import Markup

from sitegen.catalogue import Catalogue
from sitegen.render.activity import duration, tell
from sitegen.render.steps import Kind, Step


def _step(kind: Kind, what: str = "", **facts: Any) -> Step:
    return Step(kind, Markup("line"), object=what, **facts)


_MANY = [_step(kind) for kind in ("list", "search", "todo", "watch", "edit", "test", "run")]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([], "Thought", id="nothing but thinking"),
        pytest.param([_step("read", "a.py")], "Read a.py", id="one file"),
        pytest.param([_step("read", "a.py"), _step("read", "b.py")], "Read 2 files", id="two files"),
        pytest.param([_step("read", "a.py"), _step("read", "a.py")], "Read a.py", id="one file twice"),
        pytest.param(
            [_step("read", "a.py", key="x/a.py"), _step("read", "a.py", key="y/a.py")],
            "Read 2 files",
            id="two files of one name",
        ),
        pytest.param(
            [_step("edit", "a.py", added=12, removed=3), _step("edit", "b.py", added=1)],
            "Edited a.py and 1 other +13 −3",
            id="edits are added up",
        ),
        pytest.param([_step("edit", x) for x in "abc"], "Edited a and 2 others", id="three edits"),
        pytest.param(
            [_step("read", "a"), _step("read", "b"), _step("edit", "p.py"), _step("test", "pytest", failed=True)],
            "Read 2 files, edited p.py, ran the tests (failed)",
            id="a story",
        ),
        pytest.param(
            [_step("test", "pytest", failed=True), _step("test", "pytest")],
            "Ran the tests 2 times (failed once)",
            id="failed once",
        ),
        pytest.param(
            [_step("run", "a", failed=True), _step("run", "b", failed=True)],
            "Ran 2 commands (all 2 failed)",
            id="all failed",
        ),
        pytest.param([_step("run", "ls -la")], "Ran ls -la", id="a command"),
        pytest.param(
            [_step("tool", "db: query"), _step("tool", "db: query")], "Used db: query 2 times", id="a tool twice"
        ),
        pytest.param([_step("tool", "a"), _step("tool", "b")], "Used 2 tools", id="two tools"),
        pytest.param([_step("tool")], "Got a result without its call", id="an orphan"),
        pytest.param([_step("agent", "find it")], "Gave a task to a subagent", id="a subagent"),
        pytest.param(
            _MANY, "Searched the files, edited a file, ran the tests, ran a command, 3 more steps", id="too much"
        ),
    ],
)
def test_a_run_is_told_by_what_was_done(steps: list[Step], expected: str) -> None:
    assert tell(steps, Catalogue("en")).striptags() == expected


def test_a_failure_that_is_only_counted_is_still_told() -> None:
    steps = [*_MANY, _step("watch", failed=True)]
    assert '<span class="failed">(failed once)</span>' in tell(steps, Catalogue("en"))


def test_names_are_escaped_and_nothing_hides_in_them() -> None:
    told = tell([_step("read", "<b>\u202ecod.exe")], Catalogue("en"))
    assert "<code>&lt;b&gt;⟨U+202E⟩cod.exe</code>" in told


def test_the_sentence_is_german_in_german() -> None:
    steps = [_step("read", "a.py"), _step("test", failed=True)]
    assert tell(steps, Catalogue("de")).striptags() == "a.py gelesen, die Tests ausgeführt (fehlgeschlagen)"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_of_step_has_its_words(language: str) -> None:
    kinds: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
    for kind in kinds:
        for steps in ([_step(kind)], [_step(kind, "x")], [_step(kind, "x"), _step(kind, "y")], [_step(kind)] * 2):
            assert tell(steps, Catalogue(language))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, ""),
        (0.4, ""),
        (1, "1 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (150, "2 min"),
        (3900, "1 h 5 min"),
        (40000, "11 h"),
        (400000, "4 d"),
    ],
)
def test_durations_are_told_in_the_units_that_matter(seconds: float | None, expected: str) -> None:
    assert duration(seconds, Catalogue("en")) == expected
