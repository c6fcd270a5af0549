"""Reads what is known of conversations without reading them: titles, times, digests, who is whose subagent."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sitegen import duck
from sitegen.model import ConversationHead
from sitegen.picked import SOURCE
from sitegen.projection.attachments import locate
from sitegen.projection.database import Database
from sitegen.projection.digest import Only, fingerprint, seal
from sitegen.projection.listing import Content, Known, Listing
from sitegen.projection.records import RawFacts, read_raw_facts
from sitegen.projection.schema import Schema
from sitegen.projection.titles import choose_title, title_of_call, title_of_day
from sitegen.values import moment, parse_object

_CONVERSATIONS: Final = """
SELECT rowid, id, coalesce(source_id, ''), coalesce(source_native_id, id), title, project, epoch_us(started_at),
    epoch_us(ended_at), metadata
FROM p.main.conversations ORDER BY source_id, source_native_id, id
"""
_PROMPTS: Final = """
SELECT m.conversation_id, m.source_native_id, left(b.text, 4000)
FROM p.main.content_blocks b JOIN p.main.messages m ON m.id = b.message_id
WHERE m.conversation_id IN (SELECT unnest(?)) AND m.role = 'user' AND b.type = 'text' AND b.text IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY m.conversation_id ORDER BY m.sequence_index, b.block_index) <= 30
ORDER BY m.conversation_id, m.sequence_index, b.block_index
"""
_FIRST_CALLS: Final = """
SELECT m.conversation_id, b.tool_name, CASE WHEN strlen(b.payload) < 20000 THEN b.payload::VARCHAR END
FROM p.main.content_blocks b JOIN p.main.messages m ON m.id = b.message_id
WHERE m.conversation_id IN (SELECT unnest(?)) AND b.type = 'tool_use' AND b.tool_name <> ''
QUALIFY row_number() OVER (PARTITION BY m.conversation_id ORDER BY m.sequence_index, b.block_index) = 1
"""
_HIDDEN_RECORDS: Final = """
SELECT source_native_conversation_id, TRY(payload->>'uuid')
FROM p.main.raw_events
WHERE source_id = 'claude_code' AND source_native_conversation_id IN (SELECT unnest(?))
    AND (contains(payload::VARCHAR, '"isMeta"') OR contains(payload::VARCHAR, '"isCompactSummary"'))
    AND (TRY(payload->>'isMeta') = 'true' OR TRY(payload->>'isCompactSummary') = 'true')
"""
_OWN_IDS: Final = """
SELECT conversation_id, source_native_id FROM p.main.messages
WHERE source_native_id IN (SELECT unnest(?))
"""
_FILES: Final = """
SELECT m.conversation_id, a.storage_path FROM p.main.attachments a JOIN p.main.messages m ON m.id = a.message_id
WHERE a.storage_path IS NOT NULL ORDER BY m.conversation_id, m.sequence_index, a.storage_path
"""
_ACCOUNTS: Final = frozenset(("event_count", "source_bytes", "source_lines", "adapter_version", "qualifier"))
"""What an ingest notes for the next one. No page shows it, and of a large archive all heads are in memory."""
_DEEPEST: Final = 32
"""How many subagents deep subagents are shown within their parents."""


def read_heads(
    database: Database, schema: Schema, *, labels: bool, known: Known | None = None
) -> tuple[tuple[ConversationHead, ...], Listing]:
    """All heads, ordered by key, and what to keep of them. Only what isn't known is looked at."""
    facts = schema_facts(schema, labels=labels)
    rows = _conversation_rows(database)
    kept = _kept(known, facts)
    unknown = [row for row in rows if kept is None or row.row_id not in kept]
    only = Only() if kept is None else Only(tuple(row.row_id for row in unknown))
    found, titles = _look(database, schema, unknown, labels=labels, only=only) if unknown else ({}, {})
    contents = {**(kept or {}), **found}
    heads = [_head(row, contents[row.row_id], titles.get(row.row_id, row.title), facts) for row in rows]
    named = [head.row_id for row, head in zip(rows, heads, strict=True) if row.title == head.title]
    listing = Listing(facts, tuple(contents[row_id] for row_id in named))
    return _with_subagents(_with_files(database, schema, heads)), listing


def _kept(known: Known | None, facts: str) -> dict[str, Content] | None:
    if known is None or known.listing.facts != facts:
        return None
    return {each.row_id: each for each in known.listing.contents if each.row_id not in known.changed}


def _look(
    database: Database, schema: Schema, rows: Sequence[ConversationHead], *, labels: bool, only: Only
) -> tuple[dict[str, Content], Mapping[str, str | None]]:
    """Contents and titles of the conversations of these rows, by row id."""
    fingerprints = fingerprint(database, schema, labels=labels, only=only)
    natives = only if only.ids is None else Only(tuple(sorted({row.native_id for row in rows})))
    raw = read_raw_facts(database, schema, natives)
    contents = {
        row.row_id: Content(
            row.row_id,
            fingerprints.messages(row.row_id),
            fingerprints.size_bytes(row.row_id),
            seal([fingerprints.of(row.row_id), str(raw.hashes.get((row.source_id, row.native_id), 0))]),
            row.source_id == SOURCE and row.native_id in raw.kept,
        )
        for row in rows
    }
    return contents, _Titles(database, schema, raw).choose(rows)


def _head(row: ConversationHead, content: Content, title: str | None, facts: str) -> ConversationHead:
    return replace(
        row,
        title=title,
        message_count=content.message_count,
        size_bytes=content.size_bytes,
        digest=seal([facts, row.key, title or "", row.digest, content.seal]),
        keeps_records=content.keeps_records,
    )


def _with_files(database: Database, schema: Schema, heads: Sequence[ConversationHead]) -> list[ConversationHead]:
    """The heads, ordered by key. Files are looked at each time: one may change while its row doesn't."""
    files = _file_facts(database, schema)
    sealed = [
        replace(head, digest=seal([head.digest, *files[head.row_id]])) if head.row_id in files else head
        for head in heads
    ]
    return sorted(sealed, key=lambda head: (head.key, head.row_id))


def descendants(heads: Iterable[ConversationHead]) -> Mapping[str, tuple[ConversationHead, ...]]:
    """The direct subagents of each conversation, by its key."""
    children: dict[str, list[ConversationHead]] = defaultdict(list)
    for head in heads:
        if head.parent_key is not None:
            children[head.parent_key].append(head)
    return {key: tuple(found) for key, found in children.items()}


def not_withdrawn(heads: Iterable[ConversationHead], withdrawn: Collection[str]) -> tuple[ConversationHead, ...]:
    """The heads without those of these keys, and without what is a subagent of one, whether that's there or not."""
    known = tuple(heads)
    above = {head.key: _named_parent(head) for head in known} if withdrawn else {}

    def is_withdrawn(key: str | None) -> bool:
        for _ in range(_DEEPEST):
            if key is None or key in withdrawn:
                return key is not None
            key = above.get(key)
        return False

    return tuple(head for head in known if not is_withdrawn(head.key))


def schema_facts(schema: Schema, *, labels: bool) -> str:
    """What digests depend on besides the rows: another DuckDB may hash otherwise."""
    tables = sorted(schema.optional - {"picked_stretches", "picked_records"})  # what is kept there says what others do
    return f"duckdb {duck.__version__} schema {schema.version} {tables} labels {labels}"


def _conversation_rows(database: Database) -> list[ConversationHead]:
    """What the conversations' own rows say; nothing is counted yet, and digests cover no more."""
    found = database.query(_CONVERSATIONS)
    return [
        ConversationHead(
            place=place,
            row_id=row_id,
            source_id=source_id,
            native_id=native_id,
            title=title,
            project=project,
            started_at=moment(started),
            ended_at=moment(ended),
            message_count=0,
            digest=json.dumps([project, started, ended, metadata]),
            metadata={name: value for name, value in parse_object(metadata).items() if name not in _ACCOUNTS},
        )
        for place, row_id, source_id, native_id, title, project, started, ended, metadata in found
    ]


class _Titles(Struct, frozen=True):
    """Chooses titles, asking the database only for the conversations whose stored title won't do."""

    database: Database
    schema: Schema
    raw: RawFacts

    def choose(self, rows: Sequence[ConversationHead]) -> dict[str, str | None]:
        own_ids = self._own_ids()
        titles = {row.row_id: self._title(row, own_ids, ()) for row in rows}
        prompts = self._prompts([row for row in rows if titles[row.row_id] is None])
        titles |= {row.row_id: self._title(row, own_ids, prompts[row.row_id]) for row in rows if row.row_id in prompts}
        return titles | self._titles_without_prompt([row for row in rows if titles[row.row_id] is None])

    def _titles_without_prompt(self, rows: Sequence[ConversationHead]) -> dict[str, str]:
        found = {row.row_id: title_of_day(row.started_at, row.native_id) for row in rows}
        if rows:
            for row_id, name, payload in self.database.query(_FIRST_CALLS, [list(found)]):
                found[row_id] = title_of_call(name, parse_object(payload))
        return found

    def _title(self, row: ConversationHead, own_ids: Mapping[str, set[str]], prompts: Sequence[str]) -> str | None:
        events = self.raw.titles.get((row.source_id, row.native_id), ())
        return choose_title(row.title, events, own_ids=own_ids.get(row.row_id, ()), prompts=prompts)

    def _own_ids(self) -> Mapping[str, set[str]]:
        """Of the messages that summaries end with, those that each conversation holds."""
        leaves = {event.leaf for events in self.raw.titles.values() for event in events if event.leaf}
        found: dict[str, set[str]] = defaultdict(set)
        if leaves:
            for row_id, native_id in self.database.query(_OWN_IDS, [sorted(leaves)]):
                found[row_id].add(native_id)
        return found

    def _prompts(self, rows: Sequence[ConversationHead]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        if not rows:
            return found
        natives = {row.row_id: row.native_id for row in rows}
        hidden = self._hidden_records(rows)
        for row_id, message_id, text in self.database.query(_PROMPTS, [list(natives)]):
            if (natives[row_id], message_id) not in hidden:
                found[row_id].append(text)
        return found

    def _hidden_records(self, rows: Sequence[ConversationHead]) -> frozenset[tuple[str, str]]:
        natives = [row.native_id for row in rows if row.source_id == SOURCE]
        if not natives or not self.schema.has("raw_events"):
            return frozenset()
        return frozenset((native, uuid) for native, uuid in self.database.query(_HIDDEN_RECORDS, [natives]))


def _file_facts(database: Database, schema: Schema) -> dict[str, list[str]]:
    """Size and time of each stored attachment."""
    facts: dict[str, list[str]] = defaultdict(list)
    if not schema.has("attachments"):
        return facts
    for row_id, storage_path in database.query(_FILES):
        place = locate(database.path.parent, storage_path)
        try:
            status = None if isinstance(place, str) else place.stat()
        except OSError:
            status = None
        facts[row_id].append(f"{status.st_size} {status.st_mtime_ns}" if status else "none")
    return facts


def _with_subagents(heads: Sequence[ConversationHead]) -> tuple[ConversationHead, ...]:
    known = {head.key for head in heads}
    parents = {head.key: parent for head in heads if (parent := _named_parent(head)) in known and parent is not None}
    # Where sources have no name one key may stand for several: the fullest is the subagent, the others stand alone.
    fullest = {head.key: head.row_id for head in sorted(heads, key=lambda each: -each.message_count)[::-1]}
    linked = [
        replace(head, parent_key=parents[head.key])
        if head.key in parents and head.row_id == fullest[head.key] and _has_sane_line(head.key, parents)
        else head
        for head in heads
    ]
    children = descendants(linked)
    return tuple(
        replace(head, digest=_whole_digest(head, children)) if head.key in children else head for head in linked
    )


def _named_parent(head: ConversationHead) -> str | None:
    native_id = head.metadata.get("parent_native_id")
    if not isinstance(native_id, str) or not head.metadata.get("subagent"):
        return None
    return f"{head.source_id}:{native_id}"


def _has_sane_line(key: str, parents: Mapping[str, str]) -> bool:
    """Whether the line upwards ends: not in a circle, and not so long that nesting it would break what follows."""
    above = parents.get(key)
    for _ in range(_DEEPEST):
        if above is None:
            return True
        above = parents.get(above)
    return False


def _whole_digest(head: ConversationHead, children: Mapping[str, tuple[ConversationHead, ...]]) -> str:
    below = children.get(head.key, ())
    if not below:
        return head.digest
    return seal([head.digest, *(_whole_digest(child, children) for child in below)])
