"""The texts of messages as they were written, taken out of a fragment: a page loads them when they are asked for."""

from __future__ import annotations

import json
import re

import msgspec

from sitegen.model import SOURCES

_MESSAGE = b'<article class="message '
_SOURCE = re.compile(_MESSAGE + rb'[^">]*" id="([^">]+)" data-src="([^"]*)"')
_REFERENCES = ((b"&#34;", b'"'), (b"&#39;", b"'"), (b"&lt;", b"<"), (b"&gt;", b">"), (b"&amp;", b"&"))
"""The last one last: what it leaves is read by nobody again."""


def take_sources(html: bytes) -> tuple[bytes, bytes]:
    """A fragment whose messages have `SOURCES` in place of their texts; and the texts by anchor, as members of JSON."""
    if b" data-src=" not in html:
        return html, b""
    texts: dict[str, str] = {}
    parts: list[bytes] = []
    position, at = 0, html.find(_MESSAGE)
    while at >= 0:
        if match := _SOURCE.match(html, at):
            texts[match[1].decode("utf-8", "surrogatepass")] = _unescaped(match[2]).decode("utf-8", "surrogatepass")
            parts += (html[position : match.start(2)], SOURCES.encode())
            position = match.end(2)
        at = html.find(_MESSAGE, at + 1)
    parts.append(html[position:])
    return b"".join(parts), _members(texts)


def _members(texts: dict[str, str]) -> bytes:
    try:
        return msgspec.json.encode(texts)[1:-1]
    except UnicodeEncodeError:  # half of a surrogate pair, which becomes a question mark
        return json.dumps(texts, ensure_ascii=False, separators=(",", ":"))[1:-1].encode("utf-8", "replace")


def _unescaped(text: bytes) -> bytes:
    """The inverse of `markupsafe.escape`, which knows five references and not the whole of HTML."""
    for reference, char in _REFERENCES:
        text = text.replace(reference, char)
    return text
