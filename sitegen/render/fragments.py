"""Items of a conversation that were drawn before: one that is what it was isn't drawn again.

A fragment is found by all that it's made of, so one that is found is the one that would be made. Keeping them from one
build to the next, and knowing that the program is still the same, is left to others.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sitegen.model import Mark, ShareFile
from sitegen.render.steps import Deed

_LIMIT = 50_000_000
"""More than this, in bytes, isn't kept for one conversation."""


@dataclass(frozen=True, slots=True)
class Said:
    """The text of a message for the search; `anchor` is "" for anything else."""

    anchor: str
    text: str = field(metadata={"aside": True})


@dataclass(frozen=True, slots=True)
class Piece:
    """Some HTML, and what was gathered while it was drawn: its ids, its marks for the timeline, the texts to search.

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


@dataclass(frozen=True, slots=True)
class Written:
    """What the exports say of an item: its blocks in `conversation.md`, and its line in `conversation.json`, if any."""

    markdown: bytes
    line: bytes


@dataclass(frozen=True, slots=True)
class State:
    """What came before on a path, as far as what comes next shows it."""

    has_prompt: bool = False
    heading_level: int = 3
    day: str = ""
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """An item drawn and written: what it is on the page and in each export, and what it leaves behind."""

    pieces: tuple[Piece, ...]
    written: Written
    after: State
    deeds: tuple[Deed, ...] = ()
    failures: int = 0
    files: tuple[ShareFile, ...] = ()

    @property
    def anchors(self) -> Iterable[str]:
        """All ids in it."""
        return (anchor for piece in self.pieces for anchor in piece.anchors)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        html = sum(len(piece.html) for piece in self.pieces)
        written = len(self.written.markdown) + len(self.written.line)
        return html + written + sum(len(file.data) for file in self.files)


class Fragments:
    """Those that one conversation was made of before, and those that it's made of now; none of them when it's `off`."""

    def __init__(self, known: Mapping[str, Fragment] | None = None, *, off: bool = False) -> None:
        self.is_off = off
        self._known = known or {}
        self._used: dict[str, Fragment] = {}
        self._room = _LIMIT

    @property
    def used(self) -> Mapping[str, Fragment]:
        """What is worth keeping, by key: what the conversation shows now, and nothing else."""
        return self._used

    def find(self, key: str) -> Fragment | None:
        """What was drawn before under this key."""
        return self._known.get(key)

    def keep(self, key: str, fragment: Fragment) -> None:
        """Keeps a fragment for the next time, while there is room."""
        if fragment.size <= self._room:
            self._used[key] = fragment
            self._room -= fragment.size


def fragment_key(*parts: object) -> str | None:
    """Names a fragment by all that it's made of. Equal keys mean equal parts; equal parts mostly lead to equal keys.

    None for what is nested too deep to be named.
    """
    try:
        return hashlib.blake2b(pickle.dumps(parts, protocol=5), digest_size=16).hexdigest()
    except RecursionError:
        return None
