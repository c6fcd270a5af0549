"""The rows of a workspace as its adapter asks for them: the list with its marks, conversations, shares.

Knows the tables and how to ask little of their server; what a row means is for others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sitegen.ingest.postgres import Server, Table, quoted
from sitegen.ingest.records import ViewRecord

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "conversations": ("id", "project_id", "title", "persona", "state", "last_message_at", "created_at"),
    "messages": ("id", "conversation_id", "role", "content", "tool_calls", "tool_call_id", "turn_index", "created_at"),
    "projects": ("id",),
    "pause_points": ("id",),
    "shared_views": ("slug", "conversation_id", "gate_type", "gate_secret", "expires_at", "view_limit"),
}
"""Every table of a workspace, with the columns that are needed of it."""
DISPENSABLE: Final = ("projects", "pause_points", "shared_views")
_PROJECT_NAMES: Final = ("name", "title", "slug", "id")
_REFERENCE: Final = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|private:.+)$"
"""What says where a secret is kept, rather than being one."""


def listing(tables: Mapping[str, Table]) -> str:
    """A query for every conversation: its id, a mark that changes whenever a row of it does, and its size in bytes."""
    talks = tables["conversations"]
    marks, joins = (
        [_json(talks, "c"), "m.mark"],
        [f"LEFT JOIN ({_messages_marked(tables['messages'])}) m ON m.talk = c.id"],
    )
    if projects := tables.get("projects"):
        marks.append(f"{_project_name(projects)}::text")
        joins.append(f"LEFT JOIN {projects.name} p ON p.id = c.project_id")
    if pauses := tables.get("pause_points"):
        marks.append("s.mark")
        joins.append(_pauses_marked(pauses))
    return (
        f"SELECT c.id::text, md5(concat_ws('|', {', '.join(marks)})), m.size_bytes FROM {talks.name} c "  # noqa: S608
        f"{' '.join(joins)} WHERE {_lives(talks, 'c')} ORDER BY c.id"
    )


def _messages_marked(messages: Table) -> str:
    # Every change of a row gives it another xmin. Where there is none to see, all of it has to be read.
    version = "m.xmin" if messages.has_versions else f"md5({_json(messages, 'm')})"
    size = "coalesce(pg_column_size(m.content), 0) + coalesce(pg_column_size(m.tool_calls), 0)"
    return (
        f"SELECT m.conversation_id AS talk, sum({size}) AS size_bytes, "  # noqa: S608
        f"md5(string_agg(concat_ws(':', m.id, {version}), ',' ORDER BY m.id)) AS mark "
        f"FROM {messages.name} m WHERE {_lives(messages, 'm')} GROUP BY 1"
    )


def _pauses_marked(pauses: Table) -> str:
    if "conversation_id" not in pauses.columns:
        marked = f"SELECT s.id, md5({_json(pauses, 's')}) AS mark FROM {pauses.name} s"  # noqa: S608
        return f"LEFT JOIN ({marked}) s ON s.id = c.pause_point_id"
    mark = f"string_agg(md5({_json(pauses, 's')}), ',' ORDER BY s.id) AS mark"
    marked = f"SELECT s.conversation_id AS talk, {mark} FROM {pauses.name} s GROUP BY 1"  # noqa: S608 - quoted names
    return f"LEFT JOIN ({marked}) s ON s.talk = c.id"


class Batch:
    """Some conversations with all their rows, fetched: messages lie in a temporary file, for they may be large."""

    def __init__(self, server: Server, tables: Mapping[str, Table], native_ids: Sequence[str]) -> None:
        """Raises IngestError when the connection doesn't last so long."""
        self._server = server
        self._ids = list(native_ids)
        talks, messages = tables["conversations"], tables["messages"]
        # With the column's own type an index helps.
        self._chosen = f"c.id = ANY(%s::text[]::{talks.columns['id']}[])"
        self._talks = self._by_id(f"{_json(talks, 'c')} FROM {talks.name} c", "")
        self._projects: Mapping[str, Sequence[bytes]] = {}
        self._pauses: Mapping[str, Sequence[bytes]] = {}
        if projects := tables.get("projects"):
            named = f"json_build_object('project', p.id, 'name', {_project_name(projects)})::text"
            self._projects = self._by_id(f"{named} FROM {talks.name} c", f"{projects.name} p ON p.id = c.project_id")
        if pauses := tables.get("pause_points"):
            is_own = "conversation_id" in pauses.columns
            owner = "s.conversation_id = c.id" if is_own else "s.id = c.pause_point_id"
            order = "s.created_at, s.id" if "created_at" in pauses.columns else "s.id"
            self._pauses = self._by_id(
                f"{_json(pauses, 's')} FROM {talks.name} c", f"{pauses.name} s ON {owner}", order=order
            )
        self._file = tempfile.TemporaryFile(prefix="sitegen-")  # noqa: SIM115 - `close` closes it
        self._places: dict[str, list[tuple[int, int]]] = {}
        """By conversation: where each message's row begins in the file, and how long it is."""
        try:
            self._fetch(messages)
        except BaseException:
            self.close()
            raise

    def _fetch(self, messages: Table) -> None:
        rows = self._server.stream(
            f"SELECT m.conversation_id::text, {_json(messages, 'm')} FROM {messages.name} m "  # noqa: S608
            f"WHERE m.conversation_id = ANY(%s::text[]::{messages.columns['conversation_id']}[]) "
            f"AND {_lives(messages, 'm')} ORDER BY m.conversation_id, m.turn_index, m.created_at, m.id",
            [self._ids],
        )
        position = 0
        for native_id, text in rows:
            raw = _bytes(text)
            self._file.write(raw)
            self._places.setdefault(str(native_id), []).append((position, len(raw)))
            position += len(raw)

    def holds(self, native_id: str) -> bool:
        """Whether a conversation is one of these."""
        return native_id in self._ids

    def heads(self, native_id: str) -> tuple[Sequence[bytes], Sequence[bytes], Sequence[bytes]]:
        """What is known of a conversation beside its messages: its row, its project's, its pause points'."""
        return self._talks.get(native_id, ()), self._projects.get(native_id, ()), self._pauses.get(native_id, ())

    def messages(self, native_id: str) -> Iterator[bytes]:
        """The rows of its messages in order."""
        for position, length in self._places.get(native_id, ()):
            self._file.seek(position)
            yield self._file.read(length)

    def close(self) -> None:
        """Removes the file."""
        self._file.close()

    def _by_id(self, selected: str, join: str, *, order: str = "c.id") -> Mapping[str, Sequence[bytes]]:
        joined = f" JOIN {join}" if join else ""
        rows = self._server.rows(
            f"SELECT c.id::text, {selected}{joined} WHERE {self._chosen} ORDER BY {order}", [self._ids]
        )
        found: dict[str, list[bytes]] = {}
        for native_id, text in rows:
            found.setdefault(str(native_id), []).append(_bytes(text))
        return found


def read_views(server: Server, views: Table) -> Iterator[tuple[ViewRecord, bool]]:
    """The rows of `shared_views`, and whether a row's secret is one itself: such a secret never leaves the database."""
    whole = [f"v.{quoted(name)}" if name in views.columns else "NULL" for name in ("view_count", "created_at")]
    query = (
        f"SELECT v.slug::text, v.conversation_id::text, v.gate_type::text, "  # noqa: S608
        f"CASE WHEN v.gate_secret::text ~ '{_REFERENCE}' THEN v.gate_secret::text END, "
        f"(v.gate_secret::text <> '' AND v.gate_secret::text !~ '{_REFERENCE}')::int, v.expires_at::timestamptz::text, "
        f"{whole[0]}::bigint, v.view_limit::bigint, {whole[1]}::timestamptz::text "
        f"FROM {views.name} v WHERE {_lives(views, 'v')} ORDER BY v.slug"
    )
    for slug, talk, gate, secret, is_literal, expires, count, limit, created in server.stream(query):
        yield (
            ViewRecord(
                slug=_text(slug),
                conversation_id=_text(talk),
                gate_type=_text(gate),
                gate_secret=_text(secret),
                expires_at=_text(expires),
                view_count=None if count is None else int(count),
                view_limit=None if limit is None else int(limit),
                created_at=_text(created),
            ),
            bool(is_literal),
        )


def _text(value: str | int | None) -> str | None:
    return None if value is None else str(value)


def _bytes(value: str | int | None) -> bytes:
    return str(value).encode("utf-8", "surrogatepass")


def _json(table: Table, alias: str) -> str:
    """A row as JSON text, as far as it may be read."""
    return f"(SELECT row_to_json(r) FROM (SELECT {table.fields(alias)}) r)::text"  # noqa: S608 - quoted names


def _project_name(projects: Table) -> str:
    return f"p.{next(name for name in _PROJECT_NAMES if name in projects.columns)}"


def _lives(table: Table, alias: str) -> str:
    """Some products mark what is deleted instead of deleting it."""
    return f"{alias}.deleted_at IS NULL" if "deleted_at" in table.columns else "true"
