"""What the families make their steps of: sentences for the line, blocks for the detail, words for how it ended.

Nothing here knows a tool by name; how to look into an input is `inputs`'.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import copy
from functools import lru_cache

from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from sitegen.model import Json, JsonObject
from sitegen.render.ansi import plain, render_terminal
from sitegen.render.code import render_code
from sitegen.render.context import Context, RenderOptions
from sitegen.render.figure import grouped
from sitegen.render.images import render_image
from sitegen.render.links import encoded, is_allowed, link_open
from sitegen.render.prose import render_markdown
from sitegen.render.steps import Kind, PairedCall, Step
from sitegen.render.text import clean, first_line, shorten, visible
from sitegen.render.tools.inputs import result_text

NOTHING = Markup()
COLOUR_BYTES = 3_000
"""So much of a tool's code is coloured: what stands before the fold and more. Nothing costs a build as much."""
_NAME_LIMIT = 60
_EXCERPT_LINES = 12
_EXCERPT_BYTES = 1_500
_REASONS = (
    (
        "declined",
        re.compile(r"doesn't want to (?:proceed|take this action)|[Uu]ser rejected|user declined|was rejected"),
    ),
    ("interrupted", re.compile(r"\[Request interrupted|[Ii]nterrupted by (?:the )?user|^aborted by user")),
    (
        "not_granted",
        re.compile(r"requested permissions?\b.*haven't granted|[Pp]ermission to use .* (?:has been )?denied"),
    ),
    ("timed_out", re.compile(r"\btimed out\b|\btimeout of \d+")),
    ("no_such_tool", re.compile(r"No such tool available")),
    ("no_such_file", re.compile(r"File does not exist|No such file or directory|ENOENT")),
)
_STATES = {"running": "running", "in_progress": "running", "pending": "pending"}


# --------------------------------------------------------------------------------------------------------- in a line


def say(ctx: Context, key: str, **values: object) -> Markup:
    """A sentence of the catalogue as HTML; values are escaped unless they are HTML already, numbers are grouped."""
    n = values.get("n")
    shown = {name: html(value) for name, value in values.items() if name != "n"}
    if isinstance(n, int):
        return Markup(ctx.t(f"tools.{key}", n=n, count=grouped(n, ctx), **shown))
    return Markup(ctx.t(f"tools.{key}", **shown))


def html(value: object) -> Markup:
    """A value escaped, unless it is HTML already."""
    return value if isinstance(value, Markup) else escape(value)


def joined(*parts: Markup) -> Markup:
    """Pieces of HTML one after the other."""
    return Markup("".join(parts))


def code(text: str, limit: int = _NAME_LIMIT) -> Markup:
    """The first line of `text` as code."""
    return Markup(f"<code>{escape(first_line(text, limit))}</code>")


def base_name(path: str) -> str:
    """The last part of a path or URL, for people."""
    trimmed = path.strip().replace("\\", "/").rstrip("/")
    return first_line(trimmed.rsplit("/", 1)[-1] or path, _NAME_LIMIT)


def named(path: str, ctx: Context) -> Markup:
    """The name of the file at `path` as code; words when there is no path."""
    return code(base_name(path)) if path.strip() else escape(ctx.t("tools.a_file"))


def changed(added: int, removed: int) -> Markup:
    """ " +12 −3" with a space before it; "" when nothing changed."""
    plus = f' <span class="plus">+{added}</span>' if added else ""
    minus = f' <span class="minus">−{removed}</span>' if removed else ""
    return Markup(plus + minus)


class Outcome(Struct, frozen=True):
    """How a call ended, in a word for the summary's end; no word when it ended well."""

    word: str = ""
    failed: bool = False


_WELL = Outcome()


def outcome(call: PairedCall, ctx: Context) -> Outcome:
    """How the source says that the call ended."""
    if call.is_error or call.status in ("failed", "error"):
        return Outcome(ctx.t(f"tools.{reason(result_text(call))}"), failed=True)
    if call.tool_detail.get("interrupted") is True:
        return Outcome(ctx.t("tools.interrupted"), failed=True)
    if call.result is None and call.tool_name and call.is_result_shown:
        return Outcome(ctx.t(f"tools.{_STATES.get(call.status or '', 'no_result')}"))
    return _WELL


def reason(text: str) -> str:
    """The catalogue's key for why a call failed, as far as its error tells."""
    start = text[:600]
    return next((key for key, pattern in _REASONS if pattern.search(start)), "failed")


def make_step(
    call: PairedCall,
    ctx: Context,
    kind: Kind,
    summary: Markup,
    *,
    lead: Markup = NOTHING,
    body: Markup = NOTHING,
    excerpt: str = "",
    ended: Outcome | None = None,
    object: str = "",
    key: str = "",
    added: int = 0,
    removed: int = 0,
    is_open: bool = False,
    duration_s: float | None = None,
) -> Step:
    """The step of a call: `lead` and `body` are its detail, of which `lead` and `excerpt` stay when it's heavy."""
    ended = outcome(call, ctx) if ended is None else ended
    if ended.word:
        kind_of_end = "bad" if ended.failed else "state"
        summary = Markup(f'{summary} · <span class="{kind_of_end}">{escape(ended.word)}</span>')
    detail = joined(lead, body) if lead and body else lead or body
    is_heavy = len(detail) > ctx.options.heavy_bytes
    return Step(
        kind=kind,
        summary=summary,
        detail=detail,
        preview=joined(lead if len(lead) <= ctx.options.heavy_bytes // 2 else NOTHING, _excerpt(excerpt))
        if is_heavy
        else NOTHING,
        object=object,
        key=key,
        added=0 if ended.failed else added,
        removed=0 if ended.failed else removed,
        failed=ended.failed,
        is_open=is_open,
        duration_s=duration_s,
    )


def _excerpt(text: str) -> Markup:
    start = plain(text[: _EXCERPT_BYTES * 4]).strip("\n")
    lines = shorten("\n".join(start.split("\n")[:_EXCERPT_LINES]), _EXCERPT_BYTES)
    return Markup(f'<pre class="excerpt" tabindex="0">{escape(lines)}</pre>') if lines.strip() else NOTHING


# --------------------------------------------------------------------------------------------------------- in blocks


def sentence(text: str) -> Markup:
    """A paragraph of plain text that someone wrote."""
    shown = clean(text).strip()
    return Markup(f'<p class="remark" dir="auto">{escape(shown)}</p>') if shown else NOTHING


def told(ctx: Context, key: str, **values: object) -> Markup:
    """A paragraph of the catalogue's words."""
    return Markup(f'<p class="told">{say(ctx, key, **values)}</p>')


def prose(text: str, call: PairedCall, ctx: Context, *, part: str, is_coloured: bool = True) -> Markup:
    """Markdown in a step's detail; `part` tells the texts of one step apart. Its code may stay without colours."""
    if not text.strip():
        return NOTHING
    if not is_coloured:
        ctx = copy(ctx)
        ctx.options = _uncoloured(ctx.options)
    shown = render_markdown(text, ctx, prefix=f"{call.anchor}-{part}-")
    return Markup(f'<div class="prose" dir="auto">{shown}</div>')


@lru_cache(maxsize=16)
def _uncoloured(options: RenderOptions) -> RenderOptions:
    return replace(options, highlight_bytes=0)


def source(
    text: str, ctx: Context, *, language: str = "", label: Markup | None = None, first_number: int | None = None
) -> Markup:
    """Code in a step's detail."""
    return render_code(text, ctx, language=language, label=label, first_number=first_number, colour_bytes=COLOUR_BYTES)


def output(text: str, ctx: Context, *, key: str = "output") -> Markup:
    """What a program printed, under the catalogue's word for it."""
    if not text.strip():
        return NOTHING
    return render_terminal(text, ctx, label=ctx.t(f"tools.{key}"), classes="bad" if key in ("error", "stderr") else "")


def failure(call: PairedCall, ctx: Context) -> Markup:
    """What the error says, when the call failed."""
    return output(result_text(call), ctx, key="error") if outcome(call, ctx).failed else NOTHING


def images(call: PairedCall, ctx: Context) -> Markup:
    """The images that the result holds."""
    if not call.images:
        return NOTHING
    listed = "".join(f"<li>{render_image(block, ctx, attachments=call.attachments)}</li>" for block in call.images)
    return Markup(f'<ul class="thumbs">{listed}</ul>')


def link(url: str, text: str = "", *, limit: int = 120) -> Markup:
    """A link that leaves the site, or the bare text where the address isn't one that a page may link to."""
    target = encoded(clean(url).strip())
    shown = first_line(text or url, limit)
    if not is_allowed(target):
        return escape(shown)
    return Markup(f"{link_open(target)}{escape(shown)}</a>")


def fields(values: JsonObject, ctx: Context, *, depth: int = 2) -> Markup:
    """An object as a list of keys and values: texts as they are, lists and objects tidy down to `depth`."""
    rows = "".join(
        f"<dt>{escape(visible(shorten(key, 80)))}</dt><dd>{_value(value, ctx, depth)}</dd>"
        for key, value in values.items()
    )
    return Markup(f'<dl class="fields">{rows}</dl>') if rows else NOTHING


def _value(value: Json, ctx: Context, depth: int) -> Markup:
    match value:
        case None | bool() | int() | float():
            return Markup(f"<code>{json.dumps(value)}</code>")
        case str() if "\n" in value.strip() or len(value) > 400:
            return source(value, ctx)
        case str():
            return Markup(f'<span dir="auto">{escape(visible(value))}</span>')
        case dict() if value and depth > 0:
            return fields(value, ctx, depth=depth - 1)
        case list() if value and all(isinstance(item, str | int | float) for item in value) and len(value) <= 50:
            return Markup(f"<ul>{''.join(_items(value))}</ul>")
        case _:
            return source(as_json(value), ctx, language="json")


def _items(values: list[Json]) -> Iterator[str]:
    for value in values:
        yield f"<li>{escape(first_line(value if isinstance(value, str) else json.dumps(value), 400))}</li>"


def as_json(value: Json | Mapping[str, Json]) -> str:
    """`value` as indented JSON text."""
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return "…"


def raw_json(values: JsonObject, ctx: Context) -> Markup:
    """The input as it was, folded."""
    label = escape(ctx.t("tools.as_json"))
    shown = source(as_json(dict(values)), ctx, language="json")
    return Markup(f'<details class="raw"><summary>{label}</summary>{shown}</details>') if values else NOTHING
