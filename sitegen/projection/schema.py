"""The chatstrata schema as sitegen reads it: the tables and columns it needs, what a projection says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sitegen.errors import ProjectionError

NEWEST_VERSION: Final = 5

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "conversations": (
        "id",
        "source_id",
        "source_native_id",
        "title",
        "project",
        "started_at",
        "ended_at",
        "metadata",
    ),
    "messages": (
        "id",
        "conversation_id",
        "source_native_id",
        "parent_message_id",
        "role",
        "model",
        "created_at",
        "sequence_index",
        "metadata",
    ),
    "content_blocks": ("message_id", "block_index", "type", "text", "tool_name", "tool_use_id", "payload"),
}
# A projection may lack these; one that has them must have these columns.
OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "attachments": (
        "message_id",
        "filename",
        "mime_type",
        "storage_path",
        "content_hash",
        "size_bytes",
        "metadata",
    ),
    "raw_events": ("source_id", "source_native_conversation_id", "line_number", "payload"),
    "labels": ("pack", "target_kind", "target_id", "question", "value", "choice"),
    "divergences": ("conversation_id", "fork_after", "branch_message"),
    "shared_views": ("slug", "conversation_id", "gate_type", "gate_secret", "expires_at", "view_limit"),
}

Columns = Mapping[str, frozenset[str]]
"""Names of columns by table."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a projection holds. `version` is None when it doesn't say."""

    version: int | None
    optional: frozenset[str]
    warnings: tuple[str, ...]

    def has(self, table: str) -> bool:
        return table in self.optional


def understand(path: Path, columns: Columns, version_text: str | None) -> Schema:
    """The schema of the projection at `path`; ProjectionError naming the table or column that isn't there."""
    version = int(version_text) if version_text is not None and version_text.isdecimal() else None
    present = frozenset(OPTIONAL) & frozenset(columns)
    for table, needed in NEEDED.items():
        if table not in columns:
            raise ProjectionError(_no_table(path, table, columns))
        _require(path, table, needed, columns=columns[table], version=version)
    for table in sorted(present):
        _require(path, table, OPTIONAL[table], columns=columns[table], version=version)
    return Schema(version, present, _warnings(path, version))


def _no_table(path: Path, table: str, columns: Columns) -> str:
    found = ", ".join(sorted(columns)[:8]) or "no table at all"
    return (
        f"{path} has no table “{table}”, so it isn't a projection of conversations (found: {found}). "
        "Make one with “sitegen ingest” or with chatstrata."
    )


def _require(path: Path, table: str, needed: tuple[str, ...], *, columns: frozenset[str], version: int | None) -> None:
    for column in needed:
        if column not in columns:
            says = "doesn't say its schema version" if version is None else f"has schema version {version}"
            raise ProjectionError(
                f"{path} lacks the column “{table}.{column}” that sitegen needs; it {says}, "
                f"and sitegen knows versions 1 to {NEWEST_VERSION}. Update sitegen, or ingest the conversations again."
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
