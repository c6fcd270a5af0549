"""Other processes that help, as far as anyone can tell: they're given what can be pickled and give what can be."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Ready:
    """Does at once what it's asked for."""

    most: int = 2
    asked: int = 0

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        self.asked += 1
        future: Future[T] = Future()
        future.set_result(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(call))())))
        return future


class Dying(Ready):
    """Dies over the third call."""

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        if self.asked < 2:
            return super().ask(call)
        self.asked += 1
        future: Future[T] = Future()
        future.set_exception(BrokenExecutor("it died"))
        return future


class Dead(Ready):
    """Takes nothing."""

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        return None


class Busy(Ready):
    """Never comes to it."""

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        self.asked += 1
        return Future()
