"""The pages that list others: home, a project's index, 404, and what stands beside them. Knows cards only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from sitegen import urls
from sitegen.model import Card, Document, Gate, Json, Project
from sitegen.pages import charts, facts, late
from sitegen.pages.dates import machine
from sitegen.pages.feeds import FEED_NAME, has_feed, has_site_feed, make_feed, make_site_feed, make_sitemap
from sitegen.pages.frame import Frame, Link
from sitegen.pages.listing import entries, families, last_activity, tops, weeks
from sitegen.pages.search import finder

T = TypeVar("T")

PAGE_LENGTH = 100
_NEWEST = 12
_MOST_ROWS = 4_000
"""As many entries of a project as its search box looks through beyond the page, the newest: about a megabyte."""
_AROUND = 2
_FEW_PAGES = 12
_RANKED = 6


class _Row(Struct, frozen=True):
    """A project on the home page."""

    slug: str
    name: str
    description: str
    count: str
    last: datetime | None
    date: str
    at: str
    spark: Markup
    href: str = ""

    def on(self, frame: Frame, path: str) -> _Row:
        """The row as it stands on that page."""
        return replace(self, href=frame.link(path, urls.project_page(self.slug)))


class _Rank(Struct, frozen=True):
    """A line of a small ranking: a name, how often, and a bar."""

    name: str
    count: str
    bar: Markup


def make_home(
    frame: Frame, projects: Sequence[Project], cards: Sequence[Card], *, has_search: bool = False
) -> list[Document]:
    """Projects by last activity, then the newest open shares; shares without a project stand below.

    A hundred of each on a page; the newest and the picture of the year stand on the first.
    """
    listed = [card for card in cards if card.listed]
    open_cards = tops([card for card in listed if not card.is_protected])
    newest = last_activity(open_cards[0]) if open_cards else None
    by_project = _by_project(listed)
    rows = [_row(frame, project, by_project[project.slug], newest) for project in projects if project.gate is Gate.NONE]
    known = {project.slug for project in projects}
    home = _Home(
        frame=frame,
        rows=sorted((row for row in rows if row.count), key=_by_activity),
        loose=tops([card for card in listed if card.project not in known]),
        children=families(listed),
        has_feed=has_site_feed(frame, listed),
        has_search=has_search,
    )
    first = {
        "newest": entries(frame, urls.HOME, open_cards[:_NEWEST], children=home.children),
        "chart": charts.columns(weeks(frame, open_cards, newest)),
    }
    return [home.page(number, first if number == 1 else dict.fromkeys(first)) for number in range(1, home.count + 1)]


class _Home(Struct, frozen=True):
    """What the home page lists, on one page or several."""

    frame: Frame
    rows: Sequence[_Row]
    loose: Sequence[Card]
    children: Mapping[str, list[Card]]
    has_feed: bool
    has_search: bool

    @property
    def count(self) -> int:
        return max(1, _pages(self.rows), _pages(self.loose))

    def page(self, number: int, more: Mapping[str, object]) -> Document:
        """One of its pages; `more` is what only the first has."""
        frame, path, has_search = self.frame, urls.home_page(number), self.has_search
        return frame.document(
            path,
            "home.html",
            is_indexed=number == 1,
            number=number,
            projects=[row.on(frame, path) for row in _on_page(self.rows, number)],
            loose=entries(frame, path, _on_page(self.loose, number), children=self.children),
            pages=[_page_link(frame, path, each, urls.home_page) for each in _window(number, self.count)],
            finder=finder(frame, path) if has_search else None,
            search=frame.link(path, urls.SEARCH_PAGE) if has_search and not frame.urls.offline else "",
            feed=frame.link(path, urls.FEED) if self.has_feed else "",
            **more,
        )


def _pages(items: Sequence[object]) -> int:
    return -(-len(items) // PAGE_LENGTH)


def _on_page(items: Sequence[T], number: int) -> Sequence[T]:
    return items[(number - 1) * PAGE_LENGTH : number * PAGE_LENGTH]


def _window(number: int, count: int) -> list[int]:
    """The pages that a page links to: all of few; of many the first, the last and those around, with 0 for a gap."""
    if count <= _FEW_PAGES:
        return list(range(1, count + 1)) if count > 1 else []
    shown = {1, count, *range(max(1, number - _AROUND), min(count, number + _AROUND) + 1)}
    numbers: list[int] = []
    for each in sorted(shown):
        if numbers and each > numbers[-1] + 1:
            numbers.append(0)
        numbers.append(each)
    return numbers


def _page_link(frame: Frame, path: str, page: int, path_of: Callable[[int], str]) -> Link:
    """A link to another page; one without a place stands for a gap."""
    return Link(frame.link(path, path_of(page)), str(page)) if page else Link("", "…")


def _by_project(listed: Iterable[Card]) -> defaultdict[str | None, list[Card]]:
    found: defaultdict[str | None, list[Card]] = defaultdict(list)
    for card in listed:
        found[card.project].append(card)
    return found


def _by_activity(row: _Row) -> tuple[float, str]:
    return -row.last.timestamp() if row.last else 0.0, row.name


def _row(frame: Frame, project: Project, listed: Sequence[Card], newest: datetime | None) -> _Row:
    mine = tops(listed)
    shown = [card for card in mine if not card.is_protected]
    last = last_activity(shown[0]) if shown else None
    return _Row(
        slug=project.slug,
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
    index = _Index.of(frame, project, listed)
    count = max(1, _pages(index.mine))
    data = [_all_entries(frame, project, index.shown)] if count > 1 else []
    feed = make_feed(frame, project, index.mine)
    pages = [index.page(number, count) for number in range(1, count + 1)]
    return [*pages, *([feed] if feed else []), *data, *(map(late.make_twin, data) if frame.urls.offline else [])]


class _Index(Struct, frozen=True):
    """What a project's index lists, and what is the same on all of its pages."""

    frame: Frame
    project: Project
    mine: Sequence[Card]
    shown: Sequence[Card]
    """The open ones."""
    children: Mapping[str, list[Card]]
    span: str
    has_feed: bool

    @classmethod
    def of(cls, frame: Frame, project: Project, listed: Sequence[Card]) -> _Index:
        mine = tops(listed)
        shown = [card for card in mine if not card.is_protected]
        return cls(frame, project, mine, shown, families(listed), _span(frame, shown), has_feed(frame, project, shown))

    def page(self, number: int, count: int) -> Document:
        """One of its pages, of so many."""
        frame, project = self.frame, self.project
        path = urls.project_page(project.slug, page=number)
        is_open = project.gate is Gate.NONE

        def path_of(page: int) -> str:
            return urls.project_page(project.slug, page=page)

        return frame.document(
            path,
            "project.html",
            is_indexed=is_open,
            project=project,
            number=number,
            count=_count(frame, len(self.mine)),
            span=self.span,
            entries=entries(frame, path, _on_page(self.mine, number), children=self.children),
            pages=[_page_link(frame, path, each, path_of) for each in _window(number, count)],
            data=frame.link(path, urls.project_file(project.slug, "entries.json")) if count > 1 else "",
            feed=frame.link(path, urls.project_file(project.slug, FEED_NAME)) if self.has_feed else "",
            finder=finder(frame, path) if is_open and self.shown else None,
            **self._pictures(is_first=number == 1),
        )

    def _pictures(self, *, is_first: bool) -> dict[str, object]:
        """What only the first page has."""
        frame, shown = self.frame, self.shown
        if not is_first:
            return {"chart": None, "tools": None, "models": None}
        return {
            "chart": charts.columns(weeks(frame, shown, last_activity(shown[0]) if shown else None)),
            "tools": _ranking(frame, _tools(shown)),
            "models": _ranking(frame, Counter(model for card in shown for model in card.models)),
        }


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


def _all_entries(frame: Frame, project: Project, shown: Sequence[Card]) -> Document:
    """`[[href from the project's folder, title, first prompt, date], …]` of the newest entries, for the search box."""
    first = urls.project_page(project.slug)
    rows: Json = [
        [
            frame.link(first, urls.share_page(card.slug)),
            card.title,
            card.first_prompt,
            frame.dates.day(last_activity(card)),
        ]
        for card in shown[:_MOST_ROWS]
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
    return [*plain, *make_sitemap(frame, projects, cards), *filter(None, [make_site_feed(frame, cards)])]
