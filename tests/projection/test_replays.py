"""A session that its program wrote down again when it was resumed is told once; what merely resembles it stays."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.projection.reading import read_one
from tests.support.projections import (
    BlockRow,
    ConversationRow,
    MessageRow,
    assistant,
    call,
    conversation,
    image,
    result,
    text,
    user,
)

FIRST = datetime(2026, 1, 2, 14, 3, 5, tzinfo=UTC)
THEN = datetime(2026, 1, 2, 14, 3, 9, tzinfo=UTC)
LATER = datetime(2026, 1, 2, 15, 0, tzinfo=UTC)


def session(*rows: MessageRow) -> ConversationRow:
    return conversation("s1", *rows, raw_events=({"type": "user", "uuid": "other"},))


def ids(folder: Path, *rows: MessageRow) -> list[str | None]:
    return [message.native_id for message in read_one(folder, session(*rows)).messages]


def asked(*content: BlockRow | str, at: datetime = FIRST, **fields: object) -> MessageRow:
    return user(*content, at=at, **fields)


def answered(*content: BlockRow | str, at: datetime = THEN, **fields: object) -> MessageRow:
    return assistant(*content, at=at, **fields)


def test_copy_at_the_start_leaves_the_newer_one(tmp_path: Path) -> None:
    old = (asked("What is this?", parent=None), answered("A robot."))
    new = (asked("What is this?", parent=None), answered("A robot."), asked("And that?", at=LATER))
    assert ids(tmp_path, *old, *new) == ["m2", "m3", "m4"]


def test_copy_may_be_cut_into_other_messages(tmp_path: Path) -> None:
    old = (asked(text("Look:"), image(b"x"), text("What is it?"), parent=None), answered("A robot."))
    new = (asked(text("Look:"), parent=None), asked(image(b"x")), asked(text("What is it?")), answered("A robot."))
    assert ids(tmp_path, *old, *new) == ["m2", "m3", "m4", "m5"]


def test_copy_within_a_session_is_no_fork(tmp_path: Path) -> None:
    rows = (
        asked("Hello", parent=None),
        answered("Hello."),
        asked("Which one?", at=LATER, parent="m1"),
        answered("That.", at=LATER),
        asked("Which one?", at=LATER, parent="m1"),
        answered("That.", at=LATER),
    )
    assert ids(tmp_path, *rows) == ["m0", "m1", "m4", "m5"]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param((asked("What is this?", at=LATER, parent=None), answered("A robot.")), id="asked-again"),
        pytest.param((asked("What is this?", parent=None), answered("A cat.")), id="answered-otherwise"),
        pytest.param((asked("What is this?", parent=None),), id="not-answered"),
        pytest.param((asked("What is that?", parent=None), answered("A robot.")), id="other-words"),
    ],
)
def test_what_differs_stays(tmp_path: Path, second: tuple[MessageRow, ...]) -> None:
    first = (asked("What is this?", parent=None), answered("A robot."))
    assert len(ids(tmp_path, *first, *second)) == 2 + len(second)


def test_results_of_one_moment_stay(tmp_path: Path) -> None:
    rows = (
        asked("Hello", parent=None),
        answered(call("Read", {}, id="t1"), call("Read", {}, id="t2")),
        asked(result("same", id="t1"), at=LATER, parent="m1"),
        asked(result("same", id="t2"), at=LATER, parent="m1"),
    )
    assert len(ids(tmp_path, *rows)) == 4


def test_messages_without_a_time_stay(tmp_path: Path) -> None:
    rows = (user("Hello", at=None, parent=None), user("Hello", at=None, parent=None))
    assert len(ids(tmp_path, *rows)) == 2
