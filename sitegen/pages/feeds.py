"""What machines read: the sitemap, and Atom feeds of the site and of projects. All need the address of the site."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import escape

from sitegen import urls
from sitegen.model import Card, Document, Gate, Project
from sitegen.pages.dates import machine
from sitegen.pages.frame import Frame
from sitegen.pages.listing import last_activity, tops

FEED_NAME = "feed.xml"
_FEED_LENGTH = 50
_SITEMAP_LENGTH = 50_000
"""More addresses in one sitemap its readers don't take."""
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def make_sitemap(frame: Frame, projects: Sequence[Project], cards: Sequence[Card]) -> Document | None:
    """Home, open projects with something to list, open listed shares; None when the site's URL isn't known."""
    if frame.urls.absolute(urls.HOME) is None:
        return None
    used = {card.project for card in cards if card.listed}
    paths: list[tuple[str, str]] = [(urls.HOME, "")]
    paths += [(urls.project_page(each.slug), "") for each in projects if each.slug in used and each.gate is Gate.NONE]
    shown = [card for card in cards if card.listed and not card.is_protected]
    if len(paths) + len(shown) > _SITEMAP_LENGTH:  # the newest, then
        shown = sorted(shown, key=lambda card: machine(last_activity(card)))[len(paths) - _SITEMAP_LENGTH :]
    paths += [(urls.share_page(card.slug), machine(last_activity(card))[:10]) for card in shown]
    lines = "".join(_line(frame, path, day) for path, day in sorted(paths))
    text = f'{_HEAD}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    return Document(urls.SITEMAP, text.encode("utf-8", "replace"))


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
