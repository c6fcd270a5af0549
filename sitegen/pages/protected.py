"""The inside of a protected page: the same pages as an open share's, as one text and attachments under opaque ids.

The text is what the page's script decrypts first: a head with the page's own data, the frame around the conversation,
then group after group, cut where each may be shown. Further pages, outputs, data and files are attachments.
"""

from __future__ import annotations

import copy
import gzip
import html
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from sitegen import urls
from sitegen.model import ROOT, Card, Document, Exchange, Project, Share, ShareFile, Transcript
from sitegen.pages import indexes, late, shares
from sitegen.pages.frame import Frame
from sitegen.urls import Urls

CUT = "<!--cut-->"
"""Stands between pieces of a page, each of which may be shown by itself. No text in a page can hold it."""
BODY = "body"
"""What a link calls the first page, which is no attachment."""
PACKED = "application/gzip"

_GROUP = '<div class="group">'
_BODY = re.compile(r"<body([^>]*)>(.*)</body>", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_ROOT_DATA = re.compile(r' data-root="([^"]*)"')
_STRINGS = re.compile(r'<script type="application/json" id="strings">.*?</script>\n?', re.DOTALL)
_FILE_REFERENCE = re.compile(
    rf'(?P<attribute>src|href)="{re.escape(ROOT)}(?P<name>[if]/[^"#]*)"(?: download="(?P<saved>[^"]*)")?'
)

NameToId = Callable[[str], str]
"""An attachment's opaque id by its name within the share's folder."""


class ProtectedContent(Struct, frozen=True):
    """What is to be encrypted of a share: the body's HTML, and bytes with their media type by attachment id.

    An attachment of the type `application/gzip` is a page or data that the script unpacks.
    """

    html: str
    attachments: Mapping[str, tuple[bytes, str]]


class _InsideUrls(Urls, Struct, frozen=True):
    """Links as they work in a protected page, which is the only file of its folder."""

    folder: str = ""
    id_of: NameToId = str

    def link(self, page: str, target: str, *, anchor: str = "") -> str:
        if not target.startswith(self.folder):
            return Urls.link(self, f"{self.folder}index.html", target, anchor=anchor)
        if anchor and _strand(self.folder, page) == _strand(self.folder, target):
            return f"#{quote(anchor)}"
        name = target.removeprefix(self.folder)
        return f"#att-{BODY if name == 'index.html' else self.id_of(name)}" + (f"/{quote(anchor)}" if anchor else "")


def _strand(folder: str, path: str) -> str:
    """The folder of a strand's first part: an anchor is found by itself within its strand."""
    return re.sub(r"(^|/)\d+$", "", posixpath.dirname(path.removeprefix(folder)))


def protect_share(
    frame: Frame, share: Share, transcript: Transcript, around: shares.Around, *, id_of: NameToId
) -> ProtectedContent:
    """All of a share's pages, files and data."""
    inside = _inside(frame, urls.share_folder(share.slug), id_of)
    types = {file.name: file.media_type for file in transcript.files}
    documents = list(shares.make_documents(inside, share, _with_ids(transcript, types, id_of), around))
    files = [file for file in transcript.files if not file.name.startswith("o/")]
    return _gather(inside, documents, files)


def protect_project(frame: Frame, project: Project, cards: Sequence[Card], *, id_of: NameToId) -> ProtectedContent:
    """All pages of a project's index. `cards` say as much of a share as those may know who open the index."""
    inside = _inside(frame, urls.project_page(project.slug).removesuffix("index.html"), id_of)
    return _gather(inside, indexes.make_project(inside, project, cards), ())


def _inside(frame: Frame, folder: str, id_of: NameToId) -> Frame:
    """The same templates with other links."""
    inside = copy.copy(frame)
    inside.urls = _InsideUrls(frame.urls.base_url, frame.urls.offline, folder, id_of)
    return inside


def _with_ids(transcript: Transcript, types: Mapping[str, str], id_of: NameToId) -> Transcript:
    """The transcript with references to its files by their ids."""

    def reference(match: re.Match[str]) -> str:
        name, saved = match["name"], match["saved"]
        found = f'data-att="{id_of(name)}" data-type="{types.get(name, "")}"'
        found += f' data-name="{saved}"' if saved is not None else ""
        return found if match["attribute"] == "src" else f'href="#att-{id_of(name)}" {found}'

    def placed(text: str) -> str:
        return _FILE_REFERENCE.sub(reference, text) if ROOT in text else text

    def in_all(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
        return tuple(replace(each, html_file=placed(each.html).encode("utf-8", "surrogatepass")) for each in exchanges)

    return replace(
        transcript,
        exchanges=in_all(transcript.exchanges),
        branches=tuple(replace(each, exchanges=in_all(each.exchanges)) for each in transcript.branches),
        files=tuple(_placed_output(file, placed) if file.name.startswith("o/") else file for file in transcript.files),
    )


def _placed_output(file: ShareFile, placed: Callable[[str], str]) -> ShareFile:
    return replace(file, data=placed(bytes(file.data).decode("utf-8", "replace")).encode(), sha256="")


def _gather(frame: Frame, documents: Sequence[Document], files: Iterable[ShareFile]) -> ProtectedContent:
    folder, id_of = _place(frame)
    texts = {
        each.path.removeprefix(folder): bytes(each.data) for each in documents if each.path.endswith((".html", ".json"))
    }
    data = {name: id_of(name) for name in texts if name.endswith(".json")}
    pages = {name: _page(text.decode("utf-8"), data) for name, text in texts.items() if name.endswith(".html")}
    first = pages.pop("index.html")
    packed = {name: text.encode() for name, text in pages.items()}
    packed |= {name: _data(name, texts[name], id_of) for name in data}
    attachments = {id_of(name): (_packed(text), PACKED) for name, text in packed.items()}
    attachments |= {id_of(file.name): (bytes(file.data), file.media_type) for file in files}
    return ProtectedContent(first, attachments)


def _packed(text: bytes) -> bytes:
    return gzip.compress(text, compresslevel=6, mtime=0)


def _place(frame: Frame) -> tuple[str, NameToId]:
    if not isinstance(frame.urls, _InsideUrls):
        raise TypeError(type(frame.urls))
    return frame.urls.folder, frame.urls.id_of


def _page(text: str, data: Mapping[str, str]) -> str:
    """A whole page's text as pieces: its head, its frame, its groups of exchanges."""
    body, title = _BODY.search(text), _TITLE.search(text)
    attributes, inner = (body[1], _STRINGS.sub("", body[2])) if body else ("", text)
    files = Markup(' data-files="{}"').format(json.dumps(data, separators=(",", ":"))) if data else ""
    name = escape(html.unescape(title[1])) if title else ""
    root = _ROOT_DATA.search(attributes)
    # Empty on the first page only; a further one completes its outline from the map.
    way = ' data-root="./"' if root and root[1] else ' data-root=""'
    head = f'<div id="page" title="{name}"{_ROOT_DATA.sub("", attributes)}{way}{files}></div>'
    start, end, after = inner.partition("<!--end-->")
    before, *groups = start.split(_GROUP)
    return CUT.join([head, before + end + after, *(_GROUP + group for group in groups)])


def _data(name: str, text: bytes, id_of: NameToId) -> bytes:
    """Data for the scripts, in which pages are no longer files."""
    match name:
        case late.MAP_NAME:
            whole = json.loads(text)
            whole["pages"] = [_mapped(page, id_of) for page in whole["pages"]]
            return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
        case late.SEARCH_NAME:
            # "2/../" still tells the part's number, and leads to the page itself.
            entries = [[f"{href}../" if href else "", *rest] for href, *rest in json.loads(text)]
            return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
        case _:
            return text


def _mapped(page: dict[str, object], id_of: NameToId) -> dict[str, object]:
    href = str(page["href"])
    is_main = re.fullmatch(r"(\d+/)?", href) is not None
    return {**page, "href": "" if is_main else "./", "att": id_of(f"{href}index.html") if href else BODY}
