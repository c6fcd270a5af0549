"""Task lists of every source, as checklists whose states are words and that say what changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from sitegen.model import Json, JsonObject
from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import clean, first_line
from sitegen.render.tools.inputs import result_text, text_in
from sitegen.render.tools.parts import NOTHING, failure, make_step, outcome, output, say, sentence

_LISTS = frozenset({"todowrite", "todoread", "update_plan", "write_todos", "todo_write"})
NAMES = _LISTS | frozenset({"taskcreate", "taskupdate", "tasklist", "taskget"})
_STATES = {
    "pending": "todo",
    "todo": "todo",
    "open": "todo",
    "in_progress": "doing",
    "in-progress": "doing",
    "running": "doing",
    "completed": "done",
    "complete": "done",
    "done": "done",
    "cancelled": "dropped",
    "canceled": "dropped",
    "deleted": "dropped",
}
_NUMBER = re.compile(r"Task #(\d{1,6}) created")
_LINE_LIMIT = 80


class _Item(Struct, frozen=True):
    text: str
    state: str
    """"todo", "doing", "done", "dropped", or the source's own word."""


def render(call: PairedCall, ctx: Context) -> Step:
    """A change of the task list."""
    name = call.tool_name.strip().lower()
    if name in _LISTS:
        return _render_list(call, ctx)
    subject = text_in(call.input, "subject", "title", "description")
    number = _task_number(call)
    if name == "taskcreate":
        summary = say(ctx, "task_created", subject=first_line(subject, _LINE_LIMIT))
    elif name == "taskupdate":
        summary = _updated(call, number, subject, ctx)
    else:
        summary = say(ctx, "task_list_read" if name == "tasklist" else "task_read", number=number)
    said = text_in(call.input, "description") if name == "taskcreate" else ""
    is_told = name in ("taskcreate", "taskupdate") and not outcome(call, ctx).failed
    shown = failure(call, ctx) or (NOTHING if is_told else output(result_text(call), ctx, key="result"))
    return make_step(
        call, ctx, "todo", summary, lead=sentence(said), body=shown, excerpt=result_text(call), key=number or subject
    )


def _task_number(call: PairedCall) -> str:
    value = call.input.get("taskId", call.input.get("task_id"))
    if isinstance(value, str | int) and not isinstance(value, bool):
        return first_line(str(value)[:40], 20)
    found = _NUMBER.search(result_text(call)[:400])
    return found[1] if found else ""


def _updated(call: PairedCall, number: str, subject: str, ctx: Context) -> Markup:
    status = text_in(call.input, "status")
    if not status:
        return say(ctx, "task_changed", number=number)
    summary = say(ctx, "task_set", number=number, state=_word(_STATES.get(status.lower(), status), ctx))
    return Markup(f"{summary}: {escape(first_line(subject, _LINE_LIMIT))}") if subject else summary


# ------------------------------------------------------------------------------------------------------ whole lists


def _render_list(call: PairedCall, ctx: Context) -> Step:
    items = _items(call.input.get("todos", call.input.get("plan")))
    before = _items(call.tool_detail.get("oldTodos"))
    done = sum(item.state == "done" for item in items)
    summary = say(ctx, "tasks_updated")
    if items:
        summary = Markup(f"{summary} · {say(ctx, 'tasks_done', done=done, n=len(items))}")
    doing = next((item.text for item in items if item.state == "doing"), "")
    if doing:
        summary = Markup(f'{summary}: <span class="hint">{escape(first_line(doing, _LINE_LIMIT))}</span>')
    listed = _checklist(items, before, ctx)
    shown = failure(call, ctx) or (NOTHING if items else output(result_text(call), ctx, key="result"))
    lead = sentence(text_in(call.input, "explanation"))
    return make_step(call, ctx, "todo", summary, lead=lead, body=listed + shown, key="list")


def _items(value: Json) -> list[_Item]:
    items: list[_Item] = []
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            items.append(_Item(_text_of(entry), _state_of(entry)))
        elif isinstance(entry, str):
            items.append(_Item(clean(entry), "todo"))
    return items


def _text_of(entry: JsonObject) -> str:
    return clean(text_in(entry, "content", "step", "subject", "title", "description", "text", "activeForm"))


def _state_of(entry: JsonObject) -> str:
    if entry.get("completed") is True or entry.get("done") is True:
        return "done"
    status = text_in(entry, "status", "state") or "pending"
    return _STATES.get(status.lower(), first_line(status, 20))


def _word(state: str, ctx: Context) -> str:
    return ctx.t(f"tools.state_{state}") if state in _STATES.values() else first_line(state, 20)


def _checklist(items: Sequence[_Item], before: Sequence[_Item], ctx: Context) -> Markup:
    """The items with their states in words, those that changed since `before` marked, those that went at the end."""
    old = {item.text: item.state for item in before}
    rows = [_row(item, _change(item, old, ctx) if before else "", ctx) for item in items]
    kept = {item.text for item in items}
    rows += [_row(_Item(item.text, "dropped"), "", ctx) for item in before if items and item.text not in kept]
    return Markup(f'<ul class="todo">{"".join(rows)}</ul>') if rows else NOTHING


def _row(item: _Item, change: str, ctx: Context) -> str:
    name = item.state if item.state in _STATES.values() else "todo"
    changed = f' <b class="change">{escape(change)}</b>' if change else ""
    word, text = escape(_word(item.state, ctx)), escape(item.text)
    return f'<li class="{name}"><span class="state">{word}</span> <span dir="auto">{text}</span>{changed}</li>'


def _change(item: _Item, old: dict[str, str], ctx: Context) -> str:
    if item.text not in old:
        return ctx.t("tools.change_new")
    return ctx.t("tools.change_now") if old[item.text] != item.state else ""
