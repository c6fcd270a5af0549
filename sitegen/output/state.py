"""The state of the last build, in `.sitegen/state.sqlite` beside the configuration: a memory, never an authority.

Losing it costs a full build and nothing else; what is ours in the output folder is told by the folder itself too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import Any, Self, TypeVar

from sitegen.errors import OutputError
from sitegen.output.database import connect, memory, refuse_locked, salvage_revoked, set_aside
from sitegen.output.layout import DOT_OWNER
from sitegen.output.places import from_stored, is_bucket, site_folder, to_stored
from sitegen.output.records import FileRecord, FinishedBuild, LastBuild, ShareRecord

T = TypeVar("T")

_KEYS = {"file": "path", "share": "slug", "fact": "name", "input": "path"}
_Row = tuple[str | int | float | None, ...]


class State:
    """The state file, opened for one output folder. To be used under the build lock.

    `last` is what the last build of this output left, `revoked` the slugs that were revoked, with the time. `problem`
    says in a sentence why a state that was there couldn't be used.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, root: str, problem: str | None) -> None:
        self.path = path
        self.problem = problem
        self.last = LastBuild()
        self.revoked: Mapping[str, datetime] = {}
        self._connection = connection
        self._root = root
        self._number = 0
        self._load()

    @classmethod
    def open(cls, path: Path, *, output: Path | str) -> Self:
        """The state at `path`, made when it isn't there. One that can't be used is set aside, and `problem` says so.

        `output` is a folder, or the address of a bucket.

        Raises OutputError only when another program keeps the file locked.
        """
        root = output if isinstance(output, str) else to_stored(os.path.realpath(output), site_folder(path))
        try:
            return cls(path, connect(path), root=root, problem=None)
        except sqlite3.Error as error:
            refuse_locked(error, path)
            return cls._open_anew(path, root=root, why=str(error))
        except (OSError, ValueError, TypeError, OverflowError) as error:
            return cls._open_anew(path, root=root, why=str(error))

    @classmethod
    def _open_anew(cls, path: Path, *, root: str, why: str) -> Self:
        revoked = salvage_revoked(path)
        try:
            set_aside(path)
            problem = f"The state of the last build in {path} can't be used ({why}), so everything is built anew."
            state = cls(path, connect(path), root=root, problem=problem)
        except (sqlite3.Error, OSError) as error:
            problem = f"The state of the build can't be kept in {path} ({error}), so every build will be a full one."
            state = cls(path, memory(), root=root, problem=problem)
        for slug, at in revoked.items():
            state.revoke(slug, at=datetime.fromtimestamp(at, UTC))
        return state

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def begin(self) -> None:
        """Note, before the first byte is written, that a build of this output is under way."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO output (root) VALUES (?)"
                " ON CONFLICT (root) DO UPDATE SET is_finished = 0, invocation = NULL",
                (self._root,),
            )
        self._number = self._find_number()

    def finish(self, build: FinishedBuild) -> None:
        """Keep what the build left, in one transaction: the last step of a build. `begin` must have come before."""
        last = self.last
        known = last.files if last.dot_file is None else {**last.files, last.dot_file.path: last.dot_file}
        site = site_folder(self.path)
        inputs = {to_stored(path, site): stamp for path, stamp in build.inputs.items()}
        with self._writing() as connection:
            self._drop_lost_outputs()
            self._update("file", known, build.files, row=_file_row)
            self._update("share", last.shares, build.shares, row=_share_row)
            self._update("fact", last.facts, build.facts, row=lambda value: (value,))
            connection.execute("DELETE FROM input WHERE output = ?", (self._number,))
            self._update("input", {}, inputs, row=tuple)
            connection.execute(
                "UPDATE output SET is_finished = 1, invocation = ?, built_at = ?, next_expiry = ?, environment = ?,"
                " notes = ? WHERE id = ?",
                (
                    build.invocation,
                    build.built_at.timestamp(),
                    _seconds(build.next_expiry),
                    build.environment,
                    build.notes,
                    self._number,
                ),
            )
        self.last = _left_by(build)

    def revoke(self, slug: str, *, at: datetime) -> None:
        """Remember that `slug` was revoked, so that it isn't given out again silently."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO revoked VALUES (?, ?)", (slug, at.timestamp()))
        self.revoked = {**self.revoked, slug: at}

    def reinstate(self, slug: str) -> None:
        """Forget that `slug` was revoked."""
        with self._writing() as connection:
            connection.execute("DELETE FROM revoked WHERE slug = ?", (slug,))
        self.revoked = {name: at for name, at in self.revoked.items() if name != slug}

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            refuse_locked(error, self.path)
            msg = f"{self.path} can't be written ({error}); free some space there, or delete it, and build again."
            raise OutputError(msg) from error

    def _find_number(self) -> int:
        row = self._connection.execute("SELECT id FROM output WHERE root = ?", (self._root,)).fetchone()
        return 0 if row is None else int(row[0])

    def _load(self) -> None:
        self._number = self._find_number()
        finished = self._connection.execute("SELECT is_finished FROM output WHERE id = ?", (self._number,)).fetchone()
        files = {
            path: FileRecord(path, intern(owner), sha256, (size, mtime, ctime, inode))
            for _, path, owner, sha256, size, mtime, ctime, inode in self._rows("file")
        }
        dot_file = next((record for record in files.values() if record.owner == DOT_OWNER), None)
        if dot_file is not None:
            del files[dot_file.path]
        self.last = LastBuild(
            is_finished=bool(finished and finished[0]),
            files=files,
            shares={row[1]: _share(*row[1:]) for row in self._rows("share")},
            facts={name: value for _, name, value in self._rows("fact")},
            dot_file=dot_file,
        )
        revoked = self._connection.execute("SELECT slug, at FROM revoked").fetchall()
        self.revoked = {slug: datetime.fromtimestamp(at, UTC) for slug, at in revoked}

    def _rows(self, table: str) -> Iterable[tuple[Any, ...]]:
        return self._connection.execute(f"SELECT * FROM {table} WHERE output = ?", (self._number,))  # noqa: S608 - a name of ours

    def _update(self, table: str, old: Mapping[str, T], new: Mapping[str, T], *, row: Callable[[T], _Row]) -> None:
        """Write only what differs: a build that changed one share of thousands changes a few rows."""
        gone = [(self._number, name) for name in old if name not in new]
        # What was kept is the very record that was read, which needs no comparing.
        other = [(name, value) for name, value in new.items() if old.get(name) is not value]
        changed = [(self._number, name, *row(value)) for name, value in other if old.get(name) != value]
        self._connection.executemany(f"DELETE FROM {table} WHERE output = ? AND {_KEYS[table]} = ?", gone)  # noqa: S608 - names of ours
        if changed:
            places = ", ".join("?" * len(changed[0]))
            self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", changed)  # noqa: S608 - names of ours

    def _drop_lost_outputs(self) -> None:
        """Forget outputs whose folder is gone, so that builds into passing folders leave nothing behind."""
        site = site_folder(self.path)
        others = self._connection.execute("SELECT id, root FROM output WHERE id <> ?", (self._number,)).fetchall()
        for number, root in others:
            if not is_bucket(root) and not Path(from_stored(root, site)).is_dir():
                for table in _KEYS:
                    self._connection.execute(f"DELETE FROM {table} WHERE output = ?", (number,))  # noqa: S608 - names of ours
                self._connection.execute("DELETE FROM output WHERE id = ?", (number,))


def _left_by(build: FinishedBuild) -> LastBuild:
    """What reading the state would tell now, which takes as long again as reading it did."""
    files = {path: record for path, record in build.files.items() if record.owner != DOT_OWNER}
    dot_file = next((record for record in build.files.values() if record.owner == DOT_OWNER), None)
    return LastBuild(is_finished=True, files=files, shares=build.shares, facts=build.facts, dot_file=dot_file)


def _file_row(record: FileRecord) -> _Row:
    return (record.owner, record.sha256, *record.stamp)


def _share_row(share: ShareRecord) -> _Row:
    return (share.conversation, share.page_key, share.cache_key, _seconds(share.expires), share.card)


def _share(
    slug: str, conversation: str, page_key: str, cache_key: str, expires: float | None, card: str
) -> ShareRecord:
    return ShareRecord(slug, conversation, page_key, cache_key, _time(expires), card)


def _seconds(time: datetime | None) -> float | None:
    return None if time is None else time.timestamp()


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
