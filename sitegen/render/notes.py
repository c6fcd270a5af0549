"""Notes: one small labelled line for what neither side said, its body folded under it when there is one."""

from __future__ import annotations

from markupsafe import Markup, escape

from sitegen.render.ansi import plain, render_terminal
from sitegen.render.context import Context
from sitegen.render.prose import render_markdown
from sitegen.render.text import clean, first_line, visible
from sitegen.wording.wrappers import Note

_INLINE = 160
"""A body of one line that is no longer stands beside its label."""
_CODE = frozenset({"command", "shell"})
_OPEN = frozenset({"teammate", "queued", "unsent", "recap", "approval"})
"""What people and agents said, which never folds."""
_KNOWN_SYSTEM = frozenset({"compact_boundary", "unknown"})


def render_note(note: Note, ctx: Context, *, prefix: str) -> Markup:
    """What an `<aside class="note">` holds: label, title and body. `prefix` begins the ids inside."""
    label = _label(note, ctx)
    if not note.body or (note.kind == "command" and "\n" not in note.body):
        return Markup(label + _inline(note))
    if note.kind in _OPEN:
        return Markup(label + _title(note) + _body(note, ctx, prefix))
    words = plain(note.body) if note.form == "terminal" else note.body
    if "\n" not in words and len(words) <= _INLINE and note.form != "prose":
        return Markup(f"{label}{_title(note)} {escape(visible(words))}")
    hint = "" if note.title or note.form == "prose" else f' <span class="hint">{escape(first_line(words, 80))}</span>'
    return Markup(
        f"<details><summary>{label}{_title(note)}{hint}</summary>"
        f'<div class="detail">{_body(note, ctx, prefix)}</div></details>'
    )


def note_label(note: Note, ctx: Context) -> str:
    """What stands before a note, as plain text: which kind it is."""
    if note.kind == "system" and note.title in _KNOWN_SYSTEM:
        return ctx.t(f"render.system_{note.title}")
    if note.kind == "state":
        return ctx.t(f"render.state_{note.title}")
    return ctx.t(f"render.note_{note.kind}", n=note.times)


def note_title(note: Note) -> str:
    """What completes the label."""
    is_said = note.kind == "state" or (note.kind == "system" and note.title in _KNOWN_SYSTEM)
    return "" if is_said else note.title


def _label(note: Note, ctx: Context) -> str:
    failed = f' <span class="failed">{escape(ctx.t("render.note_failed"))}</span>' if note.failed else ""
    return f'<span class="label">{escape(note_label(note, ctx))}</span>{failed}'


def _inline(note: Note) -> str:
    arguments = f" <code>{escape(visible(note.body))}</code>" if note.body else ""
    return _title(note) + arguments


def _title(note: Note) -> str:
    title = escape(first_line(note_title(note), _INLINE))
    if not title:
        return ""
    return f" <code>{title}</code>" if note.kind in _CODE else f" {title}"


def _body(note: Note, ctx: Context, prefix: str) -> str:
    match note.form:
        case "prose":
            return f'<div class="prose" dir="auto">{render_markdown(note.body, ctx, prefix=prefix)}</div>'
        case "terminal":
            return str(render_terminal(note.body, ctx))
        case "plain":
            return f'<pre class="plain" tabindex="0">{escape(clean(note.body))}</pre>'
