"""Which links a page may hold, and where bare ones stand in a text.

Allowed are http, https and mailto; places in the same message are `prose`'s. Nothing here is loaded or looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

from markupsafe import Markup, escape

from sitegen.render.figure import content

_ALLOWED = re.compile(r"https?://[^\s/?#\\]|mailto:[^\s@]+@", re.I)
_ADDRESS = r"[^\s<>\"`\u3000-\u3003\u3008-\u3011\uff01\uff08-\uff0c\uff1a-\uff1f]+"
# Case is ignored only where it matters, and many characters are told by the others: each that is named takes time.
_WEB = re.compile(rf"(?<![A-Za-z0-9])(?i:https?)://(?:[A-Za-z0-9\[]|[^\x00-\xa0\U00010000-\U0010ffff]){_ADDRESS}")
_BARE = re.compile(
    rf"(?P<www>(?<![A-Za-z0-9._@/-])(?i:www)\.{_ADDRESS})"
    r"|(?P<mail>(?<![A-Za-z0-9._%+/:@-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9@]|[:/]\S|-[A-Za-z0-9]|\.[A-Za-z0-9]))"
)
_TRAILING = "?!.,:;*_~'\"|"
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_BRACKET = re.compile(r"[()\[\]]")
_UNSAFE = re.compile('[\\s"<>\\\\^`{|}\x00-\x20\x7f-\xa0\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]')


def is_allowed(target: str) -> bool:
    """Whether a page may link to `target`: an absolute http, https or mailto address."""
    return _ALLOWED.match(target) is not None


def link_open(target: str, *, title: str = "") -> str:
    """The opening tag of a link that leaves the site. `target` must be allowed."""
    named = f' title="{escape(title)}"' if title else ""
    return f'<a href="{escape(target)}"{named} rel="noopener noreferrer nofollow">'


def may_hold_link(text: str) -> bool:
    """Whether it's worth looking for bare links in `text`."""
    return "@" in text or "www." in text


def linked(text: str) -> str:
    """`text` as HTML with its bare www. and mail addresses as links."""
    out: list[str] = []
    position = 0
    for start, end, target in bare_links(text):
        out += (content(text[position:start]), link_open(target), content(text[start:end]), "</a>")
        position = end
    return "".join((*out, content(text[position:])))


def web_link_at(text: str, start: int, end: int) -> int | None:
    """Where the http(s) address that begins at `start` ends, before `end`; None when there is none."""
    match = _WEB.match(text, start, end)
    return None if match is None else start + _extent(match.group())


def bare_links(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and target of each bare www. and mail address in `text`; web_link_at finds the others."""
    for match in _BARE.finditer(text):
        found = match.group()
        if match.lastgroup == "mail":
            yield match.start(), match.end(), f"mailto:{found}"
        elif "." in (found := found[: _extent(found)])[4:]:
            yield match.start(), match.start() + len(found), f"http://{found}"


def _extent(url: str) -> int:
    """How much of `url` is one: it ends before a bracket that it didn't open, and before marks that end a sentence."""
    opened = {"(": 0, "[": 0}
    for match in _BRACKET.finditer(url):
        bracket = match.group()
        if bracket in opened:
            opened[bracket] += 1
            continue
        opener = "(" if bracket == ")" else "["
        opened[opener] -= 1
        if opened[opener] < 0:
            url = url[: match.start()]
            break
    return len(url.rstrip(_TRAILING))


def encoded(target: str) -> str:
    """`target` with what may not stand in an address, and what hides in one, percent-encoded."""
    return _UNSAFE.sub(lambda match: quote(match.group(), safe=""), target)


def shown_target(target: str, limit: int = 120) -> Markup:
    """A target that isn't linked, to be read: cut in the middle when it's long."""
    if len(target) > limit:
        target = f"{target[: limit - 20]}…{target[-19:]}"
    return escape(target)


def slug_of(heading: str) -> str:
    """What a link within a text calls a heading: `#Two  words!` and `Two words` are both `two-words`."""
    return _NOT_IN_SLUG.sub("", unquote(heading).strip().lower()).replace(" ", "-")[:80]
