"""What any output keeps count of during one build: whose files are whose, which of them stay, what is stale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import ClassVar, Protocol

from msgspec import Struct
from msgspec.structs import replace

from sitegen.output.dotfile import dot_file_bytes, line_for
from sitegen.output.layout import DOT_FILE
from sitegen.output.plan import Plan
from sitegen.output.records import FileRecord
from sitegen.output.writer import Document, Written
from sitegen.stamps import ABSENT

STALE = "stale"
"""Owner of what should be gone, in no plan."""


class Removal(Struct, frozen=True):
    """What became of stale files: gone, kept because someone altered them, or not removable (with the reason)."""

    removed: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Removal) -> Removal:
        return Removal(
            tuple(dict.fromkeys(self.removed + other.removed)),
            tuple(dict.fromkeys(self.altered + other.altered)),
            tuple({**dict(self.failed), **dict(other.failed)}.items()),
        )

    @property
    def is_complete(self) -> bool:
        """Whether nothing that should be gone is still there."""
        return not self.altered and not self.failed


class DocumentWriter(Protocol):
    """Writes the documents of one owner. It can be sent to another process, and does the same when asked twice."""

    @property
    def known(self) -> Mapping[str, FileRecord]:
        """The owner's files as the last build left them."""

    def write(self, documents: Iterable[Document]) -> list[Written]:
        """Write what differs, and say how each file stands now, in the order given. Raises OutputError."""


class Books(ABC):
    """The part of a `Target` that is the same wherever its files are."""

    _BATCH: ClassVar[int]
    """Documents that are written at once."""

    def __init__(self, recorded: Mapping[str, FileRecord]) -> None:
        self._recorded = recorded
        self._ours: dict[str, FileRecord] = dict(recorded)
        self._plan = Plan({})
        self._final: dict[str, FileRecord] = {}
        self._owners: dict[str, str | None] = {}
        owners: dict[str, str | None] = {path: record.owner for path, record in recorded.items()}
        self._kept_by_owner = group(recorded.values(), owners=owners)
        self._known_by_owner: dict[str, dict[str, FileRecord]] = {}

    def remove(self, owner: str) -> Removal:
        """Remove all that the owner has, now: for a share that has expired, before anything can fail."""
        self._kept_by_owner.pop(owner, None)
        return self._remove(self._paths_of(owner))

    @abstractmethod
    def writer(self, owner: str) -> DocumentWriter:
        """What writes the owner's documents; it can be sent to another process."""

    def write(self, owner: str, documents: Iterable[Document]) -> set[str]:
        """Write an owner's documents from here, a batch at a time, and return the paths of those that changed."""
        writer, rest = self.writer(owner), iter(documents)
        changed = set[str]()
        while batch := list(islice(rest, self._BATCH)):
            written = writer.write(batch)
            self.accept(written)
            changed |= {file.record.path for file in written if file.is_changed}
        return changed

    def accept(self, written: Iterable[Written]) -> None:
        """Count files that a writer wrote among those of this build."""
        self._final.update((file.record.path, file.record) for file in written)

    def note(self, written: Iterable[Written]) -> None:
        """Know files that a writer wrote before it failed as their owner's, to be kept as they are or removed."""
        for file in written:
            self._ours[file.record.path] = file.record
            self._owners[file.record.path] = file.record.owner

    def finish(self) -> tuple[dict[str, FileRecord], Removal]:
        """Prune what is stale and seal the dot file. The records are for `State.finish`, which comes last.

        Stale files that couldn't be removed stay among the records, so that the next build tries and tells again.
        """
        removal = self._remove([path for path in self._ours if path not in self._final])
        failed = [path for path, _ in removal.failed]
        lines = [line_for(record.path, record.sha256) for record in self._final.values()]
        lines += [line_for(path, self._ours[path].sha256) for path in failed]
        left = {path: replace(self._ours[path], owner=STALE, stamp=ABSENT) for path in (*failed, *removal.altered)}
        dot_file = self._seal(dot_file_bytes(lines))
        return {**self._final, **left, DOT_FILE: dot_file}, removal

    def _paths_of(self, owner: str | None) -> list[str]:
        return [path for path in self._ours if self._owners[path] == owner]

    @abstractmethod
    def _remove(self, paths: Iterable[str]) -> Removal:
        """Take away what is as we left it."""

    @abstractmethod
    def _seal(self, data: bytes) -> FileRecord:
        """Leave the list of our files, which comes last."""


def group(records: Iterable[FileRecord], *, owners: Mapping[str, str | None]) -> dict[str, dict[str, FileRecord]]:
    """Records by owner and path, without those of nobody."""
    groups: dict[str, dict[str, FileRecord]] = {}
    for record in records:
        owner = owners[record.path]
        if owner is not None:
            groups.setdefault(owner, {})[record.path] = record
    return groups
