"""A conversation that takes long is drawn by several processes, and is the same site as if one had drawn it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from sitegen.build.posters import Drawn as Poster
from sitegen.build.processes import Helpers
from sitegen.render import Drawn
from tests.build.test_reuse import talk
from tests.support.projections import ConversationRow, conversation, user
from tests.support.workshop import Workshop, share

LONG = talk(380)
SHORT = [conversation(f"short{n}", user(f"And {n}?"), title=f"Short {n}") for n in range(3)]


def build(folder: Path, jobs: int, *rows: ConversationRow) -> dict[str, bytes]:
    folder.mkdir()
    workshop = Workshop(folder)
    workshop.talk(*rows)
    workshop.configure("".join(share(row.native_id, row.native_id, "listed = true") for row in rows))
    workshop.build("--jobs", str(jobs))
    return workshop.tree()


@pytest.fixture
def legs(monkeypatch: pytest.MonkeyPatch) -> list[Future[Drawn]]:
    """What becomes of the legs that other processes get."""
    draw, found = Helpers.draw, list[Future[Drawn]]()

    def note(helpers: Helpers, leg: bytes) -> Future[Drawn]:
        found.append(draw(helpers, leg))
        return found[-1]

    monkeypatch.setattr(Helpers, "draw", note)
    return found


@pytest.mark.parametrize("rows", [[LONG], [LONG, *SHORT]], ids=["alone", "among others"])
def test_site_is_the_same_however_many_draw_it(
    tmp_path: Path, rows: list[ConversationRow], legs: list[Future[Drawn]]
) -> None:
    by_one = build(tmp_path / "one", 1, *rows)
    assert not legs
    assert build(tmp_path / "two", 2, *rows) == by_one
    assert all(leg.cancelled() or leg.exception() is None for leg in legs)
    assert legs


def test_others_draw_the_picture_of_a_link_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asked = Helpers.ask, list[Future[Any] | None]()

    def note(helpers: Helpers, call: Callable[[], Any]) -> Future[Any] | None:
        asked.append(ask(helpers, call))
        return asked[-1]

    monkeypatch.setattr(Helpers, "ask", note)
    build(tmp_path / "two", 2, LONG)
    assert any(isinstance(each.result(), Poster) for each in asked if each)


def test_site_is_the_same_when_who_helps_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    died: list[Future[Drawn]] = []
    draw = Helpers.draw

    def kill(helpers: Helpers, leg: bytes) -> Future[Drawn]:
        died.append(draw(helpers, leg))
        for process in list(helpers.processes.executor._processes.values()):  # type: ignore[attr-defined]
            process.kill()
        return died[-1]

    by_one = build(tmp_path / "one", 1, LONG)
    monkeypatch.setattr(Helpers, "draw", kill)
    assert build(tmp_path / "two", 2, LONG) == by_one
    assert all(leg.exception() is not None for leg in died)
