"""A bucket as the place: only what changed goes out, each object with its content type and for how long it may be kept.

Which objects are ours is told by the mark that each carries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from sitegen.errors import OutputError, PublishError, RefusedError
from sitegen.output.layout import DOT_FILE
from sitegen.output.store import Standing, Store, stamp_of_bytes
from sitegen.publish.changes import Changes
from sitegen.publish.tree import Tree

T = TypeVar("T")

_FEW = 3


class PublishedBucket(Struct, frozen=True):
    """A bucket, or a prefix in one. `is_forced` takes one that holds others' objects, and replaces those in the way."""

    store: Store
    is_forced: bool = False

    @property
    def name(self) -> str:
        return self.store.url

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        """What would change: by one listing, and a look at each object whose sum isn't that of its bytes."""
        listed = {path: stamp for path, stamp in _told(self.store.listing).items() if path != DOT_FILE}
        same = {path for path in tree.files if path in listed and listed[path] == stamp_of_bytes(tree.read(path))}
        doubtful = [path for path in sorted(listed) if path not in same]
        looked = _told(lambda: self.store.look_at_all(doubtful))
        same |= {path for path, found in looked.items() if found and found.sha256 == tree.files.get(path, "-")}
        foreign = sorted(path for path in doubtful if path not in same and _is_foreign(looked[path]))
        self._refuse_foreign(tree, foreign, is_known=len(foreign) < len(listed))
        return Changes(
            added=tuple(path for path in tree.files if path not in listed),
            changed=tuple(path for path in tree.files if path in listed and path not in same),
            removed=tuple(path for path in doubtful if path not in tree.files and path not in foreign),
            kept=tuple(sorted(same)),
            foreign=tuple(path for path in foreign if path not in tree.files),
        )

    def begin(self, tree: Tree, changes: Changes) -> None:
        """Nothing: the mark goes out with each object."""

    def put(self, documents: Sequence[tuple[str, bytes]]) -> None:
        _told(lambda: self.store.put(documents))

    def remove(self, paths: Sequence[str]) -> Mapping[str, str]:
        return self.store.remove(paths)

    def finish(self, tree: Tree, failed: Collection[str]) -> None:
        """Nothing, for the same reason."""

    def _refuse_foreign(self, tree: Tree, foreign: Sequence[str], *, is_known: bool) -> None:
        in_the_way = [path for path in foreign if path in tree.files]
        if self.is_forced or (is_known and not in_the_way) or not foreign:
            return
        shown = ", ".join((in_the_way or foreign)[:_FEW])
        raise RefusedError(
            f"{self.name} holds objects that sitegen didn't put there ({shown}). Name another prefix, or pass --force"
            " to publish among them; only those in the way are replaced."
        )


def _is_foreign(found: Standing | None) -> bool:
    return found is not None and found.sha256 is None


def _told(work: Callable[[], T]) -> T:
    try:
        return work()
    except OutputError as error:
        raise PublishError(str(error)) from error
