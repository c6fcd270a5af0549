"""Reads what is needed of Claude Code's own records: as it was kept when they were written, else from each of them.

What is kept counts when it was picked of the very records that are there, which a sum of their hashes tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, field

from sitegen.model import ConversationHead, JsonObject
from sitegen.picked import FORMAT, SOURCE, TITLE_BYTES, RawRecord, in_order, pick, unpack_records, unpack_titles
from sitegen.projection.database import Database, Row
from sitegen.projection.digest import ENRICHED_SOURCES, Only, span
from sitegen.projection.places import Places, all_numbers, find_raw_events
from sitegen.projection.schema import Schema
from sitegen.projection.titles import TitleEvent
from sitegen.values import parse_object

_NATIVE: Final = "source_native_conversation_id"
_RAW_HASHES: Final = f"""
SELECT source_id, source_native_conversation_id, sum(hash(line_number, payload))
FROM p.main.raw_events WHERE source_id IN {ENRICHED_SOURCES} {{only}} GROUP BY 1, 2
"""  # noqa: S608 - made of constants
# As it's picked: a record with a title is short, and says one of these words.
_RAW_TITLES: Final = f"""
SELECT source_native_conversation_id, line_number, payload::VARCHAR
FROM p.main.raw_events WHERE source_id = '{SOURCE}' {{only}} AND strlen(payload) < {TITLE_BYTES}
    AND (contains(payload::VARCHAR, '-title"') OR contains(payload::VARCHAR, '"summary"'))
"""  # noqa: S608 - made of constants
_RAW_RECORDS: Final = """
SELECT source_native_conversation_id, line_number, encode(payload::VARCHAR)
FROM p.main.raw_events WHERE {numbered}
"""
_KEPT: Final = f"""
SELECT source_native_conversation_id, coalesce(raw_hash, 0), coalesce(parts, 0), titles FROM p.main.picked_stretches
WHERE source_id = '{SOURCE}' AND format = {FORMAT} {{only}}
"""  # noqa: S608 - made of constants
_KEPT_PARTS: Final = f"""
SELECT source_native_conversation_id, count(*) FROM p.main.picked_records
WHERE source_id = '{SOURCE}' AND format = {FORMAT} {{only}} GROUP BY 1
"""  # noqa: S608 - made of constants
_PICKED: Final = """
SELECT source_native_conversation_id, first_line, records FROM p.main.picked_records WHERE {numbered}
"""
_KINDS: Final[Mapping[str, tuple[Literal["custom", "ai", "summary"], str]]] = {
    "custom-title": ("custom", "customTitle"),
    "ai-title": ("ai", "aiTitle"),
    "summary": ("summary", "summary"),
}

Key = tuple[str, str]
"""(source id, native id)"""


class RawFacts(Struct):
    """What the records say of whole conversations."""

    hashes: dict[Key, int] = field(default_factory=lambda: defaultdict(int))
    titles: dict[Key, tuple[TitleEvent, ...]] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    """Native ids of Claude Code's conversations whose records needn't be read."""


class _Kept(Struct):
    """What was kept of a conversation, whether it counts or not."""

    raw_hash: int = 0
    titles: list[tuple[int, str]] = field(default_factory=list)
    missing: int = 0
    """How many parts aren't there; fewer than none where there are some that don't belong to it."""
    is_sound: bool = True


def read_raw_facts(database: Database, schema: Schema, natives: Only) -> RawFacts:
    """What the records say of the conversations with these native ids."""
    facts = RawFacts()
    if not schema.has("raw_events"):
        return facts
    for source_id, native_id, hashes in _hash_rows(database, natives):
        facts.hashes[source_id, native_id] += hashes
    kept = _kept(database, schema, natives)
    facts.kept = frozenset(
        name
        for name, each in kept.items()
        if each.is_sound and not each.missing and each.raw_hash == facts.hashes.get((SOURCE, name))
    )
    titles: dict[str, list[tuple[int, str]]] = defaultdict(list, {name: kept[name].titles for name in facts.kept})
    others = tuple(name for source_id, name in facts.hashes if source_id == SOURCE and name not in facts.kept)
    if others:
        some = Only(others) if facts.kept else natives
        for native_id, line, payload in database.query(some.narrow(_RAW_TITLES, _NATIVE), some.parameters):
            titles[native_id].append((line or 0, payload))
    facts.titles = {
        (SOURCE, native_id): _title_events(parse_object(payload) for _, payload in sorted(records))
        for native_id, records in titles.items()
        if records
    }
    return facts


def read_records(
    database: Database, heads: Iterable[ConversationHead], *, places: Places, at_once: int
) -> dict[str, list[RawRecord]]:
    """The records that have an id or something to tell, in the order of their lines, by their conversation's native id.

    Those that aren't kept are asked for so many at once, by the row numbers that `places` has of them.
    """
    told = [head for head in heads if head.source_id == SOURCE]
    kept = _read_kept(database, all_numbers(places.picked_records, (head.native_id for head in told)))
    lost = [head.native_id for head in told if head.keeps_records and head.native_id not in kept]
    raw_events = {**places.raw_events, **find_raw_events(database, lost)} if lost else places.raw_events
    others = [head.native_id for head in told if head.native_id not in kept]
    return kept | _read_raw(database, all_numbers(raw_events, others), at_once=at_once)


def _read_kept(database: Database, numbers: Sequence[int]) -> dict[str, list[RawRecord]]:
    packs: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for native_id, first_line, packed in database.query_rows(_PICKED, numbers, tuple):
        packs[native_id].append((first_line, packed or b""))
    unpacked = ((native_id, unpack_records(part for _, part in sorted(found))) for native_id, found in packs.items())
    return {native_id: records for native_id, records in unpacked if records is not None}


def _read_raw(database: Database, numbers: Sequence[int], *, at_once: int) -> dict[str, list[RawRecord]]:
    found: dict[str, list[RawRecord]] = defaultdict(list)
    for native_id, record in database.query_rows(_RAW_RECORDS, numbers, _picked, at_once=at_once):
        if record is not None:
            found[native_id].append(record)
    return {native_id: in_order(records) for native_id, records in found.items()}


def _picked(row: Row) -> tuple[str, RawRecord | None]:
    native_id, line, payload = row
    return native_id, pick(line or 0, payload) if payload else None


def _kept(database: Database, schema: Schema, natives: Only) -> dict[str, _Kept]:
    found: dict[str, _Kept] = defaultdict(_Kept)
    if schema.has("picked_stretches") and schema.has("picked_records"):
        for native_id, raw_hash, parts, titles in database.query(natives.narrow(_KEPT, _NATIVE), natives.parameters):
            found[native_id].raw_hash += raw_hash
            found[native_id].missing += parts
            unpacked = unpack_titles(titles or b"")
            found[native_id].titles += unpacked or ()
            found[native_id].is_sound &= unpacked is not None
        for native_id, count in database.query(natives.narrow(_KEPT_PARTS, _NATIVE), natives.parameters):
            found[native_id].missing -= count
    return found


def _hash_rows(database: Database, natives: Only) -> Iterable[Row]:
    if natives.ids is None:
        stretch = _RAW_HASHES.format(only="AND rowid BETWEEN ? AND ?")
        return database.query_span(stretch, *span(database, "raw_events"))
    return database.query(natives.narrow(_RAW_HASHES, _NATIVE), natives.parameters)


def _title_events(records: Iterable[JsonObject]) -> tuple[TitleEvent, ...]:
    events = []
    for record in records:
        match record.get("type"):
            case str() as kind if kind in _KINDS:
                name, field_name = _KINDS[kind]
                title, leaf = record.get(field_name), record.get("leafUuid")
                if isinstance(title, str):
                    events.append(TitleEvent(name, title, leaf if isinstance(leaf, str) else None))
    return tuple(events)
