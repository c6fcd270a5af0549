"""Changes to files: edits, notebook cells, patches. Told as a diff, from the record's own if it has one."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from sitegen.model import JsonObject
from sitegen.render.context import Context
from sitegen.render.diff import path_label, render_diff
from sitegen.render.languages import find_language
from sitegen.render.patches import (
    FilePatch,
    Row,
    compare,
    counts,
    from_structured,
    is_codex_patch,
    is_patch,
    parse_codex,
    parse_unified,
)
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import visible
from sitegen.render.tools import reading, writing
from sitegen.render.tools.inputs import objects_in, parsed, path_in, result_text, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    Outcome,
    base_name,
    changed,
    failure,
    joined,
    make_step,
    named,
    outcome,
    output,
    say,
    sentence,
    source,
    told,
)

_PATCHES = frozenset({"apply_patch", "patch", "applypatch"})
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "text_editor"})
_NOTEBOOKS = frozenset({"notebookedit"})
_EDITS = frozenset({"edit", "multiedit", "multi_edit", "edit_file", "str_replace", "replace", "insert", "update"})
NAMES = _PATCHES | _EDITORS | _NOTEBOOKS | _EDITS | writing.NAMES
_EXCERPT_ROWS = 12
_FAILED_PATCH = ("apply_patch verification failed", "Failed to ", "Error", "error:")


def render(call: PairedCall, ctx: Context) -> Step:
    """A file that was changed, or several."""
    name = call.tool_name.strip().lower()
    command = text_in(call.input, "command")
    if name in writing.NAMES or (name in _EDITORS and command == "create"):
        return writing.render(call, ctx)
    if name in _EDITORS and command == "view":
        return reading.render(call, ctx)
    text = text_in(call.input, "input", "patch", "patchText")
    if name in _PATCHES and text:
        return render_patch_text(call, ctx, text)
    if name in _NOTEBOOKS:
        return _render_cell(call, ctx)
    return _render_file(call, ctx, path_in(call.input), _rows(call))


def render_patch_text(call: PairedCall, ctx: Context, text: str) -> Step:
    """A patch of any number of files, in Codex's form or as a unified diff."""
    files = parse_codex(text) if is_codex_patch(text) else parse_unified(text) if is_patch(text) else []
    ended = _patch_outcome(call, ctx)
    added, removed = counts(row for file in files for row in file.rows)
    figures = joined(*(_figure(file, ctx) for file in files))
    return make_step(
        call,
        ctx,
        "write" if files and all(file.verb == "add" for file in files) else "edit",
        joined(_patch_summary(files, ctx, failed=ended.failed), NOTHING if ended.failed else changed(added, removed)),
        lead=output(_error_of(call), ctx, key="error") if ended.failed else NOTHING,
        body=figures or source(text, ctx),
        excerpt=_excerpt([row for file in files for row in file.rows]),
        ended=ended,
        object=base_name(files[0].path) if files else "",
        key=", ".join(file.path for file in files),
        added=added,
        removed=removed,
    )


def _patch_summary(files: Sequence[FilePatch], ctx: Context, *, failed: bool) -> Markup:
    if not files:
        return say(ctx, "tried_to_patch" if failed else "patched_nothing")
    first = named(files[0].path, ctx)
    if failed:
        return say(ctx, "tried_to_edit", file=first)
    if len(files) > 1:
        return say(ctx, "edited_more", file=first, n=len(files) - 1)
    key = {"add": "wrote", "delete": "deleted", "update": "edited"}[files[0].verb]
    return say(ctx, key, file=first)


def _figure(file: FilePatch, ctx: Context) -> Markup:
    """The change of one file; a new one is shown as the code it is."""
    label = _file_label(file, ctx)
    if file.verb == "add" and all(row.kind == "+" for row in file.rows):
        text = "\n".join(row.text for row in file.rows)
        return source(text, ctx, language=find_language(file.path), label=label)
    return render_diff(file.rows, ctx, label=label)


def _file_label(file: FilePatch, ctx: Context) -> Markup:
    label = path_label(file)
    if file.verb == "update":
        return label
    return Markup(f'{label} <span class="told">{escape(ctx.t(f"tools.file_{file.verb}"))}</span>')


def _patch_outcome(call: PairedCall, ctx: Context) -> Outcome:
    ended = outcome(call, ctx)
    value = parsed(result_text(call))
    metadata = value.get("metadata") if isinstance(value, dict) else None
    exit_code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    has_failed = bool(exit_code) or _error_of(call).startswith(_FAILED_PATCH)
    return Outcome(ctx.t("tools.failed"), failed=True) if has_failed and not ended.failed else ended


def _error_of(call: PairedCall) -> str:
    value = parsed(result_text(call))
    return text_in(value, "output") if isinstance(value, dict) else result_text(call)


# -------------------------------------------------------------------------------------------------------- one file


def _render_file(call: PairedCall, ctx: Context, path: str, rows: list[Row]) -> Step:
    added, removed = counts(rows)
    failed = outcome(call, ctx).failed
    key = "tried_to_edit" if failed else "edited"
    lead = [sentence(text_in(call.input, "description", "instruction")), failure(call, ctx)]
    if failed and rows:
        lead.append(told(ctx, "not_made"))
    if call.input.get("replace_all") is True or call.input.get("replaceAll") is True:
        lead.append(told(ctx, "everywhere"))
    return make_step(
        call,
        ctx,
        "edit",
        joined(say(ctx, key, file=named(path, ctx)), NOTHING if failed else changed(added, removed)),
        lead=joined(*lead),
        body=render_diff(rows, ctx, label=escape(visible(path))) if rows else NOTHING,
        excerpt=_excerpt(rows),
        object=base_name(path) if path else "",
        key=path,
        added=added,
        removed=removed,
    )


def _excerpt(rows: Sequence[Row]) -> str:
    return "\n".join(f"{row.kind}{row.text}" for row in rows[:_EXCERPT_ROWS])


def _rows(call: PairedCall) -> list[Row]:
    """The record's own diff, or the one between the texts of the input; several edits one after the other."""
    recorded = from_structured(call.tool_detail.get("structuredPatch"))
    if recorded:
        return recorded
    rows: list[Row] = []
    for edit in objects_in(call.input, "edits") or [call.input]:
        found = _compared(edit)
        rows += [Row("@", ""), *found] if rows and found else found
    return rows


def _compared(edit: JsonObject) -> list[Row]:
    old = text_in(edit, "old_string", "oldString", "oldText", "old_str", "old_text", "search")
    new = text_in(edit, "new_string", "newString", "newText", "new_str", "new_text", "replace", "insert_text")
    return compare(old, new)


# ------------------------------------------------------------------------------------------------------- notebooks


def _render_cell(call: PairedCall, ctx: Context) -> Step:
    path = path_in(call.input) or text_in(call.tool_detail, "notebook_path")
    new = text_in(call.input, "new_source")
    mode = text_in(call.input, "edit_mode") or "replace"
    old = "" if mode == "insert" else _old_cell(call)
    if mode == "delete":
        return _render_file(call, ctx, path, compare(old, ""))
    return _render_file(call, ctx, path, compare(old, new))


def _old_cell(call: PairedCall) -> str:
    """What stood in the cell before, from the notebook that the record keeps; "" when it can't be found."""
    notebook = parsed(text_in(call.tool_detail, "original_file"))
    which = text_in(call.input, "cell_id")
    for cell in objects_in(notebook, "cells") if isinstance(notebook, dict) and which else ():
        if cell.get("id") == which:
            lines = cell.get("source")
            if isinstance(lines, list):
                return "".join(line for line in lines if isinstance(line, str))
            return lines if isinstance(lines, str) else ""
    return ""
