"""Documents made beside a conversation: claude.ai's artifacts with their versions, ChatGPT's canvas."""

from __future__ import annotations

from markupsafe import Markup

from sitegen.model import JsonObject
from sitegen.render.context import Context
from sitegen.render.diff import render_diff
from sitegen.render.languages import find_language
from sitegen.render.patches import Row, compare, counts
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import objects_in, parsed, path_in, result_text, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    Outcome,
    base_name,
    changed,
    failure,
    link,
    make_step,
    outcome,
    prose,
    say,
    sentence,
    source,
)

_CANVAS = frozenset(
    {"canmore.create_textdoc", "canmore.update_textdoc", "canmore.comment_textdoc", "canmore", "canvas"}
)
NAMES = frozenset({"artifacts", "artifact", "create_artifact", "update_artifact", "rewrite_artifact"}) | _CANVAS
_LANGUAGES = {
    "application/vnd.ant.react": "jsx",
    "application/javascript": "javascript",
    "application/json": "json",
    "image/svg+xml": "xml",
    "text/html": "html",
    "text/css": "css",
    "application/vnd.ant.mermaid": "mermaid",
}
_PROSE = frozenset({"text/markdown", "document"})
_CHANGES = frozenset({"update", "str_replace"})
_TITLE_LIMIT = 80


def render(call: PairedCall, ctx: Context) -> Step:
    """A version of a document: made, rewritten, changed, or commented."""
    values = _values(call.input)
    title = first_line(text_in(values, "title", "name", "id", "label") or base_name(path_in(values)), _TITLE_LIMIT)
    name = call.tool_name.strip().lower()
    rows = _rows(values)
    comments = objects_in(values, "comments")
    command = text_in(values, "command") or name.rpartition(".")[2].partition("_")[0]
    key = "commented" if comments else "changed_document" if rows or command in _CHANGES else "made_document"
    if command == "rewrite":
        key = "rewrote_document"
    added, removed = counts(rows)
    return make_step(
        call,
        ctx,
        "create",
        say(ctx, key, title=title or ctx.t("tools.untitled")) + changed(added, removed),
        lead=sentence(text_in(values, "description")) + failure(call, ctx),
        body=_body(values, rows, call, ctx) + _comments(comments) + _published(call),
        excerpt=text_in(values, "content"),
        object=title,
        key=text_in(values, "id", "textdoc_id") or title,
        ended=outcome(call, ctx) if call.result is not None or call.is_error else Outcome(),
        added=added,
        removed=removed,
    )


def _values(values: JsonObject) -> JsonObject:
    """The input itself, or the object that its only text holds."""
    inner = parsed(text_in(values, "input"))
    return inner if isinstance(inner, dict) else values


def _rows(values: JsonObject) -> list[Row]:
    rows: list[Row] = []
    for change in objects_in(values, "updates") or [values]:
        old, new = text_in(change, "old_str", "pattern"), text_in(change, "new_str", "replacement")
        if old == ".*":  # the canvas' way of saying "all of it"
            old = ""
        found = compare(old, new) if old or new else []
        rows += [Row("@", ""), *found] if rows and found else found
    return rows


def _body(values: JsonObject, rows: list[Row], call: PairedCall, ctx: Context) -> Markup:
    if rows:
        return render_diff(rows, ctx)
    text = text_in(values, "content")
    if not text:
        return NOTHING
    kind = text_in(values, "type").lower()
    language = text_in(values, "language").lower()
    if kind in _PROSE or (not kind and not language):
        return prose(text, call, ctx, part="d")
    if kind.startswith("code/"):
        language = kind.removeprefix("code/")
    language = language or _LANGUAGES.get(kind, "") or find_language(text_in(values, "title"))
    return source(text, ctx, language=language)


def _comments(comments: list[JsonObject]) -> Markup:
    rows = Markup().join(Markup("<li>{}</li>").format(sentence(text_in(item, "comment"))) for item in comments)
    return Markup('<ul class="comments">{}</ul>').format(rows) if rows else NOTHING


def _published(call: PairedCall) -> Markup:
    """The address that the result gives the document, if it does."""
    url = text_in(call.tool_detail, "url")
    if not url:
        value = parsed(result_text(call))
        url = text_in(value, "url") if isinstance(value, dict) else ""
    return Markup("<p>{}</p>").format(link(url)) if url else NOTHING
