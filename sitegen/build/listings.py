"""What builds found in the projections, kept for the next one: after an ingest only what it touched is looked at.

A projection to which anything but an ingest has written is looked at whole, and so is every one by another program.
No word of a conversation is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from msgspec import Struct

from sitegen.build.keys import digest, source_digest
from sitegen.ledger import changed_between, standing
from sitegen.output.cache import Cache
from sitegen.output.layout import LISTING_FOLDER
from sitegen.output.watch import Watch
from sitegen.projection import Known, Listing
from sitegen.stamps import UNSURE, Stamp

_READING: Final = ("projection", "picked.py", "values.py", "wording", "model")
"""The rooms whose code decides what a listing says."""


class Kept(Struct, frozen=True):
    """A listing, and how its projection stood when it was made."""

    stamp: Stamp
    listing: Listing


class Listings(Struct, frozen=True):
    """The listings in a build's private folder."""

    cache: Cache
    is_read: bool

    @classmethod
    def within(cls, state_folder: Path, *, is_read: bool) -> Self:
        """Those of this state; `is_read` is False for a build that trusts nothing made before."""
        return cls(Cache(state_folder / LISTING_FOLDER), is_read)

    def known(self, path: Path, watch: Watch) -> Known | None:
        """What is known of an open projection, if anything is."""
        stamp = _stamp(path, watch) if self.is_read else UNSURE
        kept = self.cache.get(_key(path), Kept) if stamp != UNSURE else None
        changed = changed_between(path, kept.stamp, stamp) if kept else None
        return Known(kept.listing, changed) if kept and changed is not None else None

    def keep(self, found: Iterable[tuple[Path, Listing]], watch: Watch) -> None:
        """Keep the listing of each open projection for the next build, and no others."""
        kept = {_key(path): Kept(stamp, listing) for path, listing in found if (stamp := _stamp(path, watch)) != UNSURE}
        for key, value in kept.items():
            self.cache.put(key, value)
        self.cache.prune(kept)


def _key(path: Path) -> str:
    return digest(str(path), source_digest(_READING))


def _stamp(path: Path, watch: Watch) -> Stamp:
    """How an open projection stands; UNSURE unless it stood so before it was opened: a writer may have been waited for,
    or another file put in its place.
    """
    stamp = standing(path)
    return stamp if watch.inputs[str(path.absolute())] == stamp else UNSURE
