"""A whole path of a conversation drawn, by other processes too if they help; and a subagent's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sitegen.model import Exchange
from sitegen.render.drawing import Drawing, Nested
from sitegen.render.exchanges import draw_group, groups
from sitegen.render.items import Item
from sitegen.render.markdown_export import quoted
from sitegen.render.together import Help, draw_together


def draw_path(
    message_ids: Sequence[str], items: list[Item], drawing: Drawing, help: Help | None = None
) -> tuple[Exchange, ...]:
    """The exchanges of one path. Together they count every message of it once. `help` draws some of them meanwhile.

    Items are let go of as they're drawn: nothing is left in the list.
    """
    fragments = drawing.ctx.fragments
    found = groups(items)
    keyed = list(draw_together(found, drawing, help) if help else (draw_group(group, drawing) for group in found))
    if not fragments.is_off:
        fragments.paths.append(keyed)
    drawn = [fragment for _, fragment in keyed]
    for fragment in drawn:
        drawing.add(fragment)
    places = {message_id: place for place, message_id in enumerate(message_ids)}
    starts = [places[message_id] for fragment in drawn for message_id in fragment.begins]
    ends = [*starts[1:], len(message_ids)]
    # Whatever stands before the first item belongs to it.
    counts = (end - start for start, end in zip([0, *starts[1:]], ends, strict=False))
    exchanges = (exchange for fragment in drawn for exchange in fragment.exchanges)
    return tuple(replace(exchange, messages=count) for exchange, count in zip(exchanges, counts, strict=False))


def draw_thread(items: list[Item], drawing: Drawing, *, anchor: str, summarise: Callable[[], str]) -> Nested:
    """A subagent's thread as one fold that holds its exchanges. `summarise` gives its line once all is drawn."""
    keyed = [draw_group(group, drawing) for group in groups(items)]
    for key, fragment in keyed:
        drawing.add(fragment)
        if key is not None:
            drawing.ctx.fragments.nested[key] = fragment
    exchanges = [exchange for _, fragment in keyed for exchange in fragment.exchanges]
    html = "".join(exchange.html for exchange in exchanges)
    anchors = (anchor, *(each for exchange in exchanges for each in (exchange.anchor, *exchange.anchors)))
    summary = f"<summary>{summarise()}</summary>"
    html = f'<details class="agent" id="{anchor}">{summary}<div class="nested">{html}</div></details>'
    blocks = [f"**{drawing.ctx.t('render.subagent')}**", *(bytes(each.markdown).decode() for each in drawing.written)]
    sources = b",".join(bytes(exchange.sources_file) for exchange in exchanges if exchange.sources_file)
    return Nested(html, anchors, quoted(filter(None, blocks)), sources)
