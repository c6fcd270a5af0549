"""Spreads tasks over processes, or not: small work is done where it stands. The seam is `concurrent.futures.Executor`.

Batches go out largest first, while this process makes the smallest, and come back in any order; the results are sorted,
so nothing depends on who was quick.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Protocol

from sitegen.build.memory import collecting_rarely
from sitegen.build.processes import Processes
from sitegen.build.work import Made, Setting, Task, Worker

_WORTH_A_POOL = 1_500
"""Weight (about messages) below which starting processes costs more than it saves."""
_SMALLEST_BATCH = 1_500
_LARGEST_BATCH = 30_000
"""Weights again. Each batch opens the projection and looks for its rows in all of it, so in a large archive few large
batches cost less; small ones at the end let all processes end at about the same time."""

OnMade = Callable[[int], None]


class MakeAll(Protocol):
    """Has tasks made, wherever that may be."""

    def __call__(self, worker: Worker, tasks: Sequence[Task], *, on_made: OnMade = ...) -> list[Made]:
        """What became of each task, by slug. `worker` is this process's; `on_made` hears how many more are done."""


def make_all(
    worker: Worker, tasks: Sequence[Task], *, processes: Processes, on_made: OnMade = lambda _: None
) -> list[Made]:
    """What became of each task, by slug. `worker` is this process's; `on_made` hears how many more shares are done."""
    count = min(processes.count, len(tasks))
    with collecting_rarely(), processes:
        if count <= 1 or sum(map(_weight, tasks)) < _WORTH_A_POOL:
            made = list(_make_here(worker, tasks, on_made))
        else:
            made = list(_make_there(processes.executor, worker, tasks, count, on_made))
    return sorted(made, key=lambda each: each.slug)


def _make_here(worker: Worker, tasks: Sequence[Task], on_made: OnMade) -> Iterator[Made]:
    for batch in cut(tasks, parts=1):
        yield from worker.make(batch)
        on_made(len(batch))


def _make_there(
    executor: Executor, worker: Worker, tasks: Sequence[Task], processes: int, on_made: OnMade
) -> Iterator[Made]:
    """Has the executor make the batches, one at a time for each of its processes, and makes some here meanwhile."""
    batches = cut(tasks, parts=processes * 3)
    feed = Feed(executor, worker.setting, deque(batches))
    feed.begin(processes - 1)
    for _ in batches:
        made = feed.take(worker)
        on_made(len(made))
        yield from made


@dataclass(slots=True)
class Feed:
    """Hands batches to an executor whenever it has ended one, so that those not begun are free for others."""

    executor: Executor
    setting: Setting
    waiting: deque[list[Task]]
    _ended: SimpleQueue[Future[list[Made]]] = field(default_factory=SimpleQueue)

    def begin(self, count: int) -> None:
        """Hands over so many batches."""
        for _ in range(count):
            self._hand_over()

    def take(self, worker: Worker) -> list[Made]:
        """What became of one more batch: of one that has ended, or else of the last that nobody has begun."""
        with suppress(Empty):
            return self._ended.get_nowait().result()
        try:
            batch = self.waiting.pop()
        except IndexError:
            return self._ended.get().result()
        return worker.make(batch)

    def _hand_over(self) -> None:
        with suppress(IndexError):
            batch = self.waiting.popleft()
            try:
                self.executor.submit(_make, self.setting, batch).add_done_callback(self._accept)
            except RuntimeError:  # a process has died, of which whoever waits for it hears
                self.waiting.append(batch)

    def _accept(self, future: Future[list[Made]]) -> None:
        self._ended.put(future)
        if future.exception() is None:
            self._hand_over()


def cut(tasks: Sequence[Task], *, parts: int, smallest: int = _SMALLEST_BATCH) -> list[list[Task]]:
    """Batches, heaviest tasks first; each holds one part of so many of what is left then, within limits."""
    left = sum(map(_weight, tasks))
    batches: list[list[Task]] = []
    room = 0
    for task in sorted(tasks, key=lambda task: (-_weight(task), task.share.slug)):
        weight = _weight(task)
        if weight > room:
            batches.append([])
            room = max(weight, min(_LARGEST_BATCH, max(smallest, left // parts)))
        batches[-1].append(task)
        room -= weight
        left -= weight
    return batches


def _weight(task: Task) -> int:
    return 2 + task.share.head.message_count


# ------------------------------------------------------------------------------------------------- in the processes

_worker: Worker | None = None


def _make(setting: Setting, batch: list[Task]) -> list[Made]:
    global _worker
    if _worker is None:
        _worker = Worker(setting)
    return _worker.make(batch)
