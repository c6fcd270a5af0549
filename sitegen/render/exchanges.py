"""Items drawn and gathered into exchanges: a prompt and all that came of it, as one fragment.

An exchange that grows too long for a page goes on in a second one that has no prompt of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from sitegen.model import Exchange, OutlineEntry
from sitegen.render.context import Context
from sitegen.render.drawing import Drawing, Nested
from sitegen.render.drawn import draw_item
from sitegen.render.fragments import Piece
from sitegen.render.items import QUIET, Answer, Aside, ForkMark, Item, Prompt, Run
from sitegen.render.markdown_export import quoted
from sitegen.render.sources import take_sources
from sitegen.render.text import first_line

EXCHANGE_BYTES = 200_000
_OUTLINE_LIMIT = 120
_HEAD = 4_000
"""Characters of a prompt in which its first line is looked for."""
_MARKS = re.compile(r"^\s*(?:#{1,6}|>)\s+|(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)|(?<!`)`(?!`)", re.MULTILINE)
"""Marks of Markdown that say nothing in a line of plain text."""
_MARKING = "#>*~`"
"""What they are made of."""


def draw_path(message_ids: Sequence[str], items: list[Item], drawing: Drawing) -> tuple[Exchange, ...]:
    """The exchanges of one path. Together they count every message of it once.

    Items are let go of as they're drawn: nothing is left in the list.
    """
    places = {message_id: place for place, message_id in enumerate(message_ids)}
    drawn = [(places[draft.message_id], _parted(draft.exchange())) for draft in _drafts(items, drawing)]
    starts = [place for place, _ in drawn]
    ends = [*starts[1:], len(message_ids)]
    # Whatever stands before the first item belongs to it.
    counts = [end - start for start, end in zip([0, *starts[1:]], ends, strict=True)] if drawn else []
    return tuple(replace(exchange, messages=count) for (_, exchange), count in zip(drawn, counts, strict=True))


def _parted(exchange: Exchange) -> Exchange:
    """The exchange with the texts aside that are shown otherwise than they were written."""
    html, sources = take_sources(bytes(exchange.html_file))
    return replace(exchange, html_file=html, sources_file=sources)


def draw_thread(items: list[Item], drawing: Drawing, *, anchor: str, summarise: Callable[[], str]) -> Nested:
    """A subagent's thread as one fold that holds its exchanges. `summarise` gives its line once all is drawn."""
    exchanges = [draft.exchange() for draft in _drafts(items, drawing)]
    html = "".join(exchange.html for exchange in exchanges)
    anchors = (anchor, *(each for exchange in exchanges for each in (exchange.anchor, *exchange.anchors)))
    summary = f"<summary>{summarise()}</summary>"
    html = f'<details class="agent" id="{anchor}">{summary}<div class="nested">{html}</div></details>'
    blocks = [f"**{drawing.ctx.t('render.subagent')}**", *(each.markdown.decode() for each in drawing.written)]
    return Nested(html, anchors, quoted(filter(None, blocks)))


@dataclass(slots=True)
class _Draft:
    """An exchange under work: its pieces so far."""

    anchor: str
    message_id: str
    outline: OutlineEntry | None = None
    is_continued: bool = False
    pieces: list[Piece] = field(default_factory=list)
    size: int = 0

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.size += piece.size

    def exchange(self) -> Exchange:
        """The exchange, without its count of messages."""
        kind = "exchange continued" if self.is_continued else "exchange"
        head = f'<section class="{kind}" id="{self.anchor}">'.encode()
        texts = [each for piece in self.pieces for each in piece.texts]
        starts = accumulate((len(each.text) + 1 for each in texts[:-1]), initial=0)
        return Exchange(
            anchor=self.anchor,
            html_file=b"".join([head, *(piece.html for piece in self.pieces), b"</section>"]),
            messages=0,
            anchors=tuple(anchor for piece in self.pieces for anchor in piece.anchors),
            outline=self.outline,
            marks=tuple(mark for piece in self.pieces for mark in piece.marks),
            search_file="\n".join(each.text for each in texts).encode("utf-8", "surrogatepass"),
            said=tuple((each.anchor, start) for each, start in zip(texts, starts, strict=False)),
        )


def _groups(items: list[Item]) -> Iterator[list[Item]]:
    """Items by exchange, taken out of the list: each starts with its prompt, or with what leads to it."""
    items.reverse()
    group: list[Item] = []
    while items:
        item = items.pop()
        if not isinstance(item, Prompt):
            group.append(item)
            continue
        lead: list[Item] = []
        while group and _leads(group[-1]):
            lead.insert(0, group.pop())
        if group:
            yield group
        group = [*lead, item]
    if group:
        yield group


def _arranged(group: Sequence[Item]) -> list[Item]:
    """The items of an exchange as they're shown: its prompt first, or the fork that the prompt stands at."""
    at = next((at for at, item in enumerate(group) if isinstance(item, Prompt)), 0)
    forks = [item for item in group[:at] if isinstance(item, ForkMark)]
    others = [item for item in group[:at] if not isinstance(item, ForkMark)]
    return [*forks, *group[at : at + 1], *others, *group[at + 1 :]]


def _leads(item: Item) -> bool:
    """Whether an item right before a prompt belongs to it: a fork, or what the program said along with it."""
    return isinstance(item, ForkMark) or (isinstance(item, Aside) and item.note.kind in QUIET and not item.note.failed)


def _drafts(items: list[Item], drawing: Drawing) -> Iterator[_Draft]:
    for group in _groups(items):
        yield from _exchange(_arranged(group), drawing)
        drawing.write(group)


def _exchange(group: Sequence[Item], drawing: Drawing) -> Iterator[_Draft]:
    draft = _begin(group[0].message.id, drawing)
    prompt = next((item for item in group if isinstance(item, Prompt)), None)
    if prompt is not None:
        draft.outline = OutlineEntry(draft.anchor, headline(prompt, drawing.ctx), prompt.message.created_at)
    for piece in _pieces(group, drawing):
        if draft.size >= EXCHANGE_BYTES:
            yield draft
            draft = _begin(piece.message_id, drawing)
            draft.is_continued = True
        draft.add(piece)
    yield draft


def _begin(message_id: str, drawing: Drawing) -> _Draft:
    return _Draft(drawing.exchange_anchor(message_id), message_id)


def headline(prompt: Prompt, ctx: Context) -> str:
    """A prompt in one line of plain text."""
    words = (f"{prompt.command} {prompt.text}".strip() if prompt.command else prompt.text)[:_HEAD]
    if any(mark in words for mark in _MARKING):
        words = _MARKS.sub("", words)
    names = (file.filename for file in prompt.attachments if file.filename)
    return first_line(words or next(names, ""), _OUTLINE_LIMIT) or ctx.t("render.images_only")


def _pieces(group: Sequence[Item], drawing: Drawing) -> Iterator[Piece]:
    is_unanswered = not any(isinstance(item, Answer) for item in group)
    last_run = next((item for item in reversed(group) if isinstance(item, Run)), None)
    for item in group:
        yield from draw_item(item, drawing, is_all=is_unanswered and item is last_run).pieces
