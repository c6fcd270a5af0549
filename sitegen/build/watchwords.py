"""What must not be seen of a protected share: its title, beginnings of messages, names of files. Chosen, not searched.

The scan that seeks them is `build.scan`. They are kept in the private cache, for pages that aren't made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from msgspec import Struct

from sitegen.model import Exchange, Share, Transcript

_SHORTEST: Final = 12
_ENOUGH: Final = 72
"""Characters after which a text is cut at the next space."""
_LONGEST: Final = 400
_FEWEST_WORDS: Final = 3
_EXCHANGES: Final = 6
_FILES: Final = 4
T = TypeVar("T")


class Watchword(Struct, frozen=True):
    """A text that must stand nowhere in clear, and words for it that may be shown."""

    what: str
    text: str
    is_secret: bool = False
    """Whether it has to do with opening the page, rather than standing in it."""
    is_key: bool = False
    """Whether it opens the page by itself, so that nothing may say it, whoever says it too."""


class Watchwords(Struct, frozen=True):
    """Those of one share."""

    all: tuple[Watchword, ...] = ()


def choose(share: Share, transcript: Transcript) -> Watchwords:
    """The texts by which a share would be known. Too short ones, which stand anywhere by chance, are left out."""
    found = (
        Watchword(what, word) for what, text in _candidates(share, transcript) if (word := _shortened(text)) is not None
    )
    return Watchwords(tuple({each.text: each for each in found}.values()))


def _candidates(share: Share, transcript: Transcript) -> Iterator[tuple[str, str]]:
    yield from (("the title", title) for title in (share.title, transcript.facts.title) if title)
    yield "the beginning of a message", transcript.facts.first_prompt
    exchanges = [*transcript.exchanges, *chain.from_iterable(branch.exchanges for branch in transcript.branches)]
    for exchange in _spread(exchanges, _EXCHANGES):
        yield from (("the beginning of a message", text) for text in _beginnings(exchange))
    downloads = [file.name.rpartition("/")[2] for file in transcript.files if file.name.startswith("f/")]
    for name in _spread(downloads, _FILES):
        yield "the name of a file", name


def _beginnings(exchange: Exchange) -> Iterator[str]:
    """The first line of the prompt, and the first and last lines of all that was said."""
    if exchange.outline:
        yield exchange.outline.text
    lines = [line for line in exchange.search_text.splitlines() if len(line.split()) >= _FEWEST_WORDS]
    yield from (lines[:1] + lines[-1:]) if len(lines) > 1 else lines


def _spread(items: Sequence[T], count: int) -> Iterable[T]:
    """So many items from everywhere, the first and the last among them."""
    if len(items) <= count:
        return items
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


def _shortened(text: str) -> str | None:
    """The text in one line, cut between words; None when it says too little to be sought.

    A cut within a word would make it one that stands in no file.
    """
    line = " ".join(text.split())
    if line.endswith("…"):
        line = line.rpartition(" ")[0]
    if len(line) > _ENOUGH:
        end = line.find(" ", _ENOUGH)
        line = line[:end] if end >= 0 else line
    return line if _SHORTEST <= len(line) <= _LONGEST else None
