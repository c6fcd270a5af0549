"""Parts of a conversation that were drawn before: one that is what it was isn't drawn again.

A fragment is found by all that it's made of, so one that is found is the one that would be made. Keeping them from one
build to the next, and knowing that the program is still the same, is left to others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.msgpack import Encoder

from sitegen.bulk import Bulky
from sitegen.model import Exchange, Mark, ShareFile
from sitegen.render.steps import Deed

_pack: Final = Encoder().encode


class Said(Struct, frozen=True):
    """The text of a message for the search; `anchor` is "" for anything else."""

    anchor: str
    text: str


class Piece(Struct, frozen=True):
    """Some HTML, and what was gathered while it was drawn: ids, marks for the timeline, texts to search or copy.

    A page can be cut before it. As bytes a text with an emoji takes a quarter of the memory.
    """

    message_id: str
    """The message that it begins with."""
    html: bytes
    size: int
    """Characters."""
    anchors: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    texts: tuple[Said, ...] = ()
    sources: tuple[bytes, ...] = ()
    """Members of an exchange's `sources_file`."""


class Written(Struct, frozen=True):
    """What the exports say: blocks of `conversation.md`, and lines of `conversation.json`, if any."""

    markdown: Bulky
    lines: Bulky

    @classmethod
    def together(cls, parts: list[Written]) -> Written:
        """These one after the other."""
        markdown = b"\n\n".join([bytes(part.markdown) for part in parts if part.markdown])
        return cls(markdown, b",\n".join([bytes(part.lines) for part in parts if part.lines]))


class State(Struct, frozen=True):
    """What came before on a path, as far as what comes next shows it."""

    has_prompt: bool = False
    heading_level: int = 3
    day: str = ""
    model: str | None = None


class Fragment(Struct, frozen=True):
    """A prompt and all that came of it, drawn and written: one exchange or several, and what it leaves behind."""

    exchanges: tuple[Exchange, ...]
    """Without their counts of messages."""
    begins: tuple[str, ...]
    """The message that each begins with."""
    written: Written
    after: State
    deeds: tuple[Deed, ...] = ()
    failures: int = 0
    files: tuple[ShareFile, ...] = ()

    @property
    def anchors(self) -> Iterator[str]:
        """All ids in it."""
        for exchange in self.exchanges:
            yield exchange.anchor
            yield from exchange.anchors

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        html = sum(len(exchange.html_file) for exchange in self.exchanges)
        written = len(self.written.markdown) + len(self.written.lines)
        return html + written + sum(len(file.data) for file in self.files)


Keyed = tuple[str | None, Fragment]
"""A fragment with its key; None for one that must be made anew each time."""


class Fragments(Struct):
    """Those that one conversation was made of before, and those that it's made of now; none of them when it's `off`."""

    known: Mapping[str, Fragment] = field(default_factory=dict)
    is_off: bool = False
    paths: list[list[Keyed]] = field(default_factory=list)
    """What each path is made of now."""
    nested: dict[str, Fragment] = field(default_factory=dict)
    """What subagents are made of now, by key."""


def fragment_key(*parts: object) -> str | None:
    """Names a fragment by all that it's made of: equal parts have equal keys, and only those.

    MessagePack doesn't say of what kind a record is, but its fields do: no two kinds that may stand in one place have
    the same. None for what can't be named: what is nested too deep, half a character, a number of more than 64 bits.
    """
    try:
        return hashlib.sha256(_pack(parts)).hexdigest()[:40]
    except (RecursionError, UnicodeEncodeError, OverflowError):
        return None
