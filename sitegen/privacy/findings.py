"""Tells what was found: each value once, with its first place and an excerpt that gives nothing away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from sitegen.privacy.corpus import Corpus, Place
from sitegen.privacy.marks import OTHER_KINDS
from sitegen.privacy.policy import Finding
from sitegen.privacy.spans import Span

_AROUND: Final = 40
"""Characters on each side of what an excerpt is about."""


def tell(texts: Corpus, spans: Iterable[Span], changed: Mapping[str, str]) -> Iterator[Finding]:
    """The findings in the order of their first places. `changed` are the texts as they will be shown."""
    groups: dict[tuple[str, str], list[Span]] = {}
    for span in spans:
        key = (span.kind, span.fingerprint or _value(texts, span))
        groups.setdefault(key, []).append(span)
    for mine in sorted(groups.values(), key=lambda mine: (min(span.start for span in mine), mine[0].kind)):
        yield _finding(texts, mine, changed)


def _value(texts: Corpus, span: Span) -> str:
    return texts.cut(span.start, span.end).lower().decode("utf-8", "replace")


def _finding(texts: Corpus, spans: Sequence[Span], changed: Mapping[str, str]) -> Finding:
    first = min(spans, key=lambda span: span.start)
    index = texts.index(first.start)
    return Finding(
        kind=first.kind,
        rule=first.rule,
        fingerprint=first.fingerprint,
        count=len({span.start for span in spans}),
        place=_place(texts.place(index), changed),
        excerpt=_excerpt(texts, index, first, changed),
        is_secret=first.kind not in OTHER_KINDS,
        is_kept=first.is_kept,
    )


def _place(place: Place, changed: Mapping[str, str]) -> Place:
    """The place, told without what is taken out: a tool may have any name."""
    return replace(place, tool=changed.get(place.tool, place.tool)) if place.tool else place


def _excerpt(texts: Corpus, index: int, span: Span, changed: Mapping[str, str]) -> str:
    """The line around a mark in the text as it will be shown, the mark itself for a secret that is kept."""
    text = changed.get(texts.strings[index])
    if text is None or span.is_kept:
        return span.mark
    at = _mark_after(texts, index, span, text)
    start, end = max(0, at - _AROUND), at + len(span.mark) + _AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _mark_after(texts: Corpus, index: int, span: Span, text: str) -> int:
    """About where a mark stands: at it or the nearest before."""
    offset = len(texts.cut(texts.starts[index], span.start).decode("utf-8", "replace"))
    found = text.find(span.mark, max(0, offset - _AROUND))
    return found if found >= 0 else max(0, text.find(span.mark))
