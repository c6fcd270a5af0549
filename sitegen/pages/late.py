"""What a page's script loads when it needs it: where anchors stand, the search index, texts as they were written; their
twins for sites on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from markupsafe import Markup

from sitegen import urls
from sitegen.model import Document, Json
from sitegen.pages.parts import Book, Part, Strand

MAP_NAME = "map.json"
SEARCH_NAME = "search.json"
_SOURCE = re.compile(r'(<article class="message [^">]*" id="([^">]+)" data-src=")([^"]*)"')
_REFERENCES = (("&#34;", '"'), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
"""The last one last: what it leaves is read by nobody again."""


def make_map(book: Book, timeline: Markup) -> Document:
    """Every page of a share with its anchors and its outline, and the picture of the whole.

    `{"pages": [{"href": "2/", "anchors": "x-… m-…", "outline": [["x-…", "first line"], …]}, …], "timeline": "<svg …"}`;
    `href` and the picture's links start from the share's folder.
    """
    pages: Json = [
        {"href": _inside(book, part), "anchors": " ".join(_anchors(part)), "outline": _outline(part)}
        for strand in book.strands
        for part in strand.parts
    ]
    return make_data(urls.share_file(book.slug, MAP_NAME), {"pages": pages, "timeline": str(timeline)})


def make_search(book: Book) -> Document:
    """The prose of the main strand: `[["2/", "x-…", "text"], …]`, an entry an exchange."""
    entries: list[Json] = [
        [_inside(book, part), exchange.anchor, exchange.search_text]
        for part in book.main.parts
        for exchange in part.exchanges
        if exchange.search_text
    ]
    return make_data(urls.share_file(book.slug, SEARCH_NAME), entries)


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts of a part's messages as they were written, by anchor, where they are shown otherwise."""

    name: str
    """What their file is called, in the share's folder."""
    texts: dict[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, strand: Strand, part: Part) -> Sources:
        """Those of a part, none taken yet."""
        names = ["source", strand.branch, str(part.number) if part.number > 1 else None]
        return cls("-".join(filter(None, names)) + ".json")

    def take(self, fragment: str) -> str:
        """Takes the texts out of a fragment, whose messages name the file in their place."""
        return _SOURCE.sub(self._take, fragment) if " data-src=" in fragment else fragment

    def _take(self, match: re.Match[str]) -> str:
        self.texts[match[2]] = _unescaped(match[3])
        return f'{match[1]}{self.name}"'


def _unescaped(text: str) -> str:
    """The inverse of `markupsafe.escape`, which knows five references and not the whole of HTML."""
    for reference, char in _REFERENCES:
        text = text.replace(reference, char)
    return text


def make_sources(slug: str, parts: Iterable[Sources]) -> list[Document]:
    """For each part `{"m-…": "text as it was written"}` of its messages, if any is shown otherwise."""
    return [make_data(urls.share_file(slug, part.name), part.texts) for part in parts if part.texts]


def make_twins(documents: Iterable[Document]) -> list[Document]:
    """For each text a script that hands it over, for a page opened from disk may not fetch it."""
    return [Document(urls.twin(each.path), _call(each.data)) for each in documents]


def _call(data: bytes) -> bytes:
    return f"sitegenLate({json.dumps(data.decode('utf-8'), ensure_ascii=False)})\n".encode()


def _anchors(part: Part) -> list[str]:
    return [anchor for exchange in part.exchanges for anchor in dict.fromkeys((exchange.anchor, *exchange.anchors))]


def _outline(part: Part) -> list[Json]:
    return [[each.outline.anchor, each.outline.text] for each in part.exchanges if each.outline]


def _inside(book: Book, part: Part) -> str:
    """The way from the share's folder to the folder of the part: "" or "2/"."""
    return part.path.removeprefix(urls.share_folder(book.slug)).removesuffix("index.html")


def make_data(path: str, value: Json) -> Document:
    """`value` as JSON at `path`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Document(path, text.encode("utf-8", "replace"))
