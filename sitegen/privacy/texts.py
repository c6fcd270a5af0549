"""Every text of a conversation, wherever it stands, as one run of bytes; and the conversation with texts replaced.

Walks values by their shape, not by the names of their fields, so that a new field can't be forgotten. Left out are only
what holds the conversation together (ids, digests) and the bytes of pictures.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

from sitegen.model import Attachment, Conversation, Message
from sitegen.privacy.wrapped import Wrapped, text_of, unwrap

T = TypeVar("T")

SEPARATOR: Final = b"\n\x1e\n"
"""Stands between two texts; no pattern of one line goes past it."""

_STRUCTURE: Final = frozenset(
    (
        *("id", "parent_id", "row_id", "digest", "source_id", "native_id", "parent_key", "content_hash", "request_id"),
        *("tool_use_id", "role", "kind", "after"),
    )
)
_PLAIN: Final = frozenset({type(None), bool, int, float, datetime})
_DEEPEST: Final = 60
"""Values nested deeper than this are treated as their JSON."""
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
        parts = [encode(string) for string in strings]
        sizes = (len(part) + len(SEPARATOR) for part in parts)
        data = SEPARATOR.join(parts)
        starts = tuple(accumulate(sizes, initial=0))[: len(parts)]
        return cls(data, data.lower(), strings, starts, tuple(found.values()), len(data), wrapped)

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
        at = data.find(needle)
        while at >= 0:
            yield at
            at = data.find(needle, at + len(needle))


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
        for name in _names(Conversation):
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
    for value in _of_message(message):
        if type(value) not in _PLAIN and value != ():
            found.add(value)


class _Found:
    """Texts with the places where they were met first."""

    __slots__ = ("place", "texts", "wrapped")

    def __init__(self) -> None:
        self.texts: dict[str, PlaceFields] = {}
        self.wrapped: dict[str, Wrapped] = {}
        self.place: PlaceFields = ALONE

    def add(self, value: Any, depth: int = 0) -> None:
        """Adds the texts of a value in their order."""
        kind = type(value)
        if kind is str:
            if value not in self.texts:
                self._add_text(value)
        elif kind in _PLAIN:
            pass
        elif kind is dict and depth < _DEEPEST:
            self._add_entries(value, depth)
        elif (kind is list and depth < _DEEPEST) or kind is tuple:
            for part in value:
                self.add(part, depth + 1)
        elif is_dataclass(value):
            for part in _reader(cast("Any", kind))(value):
                self.add(part, depth + 1)
        else:
            self._add_other(value, depth)

    def _add_entries(self, entries: dict[str, Any], depth: int) -> None:
        known = self.texts
        for name, part in entries.items():
            if name not in known:
                self._add_text(name)
            if type(part) not in _PLAIN:
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
        elif isinstance(value, Mapping) and depth < _DEEPEST:
            self.add(dict(value), depth)
        elif isinstance(value, Mapping | list):
            self._add_text(_flat(value))
        elif isinstance(value, str) and not isinstance(value, Enum):
            self._add_text(str(value))


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass that can hold text."""
    return tuple(each.name for each in fields(kind) if each.name not in _STRUCTURE)


@cache
def _shape(kind: Any) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[int, ...]]:
    """How to read all fields of a dataclass at once, and which of them can hold text."""
    names = [each.name for each in fields(kind)]
    return attrgetter(*names), tuple(names.index(name) for name in _names(kind))


@cache
def _reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Reads all fields of a dataclass that can hold text at once."""
    names = _names(kind)
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


_MESSAGE_NAMES: Final = tuple(name for name in _names(Message) if name not in ("blocks", "attachments"))
_of_message: Final[Callable[[Message], tuple[Any, ...]]] = attrgetter(*_MESSAGE_NAMES)


def _flat(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return "…"


# --------------------------------------------------------------------------------------------------------- replacing


def rewrite(value: T, changed: Mapping[str, str], texts: Texts) -> T:
    """A value with texts replaced; the very same value where nothing changes."""
    outer = {
        each.outer: each.wrap(changed[each.inner]) for each in texts.wrapped if each.inner and each.inner in changed
    }
    return cast("T", _rewritten(value, {**changed, **outer}, 0))


def _rewritten(value: Any, changed: Mapping[str, str], depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return changed.get(value, value)
    if kind in _PLAIN:
        return value
    if kind is tuple or (kind is list and depth < _DEEPEST):
        parts = [_rewritten(part, changed, depth + 1) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        return tuple(parts) if kind is tuple else parts
    if isinstance(value, Mapping) and depth < _DEEPEST:
        return _rewritten_mapping(value, changed, depth)
    if isinstance(value, Mapping | list):
        return changed.get(_flat(value), value)
    if kind is Attachment:
        return _rewritten_attachment(value, changed, depth)
    return _rewritten_fields(value, changed, depth) if is_dataclass(value) else value


def _rewritten_mapping(value: Mapping[str, Any], changed: Mapping[str, str], depth: int) -> Mapping[str, Any]:
    new_parts = {}
    for key, part in value.items():
        kind = type(part)
        if kind in _PLAIN:
            continue
        new = changed.get(part, part) if kind is str else _rewritten(part, changed, depth + 1)
        if new is not part:
            new_parts[key] = new
    if changed.keys().isdisjoint(value):
        return {**value, **new_parts} if new_parts else value
    entries: dict[str, object] = {}
    for key, part in value.items():
        name = changed.get(key, key)
        while name in entries:  # two keys that say the same now are both kept
            name += "′"
        entries[name] = new_parts.get(key, part)
    return entries


def _rewritten_fields(value: Any, changed: Mapping[str, str], depth: int) -> Any:
    get, places = _shape(cast("Any", type(value)))
    parts = get(value)
    new_parts: list[Any] | None = None
    for place in places:
        old = parts[place]
        kind = type(old)
        if kind in _PLAIN or not old:
            continue
        new = changed.get(old, old) if kind is str else _rewritten(old, changed, depth + 1)
        if new is not old:
            new_parts = new_parts or list(parts)
            new_parts[place] = new
    return type(value)(*new_parts) if new_parts else value


def _rewritten_attachment(value: Attachment, changed: Mapping[str, str], depth: int) -> Attachment:
    rest = cast("Attachment", _rewritten_fields(value, changed, depth))
    text = None if rest.data is None else text_of(rest.data)
    if text is None or (new := changed.get(text)) is None:
        return rest
    data = encode(new)
    return replace(rest, data=data, size_bytes=len(data), content_hash=None)
