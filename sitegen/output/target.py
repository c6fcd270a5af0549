"""What a build writes into, whichever it is: a folder of this machine, or a bucket. The seam between the two."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from sitegen.output.books import DocumentWriter, Removal
from sitegen.output.folder import Folder
from sitegen.output.plan import Plan
from sitegen.output.records import FileRecord
from sitegen.output.state import State
from sitegen.output.writer import Document, Written

__all__ = ["DocumentWriter", "Removal", "Target", "open_target"]


class Target(Protocol):
    """The output of one build: `begin`, then `keep` or `writer` … `accept` for each owner, then `finish`."""

    @property
    def is_live(self) -> bool:
        """Whether readers may see what is written while a build goes on."""

    def begin(self, plan: Plan) -> Removal:
        """Note that a build is under way, and remove first what no claim covers any more."""

    def remove(self, owner: str) -> Removal:
        """Remove all that the owner has, now."""

    def keep(self, owner: str) -> bool:
        """Keep the owner's files when all are there as recorded. False: they must be written again."""

    def keep_as_is(self, owner: str) -> None:
        """Leave the owner's files as they are, whatever they are."""

    def writer(self, owner: str) -> DocumentWriter:
        """What writes the owner's documents."""

    def write(self, owner: str, documents: Iterable[Document]) -> set[str]:
        """Write an owner's documents here, and return the paths of those that were changed."""

    def accept(self, written: Iterable[Written]) -> None:
        """Count files that a writer wrote among those of this build."""

    def note(self, written: Iterable[Written]) -> None:
        """Know files that a writer wrote before it failed as their owner's, to be kept as they are or removed."""

    def finish(self) -> tuple[dict[str, FileRecord], Removal]:
        """Prune what is stale. The records are for `State.finish`, which comes last."""

    def read(self, path: str) -> bytes:
        """The bytes of a file; one that is gone is empty."""

    def withdraw(self, path: str) -> None:
        """Take one file out, whatever it holds."""


def open_target(
    output: Path | str, *, state: State, adopt: bool = False, private: Iterable[Path] = (), is_full: bool = False
) -> Folder | Target:
    """The output at a folder or at the address of a bucket. Raises OutputError as their own ways of opening do.

    `is_full` has everything in a bucket looked at, whatever the state says.
    """
    if isinstance(output, Path):
        return Folder.open(output, state=state, adopt=adopt, private=private)
    from sitegen.output.bucket import Bucket
    from sitegen.output.store import Store

    return Bucket.open(Store(output), state=state, adopt=adopt, is_full=is_full)
