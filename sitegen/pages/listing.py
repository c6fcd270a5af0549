"""Entries of an index: in which order, with which facts, and the weeks of activity they make up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from markupsafe import Markup
from msgspec import Struct

from sitegen import urls
from sitegen.model import Card
from sitegen.pages import charts, facts
from sitegen.pages.dates import machine
from sitegen.pages.frame import Frame, Link

_WEEKS = 53
_NOTHING = Markup()


class Entry(Struct, frozen=True):
    """One line of an index. A protected entry has a place to go to, and a title when its owner gave a public one."""

    href: str
    is_protected: bool
    title: str = ""
    prompt: str = ""
    date: str = ""
    at: str = ""
    facts: tuple[str, ...] = ()
    failed: str = ""
    spark: Markup = _NOTHING
    children: tuple[Link, ...] = ()


def last_activity(card: Card) -> datetime | None:
    """When the conversation last went on, as far as anyone knows."""
    return card.ended_at or card.started_at


def tops(cards: Sequence[Card]) -> list[Card]:
    """Entries of their own, newest first, those without a date after them, protected ones last.

    A subagent's conversation is listed under its parent's; when that isn't listed, it stands for itself.
    """
    here = {card.slug for card in cards if not card.is_protected}
    return sorted((card for card in cards if card.parent_slug not in here), key=_order)


def _order(card: Card) -> tuple[bool, float, str]:
    last = last_activity(card)
    return card.is_protected, -last.timestamp() if last else 0.0, card.slug


def families(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """The open subagents' cards by the slug of the share that they stand under, the earliest first."""
    found: dict[str, list[Card]] = {}
    children = (card for card in cards if card.parent_slug is not None and not card.is_protected)
    for child in sorted(children, key=lambda card: (card.started_at is None, card.started_at or 0, card.slug)):
        found.setdefault(child.parent_slug or "", []).append(child)
    return found


def entries(frame: Frame, page: str, cards: Iterable[Card], *, children: Mapping[str, Sequence[Card]]) -> list[Entry]:
    """The entries of `cards` as they stand on `page`; `children` are those that belong under them."""
    return [_entry(frame, page, card, children.get(card.slug, ())) for card in cards]


def _entry(frame: Frame, page: str, card: Card, children: Sequence[Card]) -> Entry:
    href = frame.link(page, urls.share_page(card.slug))
    if card.is_protected:
        return Entry(href, is_protected=True, title=card.title)
    last = last_activity(card)
    return Entry(
        href,
        is_protected=False,
        title=card.title,
        prompt="" if _says_again(card.title, card.first_prompt) else card.first_prompt,
        date=frame.dates.day(last),
        at=machine(last),
        facts=tuple(facts.entry(frame.t, card)),
        failed=frame.t("pages.failed", n=card.errors, count=facts.number(frame.t, card.errors)) if card.errors else "",
        spark=charts.sparkline(card.shape, top=9),
        children=tuple(Link(frame.link(page, urls.share_page(child.slug)), child.title) for child in children),
    )


def _says_again(title: str, prompt: str) -> bool:
    """Whether one begins with the other: titles are often made of prompts, shortened and without their markup."""
    one, other = ("".join(filter(str.isalnum, text)).casefold() for text in (title, prompt))
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def weeks(frame: Frame, cards: Iterable[Card], newest: datetime | None) -> list[charts.Bar]:
    """The year of weeks that ends with `newest`: how many conversations each saw."""
    if newest is None:
        return []
    start = _monday(frame.dates.local(newest).date()) - timedelta(weeks=_WEEKS - 1)
    moments = (last_activity(card) for card in cards)
    counts = Counter(_monday(frame.dates.local(moment).date()) for moment in moments if moment)
    mondays = [start + timedelta(weeks=index) for index in range(_WEEKS)]
    return [charts.Bar(counts[monday], _week(frame, monday, counts[monday])) for monday in mondays]


def _week(frame: Frame, monday: date, count: int) -> str:
    if not count:
        return ""
    day = frame.t("pages.date", day=monday.day, month=frame.dates.month(monday.month), year=monday.year)
    return frame.t("pages.week", n=count, count=count, day=day)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
