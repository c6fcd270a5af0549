"""The pages that list others: home, a project's index, 404, and what stands beside them. Knows cards only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from sitegen import urls
from sitegen.model import Card, Document, Gate, Json, Project
from sitegen.pages import charts, facts, late
from sitegen.pages.dates import machine
from sitegen.pages.feeds import FEED_NAME, has_feed, has_site_feed, make_feed, make_site_feed, make_sitemap
from sitegen.pages.frame import Frame, Link
from sitegen.pages.listing import entries, last_activity, tops, weeks
from sitegen.pages.search import finder

PAGE_LENGTH = 100
_NEWEST = 12
_RANKED = 6


@dataclass(frozen=True, slots=True)
class _Row:
    """A project on the home page."""

    href: str
    name: str
    description: str
    count: str
    last: datetime | None
    date: str
    at: str
    spark: Markup


@dataclass(frozen=True, slots=True)
class _Rank:
    """A line of a small ranking: a name, how often, and a bar."""

    name: str
    count: str
    bar: Markup


def make_home(
    frame: Frame, projects: Sequence[Project], cards: Sequence[Card], *, has_search: bool = False
) -> Document:
    """Projects by last activity, then the newest open shares; shares without a project stand below."""
    listed = [card for card in cards if card.listed]
    open_cards = tops([card for card in listed if not card.is_protected])
    newest = last_activity(open_cards[0]) if open_cards else None
    rows = [_row(frame, project, listed, newest) for project in projects if project.gate is Gate.NONE]
    loose = [card for card in listed if card.project not in {project.slug for project in projects}]
    return frame.document(
        urls.HOME,
        "home.html",
        projects=[row for row in sorted(rows, key=_by_activity) if row.count],
        newest=entries(frame, urls.HOME, open_cards[:_NEWEST], children=listed),
        loose=entries(frame, urls.HOME, tops(loose), children=listed),
        chart=charts.columns(weeks(frame, open_cards, newest)),
        finder=finder(frame, urls.HOME) if has_search else None,
        search=frame.link(urls.HOME, urls.SEARCH_PAGE) if has_search and not frame.urls.offline else "",
        feed=frame.link(urls.HOME, urls.FEED) if has_site_feed(frame, listed) else "",
    )


def _by_activity(row: _Row) -> tuple[float, str]:
    return -row.last.timestamp() if row.last else 0.0, row.name


def _row(frame: Frame, project: Project, listed: Sequence[Card], newest: datetime | None) -> _Row:
    mine = tops([card for card in listed if card.project == project.slug])
    shown = [card for card in mine if not card.is_protected]
    last = last_activity(shown[0]) if shown else None
    return _Row(
        href=frame.link(urls.HOME, urls.project_page(project.slug)),
        name=project.name,
        description=project.description or "",
        count=_count(frame, len(mine)),
        last=last,
        date=frame.dates.day(last),
        at=machine(last),
        spark=charts.sparkline([bar.count for bar in weeks(frame, shown, newest)], kind="spark year"),
    )


def _count(frame: Frame, count: int) -> str:
    return frame.t("pages.conversations", n=count, count=facts.number(frame.t, count)) if count else ""


def make_project(frame: Frame, project: Project, cards: Sequence[Card]) -> list[Document]:
    """The pages of a project's index, newest first, and the data of all its entries when there are several pages."""
    listed = [card for card in cards if card.listed and card.project == project.slug]
    mine = tops(listed)
    count = max(1, -(-len(mine) // PAGE_LENGTH))
    pages = [_project_page(frame, project, listed, mine, number=number, count=count) for number in range(1, count + 1)]
    data = [_all_entries(frame, project, mine)] if count > 1 else []
    feed = make_feed(frame, project, mine)
    return [*pages, *([feed] if feed else []), *data, *(late.make_twins(data) if frame.urls.offline else [])]


def _project_page(
    frame: Frame, project: Project, listed: Sequence[Card], mine: Sequence[Card], *, number: int, count: int
) -> Document:
    path = urls.project_page(project.slug, page=number)
    shown = [card for card in mine if not card.is_protected]
    newest = last_activity(shown[0]) if shown else None
    return frame.document(
        path,
        "project.html",
        is_indexed=project.gate is Gate.NONE,
        project=project,
        number=number,
        count=_count(frame, len(mine)),
        span=_span(frame, shown),
        entries=entries(frame, path, mine[(number - 1) * PAGE_LENGTH : number * PAGE_LENGTH], children=listed),
        chart=charts.columns(weeks(frame, shown, newest)) if number == 1 else Markup(),
        tools=_ranking(frame, _tools(shown)) if number == 1 else [],
        models=_ranking(frame, Counter(model for card in shown for model in card.models)) if number == 1 else [],
        pages=[_page_link(frame, path, project, page) for page in range(1, count + 1)] if count > 1 else [],
        data=frame.link(path, urls.project_file(project.slug, "entries.json")) if count > 1 else "",
        feed=_feed_link(frame, path, project, shown),
        finder=finder(frame, path) if project.gate is Gate.NONE and shown else None,
    )


def _feed_link(frame: Frame, path: str, project: Project, shown: Sequence[Card]) -> str:
    return frame.link(path, urls.project_file(project.slug, FEED_NAME)) if has_feed(frame, project, shown) else ""


def _page_link(frame: Frame, path: str, project: Project, page: int) -> Link:
    return Link(frame.link(path, urls.project_page(project.slug, page=page)), str(page))


def _span(frame: Frame, cards: Sequence[Card]) -> str:
    starts = [moment for card in cards if (moment := card.started_at or card.ended_at)]
    ends = [moment for card in cards if (moment := card.ended_at or card.started_at)]
    return frame.dates.span(min(starts, default=None), max(ends, default=None))


def _tools(cards: Sequence[Card]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for card in cards:
        counts.update(dict(card.tools))
    return counts


def _ranking(frame: Frame, counts: Counter[str]) -> list[_Rank]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_RANKED]
    return [_Rank(name, facts.number(frame.t, count), charts.bar(count, ranked[0][1])) for name, count in ranked]


def _all_entries(frame: Frame, project: Project, mine: Sequence[Card]) -> Document:
    """`[[href from the project's folder, title, first prompt, date], …]` of the open entries, for the search box."""
    first = urls.project_page(project.slug)
    rows: Json = [
        [
            frame.link(first, urls.share_page(card.slug)),
            card.title,
            card.first_prompt,
            frame.dates.day(last_activity(card)),
        ]
        for card in mine
        if not card.is_protected
    ]
    return late.make_data(urls.project_file(project.slug, "entries.json"), rows)


def make_not_found(frame: Frame) -> Document:
    """404.html, whose links work at any depth."""
    return frame.document(urls.NOT_FOUND, "404.html", is_indexed=False)


def make_extras(frame: Frame, projects: Sequence[Project], cards: Sequence[Card]) -> list[Document]:
    """`.nojekyll`, the assets, and the sitemap and the site's feed when its URL is known."""
    plain = [Document(".nojekyll", b""), *frame.assets.documents]
    if frame.urls.offline or frame.site.has_search:
        plain += frame.assets.search_documents
    return [*plain, *filter(None, (make_sitemap(frame, projects, cards), make_site_feed(frame, cards)))]
