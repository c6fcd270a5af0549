"""What is found in a part of some texts, looked for once: from build to build it's kept by the part's digest.

Of a conversation that goes on most parts are what they were, and needn't even be put together. Kept are places and
kinds, never values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from sitegen.helping import Help, each
from sitegen.privacy.addresses import places_of_hosts
from sitegen.privacy.chance import may_hold_key
from sitegen.privacy.corpus import Corpus, Part
from sitegen.privacy.engine import Engine, NoEngine
from sitegen.privacy.hits import Hit
from sitegen.privacy.homes import Home, find_homes
from sitegen.privacy.people import places_of_names
from sitegen.privacy.secrets import Secret, asked_hits, by_value, own_hits

Places = tuple[tuple[int, int], ...]
"""Bytes from, to."""


class Seen(Struct, frozen=True):
    """What was found in a part of that digest, offsets counting from its begin; None where nobody has looked yet."""

    digest: str = ""
    may_hold_key: bool | None = None
    own: tuple[Hit, ...] | None = None
    """Secrets by our own rules."""
    asked: tuple[Hit, ...] | None = None
    """Secrets by the engine."""
    people: Places | None = None
    """A place of each name that somebody has in a home folder."""
    hosts: Places | None = None
    known: str = ""
    """Names all that `secrets` and `spans` were sought by."""
    secrets: tuple[tuple[int, int, int], ...] = ()
    """Where secrets go, and which: their numbers."""
    spans: tuple[tuple[int, int, str, str], ...] = ()
    """What else goes: its kind, and the mark in its place."""


class Scan(Struct, frozen=True):
    """What was found in all parts of some texts, and by which rules."""

    rules: str
    parts: tuple[Seen, ...] = ()


class Memory(Protocol):
    """Keeps scans between builds."""

    def recall(self, name: str) -> Scan | None:
        """The last scan under a name."""

    def keep(self, name: str, scan: Scan) -> None:
        """Remembers a scan in place of the last."""


class Look:
    """A part of texts, and what is known of it."""

    def __init__(self, part: Part, seen: Seen | None = None) -> None:
        self.part = part
        self.seen = self._before = seen or Seen()
        self._homes: list[Home] | None = None

    @property
    def is_new(self) -> bool:
        """Whether anything was found that wasn't known before."""
        return self.seen is not self._before

    @property
    def homes(self) -> Sequence[Home]:
        """Its home folders."""
        if self._homes is None:
            self._homes = list(find_homes(self.part.texts))
        return self._homes

    def may_hold_key(self) -> bool:
        """Whether it's worth asking the engine."""
        if self.seen.may_hold_key is None:
            self.seen = replace(self.seen, may_hold_key=may_hold_key(self.part.texts.data))
        return bool(self.seen.may_hold_key)

    def hits(self, engine: Engine, *, is_asked: bool) -> list[Hit]:
        """Where secrets are found, counted from the begin of all texts."""
        if self.seen.own is None:
            self.seen = replace(self.seen, own=tuple(own_hits(self.part.texts, engine)))
        if is_asked and self.seen.asked is None:
            self.seen = replace(self.seen, asked=tuple(asked_hits(self.part.texts, engine)))
        begin, found = self.part.begin, [*(self.seen.own or ()), *((is_asked and self.seen.asked) or ())]
        return [replace(hit, start=begin + hit.start, end=begin + hit.end) if begin else hit for hit in found]

    def people(self) -> Iterator[tuple[int, int]]:
        """Places of the names that people have there, counted from the begin of all texts."""
        if self.seen.people is None:
            self.seen = replace(self.seen, people=places_of_names(self.part.texts, self.homes))
        return self._placed(self.seen.people)

    def hosts(self) -> Iterator[tuple[int, int]]:
        """Places of the names of machines, likewise."""
        if self.seen.hosts is None:
            self.seen = replace(self.seen, hosts=places_of_hosts(self.part.texts))
        return self._placed(self.seen.hosts)

    def _placed(self, places: Places | None) -> Iterator[tuple[int, int]]:
        return ((self.part.begin + start, self.part.begin + end) for start, end in places or ())


def look_through(texts: Corpus, engine: Engine, *, name: str = "", memory: Memory | None = None) -> list[Look]:
    """All parts, with what is remembered of them. `name` is whose texts they are."""
    scan = memory.recall(name) if memory is not None else None
    if scan is None or scan.rules != _rules(engine):
        return [Look(part) for part in texts.parts]
    known = {seen.digest: seen for seen in scan.parts}
    return [Look(part, known.get(digest) or Seen(digest)) for part in texts.parts for digest in (part.digest,)]


def look_first(looks: Sequence[Look], engine: Engine, help: Help | None, *, people: bool, hosts: bool) -> None:
    """Finds in all parts what doesn't depend on other parts, if others help: some of it in their processes."""
    if help is None or len(looks) == 1:
        return
    new = [look for look in looks if look.seen.own is None]
    engine = NoEngine(engine.name)  # it isn't asked yet, and our own rules go by its name alone
    here = partial(_seen, engine=engine, people=people, hosts=hosts)
    found = each(new, here, lambda look: partial(_seen_there, look.part.alone(), here), help)
    for look, seen in zip(new, found, strict=True):
        look.seen = replace(seen, digest=look.seen.digest)


def _seen(look: Look, *, engine: Engine, people: bool, hosts: bool) -> Seen:
    look.may_hold_key()
    look.hits(engine, is_asked=False)
    if people:
        look.people()
    if hosts:
        look.hosts()
    return look.seen


def _seen_there(part: Part, seen: Callable[[Look], Seen]) -> Seen:
    return seen(Look(part))


def remember(looks: Sequence[Look], engine: Engine, *, name: str, memory: Memory) -> None:
    """Keeps what was found, unless it's kept already, or to look again costs less."""
    is_dear = len(looks) > 1 or any(look.seen.may_hold_key or look.seen.own for look in looks)
    if is_dear and any(look.is_new for look in looks):
        parts = (replace(look.seen, digest=look.seen.digest or look.part.digest) for look in looks)
        memory.keep(name, Scan(_rules(engine), tuple(parts)))


def find_secrets(texts: Corpus, looks: Sequence[Look], engine: Engine) -> list[Secret]:
    """The secrets in texts, each value once."""
    if not texts.size:
        return []
    is_asked = any(look.may_hold_key() for look in looks)
    hits = {hit for look in looks for hit in look.hits(engine, is_asked=is_asked)}
    return list(by_value(texts, sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.rule))))


def _rules(engine: Engine) -> str:
    return f"{engine.name} {_own_rules()}"


@cache
def _own_rules() -> str:
    """A hash of the rules' own source: other rules, another scan."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
