"""The library that knows some five hundred services' keys, if this platform has it. Loaded when first used.

Everything it finds is an offset in the bytes it was given; nothing leaves the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from sitegen.installed import version_of

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

DISTRIBUTION: Final = "kingfisher-secret-scanner"


class Match(Struct, frozen=True):
    """What the engine found: bytes from `start` to `end`, by a rule; `is_encoded` when they are base64 of it."""

    start: int
    end: int
    rule: str
    is_encoded: bool = False


class Engine(Protocol):
    """Finds secrets in bytes."""

    @property
    def name(self) -> str:
        """Changes with all that decides what is found; "" for an engine that finds nothing."""

    def scan(self, data: bytes) -> list[Match]:
        """What is found, in order."""


class NoEngine(Struct, frozen=True):
    """Stands in where the library isn't to be had: sitegen's own rules work alone."""

    name: str = ""

    def scan(self, data: bytes) -> list[Match]:
        """Nothing."""
        return []


class Library(Struct):
    """The library in this process. Loading its rules takes a moment, so it waits until something must be scanned."""

    name: str
    _scanner: Scanner | None = None

    def scan(self, data: bytes) -> list[Match]:
        """What is found, in order."""
        if self._scanner is None:
            from kingfisher_sdk import Scanner

            self._scanner = Scanner()
        return sorted(_matches(self._scanner, data), key=lambda match: (match.start, match.end, match.rule))


def _matches(scanner: Scanner, data: bytes) -> Iterator[Match]:
    for found in scanner.scan(data):
        place = found.location
        rule = found.rule_id.rpartition("/")[2].removeprefix("betterleaks.")
        yield Match(place["start_offset"], place["end_offset"], rule, found.is_base64_encoded)


def is_available() -> bool:
    """Whether the library is installed here."""
    return find_spec("kingfisher_sdk") is not None


def engine_name() -> str:
    """The library with its version; "" where it isn't."""
    version = version_of(DISTRIBUTION) if is_available() else ""
    return f"{DISTRIBUTION} {version}" if version else ""


def find_engine() -> Library | NoEngine:
    """The engine of this platform, not loaded yet."""
    name = engine_name()
    return Library(name) if name else NoEngine()
