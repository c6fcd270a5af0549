"""How work is cut into batches and handed out: every task once, fewer and larger batches at the beginning."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import cast

import pytest

from sitegen.build.pool import Feed, Pile, cut
from sitegen.build.setting import Setting
from sitegen.build.work import Made, Task, Worker
from sitegen.model import ConversationHead, Share
from sitegen.output.plan import Claim
from sitegen.output.writer import Writer


def _task(name: str, messages: int, *, place: int = 0) -> Task:
    head = ConversationHead(name, "claude_code", name, None, None, None, None, messages, digest=name, place=place)
    writer = Writer(Path("public"), Claim(name, folders=(name,)), known={})
    share = Share(slug=name, head=head, project=None, origin="rule")
    return Task(share, transcript_key=name, content_key=name, writer=writer)


def _weights(batches: list[list[Task]]) -> list[int]:
    return [sum(task.share.head.message_count for task in batch) for batch in batches]


@pytest.mark.parametrize("count", [0, 1, 7, 400])
def test_every_task_is_in_one_batch(count: int) -> None:
    tasks = [_task(f"talk{number}", number % 50) for number in range(count)]
    names = [task.share.slug for batch in cut(tasks, parts=6) for task in batch]
    assert sorted(names) == sorted(task.share.slug for task in tasks)


def test_a_large_archive_is_cut_into_few_batches() -> None:
    small = len(cut([_task(f"talk{number}", 60) for number in range(1_000)], parts=6))
    large = len(cut([_task(f"talk{number}", 60) for number in range(10_000)], parts=6))
    assert small < 30
    assert large < small + 40


def test_batches_get_smaller_so_that_no_process_ends_late() -> None:
    weights = _weights(cut([_task(f"talk{number}", 60) for number in range(1_000)], parts=6))
    assert weights[0] > 5_000
    assert weights[-1] < 2_000


def test_a_huge_conversation_starts_first_and_alone() -> None:
    tasks = [_task(f"talk{number}", 10) for number in range(50)]
    first = cut([*tasks, _task("huge", 5_000)], parts=6)[0]
    assert [task.share.slug for task in first] == ["huge"]


def test_neighbours_in_the_projection_are_read_together() -> None:
    tasks = [_task(f"talk{number * 37 % 100}", 70 + number % 4, place=number) for number in range(100)]
    batches = [sorted(task.share.head.place for task in batch) for batch in cut(tasks, parts=6)]
    assert len(batches) > 6
    assert all(batch[-1] - batch[0] == len(batch) - 1 for batch in batches)


class _Executor:
    """Ends what it is given only when it's told to, and then the first."""

    def __init__(self) -> None:
        self.given: list[tuple[Future[list[Made]], list[Task]]] = []

    def submit(self, _: object, setting: object, batch: list[Task]) -> Future[list[Made]]:
        future: Future[list[Made]] = Future()
        self.given.append((future, batch))
        return future

    def end(self, *, error: Exception | None = None) -> None:
        future, batch = self.given.pop(0)
        if error is None:
            future.set_result([Made(task.share.slug) for task in batch])
        else:
            future.set_exception(error)


class _Worker:
    def make(self, tasks: list[Task]) -> list[Made]:
        return [Made(f"{task.share.slug} here") for task in tasks]


def _feed(count: int) -> tuple[Feed, _Executor]:
    executor = _Executor()
    pile = Pile.of(_task(f"talk{number}", 3_000) for number in range(count))
    feed = Feed(cast("Executor", executor), cast("Setting", None), pile, processes=2)
    feed.begin()
    return feed, executor


def _take(feed: Feed) -> list[str]:
    return [made.slug for made in feed.take(cast("Worker", _Worker()))]


def test_what_no_process_has_begun_is_made_here_from_the_end() -> None:
    feed, executor = _feed(4)
    assert _take(feed) == ["talk3 here"]
    executor.end()
    assert _take(feed) == ["talk0"]
    assert _take(feed) == ["talk2 here"]
    executor.end()
    assert _take(feed) == ["talk1"]


def test_a_process_that_dies_is_told_and_waited_for_by_nobody() -> None:
    feed, executor = _feed(3)
    executor.end(error=BrokenExecutor("it died"))
    with pytest.raises(BrokenExecutor):
        _take(feed)
    assert executor.given == []


def test_a_pool_that_takes_no_more_leaves_the_rest_to_be_made_here() -> None:
    feed, executor = _feed(2)
    executor.submit = lambda *_: (_ for _ in ()).throw(BrokenExecutor("it died"))  # type: ignore[method-assign]
    executor.end()
    assert _take(feed) == ["talk0"]
    assert _take(feed) == ["talk1 here"]


def test_giant_for_which_all_would_wait_is_made_here_where_others_help() -> None:
    pile = Pile.of([_task("giant", 5_000), *(_task(f"talk{number}", 60) for number in range(50))])
    assert [task.share.slug for task in pile.giants(2)] == ["giant"]
    assert pile.giants(2) == []
    assert sum(map(len, iter(lambda: pile.heaviest(parts=2), []))) == 50
