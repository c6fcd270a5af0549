"""Spreads tasks over processes, or not: small work is done where it stands. The seam is `concurrent.futures.Executor`.

Batches go out largest first and come back in any order; the results are sorted, so nothing depends on who was quick.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing.connection import wait

from sitegen.build.work import Made, Setting, Task, Worker

_WORTH_A_POOL = 1_500
"""Weight (about messages) below which starting processes costs more than it saves."""
_SMALLEST_BATCH = 1_500
_LARGEST_BATCH = 30_000
"""Weights again. Each batch opens the projection and looks for its rows in all of it, so in a large archive few large
batches cost less; small ones at the end let all processes end at about the same time."""

OnMade = Callable[[int], None]


def make_all(
    setting: Setting, tasks: Sequence[Task], *, jobs: int | None = None, on_made: OnMade = lambda _: None
) -> list[Made]:
    """What became of each task, by slug. `on_made` hears how many more shares are done."""
    processes = min(jobs or _cores(), len(tasks))
    if processes <= 1 or sum(map(_weight, tasks)) < _WORTH_A_POOL:
        made = list(_make_here(setting, tasks, on_made))
    else:
        with _start(setting, processes) as executor:
            made = list(_make_there(executor, tasks, processes, on_made))
    return sorted(made, key=lambda each: each.slug)


def _make_here(setting: Setting, tasks: Sequence[Task], on_made: OnMade) -> Iterator[Made]:
    worker = Worker(setting)
    for batch in cut(tasks, parts=1):
        yield from worker.make(batch)
        on_made(len(batch))


def _make_there(executor: Executor, tasks: Sequence[Task], processes: int, on_made: OnMade) -> Iterator[Made]:
    futures = [executor.submit(_make, batch) for batch in cut(tasks, parts=processes * 3)]
    for future in as_completed(futures):
        batch = future.result()
        on_made(len(batch))
        yield from batch


def cut(tasks: Sequence[Task], *, parts: int) -> list[list[Task]]:
    """Batches, heaviest tasks first; each holds one part of so many of what is left then, within limits."""
    left = sum(map(_weight, tasks))
    batches: list[list[Task]] = []
    room = 0
    for task in sorted(tasks, key=lambda task: (-_weight(task), task.share.slug)):
        weight = _weight(task)
        if weight > room:
            batches.append([])
            room = max(weight, min(_LARGEST_BATCH, max(_SMALLEST_BATCH, left // parts)))
        batches[-1].append(task)
        room -= weight
        left -= weight
    return batches


def _weight(task: Task) -> int:
    return 2 + task.share.head.message_count


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ------------------------------------------------------------------------------------------------- in the processes

_worker: Worker | None = None


@contextmanager
def _start(setting: Setting, processes: int) -> Iterator[Executor]:
    """A pool whose processes start from nothing: forking a process that DuckDB has given threads isn't safe."""
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_set_up, initargs=(setting,))
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _set_up(setting: Setting) -> None:
    global _worker
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = Worker(setting)


def _end_with_parent() -> None:
    """A build that is killed must not leave processes that go on writing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _make(batch: list[Task]) -> list[Made]:
    if _worker is None:
        msg = "the pool's process wasn't set up"
        raise RuntimeError(msg)
    return _worker.make(batch)
