"""Pieces of one long work, done by several processes: each takes the next that nobody has begun, so does this one.

Nobody is waited for, since others may have more to do or die: what they haven't done in the end is done here again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

P = TypeVar("P")
T = TypeVar("T")


class Help(Protocol):
    """Other processes that do a part."""

    @property
    def most(self) -> int:
        """How many pieces they may have at once."""

    def ask(self, call: Callable[[], T], /) -> Future[T] | None:
        """What becomes of a call that can be pickled; None when they don't take any more."""


def answer(asked: Future[T] | None, here: Callable[[], T]) -> T:
    """What others have made of a call, if they have; or else made here."""
    is_there = asked is not None and asked.done() and not asked.cancelled() and asked.exception() is None
    return asked.result() if asked is not None and is_there else here()


def each(
    pieces: Sequence[P], here: Callable[[P], T], there: Callable[[P], Callable[[], T]], help: Help | None
) -> list[T]:
    """What becomes of each piece, in their order. `there` gives a call that does elsewhere what `here` does."""
    return _Table(pieces, here, there, help).done() if help else [here(piece) for piece in pieces]


class _Table(Generic[P, T]):
    """Pieces that wait, the first for others and the last for this process; and what those have been asked for."""

    def __init__(
        self, pieces: Sequence[P], here: Callable[[P], T], there: Callable[[P], Callable[[], T]], help: Help
    ) -> None:
        self._pieces, self._here, self._there, self._help = pieces, here, there, help
        self._waiting = deque(range(len(pieces)))
        self._asked: dict[int, Future[T]] = {}
        self._lock = Lock()

    def done(self) -> list[T]:
        """What becomes of each."""
        for _ in range(self._help.most):
            self._hand_over()
        made: dict[int, T] = {}
        while (number := self._take()) is not None:
            made[number] = self._here(self._pieces[number])
        for number in sorted(self._asked, reverse=True):  # the first of them will be there soonest
            made[number] = answer(self._asked[number], lambda number=number: self._here(self._pieces[number]))  # type: ignore[misc]
        found = [made[number] for number in range(len(self._pieces))]
        self._pieces = ()  # those who were asked may still be at it, and know this table
        self._asked.clear()
        return found

    def _take(self) -> int | None:
        with self._lock:
            return self._waiting.pop() if self._waiting else None

    def _hand_over(self) -> None:
        """Gives the first piece that waits to another process, and one more when that has ended."""
        with self._lock:
            if len(self._waiting) < 2:  # the last one is done here sooner
                return
            number = self._waiting.popleft()
            asked = self._help.ask(self._there(self._pieces[number]))
            if asked is None:
                self._waiting.appendleft(number)
                return
            self._asked[number] = asked
        asked.add_done_callback(self._accept)

    def _accept(self, asked: Future[T]) -> None:
        if not asked.cancelled() and asked.exception() is None:
            self._hand_over()
