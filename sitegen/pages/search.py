"""The page that searches the whole site, and what indexes need for the search that a site on disk has instead."""

from __future__ import annotations

from markupsafe import Markup
from msgspec import Struct

from sitegen import urls
from sitegen.model import Document
from sitegen.pages.frame import Frame, json_block

_SPOKEN = ("answer", "count", "failed", "more", "none", "prompt", "within")


class Finder(Struct, frozen=True):
    """The references from one page to a search on disk, and the words of its script."""

    css: str
    js: str
    index: str
    site: str
    words: Markup


def make_search_page(frame: Frame) -> Document:
    """The page at `search/`; it holds no word of any conversation."""
    return frame.document(
        urls.SEARCH_PAGE,
        "search.html",
        is_indexed=False,
        search_css=frame.link(urls.SEARCH_PAGE, frame.assets.search_css),
        search_js=frame.link(urls.SEARCH_PAGE, frame.assets.search_js),
        index=frame.link(urls.SEARCH_PAGE, urls.SEARCH_INDEX),
        words=_words(frame),
    )


def finder(frame: Frame, page: str) -> Finder | None:
    """What an index at `page` needs in a site on disk; None in others."""
    if not frame.urls.offline:
        return None
    return Finder(
        css=frame.link(page, frame.assets.search_css),
        js=frame.link(page, frame.assets.search_js),
        index=frame.link(page, urls.SEARCH_INDEX),
        site=frame.link(page, urls.HOME).removesuffix("index.html"),
        words=_words(frame),
    )


def _words(frame: Frame) -> Markup:
    return json_block({name: frame.t(f"search.js_{name}") for name in _SPOKEN})
