"""What sources have in common that export all conversations in a JSON file or a few: an adapter but for the format.

Finding splits the files into conversations and remembers where each stands; reading goes there. Neither ever holds more
than one conversation.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Final

from msgspec import Struct

from sitegen.errors import IngestError
from sitegen.ingest.archive import Entry, FileIndex, list_entries
from sitegen.ingest.arrays import Element, split_array
from sitegen.ingest.fields import Object, moment_of, text_of
from sitegen.ingest.lines import Line, kind_of, mend_text, parse_line
from sitegen.ingest.pieces import pieces_of
from sitegen.ingest.records import (
    AttachmentRecord,
    Change,
    ConversationRecord,
    Handle,
    LineProblem,
    MessageRecord,
    PassedOver,
    RawEvent,
    Record,
    Seen,
    Stored,
)

if TYPE_CHECKING:
    from sitegen.model import Json

_CONVERSATIONS: Final = re.compile(r"conversations(?:[-_ ]?\d+)?\.json", re.IGNORECASE)
_OTHERS: Final = {"mapping": "chatgpt-export", "chat_messages": "claude-export"}
"""What a conversation of an export is known by, for those who have mixed them up."""
_SKIP_BYTES: Final = 1 << 20
_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


class Place(Struct, frozen=True):
    """Where a conversation stands and what tells it from an earlier or later copy of itself."""

    number: int
    offset: int
    length: int
    digest: str
    """SHA-256 of its bytes and of what other files of the export say about it."""
    updated_at: datetime | None
    file_count: int
    """How many of the files it refers to the export holds."""

    @property
    def rank(self) -> tuple[datetime, int, int]:
        """The later and fuller, the higher."""
        return self.updated_at or _LONG_AGO, self.file_count, self.length


class Reading(Struct):
    """What reading one conversation needs and gathers besides its messages."""

    files: FileIndex
    reasons: list[str]
    first: datetime | None = None
    last: datetime | None = None

    def span(self, moment: datetime | None) -> None:
        """Takes a moment into the conversation's time."""
        if moment is not None:
            self.first = min(self.first or moment, moment)
            self.last = max(self.last or moment, moment)

    def attachment(self, entry: Entry | None, *, name: str | None, media_type: str | None = None) -> AttachmentRecord:
        """A file that a message refers to: the export's, or the word that it holds none."""
        if entry is None:
            return AttachmentRecord(name, media_type, metadata={"missing": "the export doesn't hold it"})
        return AttachmentRecord(entry.base, media_type, metadata={"name": name or entry.base}, opener=entry.open)


class Export(ABC):
    """An adapter for an export; a source's own says what its conversations look like."""

    source_id: str
    display_name: str
    version: str
    expected: str
    """What to name on the command line, for people."""
    keys: Sequence[str]
    """What a conversation's object may begin with."""
    parts: str
    """Under which key it has its messages."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._files = FileIndex()
        self._reader: _Reader | None = None

    # -------------------------------------------------------------------------------------------- a source's own part

    @abstractmethod
    def conversation_of(self, value: Json) -> Object | None:
        """The conversation that an element is or holds; None when it is none."""

    @abstractmethod
    def native_id(self, conversation: Object) -> str | None:
        """What the source calls it."""

    @abstractmethod
    def updated_at(self, conversation: Object) -> datetime | None:
        """When it was last changed."""

    @abstractmethod
    def messages(self, conversation: Object, reading: Reading) -> Iterator[MessageRecord | PassedOver]:
        """Its messages, parents before children, the path that is to be shown last."""

    @abstractmethod
    def describe(self, conversation: Object) -> tuple[str | None, str | None, Object]:
        """Its title and its project as the export has them, and metadata."""

    def prepare(self, entries: Sequence[Entry]) -> None:  # noqa: B027 - most exports hold nothing of the kind
        """Reads what other files of the export say about conversations."""

    def file_ids(self, raw: bytes) -> Iterable[str]:
        """The ids of files that a conversation refers to."""
        return ()

    # ---------------------------------------------------------------------------------------------------- the adapter

    def discover(self, location: str) -> Iterable[Handle | LineProblem | Seen]:
        """The conversations of an export, each once: the latest copy where several files hold it."""
        entries = list_entries(location, expected=self.expected)
        sources, are_named = _sources(entries)
        self._entries = {entry.location: entry for entry in sources}
        self._files = FileIndex.of(entry for entry in entries if entry.location not in self._entries)
        self.prepare(entries)
        found: dict[str, tuple[Handle, Place]] = {}
        broken: LineProblem | None = None
        for entry in sources:
            for item in self._conversations(entry, tells=are_named):
                if isinstance(item, LineProblem):
                    broken = broken or item
                    yield item
                    continue
                yield Seen(item[1].length)
                if (name := item[0].native_id) not in found or item[1].rank > found[name][1].rank:
                    found[name] = item
        if not found:
            raise IngestError(self._nothing(location, broken))
        yield from (handle for handle, _ in found.values())

    def _nothing(self, location: str, broken: LineProblem | None) -> str:
        if broken is None:
            return f"{location} holds no conversations. Name {self.expected}."
        return f"{location} holds no conversation that can be read ({broken}). Name {self.expected}."

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """By the bytes. An older copy, or one whose files are gone, changes nothing."""
        place = _place(handle)
        updated_at = moment_of(stored.metadata.get("updated_at"))
        file_count = stored.metadata.get("file_count")
        if updated_at and place.updated_at and place.updated_at < updated_at:
            return Change.UNCHANGED
        if stored.content_hash == place.digest and isinstance(file_count, int) and place.file_count <= file_count:
            return Change.UNCHANGED
        return Change.CHANGED

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one conversation. Its raw events, merged, are what the export says of it."""
        place = _place(handle)
        line = parse_line(self._bytes(handle, place), place.number)
        event_count = 0
        for event in _raw_events(line, self.parts):
            event_count = event.line
            yield event
        reading = Reading(self._files, [line.problem] if line.problem else [])
        conversation = self.conversation_of(line.record)
        title: str | None = None
        project: str | None = None
        metadata: Object = {}
        if conversation is not None:
            yield from self.messages(conversation, reading)
            title, project, metadata = self.describe(conversation)
            reading.span(moment_of(conversation.get("create_time", conversation.get("created_at"))))
            reading.span(place.updated_at)
        for reason in dict.fromkeys(reading.reasons):
            yield LineProblem(handle.location, line.number, reason, conversation is not None)
        yield ConversationRecord(
            content_hash=place.digest,
            source_bytes=place.length,
            source_lines=line.number,
            event_count=event_count,
            title=title,
            project=project,
            started_at=reading.first,
            ended_at=reading.last,
            metadata={
                **metadata,
                "updated_at": _iso(place),
                "file_count": place.file_count,
            },
        )

    def _conversations(self, entry: Entry, *, tells: bool) -> Iterator[tuple[Handle, Place] | LineProblem]:
        """What a file holds; `tells` says whether what is no conversation is worth a word."""
        try:
            with entry.open() as stream:
                for element in split_array(stream, is_element=self._is_conversation, keys=self.keys):
                    item = self._found(entry, element)
                    if tells or not isinstance(item, LineProblem):
                        yield item
        except OSError as error:
            yield LineProblem(entry.location, 0, f"it can't be read to its end: {error.strerror or error}")

    def _is_conversation(self, value: Json) -> bool:
        return self.conversation_of(value) is not None

    def _found(self, entry: Entry, element: Element) -> tuple[Handle, Place] | LineProblem:
        conversation = self.conversation_of(element.value)
        native_id = None if conversation is None else self.native_id(conversation)
        if conversation is None or native_id is None:
            reason = element.problem or _why_not(element.value, parts=self.parts)
            return LineProblem(entry.location, element.number, reason)
        place = self._place_of(element, conversation)
        handle = Handle(
            native_id=mend_text(native_id),
            location=entry.location,
            key=json.dumps([place.number, place.offset, place.length, place.digest, _iso(place), place.file_count]),
            size_bytes=place.length,
            modified_at=entry.modified_at,
        )
        return handle, place

    def _place_of(self, element: Element, conversation: Object) -> Place:
        _, project, _ = self.describe(conversation)
        files = {entry.location for name in set(self.file_ids(element.raw)) if (entry := self._files.by_id(name))}
        told = json.dumps([project], ensure_ascii=True).encode()
        return Place(
            number=element.number,
            offset=element.offset,
            length=len(element.raw),
            digest=hashlib.sha256(element.raw + b"\0" + told).hexdigest(),
            updated_at=self.updated_at(conversation),
            file_count=len(files),
        )

    def _bytes(self, handle: Handle, place: Place) -> bytes:
        entry = self._entries[handle.location]
        if entry.info is None:
            with entry.open() as stream:
                stream.seek(place.offset)
                return _whole(stream.read(place.length), place)
        # An entry of a zip can only be read forwards: it stays open from one conversation to the next.
        if self._reader is None or self._reader.location != handle.location or self._reader.position > place.offset:
            self._reader = _Reader(entry)
        return _whole(self._reader.read_at(place), place)


def _raw_events(line: Line, parts: str) -> Iterator[RawEvent]:
    if line.record is None:
        yield RawEvent(1, line.payload)
        return
    for number, piece in enumerate(pieces_of(line.record, parts), start=1):
        yield RawEvent(number, json.dumps(piece, ensure_ascii=False))


class _Reader:
    """An entry of a zip that is read once, forwards."""

    def __init__(self, entry: Entry) -> None:
        self.location = entry.location
        self.position = 0
        self._stream: IO[bytes] = entry.open()

    def read_at(self, place: Place) -> bytes:
        """The bytes of a conversation that doesn't stand before the last one read."""
        while self.position < place.offset and self._read(min(_SKIP_BYTES, place.offset - self.position)):
            pass
        return self._read(place.length)

    def _read(self, size_bytes: int) -> bytes:
        data = self._stream.read(size_bytes)
        self.position += len(data)
        return data


def _whole(raw: bytes, place: Place) -> bytes:
    if len(raw) != place.length:
        raise OSError("it has become shorter while it was read")
    return raw


def _place(handle: Handle) -> Place:
    number, offset, length, digest, updated_at, file_count = json.loads(handle.key)
    return Place(number, offset, length, digest, moment_of(updated_at), file_count)


def _iso(place: Place) -> str | None:
    return place.updated_at.isoformat() if place.updated_at else None


def _sources(entries: Sequence[Entry]) -> tuple[list[Entry], bool]:
    """The files that conversations stand in, and whether their names say so."""
    named = [entry for entry in entries if _CONVERSATIONS.fullmatch(entry.base)]
    if named or len(entries) == 1:
        return named or list(entries), True
    return [entry for entry in entries if entry.base.lower().endswith(".json")], False


def _why_not(value: Json, *, parts: str) -> str:
    if not isinstance(value, dict):
        return f"it holds {kind_of(value)} where a conversation was expected"
    for key, source in _OTHERS.items():
        if key in value and key != parts:
            return f"it is one for “sitegen ingest {source}”"
    known = text_of(value.get("title"))
    return f"it is no conversation with an id{f' ({known!r})' if known else ''}"
