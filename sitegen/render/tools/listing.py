"""Looking for files and for words in them: Grep, Glob, LS and their kin."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from sitegen.render.context import Context
from sitegen.render.steps import Kind, PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import number_in, path_in, result_text, text_in, texts_in
from sitegen.render.tools.parts import (
    NOTHING,
    base_name,
    code,
    failure,
    fields,
    joined,
    make_step,
    named,
    outcome,
    say,
    source,
    told,
)

_FOLDERS = frozenset({"ls", "list", "list_dir", "list_directory", "listdir"})
_NAMES = frozenset({"glob", "find_files", "file_search", "glob_file_search"})
_WORDS = frozenset({"grep", "grep_files", "search_file_content", "grep_search", "codesearch", "codebase_search"})
NAMES = _FOLDERS | _NAMES | _WORDS
_FOUND = re.compile(r"Found (\d{1,9}) (?:files?|lines?|total occurrences?|match(?:es)?)\b")
_NONE = re.compile(r"\s*(?:No (?:files|matches|results)\b[^\n]*)?\s*")
_TOLD_ALREADY = frozenset({"pattern", "path", "query", "file_path", "dir_path", "description", "output_mode"})
_PLACES = ("glob", "include")


def render(call: PairedCall, ctx: Context) -> Step:
    """A search through files, or a look into a folder."""
    name = call.tool_name.strip().lower()
    path = path_in(call.input) or text_in(call.input, "dir_path", "directory")
    pattern = text_in(call.input, "pattern", "query", "regex", "glob_pattern", "prompt")
    kind: Kind = "list" if name in _FOLDERS else "search"
    if kind == "list":
        summary = say(ctx, "listed", folder=named(path, ctx)) if path else say(ctx, "listed_here")
        subject = base_name(path) if path else ""
    else:
        subject = first_line(pattern, 60)
        summary = _searched(call, pattern, path, ctx, is_for_names=name in _NAMES)
    told_already = _TOLD_ALREADY if path else _TOLD_ALREADY.union(_PLACES)
    options = {key: value for key, value in call.input.items() if key not in told_already}
    return make_step(
        call,
        ctx,
        kind,
        joined(summary, _count(call, ctx)),
        lead=fields(options, ctx) if options else NOTHING,
        body=_body(call, ctx),
        excerpt=result_text(call),
        object=subject,
        key=f"{path}\n{pattern}",
    )


def _searched(call: PairedCall, pattern: str, path: str, ctx: Context, *, is_for_names: bool) -> Markup:
    place = path or text_in(call.input, *_PLACES)
    if not pattern:
        return say(ctx, "searched_files")
    key = "looked_for_files" if is_for_names else "searched_for"
    if not place:
        return say(ctx, key, pattern=code(pattern))
    return say(ctx, f"{key}_in", pattern=code(pattern), place=code(base_name(place) if path else place))


def _count(call: PairedCall, ctx: Context) -> Markup:
    """How much was found, where the result tells."""
    if call.result is None or outcome(call, ctx).failed:
        return NOTHING
    text = result_text(call)
    if _NONE.fullmatch(text):
        return Markup(f" · {escape(ctx.t('tools.found_nothing'))}")
    lines, files = number_in(call.tool_detail, "numLines"), number_in(call.tool_detail, "numFiles")
    if text_in(call.tool_detail, "mode") == "content" and lines:
        return Markup(f" · {say(ctx, 'found_lines', n=lines)}")
    found = _FOUND.match(text)
    count = files or (int(found[1]) if found else 0) or len(texts_in(call.tool_detail, "filenames"))
    if not count and call.tool_name.strip().lower() in _NAMES:
        count = len(text.strip().split("\n"))
    return Markup(f" · {say(ctx, 'found_files', n=count)}") if count else NOTHING


def _body(call: PairedCall, ctx: Context) -> Markup:
    if outcome(call, ctx).failed:
        return failure(call, ctx)
    text = result_text(call)
    if _NONE.fullmatch(text):
        return told(ctx, "nothing_found") if call.result is not None else NOTHING
    return source(text.strip("\n"), ctx)
