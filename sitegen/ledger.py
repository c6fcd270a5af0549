"""What ingests changed in a projection, written down beside it: a build then looks at that and at nothing else.

A record says how the file stood before an ingest, how it stands after it, and which conversations the ingest touched.
Records follow on each other. Whatever else writes to the file, or puts a copy in its place, breaks the chain, and then
a build looks at everything, as where there is no ledger. So it may be deleted at any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from sitegen.stamps import ABSENT, Stamp

_MOST_IDS = 10_000
"""A build to which more than so many conversations are new does as well to look at all."""
_UNUSABLE = (OSError, ValueError, TypeError, KeyError)

Record = tuple[Stamp, Stamp, frozenset[str]]
"""Before, after, and the row ids of the conversations that were touched."""


def note(projection: Path, before: Stamp, after: Stamp, touched: Collection[str]) -> None:
    """Write down what one ingest did to `projection`. A ledger that can't be written is missed by nobody."""
    if before == after:
        return
    records = [] if before == ABSENT else [*_read(projection), (before, after, frozenset(touched))]
    place = _place(projection)
    temporary = place.with_name(f"{place.name}-{os.getpid()}")
    with suppress(OSError):
        if records:
            temporary.write_text(json.dumps([_plain(record) for record in _newest(records)]), "utf-8")
            temporary.replace(place)
        else:
            place.unlink()


def changed_between(projection: Path, then: Stamp, now: Stamp) -> frozenset[str] | None:
    """The row ids of all conversations that may differ from what the projection held at `then`; None when unknown."""
    changed: set[str] = set()
    for before, after, touched in _read(projection):
        if before == then:
            changed |= touched
            then = after
    return frozenset(changed) if then == now else None


def _place(projection: Path) -> Path:
    """Where links lead, for ingests and builds may name the file differently."""
    real = projection.resolve()
    return real.with_name(f".{real.name}.changes")


def _read(projection: Path) -> list[Record]:
    try:
        records = json.loads(_place(projection).read_text("utf-8"))
        return [(_stamp(before), _stamp(after), frozenset(map(str, ids))) for before, after, ids in records]
    except _UNUSABLE:
        return []


def _stamp(numbers: Iterable[int]) -> Stamp:
    size, modified, changed, inode = map(int, numbers)
    return size, modified, changed, inode


def _plain(record: Record) -> object:
    before, after, touched = record
    return before, after, sorted(touched)


def _newest(records: list[Record]) -> list[Record]:
    """As many of the last ones as name no more conversations than are worth naming."""
    room = _MOST_IDS
    for at in range(len(records) - 1, -1, -1):
        room -= 1 + len(records[at][2])
        if room < 0:
            return records[at + 1 :]
    return records
