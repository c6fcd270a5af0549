"""A projection open for reading: heads, conversations, shared views. Nothing else reaches the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sitegen.errors import ProjectionError
from sitegen.model import Conversation, ConversationHead, SharedView
from sitegen.projection.attachments import locate
from sitegen.projection.chunks import is_small, plan, read_chunk
from sitegen.projection.database import Database, open_database
from sitegen.projection.heads import descendants, not_withdrawn, read_heads
from sitegen.projection.listing import Known, Listing, Recall, nothing
from sitegen.projection.messages import Builder, Children
from sitegen.projection.places import Map, draw_map, find_places
from sitegen.projection.schema import NEVER_NULL, Column, Schema, refuse_nulls, understand
from sitegen.values import LONG_PAST, expiry

_COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns()
WHERE database_name = 'p' AND schema_name = 'main'
"""
# The size counts rows that were deleted too: none is none.
_EMPTY = """
SELECT table_name FROM duckdb_tables() WHERE database_name = 'p' AND schema_name = 'main' AND estimated_size = 0
"""
_VERSION = "SELECT value FROM p.main.meta WHERE key = 'schema_version'"
_FILES = "SELECT DISTINCT storage_path FROM p.main.attachments WHERE storage_path <> '' ORDER BY 1"
_SHARED_VIEWS = """
SELECT slug, conversation_id, gate_type, gate_secret, expires_at = '-infinity', epoch_us(expires_at), view_limit
FROM p.main.shared_views ORDER BY slug
"""
_TOMBSTONES = "SELECT DISTINCT source_id || ':' || locator FROM p.main.observations WHERE kind = 'tombstone'"


class Projection:
    """A DuckDB file of conversations, open read-only. Made by `Projection.open`, used by one thread."""

    def __init__(self, database: Database, schema: Schema, *, labels: bool, known: Known | None) -> None:
        self._database = database
        self._schema = schema
        self._labels = labels
        self._known = known
        self._looked: tuple[tuple[ConversationHead, ...], Listing] | None = None
        self._heads: tuple[ConversationHead, ...] | None = None
        self._map: Map | None = None

    @classmethod
    @contextmanager
    def open(
        cls,
        path: Path,
        *,
        temp_folder: Path,
        memory_limit_mb: int = 192,
        threads: int | None = None,
        lock_wait_s: float = 5.0,
        labels: bool = False,
        recall: Recall = nothing,
    ) -> Iterator[Projection]:
        """The projection at `path`, closed at the end; ProjectionError says what is wrong with it.

        `temp_folder` takes what doesn't fit into `memory_limit_mb`; a lock held by a writer is waited for; `labels`
        says whether messages carry their labels (and digests cover them); `recall` is asked what is known of it when
        it's open and nobody can write to it, and what is known isn't looked at again.
        """
        with open_database(
            path, temp_folder=temp_folder, memory_limit_mb=memory_limit_mb, threads=threads, lock_wait_s=lock_wait_s
        ) as database:
            yield cls(database, _read_schema(database), labels=labels, known=recall(path))

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its owner should know, in sentences; the projection is read all the same."""
        return self._schema.warnings

    def heads(self) -> list[ConversationHead]:
        """All conversations that weren't withdrawn, subagents too, ordered by key; read once and kept."""
        return list(self._known_heads())

    def listing(self) -> Listing:
        """What was found of the conversations, to be known the next time; read once and kept."""
        return self._look()[1]

    def read(
        self,
        row_ids: Sequence[str],
        *,
        heads: Sequence[ConversationHead] | None = None,
        in_any_order: bool = False,
        goes_on: bool = False,
    ) -> Iterator[Conversation]:
        """The conversations in the given order, each with its subagents; memory holds one chunk of them.

        `in_any_order` gives them as they lie in the file: less of it is gone through for each chunk.

        Once the rows of the last are there the database rests, and leaves its memory to what is made of them. When it
        `goes_on` with others soon, it does so for a large one only, for to open it again takes as long as reading some.

        `heads` are this projection's, read earlier (in another process, say), and save reading them again.
        ProjectionError for an id that isn't there.
        """
        known = self._known_heads() if heads is None else tuple(heads)
        by_id = {head.row_id: head for head in known}
        children = descendants(known)
        units = [_unit(self._require(by_id, row_id), children) for row_id in row_ids]
        wanted = [head for unit in units for head in unit]
        if goes_on and self._map is None:  # of many batches each would look through all tables
            self._map = draw_map(self._database, self._schema, known)
        places = find_places(self._database, self._schema, wanted, known=self._map)
        if in_any_order:
            units.sort(key=lambda unit: places.first(unit[0].row_id))
        chunks = list(plan(units))
        for number, chunk_units in enumerate(chunks, start=1):
            heads_in = [head for unit in chunk_units for head in unit]
            rows = read_chunk(self._database, self._schema, heads_in, places=places, labels=self._labels)
            if number == len(chunks) and not (goes_on and is_small(heads_in)):
                self._close()
            builder = Builder(rows, children, Counter(head.row_id for head in heads_in))
            for unit in chunk_units:
                yield builder.build(unit[0])

    def files(self) -> list[Path]:
        """The files beside the projection that its attachments name and that may be read, whether they're there or not.

        Where they stand, not where links lead: a link may be led elsewhere.
        """
        if not self._schema.has("attachments"):
            return []
        folder = self.path.parent
        named = (name for (name,) in self._database.query(_FILES))
        return [folder / name for name in named if isinstance(locate(folder, name), Path)]

    def withdrawn(self) -> frozenset[str]:
        """Keys of the conversations that somebody deleted, on any device: their tombstones outlast all copies."""
        if not self._schema.has("observations"):
            return frozenset()
        return frozenset(key for (key,) in self._database.query(_TOMBSTONES) if key is not None)

    def shared_views(self) -> list[SharedView]:
        """The rows of `shared_views`, by slug; none where there is no such table."""
        if not self._schema.has("shared_views"):
            return []
        return [
            SharedView(
                slug, conversation, gate_type, gate_secret, LONG_PAST if is_over else expiry(expires), view_limit
            )
            for slug, conversation, gate_type, gate_secret, is_over, expires, view_limit in self._database.query(
                _SHARED_VIEWS
            )
        ]

    def rest(self) -> None:
        """Lets go of the file, and of the memory that holds what was read of it but heads, until the next query."""
        self._looked = self._known = None
        self._close()

    def _close(self) -> None:
        self._map = None  # the next time the file may be another
        self._database.rest()

    def _known_heads(self) -> tuple[ConversationHead, ...]:
        if self._heads is None:
            self._heads = not_withdrawn(self._look()[0], self.withdrawn())
        return self._heads

    def _look(self) -> tuple[tuple[ConversationHead, ...], Listing]:
        if self._looked is None:
            self._looked = read_heads(self._database, self._schema, labels=self._labels, known=self._known)
        return self._looked

    def _require(self, by_id: dict[str, ConversationHead], row_id: str) -> ConversationHead:
        if row_id not in by_id:
            raise ProjectionError(f"{self.path} holds no conversation {row_id}; it may have been removed meanwhile.")
        return by_id[row_id]


def _unit(head: ConversationHead, children: Children) -> list[ConversationHead]:
    unit = [head]
    for child in children.get(head.key, ()):
        unit += _unit(child, children)
    return unit


def _read_schema(database: Database) -> Schema:
    columns: dict[str, dict[str, Column]] = {}
    for table, name, kind, is_nullable in database.query(_COLUMNS):
        columns.setdefault(table, {})[name] = Column(kind, is_nullable)
    version = database.query(_VERSION) if columns.get("meta", {}).keys() >= {"key", "value"} else []
    empty = [table for (table,) in database.query(_EMPTY)]
    schema = understand(database.path, columns, str(version[0][0]) if version else None, empty=empty)
    for table, names in NEVER_NULL.items():
        for name in names:
            if table in columns and columns[table][name].is_nullable:
                _refuse_nulls(database, table, name)
    return schema


def _refuse_nulls(database: Database, table: str, name: str) -> None:
    ((count,),) = database.query(f"SELECT count(*) FROM p.main.{table} WHERE {name} IS NULL")  # noqa: S608 - constants
    refuse_nulls(database.path, table, name, count)
