"""What is done in a thread of its own is done in order, one piece at a time, and no failure of it is lost."""

from __future__ import annotations

from threading import Event
from time import sleep

import pytest

from sitegen.ingest.behind import Behind, Step


def fails() -> None:
    raise ValueError("no room")


def test_steps_are_done_in_order() -> None:
    done: list[int] = []
    behind = Behind()
    for n in range(0, 30, 3):
        steps: list[Step] = [lambda n=n + k: done.append(n) for k in range(3)]  # type: ignore[misc]
        behind.do(steps)
    behind.wait()
    assert done == list(range(30))


def test_asker_goes_on_meanwhile() -> None:
    asked = Event()
    behind = Behind()
    behind.do([lambda: asked.wait(10)])
    asked.set()
    behind.wait()


def test_failure_is_raised_once_and_what_follows_it_is_not_done() -> None:
    done: list[str] = []
    behind = Behind()
    behind.do([fails, lambda: done.append("after")])
    with pytest.raises(ValueError, match="no room"):
        behind.do([lambda: done.append("next")])
    behind.wait()
    assert done == []


def test_failure_of_the_last_is_raised_where_it_is_waited_for() -> None:
    behind = Behind()
    behind.do([fails])
    with pytest.raises(ValueError, match="no room"):
        behind.wait()


def test_ctrl_c_is_heard_when_what_is_under_way_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    asked = Event()

    def waiting(_: object) -> None:
        asked.set()
        raise KeyboardInterrupt

    behind = Behind()
    behind.do([lambda: asked.wait(10), lambda: sleep(0.05), lambda: done.append("written")])
    monkeypatch.setattr("sitegen.ingest.behind.wait", waiting)
    with pytest.raises(KeyboardInterrupt):
        behind.wait()
    assert done == ["written"]
    behind.wait()
