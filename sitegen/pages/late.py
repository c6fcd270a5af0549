"""What a page's script loads when it needs it: where anchors stand, the search index; their twins for sites on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sitegen import urls
from sitegen.model import Document, Json
from sitegen.pages.parts import Book, Part

MAP_NAME = "map.json"
SEARCH_NAME = "search.json"


def make_map(book: Book) -> Document:
    """Every page of a share with its anchors and its outline.

    `{"pages": [{"href": "2/", "anchors": "x-… m-…", "outline": [["x-…", "first line"], …]}, …]}`; `href` starts from
    the share's folder.
    """
    pages: Json = [
        {"href": _inside(book, part), "anchors": " ".join(_anchors(part)), "outline": _outline(part)}
        for strand in book.strands
        for part in strand.parts
    ]
    return make_data(urls.share_file(book.slug, MAP_NAME), {"pages": pages})


def make_search(book: Book) -> Document:
    """The prose of the main strand: `[["2/", "x-…", "text"], …]`, an entry an exchange."""
    entries: list[Json] = [
        [_inside(book, part), exchange.anchor, exchange.search_text]
        for part in book.main.parts
        for exchange in part.exchanges
        if exchange.search_text
    ]
    return make_data(urls.share_file(book.slug, SEARCH_NAME), entries)


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
