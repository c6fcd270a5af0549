"""What an index may know of a share: nothing of a gated one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sitegen.model import Card, Mark, Share, Transcript

SHAPE_LENGTH = 24
_TOOL_WEIGHT = 400
"""A call counts in a sparkline as this many characters of an answer."""


def make_card(share: Share, transcript: Transcript, *, parent_slug: str | None = None) -> Card:
    """The card of a share; a gated one's holds no word, date or count of the conversation, only its public title."""
    project = share.project.slug if share.project else None
    if share.is_gated:
        title = share.public_title or ""
        return Card(slug=share.slug, title=title, is_protected=True, project=project, listed=share.listed)
    facts = transcript.facts
    return Card(
        slug=share.slug,
        title=share.title or facts.title,
        is_protected=False,
        project=project,
        listed=share.listed,
        source=facts.source,
        models=facts.models,
        started_at=facts.started_at,
        ended_at=facts.ended_at,
        turns=facts.turns,
        messages=facts.messages,
        tool_calls=facts.tool_calls,
        tools=facts.tools,
        errors=facts.errors,
        first_prompt=facts.first_prompt,
        shape=shape([mark for exchange in transcript.exchanges for mark in exchange.marks]),
        parent_slug=parent_slug,
    )


def shape(marks: Sequence[Mark]) -> tuple[int, ...]:
    """How much was done along the conversation: twenty-four values of 0–9, the busiest stretch 9; () for nothing."""
    if not marks:
        return ()
    heights = [_weight(mark) ** 0.5 for mark in marks]
    edges = [index * len(marks) / SHAPE_LENGTH for index in range(SHAPE_LENGTH + 1)]
    sums = [sum(_shares(heights, start, end)) for start, end in pairwise(edges)]
    top = max(sums)
    return tuple(round(9 * value / top) if top else 0 for value in sums)


def _shares(heights: Sequence[float], start: float, end: float) -> Iterator[float]:
    """The heights of the marks between two positions, each by how much of it lies there."""
    for index in range(int(start), min(len(heights), int(end) + 1)):
        overlap = min(end, index + 1) - max(start, index)
        if overlap > 0:
            yield overlap * heights[index]


def _weight(mark: Mark) -> int:
    match mark.kind:
        case "answer":
            return mark.weight
        case "tool":
            return mark.weight * _TOOL_WEIGHT
        case _:
            return _TOOL_WEIGHT
