"""What several processes do is what one would do, in order, whoever is quick, busy or dies."""

from __future__ import annotations

from functools import partial

import pytest

from sitegen.helping import answer, each
from tests.support.helping import Busy, Dead, Dying, Ready

NUMBERS = list(range(-9, 9))


def done(numbers: list[int], help: Ready | None) -> tuple[list[int], list[int]]:
    """What becomes of them, and those that this process did."""
    mine: list[int] = []

    def here(number: int) -> int:
        mine.append(number)
        return abs(number)

    return each(numbers, here, lambda number: partial(abs, number), help), mine


@pytest.mark.parametrize("kind", [Ready, Dying, Dead, Busy, None])
@pytest.mark.parametrize("numbers", [NUMBERS, [-1], []])
def test_it_is_all_done_whoever_helps(kind: type[Ready] | None, numbers: list[int]) -> None:
    assert done(numbers, kind() if kind else None)[0] == list(map(abs, numbers))


def test_others_take_what_comes_first_and_leave_the_last() -> None:
    help = Ready()
    assert done(NUMBERS, help)[1] == NUMBERS[-1:]
    assert help.asked == len(NUMBERS) - 1


def test_nobody_is_waited_for() -> None:
    help = Busy()
    assert done(NUMBERS, help)[1] == [*NUMBERS[:1:-1], NUMBERS[1], NUMBERS[0]]
    assert help.asked == help.most


def test_one_thing_that_others_have_not_done_is_done_here() -> None:
    asked = [kind().ask(partial(abs, -1)) for kind in (Ready, Busy, Dead)]
    assert [answer(each, lambda: 2) for each in asked] == [1, 2, 2]
