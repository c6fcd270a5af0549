"""An item drawn and written."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.model import Message
from sitegen.render.done import draw_run
from sitegen.render.drawing import Drawing
from sitegen.render.fragments import Piece, Written
from sitegen.render.items import Adrift, Answer, Aside, ForkMark, Item, Prompt, Run
from sitegen.render.json_export import write_line
from sitegen.render.markdown_export import write_blocks
from sitegen.render.said import draw_adrift, draw_answer, draw_aside, draw_fork, draw_prompt


def draw_item(item: Item, drawing: Drawing, *, is_all: bool) -> tuple[Piece, ...]:
    """An item on the page; the drawing has what the exports say. `is_all` opens a run, for no answer followed."""
    drawing.steps.clear()
    pieces = tuple(drawing.piece(message, html) for message, html in _drawn(item, drawing, is_all=is_all))
    drawing.note(item, Written(write_blocks(item, drawing), write_line(item, drawing)))
    return pieces


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
