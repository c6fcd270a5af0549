"""What machines read: the sitemap and a project's Atom feed. Both need to know where the site stands."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import escape

from sitegen import urls
from sitegen.model import Card, Document, Gate, Project
from sitegen.pages.dates import machine
from sitegen.pages.frame import Frame
from sitegen.pages.listing import last_activity, tops

FEED_NAME = "feed.xml"
_FEED_LENGTH = 50
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def make_sitemap(frame: Frame, projects: Sequence[Project], cards: Sequence[Card]) -> Document | None:
    """Home, open projects with something to list, open listed shares; None when the site's URL isn't known."""
    if frame.urls.absolute(urls.HOME) is None:
        return None
    used = {card.project for card in cards if card.listed}
    paths: list[tuple[str, str]] = [(urls.HOME, "")]
    paths += [(urls.project_page(each.slug), "") for each in projects if each.slug in used and each.gate is Gate.NONE]
    paths += [
        (urls.share_page(card.slug), machine(last_activity(card))[:10])
        for card in cards
        if card.listed and not card.is_protected
    ]
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
    path = urls.project_file(project.slug, FEED_NAME)
    here, page = frame.urls.absolute(path) or "", frame.urls.absolute(urls.project_page(project.slug)) or ""
    shown = [card for card in tops(cards) if not card.is_protected and last_activity(card)][:_FEED_LENGTH]
    entries = "".join(_entry(frame, card) for card in shown)
    title = escape(f"{project.name} · {frame.site.title}")
    text = (
        f'{_HEAD}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{escape(frame.t.language)}">\n'
        f"<title>{title}</title>\n<id>{escape(page)}</id>\n<updated>{machine(last_activity(shown[0]))}</updated>\n"
        f'<author><name>{escape(frame.site.title)}</name></author>\n<link rel="self" href="{escape(here)}"/>\n'
        f'<link href="{escape(page)}"/>\n{entries}</feed>\n'
    )
    return Document(path, text.encode("utf-8", "replace"))


def _entry(frame: Frame, card: Card) -> str:
    url = escape(frame.urls.absolute(urls.share_page(card.slug)) or "")
    summary = f"<summary>{escape(card.first_prompt)}</summary>" if card.first_prompt else ""
    return (
        f"<entry><title>{escape(card.title)}</title><id>{url}</id>"
        f'<updated>{machine(last_activity(card))}</updated><link href="{url}"/>{summary}</entry>\n'
    )
