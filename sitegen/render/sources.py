"""The texts of messages as they were written, taken out of a fragment: a page loads them when they are asked for."""

from __future__ import annotations

import json
import re

from sitegen.model import SOURCES

_SOURCE = re.compile(rb'(<article class="message [^">]*" id="([^">]+)" data-src=")([^"]*)"')
_REFERENCES = ((b"&#34;", b'"'), (b"&#39;", b"'"), (b"&lt;", b"<"), (b"&gt;", b">"), (b"&amp;", b"&"))
"""The last one last: what it leaves is read by nobody again."""


def take_sources(html: bytes) -> tuple[bytes, bytes]:
    """A fragment whose messages have `SOURCES` in place of their texts; and the texts by anchor, as members of JSON."""
    if b" data-src=" not in html:
        return html, b""
    texts: dict[str, str] = {}

    def take(match: re.Match[bytes]) -> bytes:
        texts[match[2].decode("utf-8", "surrogatepass")] = _unescaped(match[3]).decode("utf-8", "surrogatepass")
        return b'%b%b"' % (match[1], SOURCES.encode())

    html = _SOURCE.sub(take, html)
    members = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))[1:-1]
    return html, members.encode("utf-8", "replace")


def _unescaped(text: bytes) -> bytes:
    """The inverse of `markupsafe.escape`, which knows five references and not the whole of HTML."""
    for reference, char in _REFERENCES:
        text = text.replace(reference, char)
    return text
