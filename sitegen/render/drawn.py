"""An item drawn and written, or found as it was drawn before."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.model import Message
from sitegen.render.done import draw_run
from sitegen.render.drawing import Drawing
from sitegen.render.fragments import Fragment, Written, fragment_key
from sitegen.render.items import Adrift, Answer, Aside, Call, ForkMark, Item, Prompt, Run
from sitegen.render.json_export import write_line
from sitegen.render.markdown_export import write_blocks
from sitegen.render.said import draw_adrift, draw_answer, draw_aside, draw_fork, draw_prompt


def draw_item(item: Item, drawing: Drawing, *, is_all: bool) -> Fragment:
    """What an item is on the page and in the exports. `is_all` opens a run, for no answer followed."""
    fragment = _found_or_drawn(item, drawing, is_all=is_all)
    drawing.add(item, fragment)
    return fragment


def _found_or_drawn(item: Item, drawing: Drawing, *, is_all: bool) -> Fragment:
    fragments = drawing.ctx.fragments
    if fragments.is_off or not _is_alone(item, drawing):
        return _draw(item, drawing, is_all=is_all)
    key = fragment_key(item, drawing.terms, drawing.state, is_all)
    if key is None:
        return _draw(item, drawing, is_all=is_all)
    found = fragments.find(key)
    if found is not None and drawing.takes(found):
        fragments.keep(key, found)
        return found
    fragment = _draw(item, drawing, is_all=is_all)
    if not drawing.has_clashed:
        fragments.keep(key, fragment)
    return fragment


def _is_alone(item: Item, drawing: Drawing) -> bool:
    """Whether nothing else of the conversation stands in an item: no subagent, no way to another path."""
    if isinstance(item, Run):
        return not any(isinstance(entry, Call) and entry.paired.anchor in drawing.nested for entry in item.entries)
    return not isinstance(item, ForkMark | Adrift)


def _draw(item: Item, drawing: Drawing, *, is_all: bool) -> Fragment:
    drawing.begin()
    pieces = tuple(drawing.piece(message, html) for message, html in _drawn(item, drawing, is_all=is_all))
    return drawing.end(pieces, Written(write_blocks(item, drawing), write_line(item, drawing)))


def _drawn(item: Item, drawing: Drawing, *, is_all: bool) -> Iterator[tuple[Message, str]]:
    match item:
        case Prompt():
            yield item.message, draw_prompt(item, drawing)
        case Answer():
            yield item.message, draw_answer(item, drawing)
        case Aside():
            yield item.message, draw_aside(item, drawing)
        case ForkMark():
            yield item.message, draw_fork(item.message, drawing)
        case Adrift():
            yield item.message, draw_adrift(item, drawing)
        case Run():
            yield from draw_run(item, drawing, is_all=is_all)
