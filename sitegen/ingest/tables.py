"""The columns that ingesting fills, the one way rows get into them, and what else is done to rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from sitegen import duck
from sitegen.ingest.lines import mend_text
from sitegen.picked import FORMAT

Value = str | int | float | bytes | datetime | None
Row = tuple[Value, ...]


class Table(Struct, frozen=True):
    """A table and its columns with their types, in the order rows have them."""

    name: str
    columns: tuple[tuple[str, str], ...]


def _table(name: str, columns: str) -> Table:
    pairs = (column.strip().partition(" ") for column in columns.split(","))
    return Table(name, tuple((column, kind or "VARCHAR") for column, _, kind in pairs))


CONVERSATIONS: Final = _table(
    "conversations",
    "id, source_id, source_native_id, title, project, started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ, "
    "message_count INTEGER, content_hash, raw_path, metadata JSON, source_file_mtime DOUBLE",
)
MESSAGES: Final = _table(
    "messages",
    "id, conversation_id, source_native_id, parent_message_id, role, model, created_at TIMESTAMPTZ, "
    "sequence_index INTEGER, metadata JSON",
)
BLOCKS: Final = _table(
    "content_blocks", "id, message_id, block_index INTEGER, type, text, tool_name, tool_use_id, payload JSON"
)
ATTACHMENTS: Final = _table(
    "attachments",
    "id, message_id, filename, mime_type, storage_path, source_url, content_hash, size_bytes BIGINT, metadata JSON",
)
RAW_EVENTS: Final = _table(
    "raw_events", "id, source_id, source_native_conversation_id, raw_path, line_number INTEGER, payload JSON"
)
PICKED_STRETCHES: Final = _table(
    "picked_stretches",
    "source_id, source_native_conversation_id, first_line INTEGER, last_line INTEGER, format INTEGER, "
    "parts INTEGER, titles BLOB",
)
PICKED_RECORDS: Final = _table(
    "picked_records", "source_id, source_native_conversation_id, first_line INTEGER, format INTEGER, records BLOB"
)


class Inlets:
    """The ways into the tables, each made at its first use: rows are gathered by DuckDB and inserted by a statement."""

    def __init__(self, connection: duck.DuckDBPyConnection) -> None:
        self._connection = connection
        self._appenders: dict[str, duck.Appender] = {}

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Inserts all rows with one statement: a hundred times the speed of a statement a row."""
        if not rows:
            return
        appender = self._appenders.get(table.name) or self._appender(table)
        try:
            _append(appender, rows)
            appender.flush()
        except BaseException:
            appender.clear()
            raise

    def _appender(self, table: Table) -> duck.Appender:
        columns = {name: _given_as(kind) for name, kind in table.columns}
        self._appenders[table.name] = made = self._connection.query_appender(_insert_statement(table), columns)
        return made


def _append(appender: duck.Appender, rows: Sequence[Row]) -> None:
    try:
        appender.append_rows(rows)
    except duck.InvalidInputException:
        # A text that isn't Unicode; adapters should have seen to it, but a row too many is better than none.
        appender.clear()
        appender.append_rows([[_mend(value) for value in row] for row in rows])


def _mend(value: Value) -> Value:
    return mend_text(value) if isinstance(value, str) else value


def touch_source(connection: duck.DuckDBPyConnection, source_id: str, name: str, version: str) -> None:
    """Puts down that a source was ingested just now."""
    connection.execute(
        """INSERT INTO sources (id, name, adapter_version, last_ingested) VALUES (?, ?, ?, now())
        ON CONFLICT (id) DO UPDATE SET
            name = excluded.name,
            adapter_version = excluded.adapter_version,
            last_ingested = excluded.last_ingested""",
        [source_id, name, version],
    )


def update_conversation(connection: duck.DuckDBPyConnection, row: Row) -> None:
    """Gives a conversation that has a row all values of another."""
    row_id, _, _, *values = row
    connection.execute(
        """UPDATE conversations SET title = ?, project = ?, started_at = ?, ended_at = ?, message_count = ?,
        content_hash = ?, raw_path = ?, metadata = ?, source_file_mtime = ?, ingested_at = now() WHERE id = ?""",
        [*values, row_id],
    )


def set_parents(connection: duck.DuckDBPyConnection, pairs: Sequence[tuple[str, str | None]]) -> None:
    """Tells messages (first) their parents (second), where they don't know them."""
    children, parents = [child for child, _ in pairs], [parent for _, parent in pairs]
    connection.execute(
        """UPDATE messages SET parent_message_id = late.parent
        FROM (SELECT unnest(?::VARCHAR[]) AS child, unnest(?::VARCHAR[]) AS parent) AS late
        WHERE messages.id = late.child AND messages.parent_message_id IS DISTINCT FROM late.parent""",
        [children, parents],
    )


def empty_conversations(connection: duck.DuckDBPyConnection, row_ids: Sequence[str]) -> None:
    """Takes the blocks off messages that will be replaced, in a transaction of its own.

    DuckDB lets no row go that another one referred to when the transaction began. If all ends here, the missing hash
    makes the next ingest read these conversations again.
    """
    if not row_ids:
        return
    connection.begin()
    for table in ("content_blocks", "attachments", "message_embeddings"):
        connection.execute(
            f"DELETE FROM {table} WHERE message_id IN "  # noqa: S608 - the names are constants
            "(SELECT id FROM messages WHERE conversation_id IN (SELECT unnest(?::VARCHAR[])))",
            [row_ids],
        )
    connection.execute(
        "UPDATE conversations SET content_hash = NULL WHERE id IN (SELECT unnest(?::VARCHAR[]))", [row_ids]
    )
    connection.commit()


def remove_messages(connection: duck.DuckDBPyConnection, conversation_ids: Sequence[str]) -> None:
    """Removes the messages of conversations that were emptied before."""
    if conversation_ids:
        connection.execute(
            "DELETE FROM messages WHERE conversation_id IN (SELECT unnest(?::VARCHAR[]))", [conversation_ids]
        )


def remove_raw_events(connection: duck.DuckDBPyConnection, source_id: str, native_ids: Sequence[str]) -> None:
    """Removes the raw events of a source's conversations, and what was picked of them."""
    if native_ids:
        for table in ("raw_events", "picked_stretches", "picked_records"):
            connection.execute(
                f"DELETE FROM {table} "  # noqa: S608 - the names are constants
                "WHERE source_id = ? AND source_native_conversation_id IN (SELECT unnest(?::VARCHAR[]))",
                [source_id, native_ids],
            )


def seal_picked(connection: duck.DuckDBPyConnection, source_id: str) -> None:
    """Puts down of which raw events all was picked that was picked in this transaction: what a build compares.

    What was picked of an event that DuckDB took for no JSON, and stored otherwise, counts for nothing then; and what an
    earlier version picked goes.
    """
    connection.execute(
        """UPDATE picked_stretches SET raw_hash = found.raw_hash
        FROM (
            SELECT event.source_native_conversation_id AS native_id, fresh.first_line,
                CASE WHEN bool_or(starts_with(event.payload::VARCHAR, '{"unparsed":')) THEN 0
                ELSE sum(hash(event.line_number, event.payload)) END AS raw_hash
            FROM raw_events AS event JOIN picked_stretches AS fresh
            ON fresh.source_native_conversation_id = event.source_native_conversation_id
                AND fresh.source_id = event.source_id
                AND event.line_number BETWEEN fresh.first_line AND fresh.last_line
            WHERE fresh.raw_hash IS NULL AND event.source_id = $1
            GROUP BY event.source_native_conversation_id, fresh.first_line
        ) AS found
        WHERE picked_stretches.source_id = $1 AND picked_stretches.raw_hash IS NULL
            AND picked_stretches.source_native_conversation_id = found.native_id
            AND picked_stretches.first_line = found.first_line""",
        [source_id],
    )
    for table in ("picked_stretches", "picked_records"):
        connection.execute(
            f"DELETE FROM {table} WHERE source_id = ? AND format <> ?",  # noqa: S608 - the names are constants
            [source_id, FORMAT],
        )


def remove_conversations(connection: duck.DuckDBPyConnection, source_id: str, row_ids: Mapping[str, str]) -> None:
    """Removes conversations with all that belongs to them; `row_ids` by native id.

    In steps, as DuckDB wants it. If all ends between two of them, the next ingest goes on where it ended.
    """
    if not row_ids:
        return
    empty_conversations(connection, list(row_ids.values()))
    remove_messages(connection, list(row_ids.values()))
    remove_raw_events(connection, source_id, list(row_ids))
    connection.execute("DELETE FROM conversations WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(row_ids.values())])


def natives_left_behind(connection: duck.DuckDBPyConnection, source_id: str) -> frozenset[str]:
    """Native ids of a source's conversations whose row is gone while raw events of theirs are there."""
    found = connection.execute(
        """SELECT DISTINCT source_native_conversation_id FROM raw_events
        WHERE source_id = $1 AND source_native_conversation_id NOT IN
            (SELECT source_native_id FROM conversations WHERE source_id = $1)""",
        [source_id],
    ).fetchall()
    return frozenset(native_id for (native_id,) in found)


def _insert_statement(table: Table) -> str:
    names = ", ".join(name for name, _ in table.columns)
    values = ", ".join(_value(name, kind) for name, kind in table.columns)
    return f"INSERT INTO {table.name} ({names}) SELECT {values} FROM appender_data"  # noqa: S608 - constants only


def _given_as(kind: str) -> str:
    return "VARCHAR" if kind == "JSON" else kind


def _value(name: str, kind: str) -> str:
    if kind != "JSON":
        return name
    # What Python's parser takes and DuckDB's doesn't must not cost the other rows of the batch.
    return f"CASE WHEN {name} IS NOT NULL THEN coalesce(TRY_CAST({name} AS JSON), to_json({{'unparsed': {name}}})) END"
