"""Opens a DuckDB file for reading, shut off from everything else, and turns each way that can fail into a sentence."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct

from sitegen import duck
from sitegen.errors import LockedError, ProjectionError

T = TypeVar("T")
Row = tuple[Any, ...]
"""A row as DuckDB returns it; the queries' callers know its types."""

_LEAST_SPAN: Final = 250
_WIDER_MB: Final = (128, 512, 2_048)
"""To what a query's memory limit is raised when nothing smaller will do."""
_BATCH: Final = 1_000
"""How many rows are read by a query."""
_SMALL_BATCH: Final = 250
"""How many, where more take too much memory."""
_FEWEST: Final = 10
"""Rows of a query when there is no more memory to be given."""
_ROWS_AT_ONCE: Final = 50
"""Rows that are in Python's memory as DuckDB has them: each may be of megabytes."""
_RETRY_S: Final = 0.1
_MAGIC: Final = slice(8, 12)
_WRITER: Final = slice(52, 84)
"""Where the header of a DuckDB file names the version that wrote it."""


class _Opening(Struct, frozen=True):
    """How a database is opened; again, with more memory, for a query that needs it."""

    path: Path
    spill: Path
    memory_limit_mb: int
    threads: int | None
    lock_wait_s: float

    @contextmanager
    def connect(self, memory_limit_mb: int | None = None) -> Iterator[duck.DuckDBPyConnection]:
        """With the own limit, or another."""
        limit = memory_limit_mb or self.memory_limit_mb
        with _connect(self.spill, memory_limit_mb=limit, threads=self.threads) as connection:
            _attach(connection, self.path, lock_wait_s=self.lock_wait_s)
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield connection

    @property
    def wider_mb(self) -> list[int]:
        """Memory limits beyond the own one, the next where one isn't enough."""
        return [limit for limit in _WIDER_MB if limit > self.memory_limit_mb]

    def ways(self, batch: int) -> Iterator[tuple[int, int]]:
        """How rows are read, the next way when one takes too much memory: (limit in MB, rows of a query)."""
        limits = [self.memory_limit_mb, *self.wider_mb]
        yield from ((limit, rows) for limit in limits for rows in (batch, _SMALL_BATCH))
        yield limits[-1], _FEWEST


class Database:
    """A projection's file, attached under the name `p`; built-in functions can't be replaced by what it defines."""

    def __init__(self, opening: _Opening) -> None:
        self.path = opening.path
        self._opening = opening
        self._opened = ExitStack()
        self._open: duck.DuckDBPyConnection | None = self._opened.enter_context(opening.connect())

    def rest(self) -> None:
        """Gives back the memory in which DuckDB keeps what it read. The next query opens the file again."""
        self._open = None
        self._opened.close()

    @property
    def _connection(self) -> duck.DuckDBPyConnection:
        if self._open is None:
            self._open = self._opened.enter_context(self._opening.connect())
        return self._open

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows; ProjectionError when the file turns out to be damaged.

        DuckDB holds some things whole, such as a compressed stretch of a column with a thousand screenshots in it. A
        query that doesn't fit into the limit for such a reason gets more, for itself alone.
        """
        try:
            return self._run(self._connection, sql, parameters)
        except duck.OutOfMemoryException:
            return self._query_with_more_memory(sql, parameters)

    def query_rows(
        self, sql: str, numbers: Sequence[int], make: Callable[[Row], T], *, at_once: int = _BATCH
    ) -> Iterator[T]:
        """What `make` makes of the rows of the given numbers, which rise; `sql` has `{numbered}` for its condition.

        Rows go as soon as something is made of them, a batch of `at_once` is made whole before any of it is given.
        Batches get smaller and then more memory when they don't fit.
        """
        start = 0
        for limit, batch in self._opening.ways(at_once):
            with self._with_limit(limit) as connection, suppress(duck.OutOfMemoryException):
                while start < len(numbers):
                    condition, parameters = _numbered(numbers[start : start + batch])
                    made = self._make(connection, sql.replace("{numbered}", condition), parameters, make)
                    start += batch
                    yield from made
            if start >= len(numbers):
                return
        raise ProjectionError(self._no_memory())

    def query_span(self, sql: str, first: int, last: int) -> Iterator[Row]:
        """The rows of an aggregate over a span of row numbers, which are `sql`'s parameters.

        Usually one query. A span that doesn't fit into memory is halved: a group may then come more than once.
        """
        try:
            rows = self._run(self._connection, sql, [first, last])
        except duck.OutOfMemoryException:
            if last - first < _LEAST_SPAN:
                rows = self._query_with_more_memory(sql, [first, last])
            else:
                middle = (first + last) // 2
                yield from self.query_span(sql, first, middle)
                yield from self.query_span(sql, middle + 1, last)
                return
        yield from rows

    def _query_with_more_memory(self, sql: str, parameters: Sequence[object]) -> list[Row]:
        for limit in self._opening.wider_mb:
            with self._with_limit(limit) as connection, suppress(duck.OutOfMemoryException):
                return self._run(connection, sql, parameters)
        raise ProjectionError(self._no_memory())

    @contextmanager
    def _with_limit(self, limit_mb: int) -> Iterator[duck.DuckDBPyConnection]:
        if limit_mb == self._opening.memory_limit_mb:
            yield self._connection
        else:
            with self._opening.connect(limit_mb) as connection:
                yield connection

    def _no_memory(self) -> str:
        return (
            f"Reading {self.path} needs more than {_WIDER_MB[-1]:,} MB of memory, "
            f"or more room than {self._opening.spill.parent} has. Make room there and try again."
        )

    def _run(self, connection: duck.DuckDBPyConnection, sql: str, parameters: Sequence[object]) -> list[Row]:
        with self._told():
            return connection.execute(sql, list(parameters)).fetchall()

    def _make(
        self, connection: duck.DuckDBPyConnection, sql: str, parameters: Sequence[object], make: Callable[[Row], T]
    ) -> list[T]:
        with self._told():
            found = connection.execute(sql, list(parameters))
            return [make(row) for rows in iter(lambda: found.fetchmany(_ROWS_AT_ONCE), []) for row in rows]

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except duck.OutOfMemoryException:
            raise
        except (duck.Error, UnicodeDecodeError) as error:
            raise ProjectionError(_damaged(self.path, str(error))) from None


def _numbered(numbers: Sequence[int]) -> tuple[str, list[object]]:
    """The condition that takes rows of these numbers, with its parameters. A span is found in half the time."""
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return "rowid BETWEEN ? AND ?", [numbers[0], numbers[-1]]
    # As text, for DuckDB takes a list number by number: as long as it takes to find the rows.
    return "rowid IN (SELECT unnest(?::VARCHAR::BIGINT[]))", [str(list(numbers))]


@contextmanager
def open_database(
    path: Path, *, temp_folder: Path, memory_limit_mb: int, threads: int | None, lock_wait_s: float
) -> Iterator[Database]:
    """The database at `path`, read-only; ProjectionError says why not. Closed, and its temp files gone, at the end."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow a link and name a file nobody asked for
    for named in (path, temp_folder):
        _require_utf8(named)
    _require_database_file(path)
    spill = _make_spill_folder(temp_folder)
    opening = _Opening(path, spill, memory_limit_mb, threads, lock_wait_s)
    try:
        database = Database(opening)
        try:
            yield database
        finally:
            database.rest()
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _require_utf8(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise ProjectionError(
            f"DuckDB can't open {path}, for a name in it isn't UTF-8. Rename that folder or file, or move it elsewhere."
        ) from None


def _make_spill_folder(temp_folder: Path) -> Path:
    try:
        temp_folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="duckdb-", dir=temp_folder))
    except OSError as error:
        raise ProjectionError(f"No temporary folder can be made in {temp_folder}: {error.strerror}.") from error


def _connect(spill: Path, *, memory_limit_mb: int, threads: int | None) -> duck.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_limit_mb}MB",
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "preserve_insertion_order": False,
        # An index that is used is held in memory: of 10,000 conversations a quarter of what there is for reading them.
        "index_scan_percentage": 0.0,
        "index_scan_max_count": 0,
    }
    if threads is not None:
        settings["threads"] = threads
    return duck.connect(":memory:", config=settings)


def _attach(connection: duck.DuckDBPyConnection, path: Path, *, lock_wait_s: float) -> None:
    quoted = str(path).replace("'", "''")
    deadline = time.monotonic() + lock_wait_s
    while True:
        try:
            connection.execute(f"ATTACH '{quoted}' AS p (READ_ONLY, TYPE duckdb)")
            return
        except (duck.Error, UnicodeDecodeError) as error:
            locked = "lock" in str(error).lower() and "Conflicting" in str(error)
            if not locked or time.monotonic() >= deadline:
                kind = LockedError if locked else ProjectionError
                raise kind(_why_not_opened(path, str(error))) from None
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
            f"{duck.__version__} can't read it. Update DuckDB with “pip install -U duckdb”."
        )
    return _damaged(path, message)


def _is_from_newer_duckdb(path: Path, message: str) -> bool:
    writer = _numbers(_writer(path))
    names_version = "version number" in message or "Storage Version" in message
    return names_version or (bool(writer) and writer > _numbers(duck.__version__))


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
