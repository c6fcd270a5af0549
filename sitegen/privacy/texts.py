"""Every text of a conversation, wherever it stands, as one run of bytes.

Walks values by their shape, not by the names of their fields, so that a new field can't be forgotten. Left out are only
what holds the conversation together (ids, digests) and the bytes of pictures.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from io import BytesIO
from operator import attrgetter
from typing import Any, Final

from sitegen.model import Conversation, Message
from sitegen.privacy.fields import DEEPEST, PLAIN, flat, is_record, reader, text_fields
from sitegen.privacy.wrapped import Wrapped, text_of, unwrap

SEPARATOR: Final = b"\n\x1e\n"
"""Stands between two texts; no pattern of one line goes past it."""

_SHORT_NEEDLE: Final = 8
"""A pattern finds one of so few bytes in half the time that `find` takes."""
_SHORT: Final = 200
"""A shorter text encodes nothing worth looking into."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: the message's place in the conversation (None: the conversation itself) and in what."""

    message: int | None = None
    message_id: str | None = None
    what: str = "conversation"
    tool: str | None = None
    is_subagent: bool = False


PlaceFields = tuple[int | None, str | None, str, str | None, bool]
"""A place that isn't asked for yet: most aren't ever."""
ALONE: Final[PlaceFields] = (None, None, "conversation", None, False)


@dataclass(frozen=True, slots=True)
class Texts:
    """Distinct texts in the order they are met: `data` all of them in UTF-8, `lower` the same with small letters."""

    data: bytes
    lower: bytes
    strings: tuple[str, ...]
    starts: tuple[int, ...]
    places: tuple[PlaceFields, ...]
    shown_end: int = 0
    """Where the texts end that are shown; what comes behind only helps to find what must go."""
    wrapped: tuple[Wrapped, ...] = ()
    """Texts that stand in the conversation in another form than in `strings`."""

    @classmethod
    def of(cls, found: Mapping[str, PlaceFields], wrapped: tuple[Wrapped, ...] = ()) -> Texts:
        strings = tuple(found)
        starts: list[int] = []
        written = BytesIO()  # joining parts would take their memory once more
        for string in strings:
            written.write(SEPARATOR if starts else b"")
            starts.append(written.tell())
            written.write(encode(string))
        data = written.getvalue()
        return cls(data, data.lower(), strings, tuple(starts), tuple(found.values()), len(data), wrapped)

    def place(self, index: int) -> Place:
        """Where the text of that number was met first."""
        return Place(*self.places[index])

    def index(self, offset: int) -> int:
        """The number of the text in which an offset lies."""
        return bisect_right(self.starts, offset) - 1

    def end(self, index: int) -> int:
        """Where the text of that number ends."""
        return self.starts[index + 1] - len(SEPARATOR) if index + 1 < len(self.starts) else len(self.data)

    def find(self, needle: bytes, *, is_folded: bool = False) -> Iterator[int]:
        """Offsets of a needle, one after the other; `is_folded` seeks a needle of small letters in any case."""
        data = self.lower if is_folded else self.data
        if 1 < len(needle) <= _SHORT_NEEDLE:
            yield from (match.start() for match in _pattern(needle).finditer(data))
            return
        at = data.find(needle)
        while at >= 0:
            yield at
            at = data.find(needle, at + len(needle))


@cache
def _pattern(needle: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(needle))


def encode(text: str) -> bytes:
    """UTF-8 that keeps half characters."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The inverse of `encode`; what was cut within a character is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def read(*texts: str) -> Texts:
    """Some texts alone."""
    return Texts.of(dict.fromkeys(texts, ALONE))


# -------------------------------------------------------------------------------------------------------- collecting


def collect(conversation: Conversation, *, whole: Conversation | None = None) -> Texts:
    """All texts of a conversation and of its subagents, with the place where each is met first.

    `whole` is what it's a part of: its other texts come behind, where they can be searched without being shown.
    """
    found = _Found()
    _add_conversation(found, conversation, frozenset())
    shown = len(found.texts)
    if whole is not None and whole is not conversation:
        _add_conversation(found, whole, frozenset(map(id, _messages(conversation))))
    texts = Texts.of(found.texts, tuple(found.wrapped.values()))
    return replace(texts, shown_end=texts.starts[shown] if shown < len(texts.starts) else len(texts.data))


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
