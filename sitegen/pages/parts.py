"""Cuts a long conversation into parts at its prompts, and finds the page on which an anchor stands.

Where an exchange goes depends only on what comes before it: appending to a conversation moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from sitegen import urls
from sitegen.model import Exchange, Transcript

PART_BYTES = 700_000
PART_MESSAGES = 200
"""A part that has reached either takes no further exchange; the one it ends with may carry it to about 1 MB."""
GROUP_MESSAGES = 20


class Part(Struct, frozen=True):
    """One page of a conversation. `number` counts from 1 within its strand."""

    path: str
    number: int
    exchanges: tuple[Exchange, ...]


class Strand(Struct, frozen=True):
    """One path through the conversation: the main one (`branch` None) or a branch."""

    branch: str | None
    parts: tuple[Part, ...]


@dataclass(eq=False, repr=False, slots=True)
class Book:
    """All pages of one share."""

    slug: str
    strands: tuple[Strand, ...]
    _paths: dict[tuple[str | None, str], str] = field(init=False)

    def __post_init__(self) -> None:
        self._paths = {
            (strand.branch, anchor): part.path
            for strand in self.strands
            for part in strand.parts
            for exchange in part.exchanges
            for anchor in (exchange.anchor, *exchange.anchors)
        }

    @property
    def main(self) -> Strand:
        """The path that is shown first."""
        return self.strands[0]

    def find(self, anchor: str, branch: str | None = None) -> str | None:
        """The path of the page of that strand on which `anchor` stands; failing that, of any strand."""
        found = self._paths.get((branch, anchor))
        others = (self._paths.get((strand.branch, anchor)) for strand in self.strands)
        return found or next(filter(None, others), None)


def bind(slug: str, transcript: Transcript) -> Book:
    """The pages of a share, its main strand first."""
    strands = [(None, transcript.exchanges), *((branch.name, branch.exchanges) for branch in transcript.branches)]
    return Book(slug, tuple(Strand(name, tuple(_parts(slug, name, exchanges))) for name, exchanges in strands))


def _parts(slug: str, branch: str | None, exchanges: Sequence[Exchange]) -> Iterator[Part]:
    for number, chunk in enumerate(cut(exchanges), start=1):
        yield Part(urls.share_page(slug, branch=branch, part=number), number, chunk)


def cut(exchanges: Sequence[Exchange]) -> list[tuple[Exchange, ...]]:
    """The exchanges of each part; one empty part when there are none."""
    if _is_short(exchanges):
        return [tuple(exchanges)]
    parts: list[list[Exchange]] = [[]]
    size = messages = 0
    for exchange in exchanges:
        if size >= PART_BYTES or messages >= PART_MESSAGES:
            parts.append([])
            size = messages = 0
        parts[-1].append(exchange)
        size += len(exchange.html_file)
        messages += exchange.messages
    return [tuple(part) for part in parts]


def _is_short(exchanges: Sequence[Exchange]) -> bool:
    """Whether all is one part in any case, as with most conversations."""
    size = sum([len(exchange.html_file) for exchange in exchanges])
    return size < PART_BYTES and sum([exchange.messages for exchange in exchanges]) < PART_MESSAGES


def groups(exchanges: Iterable[Exchange]) -> Iterator[tuple[Exchange, ...]]:
    """Exchanges in runs of about twenty messages, which a browser may leave unpainted while they are out of sight."""
    group: list[Exchange] = []
    messages = 0
    for exchange in exchanges:
        group.append(exchange)
        messages += exchange.messages
        if messages >= GROUP_MESSAGES:
            yield tuple(group)
            group, messages = [], 0
    if group:
        yield tuple(group)
