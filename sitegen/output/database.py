"""The SQLite file under the state: made private, recognised by its marks, set aside when it can't be used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sitegen.errors import OutputError
from sitegen.output.layout import APPLICATION_ID, SCHEMA, VERSION
from sitegen.output.unchanged import is_ours

_BUSY_TIMEOUT_S = 10.0
_SIDE_FILES = ("-journal", "-wal", "-shm")
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def connect(path: Path) -> sqlite3.Connection:
    """The database at `path`, made (readable by its owner only) when it isn't there.

    Raises sqlite3.Error or OSError when it can't be used, among them one of another program or version.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    try:
        return prepare(connection)
    except sqlite3.Error:
        connection.close()
        raise


def memory() -> sqlite3.Connection:
    """A database that lives as long as the process, for folders that can't be written."""
    return prepare(sqlite3.connect(":memory:", isolation_level=None))


def prepare(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Make the tables in an empty database; check the marks of another. Raises sqlite3.DatabaseError."""
    # A rollback journal rather than a write-ahead log: one writer, two transactions a build, no side files left behind,
    # and it works on network file systems.
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        connection.executescript(
            f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID};"
            f" PRAGMA user_version = {VERSION}; COMMIT;"
        )
    if not is_ours(connection):
        msg = "it was written by another version or another program"
        raise sqlite3.DatabaseError(msg)
    return connection


def set_aside(path: Path) -> None:
    """Move an unusable database out of the way, with its side files, which would spoil the next one."""
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if path.exists() or path.is_symlink():
        path.replace(path.with_name(path.name + ".unusable"))


def salvage_revoked(path: Path) -> dict[str, float]:
    """The revoked slugs that can still be read from an unusable database, with their times in unix seconds."""
    found: dict[str, float] = {}
    with (
        suppress(sqlite3.Error, ValueError, TypeError),
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
    ):
        for slug, at in connection.execute("SELECT slug, at FROM revoked"):
            found[str(slug)] = float(at)
    return found


def refuse_locked(error: sqlite3.Error, path: Path) -> None:
    """Raise OutputError when the error means that another program keeps the file."""
    if getattr(error, "sqlite_errorcode", None) in _LOCKED:
        msg = f"{path} is in use by another program; close what has it open and build again."
        raise OutputError(msg) from error
