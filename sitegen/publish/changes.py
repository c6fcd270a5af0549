"""What publishing would do at a place, and in which order: new files, then pages, then removals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from sitegen.publish.tree import unit_of, units
from sitegen.urls import SEARCH_INDEX

_EXPORTS: Final = ("conversation.md", "conversation.json")
_LATE: Final = frozenset({"feed.xml", "pagefind-entry.json"})
_SITEMAP: Final = re.compile(r"sitemap(-\d+)?\.xml")


class Changes(Struct, frozen=True):
    """Paths to add, to change and to remove; `kept` stand as they should."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    """What stands there and isn't ours; it stays."""

    @property
    def put(self) -> tuple[str, ...]:
        """What has to be put there, in the order in which it is."""
        return tuple(sorted((*self.added, *self.changed), key=lambda path: (stage(path), path)))

    @property
    def wanted(self) -> frozenset[str]:
        """All that will be there of ours."""
        return frozenset((*self.added, *self.changed, *self.kept))

    @property
    def is_nothing(self) -> bool:
        return not (self.added or self.changed or self.removed)


def stage(path: str) -> int:
    """When a file goes out: 0 what pages need, 1 pages of shares, 2 indexes, 3 what tells of all of them."""
    name = path.rpartition("/")[2]
    if name in _LATE or _SITEMAP.fullmatch(path):
        return 3
    if not name.endswith(".html"):
        return 0
    return 1 if path.startswith("s/") else 2


def gone(changes: Changes, revoked: Collection[str] = ()) -> tuple[str, ...]:
    """What to remove though nothing else may be published: shares that are no more or aren't open any more.

    With them go projects that are no more, and what the search says of all these. A revoked share may stand in the last
    build still; then the search can't be told from what it says of that share.
    """
    left = units(changes.wanted) - {f"s/{slug}" for slug in revoked} - _closed(changes)
    standing = (*changes.removed, *changes.kept, *changes.changed)
    going = [path for path in standing if (unit := unit_of(path)) and unit not in left]
    if going:
        is_stale = any(path in changes.kept for path in going)
        going += [path for path in (standing if is_stale else changes.removed) if path.startswith(SEARCH_INDEX)]
    return tuple(going)


def urgent(changes: Changes, done: Collection[str]) -> tuple[str, ...]:
    """What to remove though not all could be put: what was taken back, and what no page there needs any more."""
    pending = {unit_of(path) for path in changes.put if path.endswith(".html") and path not in done}
    left = units(changes.wanted) - (_closed(changes) & pending)
    old = [path for path in changes.changed if path not in done and unit_of(path) not in left]
    going = [path for path in changes.removed if unit_of(path) not in left or unit_of(path) not in pending]
    going = [path for path in (*going, *old) if unit_of(path)]
    if any(unit_of(path) not in left for path in going):
        going += [path for path in changes.removed if path.startswith(SEARCH_INDEX)]
    return tuple(going)


def _closed(changes: Changes) -> frozenset[str]:
    """Shares that were open at the place and are protected or expired now: their exports go."""
    return units(path for path in changes.removed if path.rpartition("/")[2] in _EXPORTS)


def pages_first(paths: Iterable[str]) -> list[str]:
    """The order of removals: what readers open goes before what it needs."""
    return sorted(paths, key=lambda path: (not path.endswith(".html"), path))
