"""What a page's script loads when it needs it: where anchors stand, the search index, texts as they were written; their
twins for sites on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from markupsafe import Markup

from sitegen import urls
from sitegen.model import Document, Json
from sitegen.pages.parts import Book, Part, Strand

MAP_NAME = "map.json"
SEARCH_NAME = "search.json"


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
    entries = [
        _packed([_inside(book, part), exchange.anchor, exchange.search_text])
        for part in book.main.parts
        for exchange in part.exchanges
        if exchange.search_file
    ]
    return Document(urls.share_file(book.slug, SEARCH_NAME), b"[%b]" % b",".join(entries))


def sources_name(strand: Strand, part: Part) -> str:
    """What the file with the texts of a part's messages as they were written is called, in the share's folder."""
    names = ["source", strand.branch, str(part.number) if part.number > 1 else None]
    return "-".join(filter(None, names)) + ".json"


def make_sources(book: Book) -> Iterator[Document]:
    """For each part `{"m-…": "text as it was written"}` of its messages, if any is shown otherwise."""
    for strand in book.strands:
        for part in strand.parts:
            if members := [bytes(each.sources_file) for each in part.exchanges if each.sources_file]:
                yield Document(urls.share_file(book.slug, sources_name(strand, part)), b"{%b}" % b",".join(members))


def make_twin(document: Document) -> Document:
    """A script that hands the document's text over, for a page opened from disk may not fetch it."""
    return Document(urls.twin(document.path), _call(bytes(document.data)))


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
    return Document(path, _packed(value))


def _packed(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
