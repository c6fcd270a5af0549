"""Citations as links within the text they belong to, so that they are where the reader is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

_ALLOWED: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_LABEL_LIMIT: Final = 60
_NOT_IN_LABEL: Final = re.compile(r"[\[\]\\`*_<>\s]+")
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


class Citation(Struct, frozen=True):
    """A source of what stands before `end`, in characters from the text's beginning."""

    end: int
    url: str
    title: str = ""


def cite(text: str, citations: Iterable[Citation]) -> str:
    """The text with a link behind each passage that has a source; never within a word or a block of code."""
    places: dict[int, dict[str, None]] = {}
    for citation in citations:
        if link := link_to(citation.url, citation.title):
            places.setdefault(_place(text, citation.end), {})[link] = None
    for end, links in sorted(places.items(), reverse=True):
        text = f"{text[:end]} ({', '.join(links)}){text[end:]}"
    return text


def link_to(url: str, title: str = "") -> str:
    """A link in Markdown, named for the site it leads to (or the title when there is none); "" for no web address."""
    if not _ALLOWED.fullmatch(url):
        return ""
    try:
        host = (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    label = _NOT_IN_LABEL.sub(" ", host or title).strip()[:_LABEL_LIMIT]
    return f"[{label or 'source'}]({_encoded(url)})"


def _encoded(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def _place(text: str, end: int) -> int:
    """Where a link can stand: at `end`, or behind the word or the block of code that `end` falls into."""
    end = max(0, min(end, len(text)))
    end = len(text[:end].rstrip())
    while 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    fences = list(_FENCE.finditer(text))
    if sum(fence.start() < end for fence in fences) % 2:
        closing = next((fence.end() for fence in fences if fence.start() >= end), None)
        return len(text) if closing is None else closing
    return end
