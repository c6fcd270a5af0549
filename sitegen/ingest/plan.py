"""Decides under which native id each conversation is stored, and which have to be read; writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from sitegen.ingest.current import Task
from sitegen.ingest.records import Adapter, Change, Handle, LineProblem, Stored

_BATCH_BYTES: Final = 16 << 20
_FIRST_BYTES: Final = 32 << 20
"""Of a new projection's first batch: there's nothing yet that DuckDB would write anew, so one batch does better."""
_BATCH_TASKS: Final = 200


class Plan(Struct):
    """What is to be done for the conversations that were found."""

    tasks: list[Task] = field(default_factory=list)
    unchanged: list[Handle] = field(default_factory=list)
    unreadable: list[LineProblem] = field(default_factory=list)


def make_plan(adapter: Adapter, handles: Sequence[Handle], stored: Mapping[str, Stored]) -> Plan:
    """One decision a handle, in the handles' order."""
    plan, names = Plan(), _Names(adapter, stored)
    # Those that are known keep their names, whatever else goes by the same name now.
    known = {n: name for n, handle in enumerate(handles) if (name := names.claim_known(handle)) is not None}
    for n, handle in enumerate(handles):
        try:
            name = known[n] if n in known else names.claim(handle)
            _decide(plan, adapter, handle, name, stored.get(name))
        except OSError as error:
            plan.unreadable.append(unreadable(handle, error.strerror or str(error)))
    return plan


def unreadable(handle: Handle, reason: str) -> LineProblem:
    """The problem of a conversation whose source can't be read at all."""
    return LineProblem(handle.location, 0, f"it can't be read: {reason}")


def batches(tasks: Iterable[Task], *, is_new: bool) -> Iterator[list[Task]]:
    """The tasks in batches of some 16 MB of source; more for the first of a new projection."""
    batch: list[Task] = []
    size, limit = 0, _FIRST_BYTES if is_new else _BATCH_BYTES
    for task in tasks:
        batch.append(task)
        size += task.handle.size_bytes
        if size >= limit or len(batch) >= _BATCH_TASKS:
            yield batch
            batch, size, limit = [], 0, _BATCH_BYTES
    if batch:
        yield batch


def _decide(plan: Plan, adapter: Adapter, handle: Handle, name: str, stored: Stored | None) -> None:
    change = Change.NEW if stored is None else _change(adapter, handle, stored)
    if change is Change.UNCHANGED:
        plan.unchanged.append(handle)
    else:
        plan.tasks.append(Task(handle, name, change, stored))


def _change(adapter: Adapter, handle: Handle, stored: Stored) -> Change:
    if stored.adapter_version != adapter.version or stored.content_hash is None:
        return Change.CHANGED
    return adapter.compare(handle, stored)


class _Names:
    """Gives each conversation its native id, and another one to a different conversation of the same native id."""

    def __init__(self, adapter: Adapter, stored: Mapping[str, Stored]) -> None:
        self._adapter = adapter
        self._stored = stored
        self._taken: set[str] = set()

    def claim_known(self, handle: Handle) -> str | None:
        """The name under which exactly this conversation is stored, if it is."""
        for name in (handle.native_id, f"{handle.native_id}@{handle.qualifier}"):
            stored = self._stored.get(name)
            if stored is not None and stored.qualifier == handle.qualifier and name not in self._taken:
                self._taken.add(name)
                return name
        return None

    def claim(self, handle: Handle) -> str:
        """A name for a conversation that isn't known: free, or that of a stored one which it goes on with."""
        for name in _candidates(handle):
            if name not in self._taken and self._may_take(handle, self._stored.get(name)):
                break
        self._taken.add(name)
        return name

    def _may_take(self, handle: Handle, stored: Stored | None) -> bool:
        # A file copied or moved to another folder is still the same conversation.
        return stored is None or self._adapter.compare(handle, stored) in (Change.UNCHANGED, Change.APPENDED)


def _candidates(handle: Handle) -> Iterator[str]:
    yield handle.native_id
    yield f"{handle.native_id}@{handle.qualifier}"
    n = 2
    while True:
        yield f"{handle.native_id}@{handle.qualifier}~{n}"
        n += 1
