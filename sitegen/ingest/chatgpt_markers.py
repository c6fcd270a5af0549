"""What ChatGPT writes into its texts for the screen alone, made into Markdown: sources become links, the rest goes.

Markers stand between private-use characters (U+E200 … U+E201), older ones in brackets of their own (【12†source】).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from sitegen.ingest.citations import link_to
from sitegen.ingest.fields import Object, first_text, number_of, object_of, objects_of, text_of, texts_of

_MARKER: Final = re.compile(r"[ \t]?\ue200([^\ue200\ue201]*)\ue201")
_PART: Final = "\ue202"
_LOOSE: Final = re.compile(r"[\ue200-\ue20f]")
_BRACKET: Final = re.compile(r"【[^【】]{1,80}】")
_NAMED: Final = frozenset({"entity", "url", "finance", "genui"})
_LINK_LIMIT: Final = 5
"""So many links stand for one marker at most."""


def without_markers(text: str, metadata: Object) -> str:
    """The text as it was read on the screen, with a link for each source that `metadata` (the message's) names."""
    if "\ue200" in text:
        for marker, shown in _replacements(metadata):
            text = _put(text, marker, shown)
        text = _LOOSE.sub("", _MARKER.sub(_stand_in, text))
    return _with_bracket_links(text, metadata) if "【" in text else text


def _replacements(metadata: Object) -> Iterator[tuple[str, str]]:
    for reference in objects_of(metadata.get("content_references")):
        marker = text_of(reference.get("matched_text"))
        if marker is not None and "\ue200" in marker:
            yield marker, _shown(reference)


def _shown(reference: Object) -> str:
    links = dict.fromkeys(_links(reference))
    if links:
        return f"({', '.join(list(links)[:_LINK_LIMIT])})"
    match reference.get("type"):
        case "hidden" | "image_v2" | "image_group" | "image_inline" | "sources_footnote":
            return ""
        case "file":
            name = first_text(reference.get("name"), reference.get("title"))
            return f"({name})" if name else ""
        case _:
            return first_text(reference.get("alt"), reference.get("name")) or ""


def _links(reference: Object) -> Iterator[str]:
    items = [item for key in ("items", "fallback_items", "sources") for item in objects_of(reference.get(key))]
    for source in (
        reference,
        *items,
        *(more for item in items for more in objects_of(item.get("supporting_websites"))),
    ):
        url = text_of(source.get("url"))
        if url and (link := link_to(url, first_text(source.get("title"), source.get("attribution")) or "")):
            yield link
    if not items:
        yield from (link for url in texts_of(reference.get("safe_urls")) if (link := link_to(url)))


def _put(text: str, marker: str, shown: str) -> str:
    if not shown:
        return text.replace(f" {marker}", "").replace(marker, "")
    text = text.replace(f" {marker}", marker)
    is_word = not shown.startswith("(")
    return text.replace(marker, f" {shown}") if not is_word else text.replace(marker, f" {shown}").replace("  ", " ")


def _stand_in(match: re.Match[str]) -> str:
    """What is left of a marker that nothing explains: the name it holds, if any."""
    kind, _, rest = match[1].partition(_PART)
    if kind not in _NAMED:
        return ""
    lead = " " if match[0][0] in " \t" else ""
    try:
        values = texts_of(json.loads(rest))
    except ValueError:
        values = rest.split(_PART)[:1]
    name = values[1] if len(values) > 1 else "".join(values)
    return f"{lead}{name}"


def _with_bracket_links(text: str, metadata: Object) -> str:
    """Links for the brackets of browsing. A citation says where its bracket stands; if it doesn't, the order does."""
    citations = objects_of(metadata.get("citations"))
    brackets = [match.span() for match in _BRACKET.finditer(text)]
    spans = {
        (number_of(citation.get("start_ix")), number_of(citation.get("end_ix"))): _citation_link(citation)
        for citation in citations
    }
    if not any(span in spans for span in brackets) and len(brackets) == len(citations):
        spans = dict(zip(brackets, map(_citation_link, citations), strict=True))
    for start, end in reversed(brackets):
        if link := spans.get((start, end)):
            lead = "" if start == 0 or text[start - 1].isspace() else " "
            text = f"{text[:start]}{lead}({link}){text[end:]}"
    return text


def _citation_link(citation: Object) -> str:
    source = object_of(citation.get("metadata"))
    url = first_text(source.get("url"), citation.get("url"))
    return link_to(url, text_of(source.get("title")) or "") if url else ""
