"""Opens a DuckDB file for reading, shut off from everything else, and turns each way that can fail into a sentence."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from sitegen.errors import ProjectionError

Row = tuple[Any, ...]
"""A row as DuckDB returns it; the queries' callers know its types."""

_FETCH_ROWS: Final = 2_000
_RETRY_S: Final = 0.1
_MAGIC: Final = slice(8, 12)
_WRITER: Final = slice(52, 84)
"""Where the header of a DuckDB file names the version that wrote it."""


class Database:
    """A projection's file, attached under the name `p`; built-in functions can't be replaced by what it defines."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows; ProjectionError when the file turns out to be damaged or out of memory."""
        with _as_sentence(self.path):
            return self._connection.execute(sql, list(parameters)).fetchall()

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Row]:
        """The rows as they come, without holding all of them. One stream at a time."""
        with _as_sentence(self.path):
            cursor = self._connection.execute(sql, list(parameters))
        while True:
            with _as_sentence(self.path):
                rows = cursor.fetchmany(_FETCH_ROWS)
            if not rows:
                return
            yield from rows


@contextmanager
def open_database(
    path: Path, *, temp_folder: Path, memory_limit_mb: int, threads: int | None, lock_wait_s: float
) -> Iterator[Database]:
    """The database at `path`, read-only; ProjectionError says why not. Closed, and its temp files gone, at the end."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow a link and name a file nobody asked for
    _require_database_file(path)
    spill = _make_spill_folder(temp_folder)
    try:
        with _connect(spill, memory_limit_mb=memory_limit_mb, threads=threads) as connection:
            _attach(connection, path, lock_wait_s=lock_wait_s)
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield Database(path, connection)
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _make_spill_folder(temp_folder: Path) -> Path:
    try:
        temp_folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="duckdb-", dir=temp_folder))
    except OSError as error:
        raise ProjectionError(f"No temporary folder can be made in {temp_folder}: {error.strerror}.") from error


def _connect(spill: Path, *, memory_limit_mb: int, threads: int | None) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_limit_mb}MB",
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "preserve_insertion_order": False,
    }
    if threads is not None:
        settings["threads"] = threads
    return duckdb.connect(":memory:", config=settings)


def _attach(connection: duckdb.DuckDBPyConnection, path: Path, *, lock_wait_s: float) -> None:
    quoted = str(path).replace("'", "''")
    deadline = time.monotonic() + lock_wait_s
    while True:
        try:
            connection.execute(f"ATTACH '{quoted}' AS p (READ_ONLY, TYPE duckdb)")
            return
        except (duckdb.Error, UnicodeDecodeError) as error:
            locked = "lock" in str(error).lower() and "Conflicting" in str(error)
            if not locked or time.monotonic() >= deadline:
                raise ProjectionError(_why_not_opened(path, str(error))) from None
        time.sleep(_RETRY_S)


def _require_database_file(path: Path) -> None:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ProjectionError(f"{path} is a folder; expected a DuckDB file. Name the file within it.")
        if not stat.S_ISREG(status.st_mode):
            raise ProjectionError(f"{path} isn't a regular file; expected a DuckDB file.")
        with path.open("rb") as file:
            head = file.read(_MAGIC.stop)
    except FileNotFoundError:
        raise ProjectionError(
            f"There is no file {path}. Make a projection with “sitegen ingest”, or correct [source] in sitegen.toml."
        ) from None
    except OSError as error:
        raise ProjectionError(f"{path} can't be read: {error.strerror}.") from None
    if not head:
        raise ProjectionError(f"{path} is empty; expected a DuckDB file. Ingest the conversations again.")
    if head[_MAGIC] != b"DUCK":
        raise ProjectionError(f"{path} isn't a DuckDB file. Name a projection made by “sitegen ingest” or chatstrata.")


def _why_not_opened(path: Path, message: str) -> str:
    if "Conflicting lock" in message:
        held = re.search(r"\(PID (\d+)\)", message)
        holder = f"process {held[1]}" if held else "another process"
        return f"{path} is being written by {holder}. Wait until it is done, or stop it, and try again."
    if _is_from_newer_duckdb(path, message):
        return (
            f"{path} was written by DuckDB {_writer(path) or 'of a later version'}, and the installed "
            f"{duckdb.__version__} can't read it. Update DuckDB with “pip install -U duckdb”."
        )
    return _damaged(path, message)


def _is_from_newer_duckdb(path: Path, message: str) -> bool:
    writer = _numbers(_writer(path))
    return "version number" in message or (bool(writer) and writer > _numbers(duckdb.__version__))


def _writer(path: Path) -> str:
    try:
        with path.open("rb") as file:
            name = file.read(_WRITER.stop)[_WRITER].split(b"\0")[0].decode("ascii", "replace")
    except OSError:
        return ""
    return name if re.fullmatch(r"v\d[\w.+-]*", name) else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _damaged(path: Path, message: str) -> str:
    reason = _first_sentence(message)
    journal = path.with_name(f"{path.name}.wal")
    if "wal" in message.lower() and journal.exists():
        return f"The journal {journal} can't be read with its database ({reason}). Open it once with its writer."
    return f"{path} is damaged, cut short, or not a DuckDB file ({reason}). Copy it again, or ingest again."


def _first_sentence(message: str) -> str:
    line = message.strip().splitlines()[0] if message.strip() else "no reason given"
    return line[:300].rstrip(".")


@contextmanager
def _as_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise ProjectionError(
            f"Reading {path} needs more memory or temporary disk than allowed. Give more of either and try again."
        ) from None
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise ProjectionError(_damaged(path, str(error))) from None
