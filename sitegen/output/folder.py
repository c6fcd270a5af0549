"""The output folder during one build: whether it is ours, what goes first, what stays, what is pruned at the end.

Foreign files are never touched. A file is ours when the last build recorded it or the dot file knows its path with its
content; it is removed only while it is as we left it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from sitegen.bulk import sha256_of
from sitegen.errors import OutputError
from sitegen.output.books import STALE, Books, Removal, group
from sitegen.output.dotfile import dot_file_bytes, line_for, read_lines
from sitegen.output.failures import as_output_error
from sitegen.output.ground import Kind, hash_file, is_within, look_at, remove_empty_parents, walk
from sitegen.output.layout import DOT_FILE, DOT_OWNER, TEMPORARY_PREFIX
from sitegen.output.plan import Plan
from sitegen.output.records import FileRecord, LastBuild
from sitegen.output.state import State
from sitegen.output.writer import Writer, foreign, replace_file
from sitegen.stamps import ABSENT, Stamp, stamp_output

_FEW = 3


class Folder(Books):
    """The output folder of one build: `begin`, then `keep` or `writer` … `accept` for each owner, then `finish`."""

    _BATCH = 500
    is_live = False

    def __init__(self, root: Path, *, state: State) -> None:
        super().__init__(state.last.files)
        self.root = root
        self._state = state

    @classmethod
    def open(cls, root: Path, *, state: State, adopt: bool = False, private: Iterable[Path] = ()) -> Self:
        """The output folder at `root`, made when it isn't there.

        Raises OutputError when it isn't a folder, can't be made, holds other people's files (unless `adopt`), or when
        one of the `private` places or the state would lie in it and be published.
        """
        real = Path(os.path.realpath(root))
        for place in (state.path.parent, *private):
            _refuse_private(real, place)
        _refuse_within_state(real, state.path.parent)
        _make_root(real)
        if not adopt:
            _refuse_foreign(real, state.last)
        return cls(real, state=state)

    def begin(self, plan: Plan) -> Removal:
        """Note that a build is under way; heal what a killed one left; remove first what no claim covers any more."""
        self._plan = plan
        try:
            self._state.begin()
        except OutputError:
            # Taking back needs no room on the disk, and must not wait for it.
            self._remove_unclaimed()
            raise
        return self._remove_unclaimed()

    def _remove_unclaimed(self) -> Removal:
        if not self._is_as_left():
            self._find_strays()
        if read_lines(self.root) is None:
            self._start_dot_file()
        self._owners = {path: self._plan.owner_of(path) for path in self._ours}
        self._known_by_owner = group(self._recorded.values(), owners=self._owners)
        return self._remove(self._paths_of(None))

    def keep(self, owner: str) -> bool:
        """Keep the owner's files when all are there as recorded. False: they must be written again."""
        records = self._kept_by_owner.get(owner)
        if not records:
            return False
        current = [self._current(record) for record in records.values()]
        kept = {record.path: record for record in current if record is not None}
        if len(kept) < len(records):
            return False
        self._final.update(kept)
        return True

    def keep_as_is(self, owner: str) -> None:
        """Leave the owner's files as they are, whatever they are: for a page that couldn't be made anew."""
        for path in self._paths_of(owner):
            file = self.root / path
            if look_at(file)[0] is Kind.FILE and (sha256 := _hash(file)) is not None:
                self._final[path] = FileRecord(path, owner, sha256, stamp_output(file))
            else:  # a link or a folder that someone put there isn't ours any more
                del self._ours[path]

    def writer(self, owner: str) -> Writer:
        """What writes the owner's documents; it can be sent to another process."""
        return Writer(self.root, self._plan.claim(owner), self._known_by_owner.get(owner, {}))

    def read(self, path: str) -> bytes:
        """The bytes of a file; one that is gone is empty."""
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return b""

    def withdraw(self, path: str) -> None:
        """Take one file out, whatever it holds."""
        with suppress(OSError):
            (self.root / path).unlink()

    def _is_as_left(self) -> bool:
        """Whether the last build finished and nothing was built here since by another state."""
        last = self._state.last
        return (
            last.is_finished and last.dot_file is not None and stamp_output(self.root / DOT_FILE) == last.dot_file.stamp
        )

    def _find_strays(self) -> None:
        """Look through the whole folder for what is ours and unrecorded, and for unfinished temporary files."""
        lines = read_lines(self.root) or frozenset()
        for path, kind in walk(self.root):
            if path.rsplit("/", 1)[-1].startswith(TEMPORARY_PREFIX):
                (self.root / path).unlink(missing_ok=True)
            elif kind is Kind.FILE and path not in self._ours and lines:
                sha256 = hash_file(self.root / path)
                if line_for(path, sha256) in lines:
                    self._ours[path] = FileRecord(path, STALE, sha256, ABSENT)

    def _start_dot_file(self) -> None:
        kind, _ = look_at(self.root / DOT_FILE)
        if kind not in (Kind.NOTHING, Kind.FILE) or (kind is Kind.FILE and self._state.last.dot_file is None):
            raise foreign(self.root / DOT_FILE, kind, wanted="sitegen's own list of files")
        lines = [line_for(record.path, record.sha256) for record in self._recorded.values()]
        replace_file(self.root / DOT_FILE, dot_file_bytes(lines))

    def _seal(self, data: bytes) -> FileRecord:
        path = self.root / DOT_FILE
        sha256 = sha256_of(data)
        is_same = look_at(path)[0] is Kind.FILE and hash_file(path) == sha256
        stamp = stamp_output(path) if is_same else replace_file(path, data)
        return FileRecord(DOT_FILE, DOT_OWNER, sha256, stamp)

    def _current(self, record: FileRecord) -> FileRecord | None:
        """The record with the file's present stamp; None when the file isn't as recorded."""
        path = f"{self.root}/{record.path}"
        stamp = stamp_output(path)
        if stamp == record.stamp:
            return record
        if stamp[0] != record.stamp[0] or not is_within(self.root, record.path):
            return None
        return replace(record, stamp=stamp) if _hash(path) == record.sha256 else None

    def _remove(self, paths: Iterable[str]) -> Removal:
        lines = read_lines(self.root) or frozenset()
        removed, altered, failed = [], [], []
        for path in sorted(paths):
            try:
                if self._remove_file(path, lines):
                    removed.append(path)
                else:
                    altered.append(path)
            except OSError as error:
                failed.append((path, (error.strerror or str(error)).lower()))
        return Removal(tuple(removed), tuple(altered), tuple(failed))

    def _remove_file(self, path: str, lines: frozenset[str]) -> bool:
        """Remove a file of ours and the folders it leaves empty. False when it isn't as we left it. Raises OSError."""
        file = self.root / path
        kind, stamp = look_at(file)
        if kind is not Kind.NOTHING:
            if not is_within(self.root, path):
                raise OSError(errno.ELOOP, "a folder above it is a symbolic link now")
            if kind is not Kind.FILE or not self._is_unaltered(path, stamp, lines):
                return False
            file.unlink()
        remove_empty_parents(self.root, path)
        del self._ours[path]
        return True

    def _is_unaltered(self, path: str, stamp: Stamp | None, lines: frozenset[str]) -> bool:
        record = self._ours[path]
        if stamp == record.stamp:
            return True
        sha256 = hash_file(self.root / path)
        return sha256 == record.sha256 or line_for(path, sha256) in lines


def _hash(path: Path | str) -> str | None:
    try:
        return hash_file(path)
    except OSError:
        return None


def _make_root(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        msg = f"The output folder {root} is a file; move it away or choose another folder."
        raise OutputError(msg) from error
    except OSError as error:
        raise as_output_error(error, root) from error


def _refuse_private(root: Path, place: Path) -> None:
    real = Path(os.path.realpath(place))
    if real == root or root in real.parents:
        msg = (
            f"The output folder {root} holds {real}, which would be published. Choose a folder of its own, like public."
        )
        raise OutputError(msg)


def _refuse_within_state(root: Path, state_folder: Path) -> None:
    if Path(os.path.realpath(state_folder)) in root.parents:
        msg = f"The output folder {root} is within {state_folder}, which is sitegen's own. Choose one beside it."
        raise OutputError(msg)


def _refuse_foreign(root: Path, last: LastBuild) -> None:
    try:
        names = sorted(entry.name for entry in root.iterdir())
    except OSError as error:
        raise as_output_error(error, root) from error
    if not names or read_lines(root) is not None or _has_any(root, last.files.values()):
        return
    shown = ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")
    msg = (
        f"The output folder {root} holds files that sitegen didn't write ({shown}). Choose an empty folder, or pass"
        " --adopt to build among them: they won't be touched."
    )
    raise OutputError(msg)


def _has_any(root: Path, records: Iterable[FileRecord]) -> bool:
    return any(stamp_output(root / record.path) == record.stamp for record in records)
