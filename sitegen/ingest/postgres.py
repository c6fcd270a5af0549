"""A PostgreSQL database, read within one unchanging view of it. What goes wrong there is a sentence without secrets."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sitegen.errors import IngestError, UsageError

if TYPE_CHECKING:
    import psycopg

Row = tuple[str | int | None, ...]

_URL_STARTS: Final = ("postgresql://", "postgres://")
_CONNECT_S: Final = 10
_ROWS_AT_ONCE: Final = (20, 500)
_CHARACTERS_AT_ONCE: Final = 2_000_000
"""How much of a stream is asked for at a time: first so many rows, then by how long they were, up to megabytes each."""
_EXPECTED: Final = (
    "Expected postgresql://USER@HOST:PORT/DATABASE, or env:NAME for an environment variable that holds one"
)
_TABLE: Final = """
SELECT c.oid::bigint, c.relkind::text FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""
_COLUMNS: Final = """
SELECT a.attname::text, pg_catalog.format_type(a.atttypid, NULL),
    pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')::int
FROM pg_catalog.pg_attribute a WHERE a.attrelid = %s::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_OTHERS: Final = """
SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1 LIMIT 8
"""
_SCHEMA: Final = """
SELECT pg_catalog.has_schema_privilege(oid, 'USAGE')::int FROM pg_catalog.pg_namespace WHERE nspname = %s
"""
_CAUSES: Final = (
    ("password authentication failed", "wrong password, or no such user", "Correct PGPASSWORD, ~/.pgpass or the URL"),
    ("no password supplied", "it wants a password and none was given", "Put it into PGPASSWORD or ~/.pgpass"),
    ("database ", "it has no such database", "Correct the last part of the URL"),
    ("role ", "it knows no such user", "Correct the user in the URL"),
    ("pg_hba.conf", "it lets this user in from other places or in other ways only", "Ask whoever runs it"),
    ("too many", "all its connections are taken", "Try again later"),
    ("starting up", "it is starting", "Try again in a moment"),
    ("shutting down", "it is shutting down", "Try again later"),
    ("refused", "nobody answers there", "See that the server runs and that host and port are right"),
    ("No such file", "nobody answers there", "See that the server runs and that the folder of its socket is right"),
    ("timeout", "nobody answers there in time", "See that the host is right and can be reached from here"),
    ("translate host name", "there is no such host", "Correct the host in the URL"),
    ("resolve host", "there is no such host", "Correct the host in the URL"),
    ("SSL", "it and this computer don't agree on encryption", "Say sslmode=… in the URL, as whoever runs it tells you"),
)  # fmt: skip
"""What a part of the server's words means, for people, and what to do."""


class Table(Struct, frozen=True):
    """A table, or view, that may be read: `name` as SQL has it, the types of the columns that may be read."""

    name: str
    columns: dict[str, str]
    has_versions: bool
    """Whether its rows carry the mark of their last change."""

    def fields(self, alias: str) -> str:
        """The columns as a list of SQL, of a table with an alias."""
        return ", ".join(f"{alias}.{quoted(name)}" for name in self.columns)


@dataclass(slots=True)
class Server:
    """An open connection. All is read as it was when reading began; nothing can be written."""

    connection: psycopg.Connection
    place: str
    """Host, port and database as a URL, without a user or a password."""
    user: str
    secrets: tuple[str, ...] = field(repr=False)

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows of a query that gives few. Raises IngestError."""
        with self.telling(), self.connection.cursor() as cursor:
            return cursor.execute(query.encode(), parameters).fetchall()

    def stream(self, query: str, parameters: Sequence[object] = ()) -> Generator[Row, None, None]:
        """The rows of a query, a few in memory at a time. Raises IngestError."""
        with self.telling(), self.connection.cursor(name="sitegen") as cursor:
            cursor.execute(query.encode(), parameters)
            count, most = _ROWS_AT_ONCE
            while rows := cursor.fetchmany(count):
                size = sum(len(cell) for row in rows for cell in row if isinstance(cell, str)) + 1
                count = max(1, min(most, _CHARACTERS_AT_ONCE * len(rows) // size))
                yield from rows

    def table(self, schema: str, name: str, *, needed: Sequence[str], option: str) -> Table:
        """The table of that name; IngestError says what of it isn't there or may not be read."""
        found = self.rows(_TABLE, (schema, name))
        if not found:
            raise IngestError(self._no_table(schema, name, option))
        if not self._may_use(schema):
            raise IngestError(self._no_right("USAGE", f"SCHEMA {quoted(schema)}"))
        oid, kind = found[0]
        columns = self.rows(_COLUMNS, (oid,))
        shown = f"{schema}.{name}"
        types = {str(column): str(kind) for column, kind, may_read in columns if may_read}
        there = {column for column, _, _ in columns}
        for column in needed:
            if column not in there:
                raise IngestError(
                    f"{self.place}: the table {shown} has no column “{column}”, which a workspace has. Name another "
                    f"table or a view with --table {option}=NAME."
                )
            if column not in types:
                raise IngestError(self._no_right("SELECT", f"{quoted(schema)}.{quoted(name)}"))
        return Table(f"{quoted(schema)}.{quoted(name)}", types, kind in ("r", "p", "m"))

    def close(self) -> None:
        """Ends the connection."""
        self.connection.close()

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Makes whatever the server or the way to it says a sentence."""
        import psycopg

        try:
            yield
        except psycopg.errors.InsufficientPrivilege as error:
            raise IngestError(
                f"{self.place}: the user “{self.user}” may not read all of it ({self._said(error)}). "
                "Grant it SELECT, or use a user who has that."
            ) from None
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise IngestError(
                f"The connection to {self.place} was lost while reading ({self._said(error)}). What was read to its "
                "end is kept, all else stays as it was; run it again, and it goes on from there."
            ) from None
        except UnicodeDecodeError:
            raise IngestError(
                f"{self.place} holds text that isn't UTF-8. Give its database an encoding, or read a view that does."
            ) from None
        except psycopg.Error as error:
            raise IngestError(f"{self.place} can't be read: {self._said(error)}.") from None

    def _said(self, error: Exception) -> str:
        return _without(str(error), self.secrets)

    def _may_use(self, schema: str) -> bool:
        return self.rows(_SCHEMA, (schema,)) == [(1,)]

    def _no_table(self, schema: str, name: str, option: str) -> str:
        if not self.rows(_SCHEMA, (schema,)):
            return f"{self.place} has no schema “{schema}”. Name the workspace's with --schema."
        others = ", ".join(str(other) for (other,) in self.rows(_OTHERS, (schema,))) or "no table at all"
        return (
            f"{self.place} has no table {schema}.{name} (found: {others}). Name it with --table {option}=NAME, or the "
            "schema with --schema."
        )

    def _no_right(self, right: str, what: str) -> str:
        return (
            f"{self.place}: the user “{self.user}” may not read {what}. "
            f"Let its owner run: GRANT {right} ON {what} TO {quoted(self.user)};"
        )


def connect(location: str) -> Server:
    """A connection to the database that a URL names; IngestError or UsageError says why there is none."""
    url = _url(location)
    _require_driver()
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        # What it says may quote the part with the password.
        raise UsageError(f"what was given isn't a URL that PostgreSQL understands. {_EXPECTED}") from None
    told = {"connect_timeout": _CONNECT_S, "application_name": "sitegen", **given, "client_encoding": "UTF8"}
    secrets = _secrets(given)
    try:
        connection = psycopg.connect(make_conninfo("", **told), prepare_threshold=None)
    except psycopg.Error as error:
        raise IngestError(_unreachable(_place_of(given), _without(str(error), secrets))) from None
    info = connection.info
    server = Server(connection, _place(info.host, info.port, info.dbname), info.user, secrets)
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    server.rows("SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO', false)")
    return server


def quoted(name: str) -> str:
    """A name as SQL, in a query that takes parameters."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def _url(location: str) -> str:
    url = location
    if location.startswith("env:"):
        name = location.removeprefix("env:")
        url = os.environ.get(name, "")
        if not url:
            raise UsageError(f"the environment variable {name} isn't set. {_EXPECTED}")
    if not url.startswith(_URL_STARTS):
        raise UsageError(f"what was given is no URL of a PostgreSQL database. {_EXPECTED}")
    return url


def _secrets(given: Mapping[str, object]) -> tuple[str, ...]:
    known = (given.get("password"), given.get("sslpassword"), os.environ.get("PGPASSWORD"))
    return tuple(str(value) for value in known if value)


def _require_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise IngestError(
            "Reading a workspace needs the package psycopg, which isn't installed. "
            "Install it with “pip install 'sitegen[workspace]'”."
        ) from None


def _place_of(given: Mapping[str, object]) -> str:
    named = (given.get(name) or os.environ.get(f"PG{name.upper()}") for name in ("host", "port"))
    host, port = (str(value) if value else "" for value in named)
    user = given.get("user") or os.environ.get("PGUSER") or ""
    return _place(host, port or 5432, str(given.get("dbname") or os.environ.get("PGDATABASE") or user))


def _place(host: str | None, port: int | str, database: str) -> str:
    if host and not host.startswith("/"):
        shown = f"[{host}]" if ":" in host else host
        return f"postgresql://{shown}:{port}/{database}"
    return f"postgresql:///{database}" + (f"?host={host}&port={port}" if host else "")


def _unreachable(place: str, said: str) -> str:
    for part, cause, advice in _CAUSES:
        if part in said and (part not in ("database ", "role ") or "does not exist" in said):
            return f"{place} can't be read: {cause}. {advice}, and run this again."
    return f"{place} can't be read: {said}. Correct the URL, or ask whoever runs the server."


def _without(text: str, secrets: Sequence[str]) -> str:
    """The last line of what was said, which names the cause, without any secret that we know."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    said = next((line for line in lines if "FATAL:" in line or "failed:" in line), lines[0] if lines else "no reason")
    for secret in secrets:
        said = said.replace(secret, "***")
    return said[:300].rstrip(".")
