"""HTML of what was said: prompts, answers, notes, and the signposts at forks."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from sitegen.model import ROOT, Attachment, Block, Message
from sitegen.render.attachments import is_picture, render_attachment
from sitegen.render.drawing import Drawing
from sitegen.render.images import render_image
from sitegen.render.items import Adrift, Answer, Aside, Part, Prompt
from sitegen.render.notes import render_note
from sitegen.render.text import clean, visible
from sitegen.render.tree import Alternative

_LEAD_LINES = 5
_LEAD_LIMIT = 400
_LONG_PROMPT = 2400
"""Characters after which a prompt folds whatever its lines."""
_SOURCE_LIMIT = 50_000
"""A longer text isn't put on the page twice; conversation.md has it as it was written."""
_MARKUP = frozenset("*_`#[|~<\\$>&")


def draw_prompt(item: Prompt, drawing: Drawing) -> str:
    """The article of a prompt; a long one folds."""
    message = item.message
    anchor = drawing.anchor("m", message)
    drawing.mark("prompt", anchor, message)
    drawing.search(f"{item.command} {item.text}".strip(), anchor)
    command = f'<p class="command"><code>{escape(visible(item.command))}</code></p>' if item.command else ""
    level = drawing.heading("prompt")
    prose = _foldable(item.text, message, drawing, level=level) if item.text.strip() else ""
    identity = drawing.identity(anchor)
    return (
        f'<article class="message prompt"{identity}{_source(item.text, anchor if identity else "", drawing)}>'
        f"{_who(item.role, message, drawing, level=level)}{command}{prose}{_thumbs(item, drawing)}{_labels(message)}"
        "</article>"
    )


def _foldable(text: str, message: Message, drawing: Drawing, *, level: int) -> str:
    lines = text.strip().count("\n") + 1
    prose = drawing.prose(text, message, 0, below=level)
    if lines <= drawing.ctx.options.prompt_lines and len(text) <= _LONG_PROMPT:
        return prose
    # A backslash at a line's end is how a line break is typed in a terminal.
    opening = [line.removesuffix("\\") for line in clean(text).strip().split("\n")[:_LEAD_LINES]]
    lead = "\n".join(opening)[:_LEAD_LIMIT].rstrip()
    return (
        f'<details class="fold"><summary><span class="lead" dir="auto">{escape(lead)} …</span> '
        f'<span class="more">{escape(drawing.ctx.t("render.show_all", n=lines))}</span></summary>{prose}</details>'
    )


def _thumbs(item: Prompt, drawing: Drawing) -> str:
    if not item.images and not item.attachments:
        return ""
    pictures = [file for file in item.attachments if is_picture(file)]
    # Some sources keep an image's bytes as an attachment beside the block that shows it.
    is_shown_twice = len(pictures) <= len(item.images)
    files = [file for file in item.attachments if not (is_shown_twice and file in pictures)]
    thumbs = [render_image(image, drawing.ctx, attachments=item.attachments) for image in item.images]
    thumbs += [render_attachment(file, drawing.ctx) for file in files]
    drawing.note_files(drawing.anchor("m", item.message), *thumbs)
    return f'<ul class="thumbs">{"".join(f"<li>{thumb}</li>" for thumb in thumbs)}</ul>' if thumbs else ""


def draw_answer(item: Answer, drawing: Drawing) -> str:
    """The article of an answer; one that more work follows is marked `interim`."""
    anchor = drawing.anchor("m", item.message)
    identity = drawing.identity(anchor)
    level = drawing.heading("answer")
    parts = "".join(_part(part, drawing, level=level) for part in item.parts)
    source = "\n\n".join(
        part.content.text for part in item.parts if not isinstance(part.content, Attachment) and part.content.text
    )
    drawing.search(source, anchor)
    drawing.mark("answer", anchor, item.message, weight=len(source))
    kind = "answer interim" if item.is_interim else "answer"
    return (
        f'<article class="message {kind}"{identity}{_source(source, anchor if identity else "", drawing)}>'
        f"{_who('answer', item.message, drawing, level=level)}{parts}{_labels(item.message)}</article>"
    )


def _part(part: Part, drawing: Drawing, *, level: int) -> str:
    content, anchor = part.content, drawing.anchor("m", part.message)
    identity = drawing.identity(anchor)
    if isinstance(content, Attachment):
        file = render_attachment(content, drawing.ctx)
    elif content.kind == "image":
        file = render_image(content, drawing.ctx, attachments=part.message.attachments)
    else:
        return drawing.prose(content.text or "", part.message, part.number, identity, below=level)
    drawing.note_files(anchor, file)
    return f'<div class="file"{identity}>{file}</div>'


def _source(text: str, anchor: str, drawing: Drawing) -> str:
    """An attribute with the raw text where the page doesn't show it as it is, or with where that is kept by the id."""
    if _MARKUP.isdisjoint(text) or len(text) > _SOURCE_LIMIT:
        return ""
    text = clean(text)
    return f' data-src="{drawing.set_aside(text, anchor) if anchor else escape(text)}"'


def _who(role: str, message: Message, drawing: Drawing, *, level: int) -> str:
    """The heading of a message: who speaks, and when."""
    name = drawing.new_model(message) if role == "answer" else ""
    model = f' <span class="model">{escape(visible(name))}</span>' if name else ""
    return (
        f'<h{level} class="who"><span class="role">{escape(drawing.ctx.t(f"render.{role}"))}</span>{model} '
        f'<a class="at" href="#{drawing.anchor("m", message)}">{drawing.time(message.created_at)}</a></h{level}>'
    )


def _labels(message: Message) -> str:
    return draw_labels(message.labels)


def draw_labels(labels: Iterable[str]) -> str:
    """The list of what was found out about a message or a call; nothing when that's nothing."""
    items = [f"<li>{escape(visible(label))}</li>" for label in labels]
    return f'<ul class="labels">{"".join(items)}</ul>' if items else ""


# ------------------------------------------------------------------------------------------------ neither side's


def draw_aside(item: Aside, drawing: Drawing) -> str:
    """A note on a line of its own."""
    anchor = drawing.anchor("m", item.message)
    if item.note.kind == "error":
        drawing.fail(anchor, item.message)
    identity = drawing.identity(anchor)
    return f'<aside class="note {item.note.kind}"{identity}>{draw_note(item, drawing)}</aside>'


def draw_note(item: Aside, drawing: Drawing) -> Markup:
    """What stands in a note's element."""
    anchor = f"{drawing.scope}{item.message.id}-{item.number}n"
    others, block = drawing.ctx.others, _unknown(item)
    html = None if others is None or block is None else others.block(block, drawing.ctx, anchor=anchor)
    return render_note(item.note, drawing.ctx, prefix=f"{anchor}-") if html is None else html


def _unknown(item: Aside) -> Block | None:
    """The block of an answer that the note stands for, when sitegen has no other word for it."""
    blocks = item.message.blocks
    if item.note.title != "unknown" or item.message.role == "user" or item.number >= len(blocks):
        return None
    return blocks[item.number]


def draw_adrift(item: Adrift, drawing: Drawing) -> str:
    """The subagents whose calls aren't there."""
    agents = drawing.nested.get(item.key, ())
    label = escape(drawing.ctx.t("render.subagent_alone", n=len(agents)))
    return f'<aside class="note adrift"><span class="label">{label}</span>{drawing.embed(agents)}</aside>'


def draw_fork(message: Message, drawing: Drawing) -> str:
    """The way to the alternatives of the path that goes on with this message."""
    alternatives = drawing.choices[message.id]
    at = next(n for n, other in enumerate(alternatives, start=1) if other.first == message.id)
    t = drawing.ctx.t
    links = [
        f'<strong aria-current="true">{n}</strong>'
        if n == at
        else f'<a href="{_way(other)}" aria-label="{escape(t("render.fork_other", at=n))}">{n}</a>'
        for n, other in enumerate(alternatives, start=1)
    ]
    label = escape(t("render.fork", at=at, n=len(alternatives)))
    return (
        f'<nav class="fork"{drawing.identity(drawing.anchor("v", message))} '
        f'aria-label="{escape(t("render.fork_label"))}"><span class="label">{label}</span> {" ".join(links)}</nav>'
    )


def _way(other: Alternative) -> str:
    return f"{ROOT}{other.path and f'{other.path}/'}#v-{other.first}"
