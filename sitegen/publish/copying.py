"""Publishing by copying, for places where files stand one by one: a folder, a bucket.

Whatever happens on the way (no room, no network, Ctrl-C), what was taken back is removed before it's told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Protocol

from msgspec import Struct

from sitegen.errors import RefusedError
from sitegen.publish.changes import Changes, pages_first, stage, urgent
from sitegen.publish.target import OnPut
from sitegen.publish.tree import Tree

_BATCH = 32
_FEW = 5


class Place(Protocol):
    """Where files stand one by one."""

    @property
    def name(self) -> str:
        """How it's called."""

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        """As `Target.compare`."""

    def begin(self, tree: Tree, changes: Changes) -> None:
        """Note what will be put, so that it's known for ours though we be killed. Raises PublishError."""

    def put(self, documents: Sequence[tuple[str, bytes]]) -> None:
        """Put files, each whole or not at all. Raises PublishError."""

    def remove(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Remove files; the reasons of those that may still be there."""

    def finish(self, tree: Tree, failed: Collection[str]) -> None:
        """Note what stands there now. Raises PublishError."""


class Copying(Struct, frozen=True):
    """A target that is a place."""

    place: Place

    @property
    def name(self) -> str:
        return self.place.name

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        return self.place.compare(tree, known=known)

    def publish(self, tree: Tree, changes: Changes, *, on_put: OnPut) -> None:
        done: set[str] = set()
        failed: Mapping[str, str] = {}
        try:
            self.place.begin(tree, changes)
            for batch in _batches(changes.put):
                self.place.put([(path, tree.read(path)) for path in batch])
                done.update(batch)
                on_put(len(done), len(changes.put))
        finally:
            is_whole = len(done) == len(changes.put)
            failed = self.place.remove(pages_first(changes.removed if is_whole else urgent(changes, done)))
            _refuse_stuck(self.name, failed)
        self.place.finish(tree, failed)

    def withdraw(self, paths: Collection[str]) -> None:
        _refuse_stuck(self.name, self.place.remove(pages_first(paths)))


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Files in order, none of a later stage before all of an earlier one are there."""
    for _, group in groupby(paths, key=stage):
        alike = list(group)
        for start in range(0, len(alike), _BATCH):
            yield alike[start : start + _BATCH]


def _refuse_stuck(name: str, failed: Mapping[str, str]) -> None:
    """Raises when something that should be gone is still there; that is graver than whatever else failed."""
    if failed:
        shown = "; ".join(f"{path} ({why})" for path, why in list(failed.items())[:_FEW])
        more = f"; and {len(failed) - _FEW} more" if len(failed) > _FEW else ""
        raise RefusedError(
            f"Still at {name}, though it should be gone: {shown}{more}. Publish again, or remove it by hand."
        )
