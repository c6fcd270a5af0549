"""How work is cut into batches: every task once, fewer and larger batches at the beginning."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.build.pool import cut
from sitegen.build.work import Task
from sitegen.model import ConversationHead, Share
from sitegen.output.plan import Claim
from sitegen.output.writer import Writer


def _task(name: str, messages: int) -> Task:
    head = ConversationHead(name, "claude_code", name, None, None, None, None, messages, digest=name)
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
