"""What Claude Code's own records say beyond the messages made of them.

Which ones aren't the user's or the main thread's, what each request used, what a tool returned in structure, whose
parent was a record without a message, and which branch the work was on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sitegen.model import Message, Usage
from sitegen.picked import RawRecord


def parents_by_record(messages: Sequence[Message], records: Sequence[RawRecord]) -> Mapping[str, str]:
    """Parents as the records name them, by message id.

    Where a parent is a record without a message (or one from before a compaction): the next above that has one. Where
    several messages have the parent's id: the first of them, whichever the projection chose.
    """
    above = {record.uuid: record.parent_uuid for record in reversed(records) if record.uuid}
    ids = {message.native_id: message.id for message in reversed(messages) if message.native_id}
    return {
        message.id: parent
        for message in messages
        if (parent := _nearest(above.get(message.native_id or ""), above, ids)) is not None
    }


def _nearest(uuid: str | None, above: Mapping[str, str | None], ids: Mapping[str, str]) -> str | None:
    for _ in above:
        if uuid is None or uuid in ids:
            break
        uuid = above.get(uuid)
    return None if uuid is None else ids.get(uuid)


def git_branch(records: Iterable[RawRecord]) -> str | None:
    """The branch the work was on at the end; None if the records don't say."""
    branches = [record.git_branch for record in records if record.git_branch not in (None, "", "HEAD")]
    return branches[-1] if branches else None


def match(messages: Iterable[tuple[str, str | datetime | None]], records: Sequence[RawRecord]) -> dict[str, RawRecord]:
    """Records by message id, for ids of messages with their native ids or else their times.

    Where a native id repeats, the first message gets the first record, and so on. A message without one belongs to the
    record without an id that was written at the same moment.
    """
    waiting: dict[str | datetime | None, list[RawRecord]] = defaultdict(list)
    for record in reversed(records):
        waiting[record.uuid or record.at].append(record)
    waiting.pop(None, None)
    matched = {}
    for id, name in messages:
        queue = waiting.get(name)
        if queue:
            matched[id] = queue.pop() if len(queue) > 1 else queue[0]
    return matched


def final_usages(records: Iterable[RawRecord]) -> dict[str, Usage]:
    """Each request's usage as its last record has it: earlier ones count an answer that was still growing."""
    return {record.request_id: record.usage for record in records if record.request_id and record.usage}
