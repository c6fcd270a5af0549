"""Every text of a conversation, wherever it stands.

Walks values by their shape, not by the names of their fields, so that a new field can't be forgotten. Left out are only
what holds the conversation together (ids, digests) and the bytes of pictures.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import sha256
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final

from msgspec import Struct, field

from sitegen.model import Conversation, Message
from sitegen.privacy.fields import DEEPEST, PLAIN, flat, is_record, reader, text_fields
from sitegen.privacy.texts import SEPARATOR, Texts, encode
from sitegen.privacy.wrapped import Wrapped, text_of, unwrap

_SHORT: Final = 200
"""A shorter text encodes nothing worth looking into."""
WHOLE: Final = 20_000_000
"""Characters whose bytes are held at once. More would take more memory than all that is made of them."""
PART: Final = 1_000_000
"""Characters that are looked through at once, and again when one of them changes."""
OVERLAP: Final = 32_000
"""Bytes at the end of a part that are looked through again with the next: a key in several texts is shorter."""


class Place(Struct, frozen=True):
    """Where a text stands: the message's place in the conversation (None: the conversation itself) and in what."""

    message: int | None = None
    message_id: str | None = None
    what: str = "conversation"
    tool: str | None = None
    is_subagent: bool = False


PlaceFields = tuple[int | None, str | None, str, str | None, bool]
"""A place that isn't asked for yet: most aren't ever."""
ALONE: Final[PlaceFields] = (None, None, "conversation", None, False)


class Part:
    """Some of the texts in a row, which are put together as often as they are looked through."""

    def __init__(self, begin: int, size: int, strings: Sequence[str], *, is_held: bool) -> None:
        self.begin, self.size = begin, size
        """Where it begins in the run, and its bytes."""
        self.is_held = is_held
        """Whether they stay there once they are."""
        self._strings = strings
        self._texts: Texts | None = None

    @classmethod
    def of_bytes(cls, data: bytes) -> Part:
        """A part that is all there is."""
        part = cls(0, len(data), (), is_held=True)
        part._texts = Texts(data, data.lower(), (0,))
        return part

    def alone(self) -> Part:
        """The same as all there is, to be sent to another process."""
        return Part(0, self.size, self._strings, is_held=True)

    @property
    def texts(self) -> Texts:
        """The texts, to be looked through."""
        texts = self._texts or Texts.of(self._strings)
        if self.is_held:
            self._texts = texts
        return texts

    @property
    def digest(self) -> str:
        """Names the texts."""
        data = self._texts.data if self._texts else SEPARATOR.join(map(encode, self._strings))
        return sha256(data).hexdigest()


class Corpus(Struct, frozen=True):
    """Distinct texts in the order they are met, as one run of bytes of which only parts are ever there.

    Offsets count from the begin of the run, those within a part from where the part begins. Texts behind others change
    none of the parts before.
    """

    strings: Sequence[str]
    places: Sequence[PlaceFields]
    starts: Sequence[int]
    size: int
    shown_end: int
    """Where the texts end that are shown; what comes behind only helps to find what must go."""
    parts: Sequence[Part]
    wrapped: tuple[Wrapped, ...] = ()
    """Texts that stand in the conversation in another form than in `strings`."""
    _latest: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def of(
        cls, found: Mapping[str, PlaceFields], *, shown: int | None = None, wrapped: tuple[Wrapped, ...] = ()
    ) -> Corpus:
        """The first `shown` of these texts are shown."""
        strings = tuple(found)
        shown = len(strings) if shown is None else shown
        lengths = (len(each) if each.isascii() else len(encode(each)) for each in strings)
        starts = tuple(accumulate((length + len(SEPARATOR) for length in lengths), initial=0))
        size = max(starts[-1] - len(SEPARATOR), 0)
        shown_end = size if shown == len(strings) else starts[shown]
        parts = tuple(_parts(strings, starts, shown))
        return cls(strings, tuple(found.values()), starts[:-1], size, shown_end, parts, wrapped)

    @classmethod
    def of_bytes(cls, data: bytes) -> Corpus:
        """A file's bytes, which need not be a text."""
        return cls(("",), (ALONE,), (0,), len(data), len(data), (Part.of_bytes(data),))

    def index(self, offset: int) -> int:
        """The number of the text in which an offset lies."""
        return _index(self.starts, offset)

    def end(self, index: int) -> int:
        """Where the text of that number ends."""
        return self.starts[index + 1] - len(SEPARATOR) if index + 1 < len(self.starts) else self.size

    def place(self, index: int) -> Place:
        """Where the text of that number was met first."""
        return Place(*self.places[index])

    def cut(self, start: int, end: int) -> bytes:
        """The bytes between two offsets."""
        if len(self.parts) == 1 and self.parts[0].is_held:
            return self.parts[0].texts.data[start:end]
        first = self.index(start)
        if end <= self.end(first):
            return self._encoded(first)[start - self.starts[first] : end - self.starts[first]]
        data = SEPARATOR.join(map(encode, self.strings[first : self.index(end) + 2]))
        return data[start - self.starts[first] : end - self.starts[first]]

    def _encoded(self, index: int) -> bytes:
        """A text in UTF-8; the one that was asked for last is kept, for there may be much to find in it."""
        if index not in self._latest:
            self._latest.clear()
            self._latest[index] = encode(self.strings[index])
        return self._latest[index]


def _parts(strings: Sequence[str], starts: Sequence[int], shown: int) -> Iterator[Part]:
    """The texts in parts; of more than one part those that are shown apart from the others. There is one at least."""
    length = sum(map(len, strings))
    for first, end in ((0, shown), (shown, len(strings))) if length > PART else ((0, len(strings)),):
        for start, stop in _stretches(strings, starts, first, end):
            size = max(starts[stop] - starts[start] - len(SEPARATOR), 0)
            yield Part(starts[start], size, strings[start:stop], is_held=length <= WHOLE)


def _stretches(strings: Sequence[str], starts: Sequence[int], first: int, end: int) -> Iterator[tuple[int, int]]:
    """The numbers at which parts begin and end, each of which begins with what the one before ends with."""
    start, size = first, 0
    for number in range(first, end):
        if size > PART:
            yield start, number
            start, size = max(first, _index(starts, starts[number] - OVERLAP)), 0
        size += len(strings[number])
    if start < end or not strings:
        yield start, end


def _index(starts: Sequence[int], offset: int) -> int:
    return max(bisect_right(starts, offset) - 1, 0)


def read(*texts: str) -> Corpus:
    """Some texts alone."""
    return Corpus.of(dict.fromkeys(texts, ALONE))


# -------------------------------------------------------------------------------------------------------- collecting


def collect(conversation: Conversation, *, whole: Conversation | None = None) -> Corpus:
    """All texts of a conversation and of its subagents, with the place where each is met first.

    `whole` is what it's a part of: its other texts come behind, where they can be searched without being shown.
    """
    found = _Found()
    _add_conversation(found, conversation, frozenset())
    shown = len(found.texts)
    if whole is not None and whole is not conversation:
        _add_conversation(found, whole, frozenset(map(id, _messages(conversation))))
    return Corpus.of(found.texts, shown=shown, wrapped=tuple(found.wrapped.values()))


def _add_conversation(found: _Found, conversation: Conversation, known: frozenset[int]) -> None:
    """Adds all texts but those of messages that are known by their identity."""
    waiting = [(conversation, False)]
    while waiting:
        at, is_subagent = waiting.pop(0)
        for message in at.messages:
            if id(message) not in known:
                _add_message(found, message, is_subagent=is_subagent)
        found.place = (None, None, "conversation", None, is_subagent)
        for name in text_fields(Conversation):
            if name not in ("messages", "subagents"):
                found.add(getattr(at, name))
        waiting.extend((inner, True) for inner in at.subagents)


def _messages(conversation: Conversation) -> Iterator[Message]:
    waiting = [conversation]
    while waiting:
        at = waiting.pop()
        yield from at.messages
        waiting.extend(at.subagents)


def _add_message(found: _Found, message: Message, *, is_subagent: bool) -> None:
    index, key = message.index, message.id
    for block in message.blocks:
        found.place = (index, key, block.kind, block.tool_name, is_subagent)
        found.add(block)
    if message.attachments:
        found.place = (index, key, "attachment", None, is_subagent)
        found.add(message.attachments)
    found.place = (index, key, "message", None, is_subagent)
    found.add(of_message(message))


class _Found:
    """Texts with the places where they were met first."""

    __slots__ = ("place", "texts", "wrapped")

    def __init__(self) -> None:
        self.texts: dict[str, PlaceFields] = {}
        self.wrapped: dict[str, Wrapped] = {}
        self.place: PlaceFields = ALONE

    def add(self, value: Any, depth: int = 0) -> None:
        """Adds the texts of a value in their order."""
        kind: Any = type(value)
        if kind is str:
            if value not in self.texts:
                self._add_text(value)
        elif kind in PLAIN:
            pass
        elif kind is dict and depth < DEEPEST:
            self._add_parts(value, depth)
            self._add_parts(value.values(), depth)
        elif (kind is list and depth < DEEPEST) or kind is tuple:
            self._add_parts(value, depth)
        elif is_record(kind):
            self._add_parts(reader(kind)(value), depth)
        else:
            self._add_other(value, depth)

    def _add_parts(self, parts: Iterable[Any], depth: int) -> None:
        known = self.texts
        for part in parts:
            kind = type(part)
            if kind is str:
                if part not in known:
                    self._add_text(part)
            elif kind not in PLAIN and part:
                self.add(part, depth + 1)

    def _add_text(self, text: str) -> None:
        if len(text) <= _SHORT:
            if text and text not in self.texts:
                self.texts[text] = self.place
        elif text not in self.texts and text not in self.wrapped:
            wrapped = unwrap(text)
            if wrapped is None:
                self.texts[text] = self.place
            else:
                self.wrapped[text] = wrapped
                if wrapped.inner:
                    self.texts.setdefault(wrapped.inner, self.place)

    def _add_other(self, value: Any, depth: int) -> None:
        if isinstance(value, bytes):
            self._add_text(text_of(value) or "")
        elif isinstance(value, Mapping) and depth < DEEPEST:
            self.add(dict(value), depth)
        elif isinstance(value, Mapping | list):
            self._add_text(flat(value))
        elif isinstance(value, str) and not isinstance(value, Enum):
            self._add_text(str(value))


MESSAGE_NAMES: Final = tuple(name for name in text_fields(Message) if name not in ("blocks", "attachments"))
of_message: Final[Callable[[Message], tuple[Any, ...]]] = attrgetter(*MESSAGE_NAMES)
