"""What machines read: the sitemap, and Atom feeds of the site and of projects. All need the address of the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from zlib import crc32

from markupsafe import escape

from sitegen import urls
from sitegen.model import Card, Document, Gate, Project
from sitegen.pages.dates import machine
from sitegen.pages.frame import Frame
from sitegen.pages.listing import last_activity, tops

FEED_NAME = "feed.xml"
_FEED_LENGTH = 50
_LARGEST_SITEMAP = 50_000
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def make_sitemap(frame: Frame, projects: Sequence[Project], cards: Sequence[Card]) -> list[Document]:
    """Home, open projects with something to list, open listed shares; nothing when the site's URL isn't known.

    A sitemap may list 50,000 pages. A larger site has an index of parts, and which part a page is in is told by its
    path, so that a new page changes one of them.
    """
    if frame.urls.absolute(urls.HOME) is None:
        return []
    used = {card.project for card in cards if card.listed}
    paths: list[tuple[str, str]] = [(urls.HOME, "")]
    paths += [(urls.project_page(each.slug), "") for each in projects if each.slug in used and each.gate is Gate.NONE]
    paths += [
        (urls.share_page(card.slug), machine(last_activity(card))[:10])
        for card in cards
        if card.listed and not card.is_protected
    ]
    count = sitemap_parts(len(paths))
    if not count:
        return [_sitemap(frame, urls.SITEMAP, paths)]
    parts: list[list[tuple[str, str]]] = [[] for _ in range(count)]
    for path, day in paths:
        parts[crc32(path.encode("utf-8", "replace")) % count].append((path, day))
    documents = [_sitemap(frame, urls.sitemap_part(number), part) for number, part in enumerate(parts, 1)]
    lines = "".join(
        f"<sitemap><loc>{escape(frame.urls.absolute(document.path) or '')}</loc></sitemap>\n" for document in documents
    )
    return [_document(urls.SITEMAP, "sitemapindex", lines), *documents]


def sitemap_parts(pages: int) -> int:
    """How many parts the sitemap of so many pages has beside its index; 0 when it is one file."""
    return 0 if pages <= _LARGEST_SITEMAP else 1 << (2 * pages // _LARGEST_SITEMAP).bit_length()


def _sitemap(frame: Frame, path: str, paths: Iterable[tuple[str, str]]) -> Document:
    return _document(path, "urlset", "".join(_line(frame, page, day) for page, day in sorted(paths)))


def _document(path: str, kind: str, lines: str) -> Document:
    text = f'{_HEAD}<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</{kind}>\n'
    return Document(path, text.encode("utf-8", "replace"))


def _line(frame: Frame, path: str, day: str) -> str:
    modified = f"<lastmod>{day}</lastmod>" if day else ""
    return f"<url><loc>{escape(frame.urls.absolute(path) or '')}</loc>{modified}</url>\n"


def has_feed(frame: Frame, project: Project, cards: Sequence[Card]) -> bool:
    """Whether the project is open, has an open share with a date, and the site's URL is known."""
    is_known = frame.urls.absolute(urls.HOME) is not None
    has_entry = any(not card.is_protected and last_activity(card) for card in cards)
    return is_known and has_entry and project.gate is Gate.NONE


def make_feed(frame: Frame, project: Project, cards: Sequence[Card]) -> Document | None:
    """The newest open shares of a project; None when the site's URL isn't known or none has a date."""
    if not has_feed(frame, project, cards):
        return None
    title = f"{project.name} · {frame.site.title}"
    path = urls.project_file(project.slug, FEED_NAME)
    return _feed(frame, path, title, page=urls.project_page(project.slug), cards=cards)


def has_site_feed(frame: Frame, cards: Sequence[Card]) -> bool:
    """Whether the site's URL is known and an open listed share has a date."""
    return frame.urls.absolute(urls.HOME) is not None and bool(_dated(cards))


def make_site_feed(frame: Frame, cards: Sequence[Card]) -> Document | None:
    """The newest open listed shares of the whole site; None when the site's URL isn't known or none has a date."""
    listed = [card for card in cards if card.listed]
    if not has_site_feed(frame, listed):
        return None
    return _feed(frame, urls.FEED, frame.site.title, page=urls.HOME, cards=listed)


def _dated(cards: Sequence[Card]) -> list[Card]:
    return [card for card in tops(cards) if not card.is_protected and last_activity(card)]


def _feed(frame: Frame, path: str, title: str, *, page: str, cards: Sequence[Card]) -> Document:
    """An Atom feed about `page`. It has the newest only, so it doesn't grow with the site."""
    here, about = frame.urls.absolute(path) or "", frame.urls.absolute(page) or ""
    shown = _dated(cards)[:_FEED_LENGTH]
    entries = "".join(_entry(frame, card) for card in shown)
    text = (
        f'{_HEAD}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{_text(frame.t.language)}">\n'
        f"<title>{_text(title)}</title>\n<id>{_text(about)}</id>\n"
        f"<updated>{machine(last_activity(shown[0]))}</updated>\n"
        f'<author><name>{_text(frame.site.title)}</name></author>\n<link rel="self" href="{_text(here)}"/>\n'
        f'<link href="{_text(about)}"/>\n{entries}</feed>\n'
    )
    return Document(path, text.encode("utf-8", "replace"))


def _text(text: str) -> str:
    """Text as XML holds it, without the characters that it can't hold."""
    return escape(_NOT_XML.sub("", text))


def _entry(frame: Frame, card: Card) -> str:
    url = escape(frame.urls.absolute(urls.share_page(card.slug)) or "")
    summary = f"<summary>{_text(card.first_prompt)}</summary>" if card.first_prompt else ""
    return (
        f"<entry><title>{_text(card.title)}</title><id>{url}</id>"
        f'<updated>{machine(last_activity(card))}</updated><link href="{url}"/>{summary}</entry>\n'
    )
