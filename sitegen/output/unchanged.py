"""The no-op path: whether a build would find nothing to do, from sizes, times and inodes alone.

Imports next to nothing and opens nothing but the state. A "no" costs only time: what really differs is decided later by
content hashes.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from urllib.parse import quote

from sitegen.output.layout import APPLICATION_ID, DOT_FILE, VERSION
from sitegen.output.places import from_stored, is_bucket, site_folder
from sitegen.stamps import stamp_input, stamp_output

_BUSY_TIMEOUT_S = 2.0
_LAST = "SELECT id FROM output WHERE invocation = ? ORDER BY built_at DESC LIMIT 1"
_ROUNDS = 20_000  # some 4 ms once: the state must not become a fast way to guess a password that came by environment


class Verdict:
    """What `look` found: `reason` is None when there is nothing to do, else says in words what differs."""

    __slots__ = ("files", "next_expiry", "notes", "output", "reason", "shares")

    def __init__(
        self,
        reason: str | None,
        *,
        output: str = "",
        files: int = 0,
        shares: int = 0,
        next_expiry: float | None = None,
        notes: str = "",
    ) -> None:
        self.reason = reason
        self.output = output
        self.files = files
        self.shares = shares
        self.next_expiry = next_expiry
        self.notes = notes

    @property
    def is_unchanged(self) -> bool:
        return self.reason is None


def look(
    state_file: str | os.PathLike[str], *, invocation: str, now: float, environ: Mapping[str, str] = os.environ
) -> Verdict:
    """Whether the last finished build of this `invocation` still stands as it was left.

    `invocation` is any text that tells builds of different meaning apart (output option, flags, Python's version); the
    same text must have been given to `State.finish`. `now` is in unix seconds. Never raises for a state that is
    missing, busy, broken or foreign: those are reasons.
    """
    path = os.fspath(state_file)
    if not os.path.isfile(path):  # noqa: PTH113
        return Verdict("there was no build before")
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        try:
            return _look(connection, site_folder(path), invocation=invocation, now=now, environ=environ)
        finally:
            connection.close()
    except (sqlite3.Error, ValueError, TypeError) as error:
        return Verdict(f"the state of the last build can't be read ({error})")


def has_changed_within(state_file: str | os.PathLike[str], folders: Iterable[str], *, invocation: str) -> bool:
    """Whether a file in these folders differs from what the last build of this `invocation` read there.

    False where nothing is known. A folder is named absolutely, without "/" at the end.
    """
    path = os.fspath(state_file)
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=0)) as connection:
            row = connection.execute(_LAST, (invocation,)).fetchone() if is_ours(connection) else None
            within = tuple(f"{folder}/" for folder in folders)
            return row is not None and _changed_input(connection, row[0], site_folder(path), within) is not None
    except sqlite3.Error:
        return False


def environment_digest(names: list[str], environ: Mapping[str, str], salt: str) -> str:
    """One slow, salted digest over the values of all `names` together; an unset variable differs from an empty one."""
    import hashlib  # with OpenSSL, a twentieth of a build with nothing to do, which seldom watches a variable

    values = json.dumps([[name, environ.get(name)] for name in sorted(names)])
    return hashlib.pbkdf2_hmac("sha256", values.encode(), salt.encode(), _ROUNDS).hex()


def _look(
    connection: sqlite3.Connection, site: str, *, invocation: str, now: float, environ: Mapping[str, str]
) -> Verdict:
    if not is_ours(connection):
        return Verdict("the state was written by another version")
    row = connection.execute(
        "SELECT id, root, is_finished, built_at, next_expiry, environment, notes FROM output"
        " WHERE invocation = ? ORDER BY built_at DESC LIMIT 1",
        (invocation,),
    ).fetchone()
    if row is None:
        return Verdict("there was no finished build like this one before")
    number, root, is_finished, built_at, next_expiry, environment, notes = row
    root = from_stored(root, site)
    reason = (
        _changed_time(is_finished, built_at, next_expiry, now=now)
        or _changed_input(connection, number, site)
        or _changed_environment(environment, environ)
    )
    if reason is not None:
        return Verdict(reason, output=root)
    files, reason = _changed_output(connection, number, root)
    shares = connection.execute("SELECT count(*) FROM share WHERE output = ?", (number,)).fetchone()[0]
    return Verdict(reason, output=root, files=files, shares=shares, next_expiry=next_expiry, notes=notes)


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the database is a state of this very version."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return (application, version) == (APPLICATION_ID, VERSION)


def _changed_time(is_finished: int, built_at: float, next_expiry: float | None, *, now: float) -> str | None:
    if not is_finished:
        return "the last build didn't finish"
    if now < built_at:
        return "the last build was made at a later time"
    if next_expiry is not None and now >= next_expiry:
        return "a share has expired"
    return None


def _changed_input(
    connection: sqlite3.Connection, number: int, site: str, within: tuple[str, ...] = ("",)
) -> str | None:
    rows = connection.execute("SELECT path, size, mtime_ns, ctime_ns, inode FROM input WHERE output = ?", (number,))
    for path, *stamp in rows.fetchall():
        place = from_stored(path, site)
        if place.startswith(within) and stamp_input(place) != tuple(stamp):
            return f"{path} has changed"
    return None


def _changed_environment(environment: str, environ: Mapping[str, str]) -> str | None:
    if not environment:
        return None
    names, salt, digest = json.loads(environment)
    if environment_digest(names, environ, salt) != digest:
        return "a secret in the environment has changed"
    return None


def _changed_output(connection: sqlite3.Connection, number: int, root: str) -> tuple[int, str | None]:
    """How many files there are, and what of them differs. Row by row, for there may be millions."""
    rows = connection.execute("SELECT path, size, mtime_ns, ctime_ns, inode FROM file WHERE output = ?", (number,))
    prefix, count, is_here = root + "/", 0, not is_bucket(root)
    for path, *stamp in rows:
        # A bucket stands as the state remembers it: asking for a million objects isn't a look.
        if is_here and stamp_output(prefix + path) != tuple(stamp):
            return count, f"{path} in the output has changed"
        count += path != DOT_FILE
    return count, None
