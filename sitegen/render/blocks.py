"""Markdown blocks, from tokens to HTML: paragraphs, headings, lists, tables, fences, formulas, footnotes.

Headings begin below the message's own. Writes no style and no handler; an alignment is a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup, escape

from sitegen.render.code import render_code
from sitegen.render.formulas import closer_of
from sitegen.render.inlines import plain_text, simply, write_inline
from sitegen.render.links import slug_of
from sitegen.render.mathml import to_mathml
from sitegen.render.plain import Item
from sitegen.render.sheet import Note, Sheet
from sitegen.render.tokens import Table, Token, texts

_INNER_LINK = re.compile(r"[(<:]\s*#")
_TASK = re.compile(r"\[([ xX])\](?=\s)")
_DIAGRAMS = {
    "mermaid": "Mermaid",
    "plantuml": "PlantUML",
    "puml": "PlantUML",
    "dot": "Graphviz",
    "graphviz": "Graphviz",
    "d2": "D2",
    "vega-lite": "Vega-Lite",
}
_CONSTANT = {
    "bullet_list_open": "<ul>\n",
    "bullet_list_close": "</ul>\n",
    "ordered_list_close": "</ol>\n",
    "list_item_close": "</li>\n",
    "blockquote_close": "</blockquote>\n",
    "hr": "<hr>\n",
}


def write_blocks(sheet: Sheet, tokens: Sequence[Token]) -> Markup:
    """The HTML of all `tokens`, the footnotes at its end."""
    _survey(sheet, tokens)
    for index, token in enumerate(tokens):
        constant = _CONSTANT.get(token.type)
        if constant is not None:
            sheet.out.append(constant)
        else:
            _HANDLERS[token.type](sheet, tokens, index)
    _write_notes(sheet)
    return Markup("".join(sheet.out))


def _survey(sheet: Sheet, tokens: Sequence[Token]) -> None:
    """Find out which levels of headings there are, and which headings this message links to."""
    headings = [index for index, token in enumerate(tokens) if token.type == "heading_open"]
    if not headings:
        return
    sheet.heading_tags = dict(_ranked(tokens, sheet.heading_level))
    if _INNER_LINK.search(sheet.source) is None:
        return
    wanted = {slug_of(target) for target in _targets(tokens) if target.startswith("#")}
    for index in headings:
        slug = slug_of(plain_text(tokens[index + 1].children or ()))
        if slug in wanted and slug not in sheet.heading_ids:
            sheet.heading_ids[slug] = sheet.anchors[index] = f"{sheet.prefix}-h-{slug}"


def _ranked(tokens: Sequence[Token], highest: int) -> Iterator[tuple[int, str]]:
    """The tag of each heading: levels in use follow each other, and none is left out on the way down.

    A footnote's are all of the highest rank, for it's shown elsewhere than it was written.
    """
    levels = sorted({token.tag for token in tokens if token.type == "heading_open"})
    last, is_aside = highest - 1, False
    for index, token in enumerate(tokens):
        if token.type in ("footnote_reference_open", "footnote_reference_close"):
            is_aside = token.type == "footnote_reference_open"
        if token.type == "heading_open":
            rank = 0 if is_aside else levels.index(token.tag)
            level = min(highest + rank, last + 1, 6)
            last = last if is_aside else level
            yield index, f"h{max(level, highest)}"


def _targets(tokens: Sequence[Token]) -> Iterator[str]:
    for text in texts(tokens):
        yield from (str(child.attrs["href"]) for child in text.children or () if child.type == "link_open")


def _inline(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    write_inline(sheet, tokens[index])


def _paragraph_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    if not tokens[index].hidden:
        # The first paragraph of an item or a quotation gives its direction to the whole, and so has none of its own.
        leads = index > 0 and tokens[index - 1].type in ("list_item_open", "blockquote_open")
        sheet.out.append("<p>" if leads else f"<p{sheet.direction}>")
    if sheet.task_box:
        sheet.out.append(sheet.take_task_box())


def _paragraph_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    if not tokens[index].hidden:
        sheet.out.append("</p>\n")
    elif tokens[index + 1].type != "list_item_close":
        sheet.out.append("\n")


def _heading_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    anchor = sheet.anchors.get(index)
    named = f' id="{escape(anchor)}"' if anchor else ""
    sheet.out.append(f"<{sheet.heading_tags[index]}{named}{sheet.direction}>")


def _heading_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(f"</{sheet.heading_tags[index - 2]}>\n")


def _ordered_list_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(_ordered(int(tokens[index].attrs.get("start", 1))))


def _ordered(start: int) -> str:
    return "<ol>\n" if start == 1 else f'<ol start="{start}">\n'


def _plain_paragraph(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(f"<p{sheet.direction}>{simply(sheet, tokens[index].content)}</p>\n")


def _plain_list(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    closers: list[str] = []
    items: list[Item] = tokens[index].meta["items"]
    breaks = False
    for item in items:
        depth, number, text = item.depth, item.number, item.text
        if depth < len(closers):
            sheet.out.append("</li>\n")
        elif breaks:
            sheet.out.append("\n")
        while depth < len(closers) - 1:
            sheet.out.append(f"{closers.pop()}</li>\n")
        if depth == len(closers):
            sheet.out.append("<ul>\n" if number is None else _ordered(number))
            closers.append("</ul>\n" if number is None else "</ol>\n")
        box = _TASK.match(text)
        sheet.out.append(f"<li{sheet.direction}>" if box is None else _task_open(sheet, is_done=box[1] != " "))
        shown = f"{sheet.take_task_box()}{simply(sheet, text[box.end() :] if box else text)}"
        sheet.out.append(f"<p>{shown}</p>\n" if item.is_loose else shown)
        breaks = not item.is_loose
    sheet.out.append("".join(f"</li>\n{closer}" for closer in reversed(closers)))


def _item_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    task = _take_task(tokens, index)
    sheet.out.append(f"<li{sheet.direction}>" if task is None else _task_open(sheet, is_done=task))


def _task_open(sheet: Sheet, *, is_done: bool) -> str:
    key, sign = ("prose.task_done", "☑") if is_done else ("prose.task_open", "☐")
    label = escape(sheet.ctx.t(key))
    sheet.task_box = f'<span role="img" aria-label="{label}">{sign}</span>'
    return f'<li class="task"{sheet.direction}>'


def _take_task(tokens: Sequence[Token], index: int) -> bool | None:
    """Whether the item is a task that is done (None: no task); its box is taken out of the text."""
    if index + 2 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    children = tokens[index + 2].children or []
    match = _TASK.match(children[0].content) if children and children[0].type == "text" else None
    if match is None:
        return None
    children[0].content = children[0].content[match.end() :]
    return match[1] != " "


def _quote_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(f"<blockquote{sheet.direction}>\n")


def _table(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    table: Table = tokens[index].meta["table"]
    classes = [_cell_class(sheet, alignment) for alignment in table.alignments]
    head, *body = table.rows
    sheet.out.append('<div class="table" tabindex="0"><table>\n<thead>')
    _row(sheet, "th", classes, head)
    sheet.out.append("</thead>\n")
    if body:
        sheet.out.append("<tbody>")
        for row in body:
            _row(sheet, "td", classes, row)
        sheet.out.append("</tbody>")
    sheet.out.append("</table></div>\n")


def _cell_class(sheet: Sheet, alignment: str) -> str:
    is_told = alignment in ("center", "right") or (alignment == "left" and sheet.direction)
    return f' class="{alignment}"' if is_told else ""


def _row(sheet: Sheet, tag: str, classes: Sequence[str], cells: Sequence[str | Token]) -> None:
    sheet.out.append("<tr>")
    for named, cell in zip(classes, cells, strict=True):
        shown = "td" if not cell else tag  # an empty heading cell heads nothing
        sheet.out.append(f"<{shown}{named}{sheet.direction}>")
        if isinstance(cell, str):
            sheet.out.append(simply(sheet, cell))
        else:
            sheet.in_cell = True
            write_inline(sheet, cell)
            sheet.in_cell = False
        sheet.out.append(f"</{shown}>")
    sheet.out.append("</tr>\n")


def _fence(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    token = tokens[index]
    info = sheet.clean(_unescaped(token.info)).strip()
    language = re.split(r"[\s{,:]", info, maxsplit=1)[0] if info else ""
    if language.lower() == "math":
        _write_formula(sheet, token.content, "$$")
    else:
        kind = _DIAGRAMS.get(language.lower())
        label = escape(sheet.ctx.t("prose.diagram", kind=kind)) if kind else None
        sheet.out.append(render_code(token.content, sheet.ctx, language=language, label=label))


def _unescaped(info: str) -> str:
    if "\\" not in info and "&" not in info:
        return info
    from markdown_it.common.utils import unescapeAll  # which few fences need

    return unescapeAll(info)


def _code_block(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(render_code(tokens[index].content, sheet.ctx))


def _too_deep(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.out.append(f'<pre tabindex="0">{escape(tokens[index].content)}</pre>\n')


def _formula(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    _write_formula(sheet, tokens[index].content, tokens[index].markup)


def _write_formula(sheet: Sheet, tex: str, opener: str) -> None:
    math = to_mathml(tex, display=True)
    if math is None:
        source = escape(f"{opener}{tex}{closer_of(opener)}")
        sheet.out.append(f'<pre class="math" tabindex="0"><code class="math">{source}</code></pre>\n')
    else:
        sheet.out.append(f'<div class="math" tabindex="0">{math}</div>\n')


def _note_open(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    sheet.set_aside.append((tokens[index].meta["label"], sheet.out))
    sheet.out = []


def _note_close(sheet: Sheet, tokens: Sequence[Token], index: int) -> None:
    label, around = sheet.set_aside.pop()
    sheet.note(label).body += "".join(sheet.out)
    sheet.out = around


def _write_notes(sheet: Sheet) -> None:
    if sheet.notes:
        items = "".join(_note_item(sheet, note) for note in sheet.notes.values())
        sheet.out.append(f'<div class="footnotes"><ol>\n{items}</ol></div>\n')


def _note_item(sheet: Sheet, note: Note) -> str:
    prefix, number = escape(sheet.prefix), note.number
    body = note.body
    if note.references:
        label = escape(sheet.ctx.t("prose.footnote_back", number=number))
        back = f' <a href="#{prefix}-ref-{number}" aria-label="{label}">↩\ufe0e</a>'
        end = "</p>\n"
        body = f"{body.removesuffix(end)}{back}{end}" if body.endswith(end) else body + back
    return f'<li id="{prefix}-fn-{number}">{body}</li>\n'


_HANDLERS: dict[str, Callable[[Sheet, Sequence[Token], int], None]] = {
    "inline": _inline,
    "plain_paragraph": _plain_paragraph,
    "plain_list": _plain_list,
    "paragraph_open": _paragraph_open,
    "paragraph_close": _paragraph_close,
    "heading_open": _heading_open,
    "heading_close": _heading_close,
    "ordered_list_open": _ordered_list_open,
    "list_item_open": _item_open,
    "blockquote_open": _quote_open,
    "table": _table,
    "fence": _fence,
    "code_block": _code_block,
    "too_deep": _too_deep,
    "math_block": _formula,
    "footnote_reference_open": _note_open,
    "footnote_reference_close": _note_close,
}
