"""Search across the site as a step of its build: what is in it, what is made of that, and when it must go first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sitegen.build.keys import digest, source_digest
from sitegen.build.setting import Setting
from sitegen.catalogue import Catalogue
from sitegen.errors import BuildError
from sitegen.model import Card, Document, Share, Transcript
from sitegen.output.cache import Cache
from sitegen.output.records import LastBuild, ShareRecord
from sitegen.pages import Pages
from sitegen.pages.dates import Dates
from sitegen.pages.parts import bind
from sitegen.urls import HOME, SEARCH_INDEX, share_page

if TYPE_CHECKING:
    from sitegen.search import Found, Talk

TERMS = "search terms"
"""The fact under which a build notes of which shares, under which terms, its index was made."""


def talk_key(transcript_key: str) -> str:
    """Names what can be searched for of a transcript, in the cache."""
    return digest("talk", source_digest(("search", "pages/parts.py")), transcript_key)


@dataclass(eq=False, repr=False, slots=True)
class Searching:
    """The search of one build. `is_on` says whether there is any: a site on disk has its own, others ask for it."""

    setting: Setting
    is_on: bool = field(init=False)
    _cache: Cache = field(init=False)

    def __post_init__(self) -> None:
        self.is_on = self.setting.urls.offline or self.setting.site.has_search
        self._cache = Cache(self.setting.cache_folder)

    @property
    def engine(self) -> str:
        """What makes the index, in its version."""
        from sitegen.search.pagefind import find_version

        return "disk" if self.setting.urls.offline else find_version()

    def holds(self, share: Share) -> bool:
        """Whether the conversation of a share may be found: only what everyone may read and indexes list."""
        return self.is_on and share.listed and not share.is_gated and not share.is_expired

    def recalls(self, share: Share, record: ShareRecord) -> bool:
        """Whether what can be searched for of a share is known without making its pages."""
        key = record.cache_key
        return not self.holds(share) or self._cache.has(talk_key(key)) or self._cache.has(key)

    def terms(self, shares: Iterable[Share], terms_of: Callable[[Share], str]) -> str:
        """Of which shares an index is made, and how much of each it may tell."""
        return "\n".join(f"{share.slug} {terms_of(share)}" for share in shares if self.holds(share))

    def is_outdated(self, last: LastBuild, shares: Iterable[Share], terms_of: Callable[[Share], str]) -> bool:
        """Whether the last build's index tells, or may tell, of something that is taken back."""
        return not last.is_finished or bool(
            {*last.facts.get(TERMS, "").splitlines()} - {*self.terms(shares, terms_of).splitlines()}
        )

    def made_of(self, cards: Iterable[Card], records: Mapping[str, ShareRecord]) -> list[object]:
        """All that decides the index, besides code."""
        return [self.engine, *((card.slug, card.title, card.ended_at, records[card.slug].cache_key) for card in cards)]

    def make(self, pages: Pages, cards: Iterable[Card], records: Mapping[str, ShareRecord]) -> Iterator[Document]:
        """All files of the search. Raises BuildError when they can't be made."""
        found = self._found(cards, records)
        if self.setting.urls.offline:
            from sitegen.search.disk import make_index

            yield from make_index(SEARCH_INDEX, found)
            return
        from sitegen.search.pagefind import make_index as make_pagefind

        language, temp = self.setting.site.language, self.setting.temp_folder
        yield from make_pagefind(SEARCH_INDEX, found, language=language, temp_folder=temp)
        yield pages.search()

    def _found(self, cards: Iterable[Card], records: Mapping[str, ShareRecord]) -> Iterator[Found]:
        from sitegen.search import Found  # here and below: only where there is a search

        dates = Dates(Catalogue(self.setting.site.language), self.setting.site.timezone)
        for card in sorted(cards, key=_newest_first):
            talk = self._talk(card.slug, records[card.slug].cache_key)
            hrefs = tuple(self._href(card.slug, turn.part, turn.anchor) for turn in talk.turns)
            day = dates.day(card.ended_at or card.started_at)
            yield Found(card.title, day, self._href(card.slug, 1, ""), talk.turns, hrefs)

    def _href(self, slug: str, part: int, anchor: str) -> str:
        return self.setting.urls.link(HOME, share_page(slug, part=part), anchor=anchor)

    def _talk(self, slug: str, key: str) -> Talk:
        from sitegen.search import Talk, make_talk

        talk = self._cache.get(talk_key(key), Talk) if self.setting.is_cache_read else None
        if talk is None:
            transcript = self._cache.get(key, Transcript)
            if transcript is None:
                msg = f"what was rendered for {slug} couldn't be kept in .sitegen/cache, so it can't be searched"
                raise BuildError(msg)
            talk = make_talk(part.exchanges for part in bind(slug, transcript).main.parts)
            self._cache.put(talk_key(key), talk)
        return talk


def _newest_first(card: Card) -> tuple[float, str]:
    moment: datetime | None = card.ended_at or card.started_at
    return -moment.timestamp() if moment else 0.0, card.slug
