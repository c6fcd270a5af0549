"""Pieces of texts that go, and the texts without them. Where pieces overlap, all of them go, under the gravest mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sitegen.privacy.corpus import Corpus
from sitegen.privacy.marks import OTHER_KINDS
from sitegen.privacy.texts import decode

_RANKS: Final = {"hidden word": 1, "email": 2, "home path": 3, "person": 9}


class Span(Struct, frozen=True):
    """Bytes from `start` to `end` of all texts together, what they are, and what is to stand in their place."""

    start: int
    end: int
    kind: str
    mark: str
    rule: str = ""
    fingerprint: str = ""
    is_kept: bool = False
    """Found, but published all the same."""

    @property
    def rank(self) -> int:
        """Secrets before all else."""
        return _RANKS.get(self.kind, 5) if self.kind in OTHER_KINDS else 0


def cut(texts: Corpus, spans: Iterable[Span]) -> Iterator[tuple[int, str]]:
    """The texts that change: their numbers, and what becomes of them."""
    mine: dict[int, list[Span]] = {}
    for span in joined(spans):
        for index, piece in _by_text(texts, span):
            mine.setdefault(index, []).append(piece)
    for index, pieces in mine.items():
        yield index, _without(texts, index, pieces)


def joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that overlap made one."""
    last: Span | None = None
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.rank)):
        if last is None:
            last = span
        elif span.start < last.end:
            if span.end <= last.end and last.rank <= span.rank:
                continue
            gravest = last if last.rank <= span.rank else span
            last = replace(gravest, start=last.start, end=max(last.end, span.end))
        else:
            yield last
            last = span
    if last is not None:
        yield last


def _by_text(texts: Corpus, span: Span) -> Iterator[tuple[int, Span]]:
    """The parts of a span in each text that it touches."""
    index = texts.index(span.start)
    if span.end <= texts.end(index):
        yield index, span
        return
    while index < len(texts.starts) and texts.starts[index] < span.end:
        start, end = max(span.start, texts.starts[index]), min(span.end, texts.end(index))
        if start < end:
            yield index, replace(span, start=start, end=end)
        index += 1


def _without(texts: Corpus, index: int, pieces: Iterable[Span]) -> str:
    at, parts = texts.starts[index], []
    for piece in pieces:
        parts += [texts.cut(at, piece.start), piece.mark.encode()]
        at = piece.end
    parts.append(texts.cut(at, texts.end(index)))
    return decode(b"".join(parts))
