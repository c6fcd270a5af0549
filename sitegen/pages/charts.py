"""Small pictures in SVG: a conversation's timeline, sparklines, a year of activity. Geometry and classes, no style."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup, escape

from sitegen.model import Mark, MarkKind

_WIDTH = 1000
_HEIGHT = 48
_BASE = 40
_TOOLS_TOP = 26
_TITLE_LENGTH = 60
_FEW = 40
"""Prompts whose ticks don't make a fence yet."""
_PLACES = 120


@dataclass(frozen=True, slots=True)
class Stop:
    """An exchange on the timeline: the marks of it, each with where it leads to."""

    href: str
    text: str
    marks: tuple[tuple[Mark, str], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart over time: its height as a count, and what it says."""

    count: int
    text: str


def timeline(stops: Sequence[Stop]) -> Markup:
    """The strip on top of a conversation, in order from left to right, each mark a link; "" without stops.

    Answers are the base line, tools columns on it, errors marks at the top. Few prompts are ticks over the whole
    height, many a row of short ones below the line; so many that nobody could hit one share a place and its link.
    Its links are out of the tab order and hidden from screen readers: the outline says the same in words.
    """
    places = _gathered([stop for stop in stops if stop.marks])
    total = sum(_span(mark) for place in places for mark, _ in place.marks)
    if total <= 0:
        return Markup()
    tick, scale, x, drawn = ("2V46" if len(stops) <= _FEW else "45v3"), _WIDTH / total, 0.0, []
    for place in places:
        drawn.append(_place(place, x, scale, tick))
        x += scale * sum(_span(mark) for mark, _ in place.marks)
    return Markup(  # noqa: S704 - each text in it is escaped where it's put in
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"'
        f' fill="none" stroke="gray"><path class="base" d="M0 {_BASE}H{_WIDTH}"/>{"".join(drawn)}</svg>'
    )


def _gathered(stops: Sequence[Stop]) -> list[Stop]:
    """The places of the timeline: as many as can be told apart, each of one stop or of as many in a row as need be."""
    size = -(-len(stops) // _PLACES)
    return [_merged(stops[at : at + size]) for at in range(0, len(stops), size)] if size > 1 else list(stops)


def _merged(stops: Sequence[Stop]) -> Stop:
    """Several stops as one, with one mark of each kind that leads to the first such mark."""
    marks: dict[MarkKind, tuple[Mark, str]] = {}
    for mark, href in (each for stop in stops for each in stop.marks):
        first, where = marks.get(mark.kind, (replace(mark, weight=0), href))
        marks[mark.kind] = replace(first, weight=first.weight + mark.weight), where
    return Stop(stops[0].href, stops[0].text, tuple(marks.values()))


def _span(mark: Mark) -> float:
    """How much of the strip a mark takes, before scaling."""
    match mark.kind:
        case "prompt":
            return 8.0
        case "answer":
            return 6.0 + math.sqrt(max(mark.weight, 0))
        case "tool":
            return 6.0 + 4.0 * math.sqrt(max(mark.weight, 0))
        case "error":
            return 4.0


def _place(stop: Stop, x: float, scale: float, tick: str) -> str:
    paths: dict[str, list[str]] = {"a": [], "t": [], "p": []}
    errors: list[str] = []
    at = x
    for mark, href in stop.marks:
        span = scale * _span(mark)
        match mark.kind:
            case "prompt":
                paths["p"].append(f"M{at + 1:.0f} {tick}")
            case "answer":
                paths["a"].append(f"M{at:.0f} {_BASE}h{max(span - 1, 1):.0f}")
            case "tool":
                paths["t"].append(_column(at, span, mark.weight))
            case "error":
                errors.append(_link(href, "", f'<path class="e" d="M{at + span / 2:.0f} 3v9"/>'))
        at += span
    shapes = "".join(f'<path class="{name}" d="{"".join(d)}"/>' for name, d in paths.items() if d)
    hit = f'<rect x="{x:.0f}" width="{max(at - x, 1):.0f}" height="{_HEIGHT}"/>'
    return _link(stop.href, stop.text, hit + shapes) + "".join(errors)


def _column(x: float, width: float, calls: int) -> str:
    height = min(_TOOLS_TOP, 5 + 6 * math.log2(1 + max(calls, 0)))
    return f"M{x:.0f} {_BASE}v-{height:.0f}h{max(width - 1, 1):.0f}v{height:.0f}z"


def _link(href: str, text: str, shapes: str) -> str:
    title = f"<title>{escape(text[:_TITLE_LENGTH])}</title>" if text else ""
    return f'<a href="{escape(href)}" tabindex="-1">{title}{shapes}</a>'


def sparkline(values: Sequence[int], *, top: int | None = None, kind: str = "spark") -> Markup:
    """Values as bars of a word's size; `top` is the value of a full bar, the largest by default. "" without values."""
    if not values:
        return Markup()
    highest = max(1, top if top is not None else max(values))
    bars = "".join(f"M{3 * index + 1} 16v-{_height(value, highest):g}" for index, value in enumerate(values))
    width = 3 * len(values)
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="{kind}" viewBox="0 0 {width} 16" width="{width}" height="16" aria-hidden="true">'
        f'<path d="{bars}"/></svg>'
    )


def _height(value: int, highest: int) -> float:
    """Something is never nothing: the smallest bar can be seen, and an empty place keeps a hair's breadth."""
    return 0.5 if value <= 0 else round(max(2.0, 15 * value / highest), 1)


def columns(bars: Iterable[Bar]) -> Markup:
    """A wide chart over time, each bar saying what it stands for when pointed at; "" when all are empty."""
    bars = list(bars)
    highest = max((bar.count for bar in bars), default=0)
    if not highest:
        return Markup()
    step = _WIDTH / len(bars)
    drawn = [
        f'<g><title>{escape(bar.text)}</title><rect class="hit" x="{step * i:.1f}" width="{step:.1f}" height="48"/>'
        f'<rect x="{step * i + 1:.1f}" y="{46 - 44 * bar.count / highest:.1f}" width="{step - 2:.1f}"'
        f' height="{44 * bar.count / highest:.1f}"/></g>'
        for i, bar in enumerate(bars)
        if bar.count
    ]
    return Markup(  # noqa: S704 - each text in it is escaped where it's put in
        f'<svg class="columns" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="base" d="M0 46.5H{_WIDTH}"/>{"".join(drawn)}</svg>'
    )


def bar(value: int, highest: int) -> Markup:
    """One horizontal bar of a small ranking."""
    width = max(1, round(100 * value / max(1, highest)))
    return Markup(  # noqa: S704 - numbers only
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="8"/></svg>'
    )
