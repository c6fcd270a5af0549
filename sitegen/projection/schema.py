"""The chatstrata schema as sitegen reads it: the tables and columns it needs, what a projection says of itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from sitegen.errors import ProjectionError

NEWEST_VERSION: Final = 5

Kind = Literal["text", "number", "time", "answer", "bytes"]

_FAMILIES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "text": ("VARCHAR", "JSON", "ENUM"),
    "number": (
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    ),
    "time": ("TIMESTAMP", "DATE"),
    "bytes": ("BLOB",),
    "answer": ("VARCHAR", "ENUM", "BOOLEAN", "DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
}
"""Beginnings of the names of DuckDB's types that hold what is wanted."""
_EXPECTED: Final[Mapping[Kind, str]] = {
    "text": "a text (VARCHAR or JSON)",
    "number": "a whole number (INTEGER)",
    "time": "a time (TIMESTAMPTZ)",
    "answer": "a text or a number",
    "bytes": "bytes (BLOB)",
}


def _texts(*names: str) -> dict[str, Kind]:
    return dict.fromkeys(names, "text")


NEEDED: Final[Mapping[str, Mapping[str, Kind]]] = {
    "conversations": {
        **_texts("id", "source_id", "source_native_id", "title", "project", "metadata"),
        "started_at": "time",
        "ended_at": "time",
    },
    "messages": {
        **_texts("id", "conversation_id", "source_native_id", "parent_message_id", "role", "model", "metadata"),
        "created_at": "time",
        "sequence_index": "number",
    },
    "content_blocks": {
        **_texts("message_id", "type", "text", "tool_name", "tool_use_id", "payload"),
        "block_index": "number",
    },
}
# A projection may lack these; one that has them must have these columns.
OPTIONAL: Final[Mapping[str, Mapping[str, Kind]]] = {
    "attachments": {
        **_texts("message_id", "filename", "mime_type", "storage_path", "content_hash", "metadata"),
        "size_bytes": "number",
    },
    "raw_events": {**_texts("source_id", "source_native_conversation_id", "payload"), "line_number": "number"},
    "picked_stretches": {
        **_texts("source_id", "source_native_conversation_id"),
        **dict.fromkeys(("format", "raw_hash", "parts"), "number"),
        "titles": "bytes",
    },
    "picked_records": {
        **_texts("source_id", "source_native_conversation_id"),
        **dict.fromkeys(("first_line", "format"), "number"),
        "records": "bytes",
    },
    "labels": {
        **_texts("pack", "target_kind", "target_id", "question"),
        "value": "answer",
        "choice": "answer",
    },
    "divergences": _texts("conversation_id", "fork_after", "branch_message"),
    "observations": _texts("source_id", "locator", "kind"),
    "shared_views": {
        **_texts("slug", "conversation_id", "gate_type", "gate_secret"),
        "expires_at": "time",
        "view_limit": "number",
    },
}
NEVER_NULL: Final[Mapping[str, tuple[str, ...]]] = {
    "conversations": ("id",),
    "messages": ("id", "sequence_index"),
    "shared_views": ("slug",),
}
"""Cells without which nobody knows what a row is, while others refer to it or depend on its place."""


class Column(Struct, frozen=True):
    """A column as DuckDB tells of it."""

    type: str
    is_nullable: bool


Columns = Mapping[str, Mapping[str, Column]]
"""Columns by table and name."""


class Schema(Struct, frozen=True):
    """What a projection holds. `version` is None when it doesn't say."""

    version: int | None
    optional: frozenset[str]
    warnings: tuple[str, ...]
    empty: frozenset[str] = frozenset()

    def has(self, table: str) -> bool:
        """Whether there is anything in the table: asking for nothing takes as long as for a few rows."""
        return table in self.optional and table not in self.empty


def understand(path: Path, columns: Columns, version_text: str | None, *, empty: Collection[str] = ()) -> Schema:
    """The schema of the projection at `path`; ProjectionError naming the table or column that isn't there."""
    version = int(version_text) if version_text is not None and version_text.isdecimal() else None
    present = frozenset(OPTIONAL) & frozenset(columns)
    for table, needed in NEEDED.items():
        if table not in columns:
            raise ProjectionError(_no_table(path, table, columns))
        _require(path, table, needed, columns=columns[table], version=version)
    for table in sorted(present):
        _require(path, table, OPTIONAL[table], columns=columns[table], version=version)
    return Schema(version, present, _warnings(path, version), frozenset(empty))


def _no_table(path: Path, table: str, columns: Columns) -> str:
    found = ", ".join(sorted(columns)[:8]) or "no table at all"
    return (
        f"{path} has no table “{table}”, so it isn't a projection of conversations (found: {found}). "
        "Make one with “sitegen ingest” or with chatstrata."
    )


def _require(
    path: Path, table: str, needed: Mapping[str, Kind], *, columns: Mapping[str, Column], version: int | None
) -> None:
    for name, kind in needed.items():
        column = columns.get(name)
        if column is None:
            says = "doesn't say its schema version" if version is None else f"has schema version {version}"
            raise ProjectionError(
                f"{path} lacks the column “{table}.{name}” that sitegen needs; it {says}, "
                f"and sitegen knows versions 1 to {NEWEST_VERSION}. Update sitegen, or ingest the conversations again."
            )
        if not _holds(column.type, kind):
            raise ProjectionError(
                f"{path} has the column “{table}.{name}” as {column.type[:60]}, where {_EXPECTED[kind]} is expected. "
                "Ingest the conversations again, or correct what made the file."
            )


def _holds(found: str, kind: Kind) -> bool:
    if found.endswith("]"):  # a list, of whatever
        return False
    return found in _FAMILIES[kind] if kind == "number" else found.startswith(_FAMILIES[kind])


def refuse_nulls(path: Path, table: str, column: str, count: int) -> None:
    """Raises ProjectionError when there are rows without a cell that each of them needs."""
    if count:
        raise ProjectionError(
            f"{path} has rows of “{table}” whose “{column}” is NULL ({count} of them); each needs its own. "
            "Remove those rows, or ingest the conversations again."
        )


def _warnings(path: Path, version: int | None) -> tuple[str, ...]:
    if version is None:
        return (f"{path} doesn't say its schema version; it is read as version {NEWEST_VERSION}.",)
    if version > NEWEST_VERSION:
        return (
            f"{path} has schema version {version}, later than the {NEWEST_VERSION} that sitegen knows. "
            "All columns it needs are there, so it is read; what is new in it isn't shown.",
        )
    return ()
