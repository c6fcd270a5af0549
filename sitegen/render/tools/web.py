"""The web: pages opened, searches with their links, citations. Links lead out and never say where they were clicked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from markupsafe import Markup

from sitegen.model import Json, JsonObject
from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import object_in, objects_in, parsed, result_text, text_in, texts_in
from sitegen.render.tools.parts import (
    NOTHING,
    failure,
    images,
    joined,
    link,
    make_step,
    outcome,
    prose,
    say,
    sentence,
    told,
)

_SEARCHES = frozenset(
    {
        "websearch",
        "web_search",
        "web_search_call",
        "web.search",
        "browser.search",
        "search",
        "google_web_search",
        "launch_extended_search_task",
    }
)
_PAGES = frozenset(
    {"webfetch", "web_fetch", "fetch", "browser.open", "browser.open_url", "browser.click", "browser.find", "open_url"}
)
_BROWSERS = frozenset({"browser", "web", "web.run", "tether_browsing_display", "tether_quote"})
NAMES = _SEARCHES | _PAGES | _BROWSERS
_LIST_START = re.compile(r"^Links: (?=\[)", re.M)
_LISTING = json.JSONDecoder()
_CALL = re.compile(
    r"\s*(search|mclick|open_url|quote|click|open|find|scroll|back)\s*\(\s*(?:[\"'](.*?)[\"']|([^)]*))", re.S
)
_QUERY_LIMIT = 80
_LINK_LIMIT = 100


def render(call: PairedCall, ctx: Context) -> Step:
    """A page opened, or a search of the web."""
    url = _url(call.input)
    queries = _queries(call.input)
    name = call.tool_name.strip().lower()
    if url and not (name in _SEARCHES and queries):
        return _page(call, ctx, url)
    if queries or name in _SEARCHES:
        return _search(call, ctx, "; ".join(queries))
    return _page(call, ctx, "")


def _page(call: PairedCall, ctx: Context, url: str) -> Step:
    host = _host(url)
    lead = Markup(f"<p>{link(url)}</p>") if url else NOTHING
    code = call.tool_detail.get("code")
    if isinstance(code, int) and not isinstance(code, bool) and code >= 400:
        lead += told(ctx, "http_status", code=code)
    text = text_in(call.tool_detail, "result") or result_text(call)
    body = failure(call, ctx)
    if not outcome(call, ctx).failed:
        body = joined(prose(text, call, ctx, part="r", is_coloured=False), images(call, ctx))
    return make_step(
        call,
        ctx,
        "fetch",
        say(ctx, "opened", place=first_line(host or url, 60)) if url else say(ctx, "opened_page"),
        lead=joined(lead, sentence(text_in(call.input, "prompt"))),
        body=body,
        excerpt=text,
        object=host,
        key=url,
    )


def _search(call: PairedCall, ctx: Context, query: str) -> Step:
    links = _unique(_links(call))
    summary = say(ctx, "searched_web_for", query=first_line(query, _QUERY_LIMIT)) if query else say(ctx, "searched_web")
    if links:
        summary = Markup(f"{summary} · {say(ctx, 'results', n=len(links))}")
    items = "".join(f"<li>{link(url, title)}</li>" for url, title in links[:_LINK_LIMIT])
    body = Markup(f'<ol class="links">{items}</ol>') if items else NOTHING
    if outcome(call, ctx).failed:
        body = failure(call, ctx)
    else:
        body += prose(_without_links(result_text(call)), call, ctx, part="r", is_coloured=False)
    return make_step(
        call,
        ctx,
        "web",
        summary,
        lead=sentence(query) if len(query) > _QUERY_LIMIT else NOTHING,
        body=body,
        excerpt=result_text(call),
        object=first_line(query, _QUERY_LIMIT),
        key=query,
    )


def _host(url: str) -> str:
    try:
        return first_line((urlsplit(url.strip()).hostname or "").removeprefix("www."), 60)
    except ValueError:
        return ""


def _url(values: JsonObject) -> str:
    opened = next(iter(objects_in(values, "open")), {})
    found = text_in(values, "url", "uri", "link") or text_in(object_in(values, "action"), "url")
    found = found or text_in(opened, "ref_id", "url")
    called = _CALL.match(text_in(values, "input"))
    if not found and called and called[1] in ("open_url", "open", "click", "mclick", "quote"):
        found = called[2] or ""
    return found


def _queries(values: JsonObject) -> list[str]:
    action = object_in(values, "action")
    direct = text_in(values, "query", "q", "search_query") or text_in(action, "query")
    called = _CALL.match(text_in(values, "input"))
    if not direct and called and called[1] == "search":
        direct = called[2] or ""
    listed = [text_in(item, "q", "query") for item in objects_in(values, "search_query")]
    return [direct] if direct else [*texts_in(values, "queries"), *texts_in(action, "queries"), *filter(None, listed)]


# ------------------------------------------------------------------------------------------------------------ links


def _links(call: PairedCall) -> Iterator[tuple[str, str]]:
    """Addresses and titles of the results, from the record, the result's blocks or its text."""
    for group in objects_in(call.tool_detail, "results"):
        yield from _pairs(group.get("content"))
    if call.result is not None:
        for key in ("raw_content", "content", "citations", "results"):
            yield from _pairs(call.result.payload.get(key))
    yield from _pairs(call.tool_detail.get("citations"))
    value = parsed(result_text(call))
    yield from _pairs(value.get("results") if isinstance(value, dict) else value)
    for start, end in _listed(result_text(call)):
        yield from _pairs(parsed(result_text(call)[start:end]))


def _pairs(value: Json) -> Iterator[tuple[str, str]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            at = object_in(item, "metadata") if not text_in(item, "url") else item
            url = text_in(at, "url", "source_url")
            if url:
                yield url, text_in(item, "title", "name") or text_in(at, "title")


def _listed(text: str) -> Iterator[tuple[int, int]]:
    """Where lists of links stand in a result's text: after "Links: ", as JSON."""
    for match in _LIST_START.finditer(text):
        try:
            _, end = _LISTING.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        yield match.end(), end


def _without_links(text: str) -> str:
    """The words of a search's result, without the lists of links and the repeated query."""
    if parsed(text) is not None:
        return ""
    parts: list[str] = []
    position = 0
    for start, end in _listed(text):
        parts.append(text[position : start - len("Links: ")])
        position = max(position, end)
    parts.append(text[position:])
    words = "".join(parts).strip()
    first, _, rest = words.partition("\n")
    return rest.strip() if first.startswith("Web search results for query:") else words


def _unique(links: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for url, title in links:
        if not found.get(url):
            found[url] = title
    return list(found.items())
