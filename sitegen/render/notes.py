"""Notes: one small labelled line for what neither side said, its body folded under it when there is one."""

from __future__ import annotations

from markupsafe import Markup, escape

from sitegen.render.ansi import render_terminal
from sitegen.render.context import Context
from sitegen.render.prose import render_markdown
from sitegen.render.text import clean, first_line, visible
from sitegen.wording.wrappers import Note

_INLINE = 160
"""A body of one line that is no longer stands beside its label."""
_CODE = frozenset({"command", "shell"})
_OPEN = frozenset({"teammate", "queued", "approval"})
"""What people and agents said, which never folds."""
_KNOWN_SYSTEM = frozenset({"compact_boundary", "unknown"})


def render_note(note: Note, ctx: Context, *, prefix: str) -> Markup:
    """What an `<aside class="note">` holds: label, title and body. `prefix` begins the ids inside."""
    label = _label(note, ctx)
    if not note.body or (note.kind == "command" and "\n" not in note.body):
        return Markup(label + _inline(note))
    if note.kind in _OPEN:
        return Markup(label + _title(note) + _body(note, ctx, prefix))
    if "\n" not in note.body and len(note.body) <= _INLINE and note.form == "plain":
        return Markup(f"{label}{_title(note)} {escape(visible(note.body))}")
    hint = (
        "" if note.title or note.form == "prose" else f' <span class="hint">{escape(first_line(note.body, 80))}</span>'
    )
    return Markup(
        f"<details><summary>{label}{_title(note)}{hint}</summary>"
        f'<div class="detail">{_body(note, ctx, prefix)}</div></details>'
    )


def _label(note: Note, ctx: Context) -> str:
    t = ctx.t
    if note.kind == "system" and note.title in _KNOWN_SYSTEM:
        label = t(f"render.system_{note.title}")
    elif note.kind == "state":
        label = t(f"render.state_{note.title}")
    else:
        label = t(f"render.note_{note.kind}")
    failed = f' <span class="failed">{escape(t("render.note_failed"))}</span>' if note.failed else ""
    return f'<span class="label">{escape(label)}</span>{failed}'


def _inline(note: Note) -> str:
    arguments = f" <code>{escape(visible(note.body))}</code>" if note.body else ""
    return _title(note) + arguments


def _title(note: Note) -> str:
    if not note.title or note.kind == "state" or (note.kind == "system" and note.title in _KNOWN_SYSTEM):
        return ""
    title = escape(first_line(note.title, _INLINE))
    return f" <code>{title}</code>" if note.kind in _CODE else f" {title}"


def _body(note: Note, ctx: Context, prefix: str) -> str:
    match note.form:
        case "prose":
            return f'<div class="prose" dir="auto">{render_markdown(note.body, ctx, prefix=prefix)}</div>'
        case "terminal":
            return str(render_terminal(note.body, ctx))
        case "plain":
            return f'<pre class="plain" tabindex="0">{escape(clean(note.body))}</pre>'
