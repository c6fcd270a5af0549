"""Spreads tasks over processes, or not: small work is done where it stands. The seam is `concurrent.futures.Executor`.

Batches of the heaviest tasks go out, while this process makes the lightest, and come back in any order; the results are
sorted, so nothing depends on who was quick.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Protocol, Self

from msgspec import Struct, field

from sitegen.build.memory import collecting_rarely
from sitegen.build.processes import Helpers, Processes
from sitegen.build.setting import Setting
from sitegen.build.work import Made, Task, Worker
from sitegen.errors import BuildError

_WORTH_A_POOL = 1_500
"""Weight (about messages) below which starting processes costs more than it saves."""
_SMALLEST_BATCH = 400
_LARGEST_BATCH = 30_000
"""Weights again. Each batch opens the projection and looks for its rows in all of it, so in a large archive few large
batches cost less; small ones at the end let all processes end at about the same time."""
_PARTS = 3
_PARTS_HERE = 6
"""Of what is left to each process, how many batches: more where progress can be told only between them."""
_GIVING_WAY_S = 0.0005
_ENDED = (
    "A process that made pages was ended from outside, as systems do when memory runs out. Build again; if it happens "
    "again, use --jobs 1, which takes less memory."
)

OnMade = Callable[[int], None]


class MakeAll(Protocol):
    """Has tasks made, wherever that may be."""

    def __call__(self, worker: Worker, tasks: Sequence[Task], *, on_made: OnMade = ...) -> list[Made]:
        """What became of each task, by slug. `worker` is this process's; `on_made` hears how many more are done."""


def make_all(
    worker: Worker, tasks: Sequence[Task], *, processes: Processes, on_made: OnMade = lambda _: None
) -> list[Made]:
    """What became of each task, by slug. `worker` is this process's; `on_made` hears how many more shares are done.

    Raises BuildError when one of the processes dies.
    """
    count = min(processes.count, len(tasks))
    worker.help = Helpers(processes) if processes.count > 1 else None
    is_little = sum(map(_weight, tasks)) < _WORTH_A_POOL
    with collecting_rarely():
        if is_little:
            batches = _wait(_make_here(worker, tasks, on_made))
        else:
            if len(tasks) > 1:  # one is read at once, and then it rests; to open it again takes as long as a part
                worker.rest()  # what reading it all has left in memory isn't for what is made of it
            with worker.holding(), _telling_of_the_dead(), _giving_way():
                if count > 1:
                    batches = _wait(_make_there(processes.executor, worker, tasks, count, on_made))
                else:
                    batches = _wait(_make_here(worker, tasks, on_made))
        processes.dismiss()
        worker.rest()
        return sorted(chain.from_iterable(batches), key=lambda each: each.slug)


def _wait(batches: Iterable[list[Made]]) -> Iterator[list[Made]]:
    """The batches, once all are made. Until then they are packed, for while pages are made there's little room: of each
    of a large site's conversations half a kilobyte waits, and not five."""
    packed = deque(zlib.compress(pickle.dumps(batch, protocol=5), 1) for batch in batches)
    return (pickle.loads(zlib.decompress(packed.popleft())) for _ in range(len(packed)))  # noqa: S301 - packed here


def _make_here(worker: Worker, tasks: Sequence[Task], on_made: OnMade) -> Iterator[list[Made]]:
    for batch in cut(tasks, parts=1):
        yield worker.make(batch)
        on_made(len(batch))


def _make_there(
    executor: Executor, worker: Worker, tasks: Sequence[Task], processes: int, on_made: OnMade
) -> Iterator[list[Made]]:
    """Has the executor make batches, one at a time for each of its processes, and makes some here meanwhile."""
    feed = Feed(executor, worker.setting, Pile.of(tasks), processes)
    giants = feed.pile.giants(processes)
    feed.begin()
    left = len(tasks)
    while left:
        made = worker.make(giants) if giants else feed.take(worker)
        giants, left = [], left - len(made)
        on_made(len(made))
        yield made


@contextmanager
def _telling_of_the_dead() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise BuildError(_ENDED) from error


@contextmanager
def _giving_way() -> Iterator[None]:
    """Has this thread let others in soon: a process that ended a batch waits until two of them handed over the next."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_GIVING_WAY_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Pile(Struct):
    """Tasks that nobody has begun, the heaviest first. Threads may take of it at once.

    Of those that weigh about as much neighbours in the projection come together, which are read in half the time.
    """

    tasks: deque[Task]
    weight: int
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> Self:
        """A pile of these."""
        ordered = sorted(tasks, key=lambda task: (-_weight(task).bit_length(), task.share.head.place, task.share.slug))
        return cls(deque(ordered), sum(map(_weight, ordered)))

    def heaviest(self, *, parts: int, smallest: int = _SMALLEST_BATCH) -> list[Task]:
        """Takes about one part of so many of what is left, within limits; nothing of nothing."""
        return self._take(self.tasks.popleft, parts=parts, smallest=smallest)

    def lightest(self, *, parts: int, smallest: int = _SMALLEST_BATCH) -> list[Task]:
        """The same from the other end."""
        return self._take(self.tasks.pop, parts=parts, smallest=smallest)

    def giants(self, processes: int) -> list[Task]:
        """Takes the heaviest if the others would wait for whoever makes it: it's made here, where others help."""
        with self._lock:
            heaviest = max(self.tasks, key=_weight, default=None)
            if heaviest is None or _weight(heaviest) * processes <= self.weight:
                return []
            self.weight -= _weight(heaviest)
            self.tasks.remove(heaviest)
            return [heaviest]

    def put_back(self, batch: Sequence[Task]) -> None:
        """Tasks that were taken, but won't be made by whoever took them."""
        with self._lock:
            self.tasks.extendleft(reversed(batch))
            self.weight += sum(map(_weight, batch))

    def _take(self, take: Callable[[], Task], *, parts: int, smallest: int) -> list[Task]:
        batch: list[Task] = []
        with self._lock:
            room = min(_LARGEST_BATCH, max(smallest, self.weight // parts))
            while self.tasks and room > 0:
                batch.append(take())
                room -= _weight(batch[-1])
            self.weight -= sum(map(_weight, batch))
        return batch


class Feed(Struct):
    """Hands batches to an executor whenever it has ended one, so that what isn't begun is free for others.

    The less is left, the smaller they are: all processes end at about the same time.
    """

    executor: Executor
    setting: Setting
    pile: Pile
    processes: int
    """With this one."""
    _ended: SimpleQueue[Future[list[Made]]] = field(default_factory=SimpleQueue)

    def begin(self) -> None:
        """Hands over a batch for each other process."""
        for _ in range(self.processes - 1):
            self._hand_over()

    def take(self, worker: Worker) -> list[Made]:
        """What became of one more batch: of one that has ended, or else of the lightest tasks that nobody has begun."""
        with suppress(Empty):
            return self._ended.get_nowait().result()
        batch = self.pile.lightest(parts=self.processes * _PARTS_HERE)
        return worker.make(batch) if batch else self._ended.get().result()

    def _hand_over(self) -> None:
        batch = self.pile.heaviest(parts=self.processes * _PARTS)
        if not batch:
            return
        try:
            self.executor.submit(_make, self.setting, batch).add_done_callback(self._accept)
        except RuntimeError:  # a process has died, of which whoever waits for it hears
            self.pile.put_back(batch)

    def _accept(self, future: Future[list[Made]]) -> None:
        self._ended.put(future)
        if future.exception() is None:
            self._hand_over()


def cut(tasks: Sequence[Task], *, parts: int, smallest: int = _SMALLEST_BATCH) -> list[list[Task]]:
    """Batches, heaviest tasks first; each holds one part of so many of what is left then, within limits."""
    pile = Pile.of(tasks)
    return list(iter(lambda: pile.heaviest(parts=parts, smallest=smallest), []))


def _weight(task: Task) -> int:
    return 2 + task.share.head.message_count


# ------------------------------------------------------------------------------------------------- in the processes

_worker: Worker | None = None


def _make(setting: Setting, batch: list[Task]) -> list[Made]:
    global _worker
    if _worker is None:
        _worker = Worker(setting)
        from multiprocessing.util import Finalize

        until_the_end = ExitStack()
        until_the_end.enter_context(_worker.holding())
        Finalize(None, until_the_end.close, exitpriority=0)  # a process that was forked knows no `atexit`
    return _worker.make(batch)
