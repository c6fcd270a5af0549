"""The documents of one share: its parts and branches, heavy outputs, exports, files; or the tombstone in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from sitegen import urls
from sitegen.model import ROOT, SOURCES, Card, Document, Exchange, Gate, Share, ShareFile, Show, Transcript
from sitegen.pages import charts, facts, late
from sitegen.pages.frame import Frame, Link, stand_ins
from sitegen.pages.parts import Book, Part, Strand, bind, groups
from sitegen.pages.posters import poster_address

_MARK = re.compile(f"(?P<sources>{SOURCES})|{ROOT}".encode() + rb'(?P<name>[^"#\s]*)(?:#(?P<anchor>[^"\s]*))?')
_HEADING = re.compile(rb"<h([3-6])\b")
_VIEWS = {
    Show.ALL: ("conversation", "calls", "everything"),
    Show.CALLS: ("conversation", "calls"),
    Show.CONVERSATION: (),
}


class Around(Struct, frozen=True):
    """What a share's pages link to outside of it."""

    is_project_listed: bool = False
    parent: Card | None = None
    children: tuple[Card, ...] = ()


def make_documents(frame: Frame, share: Share, transcript: Transcript, around: Around) -> Iterator[Document]:
    """Every file of a share's folder, its pages first; a gated share has no exports.

    One after the other: those of a long conversation would take as much memory as all else.
    """
    book = bind(share.slug, transcript)
    pages = (
        _page(frame, share, transcript, around, book=book, strand=strand, part=part)
        for strand in book.strands
        for part in strand.parts
    )
    yield next(pages)
    yield from _with_twins(frame, pages)
    title = share.title or transcript.facts.title
    for file in transcript.files:
        document = _file(frame, share, book, file, title=title)
        yield from _with_twins(frame, [document]) if file.name.startswith("o/") else [document]
    yield from _exports(share, transcript)
    yield from _with_twins(frame, _data(frame, book))
    yield from _with_twins(frame, late.make_sources(book))


def _with_twins(frame: Frame, documents: Iterable[Document]) -> Iterator[Document]:
    """What pages load, each with its twin on a site that is read from disk."""
    for document in documents:
        yield document
        if frame.urls.offline:
            yield late.make_twin(document)


def make_tombstone(frame: Frame, share: Share) -> Document:
    """The page of an expired share: that it expired, and the way home."""
    return frame.document(urls.share_page(share.slug), "tombstone.html", is_indexed=False)


def is_indexed(share: Share) -> bool:
    """Whether search engines may list the share: when its owner lists it, and everyone may read it."""
    return share.listed and not share.is_gated


def _page(
    frame: Frame,
    share: Share,
    transcript: Transcript,
    around: Around,
    *,
    book: Book,
    strand: Strand,
    part: Part,
) -> Document:
    is_first = part.number == 1
    shown = [_group(frame, book, strand, part, group) for group in groups(part.exchanges)]
    return frame.document(
        part.path,
        "share.html" if is_first and strand.branch is None else "part.html",
        shown,
        is_indexed=is_indexed(share),
        title=share.title or transcript.facts.title,
        share=share,
        part=part.number,
        branch=strand.branch,
        root=urls.root_of(part.path, book.slug),
        views=_VIEWS[share.show],
        has_map=_has_map(book),
        has_search=len(book.main.parts) > 1,
        groups=stand_ins(len(shown)),
        outline=_outline(frame, strand, part),
        timeline=charts.timeline(_stops(frame, strand, part)),
        start=_to_start(frame, book, part, strand),
        previous=_neighbour(frame, strand, part, -1),
        next=_neighbour(frame, strand, part, +1),
        **_head(frame, share, transcript, around, part=part),
    )


def _head(frame: Frame, share: Share, transcript: Transcript, around: Around, *, part: Part) -> dict[str, object]:
    """What only a share's first page shows, besides the conversation."""
    known = transcript.facts
    return {
        "facts": facts.header(frame.t, frame.dates, known),
        "details": facts.details(frame.t, frame.dates, known),
        "left_out": facts.left_out(frame.t, known.hidden),
        "project": _project(frame, share, around, part),
        "description": known.first_prompt,
        "poster": poster_address(frame, share),
        "parent": _related(frame, part, around.parent) if around.parent else None,
        "children": [_related(frame, part, card) for card in around.children],
        "markdown": None if share.is_gated else _export(frame, share, part, "conversation.md"),
        "json": None if share.is_gated else _export(frame, share, part, "conversation.json"),
    }


def _export(frame: Frame, share: Share, part: Part, name: str) -> str:
    return frame.link(part.path, urls.share_file(share.slug, name))


def _related(frame: Frame, part: Part, card: Card) -> Link:
    return Link(frame.link(part.path, urls.share_page(card.slug)), card.title)


def _project(frame: Frame, share: Share, around: Around, part: Part) -> Link | None:
    if share.project is None or not share.project.name:
        return None
    if share.project.is_gated and not share.is_inherited:  # its name is for those who have opened it
        return None
    has_index = around.is_project_listed and share.project.gate is Gate.NONE
    href = frame.link(part.path, urls.project_page(share.project.slug)) if has_index else ""
    return Link(href, share.project.name)


def _neighbour(frame: Frame, strand: Strand, part: Part, step: int) -> Link | None:
    index = part.number - 1 + step
    if not 0 <= index < len(strand.parts):
        return None
    return Link(frame.link(part.path, strand.parts[index].path), frame.t("pages.part", number=index + 1))


def _to_start(frame: Frame, book: Book, part: Part, strand: Strand) -> str:
    """Back to the share's first page, from any other."""
    first = urls.share_page(book.slug)
    return "" if part.number == 1 and strand.branch is None else frame.link(part.path, first)


def _has_map(book: Book) -> bool:
    return sum(len(strand.parts) for strand in book.strands) > 1


def _shown(strand: Strand, part: Part) -> Iterator[tuple[Part, Exchange]]:
    """The first page of a strand shows the way through all of it, a further part through itself."""
    for each in strand.parts if part.number == 1 else (part,):
        for exchange in each.exchanges:
            yield each, exchange


def _outline(frame: Frame, strand: Strand, part: Part) -> list[Link]:
    return [
        Link(frame.link(part.path, where.path, anchor=exchange.outline.anchor), exchange.outline.text)
        for where, exchange in _shown(strand, part)
        if exchange.outline
    ]


def _stops(frame: Frame, strand: Strand, part: Part) -> list[charts.Stop]:
    return [
        charts.Stop(
            frame.link(part.path, where.path, anchor=exchange.anchor),
            exchange.outline.text if exchange.outline else "",
            tuple(
                [
                    (mark, frame.link(part.path, where.path, anchor=mark.anchor) if mark.kind == "error" else "")
                    for mark in exchange.marks
                ]
            ),
        )
        for where, exchange in _shown(strand, part)
    ]


def _group(frame: Frame, book: Book, strand: Strand, part: Part, group: tuple[Exchange, ...]) -> bytes:
    html = b"\n".join([bytes(exchange.html_file) for exchange in group])
    return _placed(frame, book, part.path, html, branch=strand.branch, sources=late.sources_name(strand, part))


def _placed(frame: Frame, book: Book, page: str, html: bytes, *, branch: str | None = None, sources: str = "") -> bytes:
    """A fragment as it stands on `page`: its references to the share's own files and pages, and to `sources`."""

    def put(mark: re.Match[bytes]) -> bytes:
        if mark["sources"]:
            return sources.encode()
        name, anchor = mark["name"].decode(), (mark["anchor"] or b"").decode()
        target = _target(book, name, anchor, branch)
        return (frame.link(page, target, anchor=anchor) if target else f"#{anchor}").encode()

    pieces, done, at = [], 0, html.find(b"\0")
    while at >= 0:  # a pattern takes ten times as long to find the next mark
        mark = _MARK.match(html, at)
        if mark:
            pieces += [html[done:at], put(mark)]
            done = mark.end()
        at = html.find(b"\0", mark.end() if mark else at + 1)
    return b"".join([*pieces, html[done:]])


def _target(book: Book, name: str, anchor: str, branch: str | None) -> str | None:
    """The path that `ROOT + name + #anchor` means: a file, a branch's page, or wherever the anchor stands."""
    if name and not name.endswith("/"):
        return urls.share_file(book.slug, name)
    wanted = name.rstrip("/") or None
    found = book.find(anchor, wanted) if anchor else None
    return found or urls.share_page(book.slug, branch=wanted)


def _file(frame: Frame, share: Share, book: Book, file: ShareFile, *, title: str) -> Document:
    path = urls.share_file(share.slug, file.name)
    if not file.name.startswith("o/"):
        return Document(path, file.data, file.sha256)
    return frame.document(
        path,
        "output.html",
        [_placed(frame, book, path, _raised(bytes(file.data)))],
        is_indexed=False,
        title=title,
        back=frame.link(path, urls.share_page(share.slug)),
        content=stand_ins(1)[0],
    )


def _raised(html: bytes) -> bytes:
    """A fragment whose highest heading is of rank 3, as its page wants it; a subagent's may begin lower."""
    ranks = {int(rank) for rank in _HEADING.findall(html)}
    by = min(ranks, default=3) - 3
    return re.sub(rb"(</?h)([4-6])\b", lambda match: b"%b%d" % (match[1], int(match[2]) - by), html) if by > 0 else html


def _exports(share: Share, transcript: Transcript) -> Iterator[Document]:
    if not share.is_gated:
        markdown, json = transcript.export_hashes
        yield Document(urls.share_file(share.slug, "conversation.md"), transcript.markdown_file, markdown)
        yield Document(urls.share_file(share.slug, "conversation.json"), transcript.json_file, json)


def _data(frame: Frame, book: Book) -> Iterator[Document]:
    if not _has_map(book):
        return
    whole = charts.timeline(_stops(frame, book.main, book.main.parts[0]))
    yield late.make_map(book, whole)
    if len(book.main.parts) > 1:
        yield late.make_search(book)
