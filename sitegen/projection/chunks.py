"""Reads the rows of some conversations at once: as many as are cheap to ask for, as few as fit into memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.model import Attachment, Block, BlockKind, ConversationHead, Json, JsonObject
from sitegen.picked import RawRecord
from sitegen.projection.attachments import attachment
from sitegen.projection.database import Database, Row
from sitegen.projection.places import Places, all_numbers
from sitegen.projection.records import read_records
from sitegen.projection.schema import Schema
from sitegen.values import parse_object

CHUNK_CONVERSATIONS: Final = 50
CHUNK_BYTES: Final = 12_000_000
"""Text and payload that a chunk may hold; a larger conversation is a chunk of its own."""
_ROWS_OF_SMALL: Final = 4_000
"""How many rows are asked for at once in such a chunk: a query takes as long as some hundred rows."""
_ROWS_OF_LARGE: Final = 1_000

_KINDS: Final = frozenset(get_args(BlockKind))

# Sorted here and not there: rows are wide, and DuckDB would have to spill what Python orders by a few small keys.
_MESSAGES: Final = """
SELECT conversation_id, id, source_native_id, parent_message_id, role, model, epoch_us(created_at), sequence_index,
    metadata
FROM p.main.messages WHERE {numbered}
"""
# What a result's text repeats stays there. How nearly all of those begin tells as much as parsing them.
_BLOCKS: Final = """
SELECT message_id, coalesce(block_index, 0), type, text, tool_name, tool_use_id,
    CASE WHEN type IS DISTINCT FROM 'tool_result' OR text IS NULL THEN payload::VARCHAR
        WHEN starts_with(payload::VARCHAR, '{"is_error": false, "raw_content": "') AND ends_with(payload::VARCHAR, '"}')
        THEN '{"is_error": false}'
        WHEN TRY(json_type(payload, '$.raw_content')) = 'VARCHAR'
        THEN '{"is_error": ' || coalesce(payload->'is_error', 'false')::VARCHAR || '}' ELSE payload::VARCHAR END
FROM p.main.content_blocks WHERE {numbered}
"""
_ATTACHMENTS: Final = """
SELECT message_id, filename, mime_type, storage_path, content_hash, size_bytes, metadata
FROM p.main.attachments WHERE {numbered} ORDER BY rowid
"""
_LABELS: Final = """
SELECT m.id, b.block_index, l.pack, l.question, l.choice, l.value
FROM p.main.labels l LEFT JOIN p.main.content_blocks b ON l.target_kind = 'tool_call' AND b.id = l.target_id
JOIN p.main.messages m ON m.id = CASE l.target_kind WHEN 'tool_call' THEN b.message_id ELSE l.target_id END
WHERE l.target_kind IN ('tool_call', 'message') AND m.conversation_id IN (SELECT unnest(?)) ORDER BY ALL
"""
_FORKS: Final = """
SELECT conversation_id, fork_after, branch_message FROM p.main.divergences
WHERE conversation_id IN (SELECT unnest(?)) ORDER BY ALL
"""


class MessageRow(Struct):  # not frozen, for it takes half as long to make one
    """A row of `messages` as it stands."""

    id: str
    native_id: str | None
    parent: str | None
    role: str
    model: str | None
    created_us: int | None
    index: int
    metadata: str | None


class Chunk(Struct):
    """The rows of some conversations: by conversation row id, by message row id, by native id."""

    messages: dict[str, list[MessageRow]] = field(default_factory=lambda: defaultdict(list))
    blocks: dict[str, list[tuple[int, Block]]] = field(default_factory=lambda: defaultdict(list))
    attachments: dict[str, list[Attachment]] = field(default_factory=lambda: defaultdict(list))
    call_labels: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    labels: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    forks: dict[str, list[tuple[str | None, str]]] = field(default_factory=lambda: defaultdict(list))
    records: dict[str, list[RawRecord]] = field(default_factory=dict)

    def messages_of(self, row_id: str) -> list[MessageRow]:
        """The messages of a conversation in order; they leave the chunk."""
        return sorted(self.messages.pop(row_id, []), key=lambda row: (row.index, row.native_id or "", row.id))

    def blocks_of(self, message: MessageRow) -> tuple[Block, ...]:
        """The blocks of a message in order; they leave the chunk, so that memory falls as conversations are built."""
        rows = self.blocks.pop(message.id, [])
        if len(rows) > 1:
            rows.sort(key=lambda row: (row[0], row[1].kind, row[1].text or ""))
        if self.call_labels:
            return tuple(self._labelled(block, (message.id, index)) for index, block in rows)
        return tuple(block for _, block in rows)

    def _labelled(self, block: Block, place: tuple[str, int]) -> Block:
        found = self.call_labels.pop(place, ()) if block.kind == "tool_use" else ()
        return replace(block, labels=tuple(found)) if found else block


def plan(units: Iterable[Sequence[ConversationHead]]) -> Iterator[list[Sequence[ConversationHead]]]:
    """Units (a conversation and its subagents) put together into chunks, in order; no unit is ever split."""
    chunk: list[Sequence[ConversationHead]] = []
    heads, weight = 0, 0
    for unit in units:
        size = sum(head.size_bytes for head in unit)
        if chunk and (heads + len(unit) > CHUNK_CONVERSATIONS or weight + size > CHUNK_BYTES):
            yield chunk
            chunk, heads, weight = [], 0, 0
        chunk.append(unit)
        heads, weight = heads + len(unit), weight + size
    if chunk:
        yield chunk


def is_small(heads: Iterable[ConversationHead]) -> bool:
    """Whether a chunk isn't one conversation that is larger than chunks are."""
    return sum(head.size_bytes for head in heads) <= CHUNK_BYTES


def read_chunk(
    database: Database, schema: Schema, heads: Sequence[ConversationHead], *, places: Places, labels: bool
) -> Chunk:
    """All rows of the conversations, in a query or a few a table."""
    chunk = Chunk()
    row_ids = [head.row_id for head in heads]
    rows = _ROWS_OF_SMALL if is_small(heads) else _ROWS_OF_LARGE
    found_messages = database.query_rows(_MESSAGES, all_numbers(places.messages, row_ids), _message, at_once=rows)
    for conversation, message in found_messages:
        chunk.messages[conversation].append(message)
    for within, index, block in database.query_rows(_BLOCKS, all_numbers(places.blocks, row_ids), _block, at_once=rows):
        chunk.blocks[within].append((index, block))
    _read_attachments(database, chunk, all_numbers(places.attachments, row_ids))
    if labels and schema.has("labels"):
        for message, block_index, *told in database.query(_LABELS, [row_ids]):
            found = chunk.labels[message] if block_index is None else chunk.call_labels[message, block_index]
            found.append(_label(*told))
    if schema.has("divergences"):
        for conversation, after, branch in database.query(_FORKS, [row_ids]):
            chunk.forks[conversation].append((after, branch))
    chunk.records = read_records(database, heads, places=places, at_once=rows)
    return chunk


def _read_attachments(database: Database, chunk: Chunk, numbers: Sequence[int]) -> None:
    def attached(row: Row) -> tuple[str, Attachment]:
        message, filename, media_type, path, content_hash, size, metadata = row
        return message, attachment(
            database.path.parent,
            filename=filename,
            media_type=media_type,
            storage_path=path,
            content_hash=content_hash,
            size_bytes=size,
            metadata=metadata,
        )

    for message, found in database.query_rows(_ATTACHMENTS, numbers, attached):
        chunk.attachments[message].append(found)


def _message(row: Row) -> tuple[str, MessageRow]:
    conversation, *cells = row
    return conversation, MessageRow(*cells)


def _block(row: Row) -> tuple[str, int, Block]:
    """The row id of a block's message, its number in it, and the block."""
    message, index, kind, text, tool_name, tool_use_id, payload = row
    known = cast("BlockKind", kind if kind in _KINDS else "text")
    parsed = parse_object(payload)
    if known == "tool_result" and text is not None:
        parsed = _without_text(parsed)
    elif known != kind and not parsed:
        parsed = {"unknown_block": {"type": kind}}
    return message, index, Block(known, text, tool_name, tool_use_id, parsed)


def _without_text(payload: JsonObject) -> JsonObject:
    """A result's payload without the blocks that its text repeats."""
    content = payload.get("raw_content")
    if not isinstance(content, list):
        return {name: value for name, value in payload.items() if name != "raw_content"}
    others = [item for item in content if not _is_text(item)]
    rest = {name: value for name, value in payload.items() if name != "raw_content"}
    return {**rest, "raw_content": others} if others else rest


def _is_text(item: Json) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and item.get("type") == "text")


def _label(pack: str, question: str, choice: str | int | None, value: float | str | None) -> str:
    chosen = value if choice is None else choice
    answer = "" if chosen is None else str(chosen) if choice is not None or isinstance(chosen, str) else f"{chosen:.2f}"
    return f"{pack}/{question}: {answer}" if answer else f"{pack}/{question}"
