"""Items drawn and gathered into exchanges: a prompt and all that came of it, as one fragment.

An exchange that grows too long for a page goes on in a second one that has no prompt of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct, field

from sitegen.model import Exchange, OutlineEntry
from sitegen.render.context import Context
from sitegen.render.drawing import Drawing
from sitegen.render.drawn import draw_item
from sitegen.render.fragments import Keyed, Piece, fragment_key
from sitegen.render.items import QUIET, Answer, Aside, ForkMark, Item, Prompt, Run
from sitegen.render.text import first_line

EXCHANGE_BYTES = 200_000
_OUTLINE_LIMIT = 120
_HEAD = 4_000
"""Characters of a prompt in which its first line is looked for."""
_MARKS = re.compile(r"^\s*(?:#{1,6}|>)\s+|(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)|(?<!`)`(?!`)", re.MULTILINE)
"""Marks of Markdown that say nothing in a line of plain text."""
_MARKING = "#>*~`"
"""What they are made of."""


def draw_group(group: Sequence[Item], drawing: Drawing) -> Keyed:
    """A prompt and all that came of it, drawn or found as they were drawn before."""
    fragments = drawing.ctx.fragments
    key = None if fragments.is_off else _key(group, drawing)
    known = None if key is None else fragments.known.get(key)
    if known is not None and drawing.takes(known):
        return key, known
    drawing.begin()
    drafts = list(_exchange(arranged(group), drawing))
    exchanges = [draft.exchange() for draft in drafts]
    fragment = drawing.end(group, exchanges, [draft.message_id for draft in drafts])
    return None if drawing.has_clashed else key, fragment


def _key(group: Sequence[Item], drawing: Drawing) -> str | None:
    """Names all that a fragment is made of: items, what came before, and what of others stands in it."""
    choices = [drawing.choices.get(item.message.id) for item in group if isinstance(item, ForkMark)]
    nested = [agent.digest for item in group for agents in drawing.within(item).values() for agent in agents]
    return fragment_key(group, drawing.terms, drawing.state, choices, nested)


class _Draft(Struct):
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
            sources_file=b",".join([source for piece in self.pieces for source in piece.sources]),
            anchors=tuple(anchor for piece in self.pieces for anchor in piece.anchors),
            outline=self.outline,
            marks=tuple(mark for piece in self.pieces for mark in piece.marks),
            search_file="\n".join(each.text for each in texts).encode("utf-8", "surrogatepass"),
            said=tuple((each.anchor, start) for each, start in zip(texts, starts, strict=False)),
        )


def groups(items: list[Item]) -> Iterator[list[Item]]:
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


def arranged(group: Sequence[Item]) -> list[Item]:
    """The items of an exchange as they're shown: its prompt first, or the fork that the prompt stands at."""
    at = next((at for at, item in enumerate(group) if isinstance(item, Prompt)), 0)
    forks = [item for item in group[:at] if isinstance(item, ForkMark)]
    others = [item for item in group[:at] if not isinstance(item, ForkMark)]
    return [*forks, *group[at : at + 1], *others, *group[at + 1 :]]


def _leads(item: Item) -> bool:
    """Whether an item right before a prompt belongs to it: a fork, or what the program said along with it."""
    return isinstance(item, ForkMark) or (isinstance(item, Aside) and item.note.kind in QUIET and not item.note.failed)


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
        yield from draw_item(item, drawing, is_all=is_unanswered and item is last_run)
