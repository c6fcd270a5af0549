"""Opens a projection for writing: only one that sitegen made, within a bound of memory, in a format others read."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sitegen import duck
from sitegen.errors import IngestError
from sitegen.ingest.schema import CREATED_BY, PICKED, SCHEMA_VERSION, STORAGE_VERSION, TABLES
from sitegen.ledger import note, standing

LOCK_WAIT_S: Final = 5.0
_LOCK_RETRY_S: Final = 0.1
_MEMORY_BYTES: Final = 256_000_000
"""What DuckDB may use."""
_TIMES: Final = 12
"""How often a text may be in memory while it's written."""
# Small row groups: what is appended to makes DuckDB write its last group anew, which holds whole sessions.
_LAYOUT: Final = "ROW_GROUP_SIZE 8192"
# A file that is there keeps its version, as it should: DuckDB refuses to lower one.
_NEW_LAYOUT: Final = f"{_LAYOUT}, STORAGE_VERSION '{STORAGE_VERSION}'"
_ADVICE: Final = "What was written before is kept; make room or choose another file with --db, and run it again."
_HOLDER: Final = re.compile(r"\(PID (\d+)\)")


@contextmanager
def open_store(path: Path, *, lock_wait_s: float = LOCK_WAIT_S) -> Iterator[duck.DuckDBPyConnection]:
    """A connection to the projection at `path`, which is made when there is none.

    Raises IngestError when it isn't ours, can't be opened or can't be written; what it was stays as it was.
    """
    _require_utf8(path)
    try:
        is_there = path.exists()
        with tempfile.TemporaryDirectory(prefix="sitegen-") as spill:
            connection = duck.connect(":memory:", config=_config(spill))
            try:
                if is_there:
                    _refuse_foreign(connection, path, lock_wait_s=lock_wait_s)
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                _attach(connection, path, options=_LAYOUT if is_there else _NEW_LAYOUT, lock_wait_s=lock_wait_s)
                connection.execute("USE projection")
                connection.execute("SET enable_external_access = false")
                _make_tables(connection)
                yield connection
            finally:
                connection.close()
    except duck.Error as error:
        raise IngestError(f"{path} can't be written: {said(error)}. {_ADVICE}") from error
    except RuntimeError as error:
        # What DuckDB makes of Ctrl-C in the middle of a statement.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise
    except OSError as error:
        raise IngestError(f"{path} can't be written: {error.strerror or error}. {_ADVICE}") from error


def make_room(connection: duck.DuckDBPyConnection, size: int) -> None:
    """Gives DuckDB the memory to write a conversation of so many bytes.

    What doesn't compress, such as hundreds of screenshots in one conversation, it holds until all is written, and a
    text several times over until it's in its place; for want of memory it ends for good. It takes no more than that.
    """
    if _TIMES * size > _MEMORY_BYTES:
        connection.execute(f"SET memory_limit = '{_TIMES * size}B'")


@contextmanager
def noted(path: Path, connection: duck.DuckDBPyConnection) -> Iterator[set[str]]:
    """A set for the row ids of all conversations that are written, which the projection's ledger then tells.

    The stamps are taken while the connection keeps others from writing. When something fails nothing is told.
    """
    before = standing(path)
    touched: set[str] = set()
    yield touched
    with suppress(duck.Error):  # where there's no room, what was written stays in the log, and readers find it there
        connection.execute("CHECKPOINT")
    note(path, before, standing(path), touched)


def _require_utf8(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise IngestError(
            f"DuckDB can't write {path}, for a name in it isn't UTF-8. Choose another file with --db."
        ) from None


def said(error: duck.Error) -> str:
    """The first line of what DuckDB says, without its class and its last mark."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return first.split(" Error: ", 1)[-1].rstrip(".!")


def _config(spill: str) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": f"{_MEMORY_BYTES}B",
        "temp_directory": spill,
        # The thread that writes is beside the one that reads already.
        "threads": 1,
        # Rows go to the file as soon as there are enough of them, not when all is read.
        "write_buffer_row_group_count": 1,
        # Nothing we do needs an extension; looking for one would go out to the network.
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }


def _attach(connection: duck.DuckDBPyConnection, path: Path, *, options: str, lock_wait_s: float) -> None:
    """Attached, not opened: how the file is laid out can be said in no other way."""
    give_up = time.monotonic() + lock_wait_s
    while True:
        try:
            connection.execute(f"ATTACH {_quoted(path)} AS projection ({options})")
            return
        except duck.IOException as error:
            if "lock" not in str(error):
                raise
            if time.monotonic() >= give_up:
                raise IngestError(_locked(path, str(error))) from error
        time.sleep(_LOCK_RETRY_S)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _locked(path: Path, message: str) -> str:
    holder = _HOLDER.search(message)
    who = f"the process {holder[1]}" if holder else "another process"
    return f"{path} is in use by {who}. Wait until it has finished, or end it, and run this again."


def _refuse_foreign(connection: duck.DuckDBPyConnection, path: Path, *, lock_wait_s: float) -> None:
    """Looks without a right to write: opening a foreign file for writing could already change it."""
    if not path.is_file():
        raise IngestError(f"{path} isn't a file. Name the projection's file with --db.")
    try:
        _attach(connection, path, options="READ_ONLY", lock_wait_s=lock_wait_s)
    except duck.Error as error:
        raise IngestError(_not_opened(path, said(error))) from error
    found = _owner(connection)
    connection.execute("DETACH projection")
    if found is not None:
        raise IngestError(
            f"{path} wasn't made by sitegen ingest (it holds {found}), and sitegen never changes what it didn't make. "
            "Choose another file with --db; a site can be built from several projections."
        )


def _not_opened(path: Path, reason: str) -> str:
    if "version number" in reason or "Storage Version" in reason:
        return (
            f"{path} was written by a newer DuckDB than the installed {duck.__version__}. "
            "Update it with “pip install -U duckdb”, or choose another file with --db."
        )
    return f"{path} can't be opened as a DuckDB file: {reason}. Choose another file with --db."


def _owner(connection: duck.DuckDBPyConnection) -> str | None:
    """None when the file is ours or empty, else what it holds."""
    tables = {
        name
        for (name,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'projection'"
        ).fetchall()
    }
    if not tables:
        return None
    if "meta" not in tables:
        return f"other tables: {', '.join(sorted(tables)[:3])}"
    meta = dict(connection.execute("SELECT key, value FROM projection.meta").fetchall())
    version = meta.get("schema_version", "unknown")
    if meta.get("created_by") == CREATED_BY and version == SCHEMA_VERSION:
        return None
    made_by = meta.get("created_by", "another program")
    return f"a projection of schema {version} by {made_by}"


def _make_tables(connection: duck.DuckDBPyConnection) -> None:
    if connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = 'projection' AND table_name = 'meta'"
    ).fetchone():
        for statement in PICKED:  # which projections of earlier versions lack
            connection.execute(statement)
        return
    connection.begin()
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema_version', ?), ('created_by', ?)", [SCHEMA_VERSION, CREATED_BY])
    connection.commit()
