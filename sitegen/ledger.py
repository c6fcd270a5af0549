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

from sitegen.stamps import ABSENT, UNSURE, Stamp, settled_stamp, stamp_input

_MOST_IDS = 10_000
"""A build to which more than so many conversations are new does as well to look at all."""
_MOST_BYTES = 4 << 20
"""Twice what so many take."""
_UNUSABLE = (OSError, ValueError, TypeError, OverflowError, RecursionError)
"""What reading anything but a ledger raises."""

Record = tuple[Stamp, Stamp, frozenset[str]]
"""Before, after, and the row ids of the conversations that were touched."""


def log_of(projection: Path) -> Path:
    """Where DuckDB keeps what isn't in the file yet: beside where links lead."""
    real = _real(projection)
    return real.with_name(f"{real.name}.wal")


def standing(projection: Path) -> Stamp:
    """How the file stands; UNSURE when there's more to the projection than it holds."""
    has_log = stamp_input(str(log_of(projection))) != ABSENT
    return UNSURE if has_log else settled_stamp(str(projection))


def note(projection: Path, before: Stamp, after: Stamp, touched: Collection[str]) -> None:
    """Write down what one ingest did to `projection`, which nobody else can write to meanwhile.

    A ledger that can't be written is missed by nobody.
    """
    if before == after or UNSURE in (before, after) or not _is_same_file(before, after):
        return
    records = [*_leading_to(before, _read(projection)), (before, after, frozenset(touched))]
    place = _place(projection)
    temporary = place.with_name(f".part{place.name}")
    try:
        temporary.write_text(json.dumps([_plain(record) for record in _newest(records)]), "utf-8")
        temporary.replace(place)
    except OSError:
        with suppress(OSError):
            temporary.unlink()


def changed_between(projection: Path, then: Stamp, now: Stamp) -> frozenset[str] | None:
    """The row ids of all conversations that may differ from what the projection held at `then`; None when unknown."""
    changed: set[str] = set()
    for before, after, touched in _read(projection):
        if before == then:
            changed |= touched
            then = after
    return frozenset(changed) if then == now else None


def _is_same_file(before: Stamp, after: Stamp) -> bool:
    """Not when another was put in its place during the ingest, which then wrote to one that has no name any more."""
    return before[-1] == after[-1]


def _leading_to(now: Stamp, records: list[Record]) -> list[Record]:
    """The records, or none when something else has written to the file since: no build can go by them any more."""
    return records if records and records[-1][1] == now else []


def _place(projection: Path) -> Path:
    """Where links lead, for ingests and builds may name the file differently."""
    real = _real(projection)
    return real.with_name(f".{real.name}.changes")


def _real(projection: Path) -> Path:
    """Where links lead; unlike `resolve`, it takes links in a circle for files that aren't there."""
    return Path(os.path.realpath(projection))


def _read(projection: Path) -> list[Record]:
    try:
        place = _place(projection)
        if not place.is_file() or place.stat().st_size > _MOST_BYTES:
            return []
        return [_record(*record) for record in json.loads(place.read_text("utf-8"))]
    except _UNUSABLE:
        return []


def _record(before: Iterable[int], after: Iterable[int], ids: Iterable[object]) -> Record:
    touched = frozenset(map(str, ids))
    "".join(touched).encode()  # raises what half a character of UTF-16 does, which JSON lets through and no database
    return _stamp(before), _stamp(after), touched


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
