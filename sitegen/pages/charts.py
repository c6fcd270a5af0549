"""Small pictures in SVG: a conversation's timeline, sparklines, a year of activity. Geometry and classes, no style."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from markupsafe import Markup, escape
from msgspec import Struct

from sitegen.model import Mark

_WIDTH = 1000
_HEIGHT = 48
_BASE = 40
_TOOLS_TOP = 26
_TITLE_LENGTH = 60
_FEW = 40
"""Prompts whose ticks don't make a fence yet."""
_PLACES = 120


class Stop(Struct, frozen=True):
    """An exchange on the timeline: the marks of it, errors with where they lead to."""

    href: str
    text: str
    marks: tuple[tuple[Mark, str], ...]


class Bar(Struct, frozen=True):
    """A bar of a chart over time: its height as a count, and what it says."""

    count: int
    text: str


def timeline(stops: Sequence[Stop]) -> Markup:
    """The strip on top of a conversation, in order from left to right, each mark a link; "" without stops.

    A few prompts are ticks over the whole height, with answers as the base line, tools as columns on it and errors as
    marks at the top, each as wide as it's long. Many prompts have places of equal width and short ticks below the line;
    when there are more than anyone could hit, several share a place and its link.
    Its links are out of the tab order and hidden from screen readers: the outline says the same in words.
    """
    stops = [stop for stop in stops if stop.marks]
    if not stops:
        return Markup()
    drawn = _sparse(stops) if len(stops) <= _FEW else _dense(stops)
    return Markup(  # noqa: S704 - each text in it is escaped where it's put in
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"'
        f' fill="none" stroke="gray"><path class="base" d="M0 {_BASE}H{_WIDTH}"/>{"".join(drawn)}</svg>'
    )


def _sparse(stops: Sequence[Stop]) -> Iterator[str]:
    spans = [[_span(mark) for mark, _ in stop.marks] for stop in stops]
    scale, x = _WIDTH / sum(chain.from_iterable(spans)), 0.0
    for stop, own in zip(stops, spans, strict=True):
        width = scale * sum(own)
        yield _stop(stop, own, x, width, scale)
        x += width


def _dense(stops: Sequence[Stop]) -> Iterator[str]:
    size = -(-len(stops) // _PLACES)
    step = _WIDTH * size / len(stops)
    places = [stops[at : at + size] for at in range(0, len(stops), size)]
    most = max(map(_calls, places))
    for number, place in enumerate(places):
        yield _place(place, number * step, min(step, _WIDTH - number * step), most=most)


def _calls(stops: Sequence[Stop]) -> int:
    return sum(mark.weight for stop in stops for mark, _ in stop.marks if mark.kind == "tool")


def _place(stops: Sequence[Stop], x: float, width: float, *, most: int) -> str:
    """What happened in one or several exchanges at once."""
    marks = [each for stop in stops for each in stop.marks]
    kinds = {mark.kind for mark, _ in marks}
    height = _TOOLS_TOP * math.sqrt(_calls(stops) / most) if most > 0 else 0.0
    shapes = [
        f'<rect x="{x:.0f}" width="{width:.0f}" height="{_HEIGHT}"/>',
        f'<path class="a" d="{_line(x, width)}"/>' * ("answer" in kinds),
        f'<path class="t" d="{_column(x, width, height)}"/>' * (height > 0),
        f'<path class="p" d="M{x + width / 2:.0f} {_HEIGHT}v-4"/>' * ("prompt" in kinds),
    ]
    error = next((href for mark, href in marks if mark.kind == "error"), None)
    failed = _link(error, "", f'<path class="e" d="M{x + width / 2:.0f} 4v6"/>') if error else ""
    return _link(stops[0].href, stops[0].text, "".join(shapes)) + failed


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


def _stop(stop: Stop, spans: Sequence[float], x: float, width: float, scale: float) -> str:
    paths: dict[str, list[str]] = {"a": [], "t": [], "p": []}
    errors: list[str] = []
    at = x
    for (mark, href), span in zip(stop.marks, [scale * span for span in spans], strict=True):
        match mark.kind:
            case "prompt":
                paths["p"].append(f"M{at + 1:.0f} 2V46")
            case "answer":
                paths["a"].append(_line(at, span))
            case "tool":
                paths["t"].append(_column(at, span, 5 + 6 * math.log2(1 + max(mark.weight, 0))))
            case "error":
                errors.append(_link(href, "", f'<path class="e" d="M{at + span / 2:.0f} 3v9"/>'))
        at += span
    shapes = "".join(f'<path class="{name}" d="{"".join(d)}"/>' for name, d in paths.items() if d)
    hit = f'<rect x="{x:.0f}" width="{width:.0f}" height="{_HEIGHT}"/>'
    return _link(stop.href, stop.text, hit + shapes) + "".join(errors)


def _column(x: float, width: float, height: float) -> str:
    height = max(2.0, min(_TOOLS_TOP, height))
    return f"M{x:.0f} {_BASE}v-{height:.0f}h{_length(x, width)}v{height:.0f}z"


def _line(x: float, width: float) -> str:
    return f"M{x:.0f} {_BASE}h{_length(x, width)}"


def _length(x: float, width: float) -> int:
    """In whole units, so that what comes next begins one further on."""
    return max(round(x + width) - round(x) - 1, 1)


def _link(href: str, text: str, shapes: str) -> str:
    title = f"<title>{escape(text[:_TITLE_LENGTH])}</title>" if text else ""
    return f'<a href="{escape(href)}" tabindex="-1">{title}{shapes}</a>'


def sparkline(values: Sequence[int], *, top: int | None = None, kind: str = "spark") -> Markup:
    """Values as bars of a word's size; `top` is the value of a full bar, the largest by default. "" without values."""
    if not values:
        return Markup()
    highest = max(1, top if top is not None else max(values))
    bars = "".join(f"M{3 * index + 1} 16v-{_height(value, highest)}" for index, value in enumerate(values))
    width = 3 * len(values)
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="{kind}" viewBox="0 0 {width} 16" width="{width}" height="16" aria-hidden="true">'
        f'<path d="{bars}"/></svg>'
    )


@lru_cache(maxsize=500)
def _height(value: int, highest: int) -> str:
    """Something is never nothing: the smallest bar can be seen, and an empty place keeps a hair's breadth."""
    return f"{0.5 if value <= 0 else round(max(2.0, 15 * value / highest), 1):g}"


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
