"""HTML of other packages: read, held to what pages may show, and written anew so that it is always whole."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

from markupsafe import Markup, escape

from sitegen.model import ROOT
from sitegen.render.text import clean

_PHRASING: Final = frozenset(
    """
    abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup time u var
    wbr
    """.split()  # noqa: SIM905 - a list of thirty words reads better so
)
_FLOW: Final = _PHRASING | frozenset(
    """
    a blockquote caption col colgroup dd details div dl dt figcaption figure h4 h5 h6 hr img li meter ol p pre progress
    section summary table tbody td tfoot th thead tr ul
    svg g path rect circle ellipse line polyline polygon text tspan title desc
    """.split()  # noqa: SIM905 - likewise
)
_VOID: Final = frozenset({"br", "col", "hr", "img", "wbr"})
_ATTRIBUTES: Final = frozenset(
    """
    abbr alt class cite colspan datetime dir height href id lang loading max min open role rowspan scope span src start
    tabindex title value width
    cx cy d dx dy fill font-size opacity points r rx ry stroke stroke-width text-anchor transform viewbox x x1 x2 y y1
    y2
    """.split()  # noqa: SIM905 - likewise
)
_SPELLED: Final = {"viewbox": "viewBox"}
_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s]+|#[^\s]*", re.IGNORECASE)
_PICTURE: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+")
_SAFE_NAME: Final = re.compile(r"(?:[io]/[0-9a-f]{16}|f/[0-9a-f]{16}/[\w.\-]+)(?:\.\w+)?", re.ASCII)
_ROOT: Final = "\ue000root\ue000"
"""Stands for ROOT while the HTML is parsed, for a parser may replace what ROOT is made of."""


class UnfitError(Exception):
    """HTML that no page may show; the message says what is wrong with it."""


def vetted(html: str, *, anchor: str) -> Markup:
    """The same flow content. Its ids must begin with `anchor` and a `-`. Raises UnfitError. Plain text is escaped."""
    return _vetted(html, anchor, _FLOW)


def vetted_line(html: str) -> Markup:
    """The same phrasing content, without links and ids. Raises UnfitError. Plain text is escaped."""
    return _vetted(html, "", _PHRASING)


def _vetted(html: str, anchor: str, allowed: frozenset[str]) -> Markup:
    if not isinstance(html, str):
        raise UnfitError(f"it gave {type(html).__name__} where HTML (markupsafe.Markup) or text is expected")
    if not isinstance(html, Markup):
        return escape(clean(html))
    reader = _Reader(anchor, allowed)
    reader.feed(html.replace(ROOT, _ROOT))
    reader.close()
    if reader.open:
        raise UnfitError(f"<{reader.open[-1]}> isn't closed")
    return Markup("".join(reader.out))


class _Reader(HTMLParser):
    """Writes what it reads, and stops at the first thing that isn't allowed."""

    def __init__(self, anchor: str, allowed: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.anchor = anchor
        self.allowed = allowed
        self.open: list[str] = []
        self.out: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._write_tag(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._write_tag(tag, attrs)
        if tag not in _VOID:
            self.out.append(f"</{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise UnfitError(f"</{tag}> closes what isn't open")
        self.out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.out.append(str(escape(clean(data.replace(_ROOT, "")))))

    def handle_comment(self, data: str) -> None:
        raise UnfitError("it holds a comment")

    def handle_decl(self, decl: str) -> None:
        raise UnfitError("it holds a declaration")

    def unknown_decl(self, data: str) -> None:
        raise UnfitError("it holds a declaration")

    def handle_pi(self, data: str) -> None:
        raise UnfitError("it holds a processing instruction")

    def _write_tag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.allowed:
            raise UnfitError(f"<{tag}> may not stand there")
        written = "".join(self._attribute(tag, name, value) for name, value in attrs)
        if tag == "a" and any(name == "href" and (value or "").lower().startswith("http") for name, value in attrs):
            written += ' rel="noopener noreferrer nofollow"'
        self.out.append(f"<{tag}{written}>")

    def _attribute(self, tag: str, name: str, value: str | None) -> str:
        known = name in _ATTRIBUTES or (name.startswith(("aria-", "data-")) and name != "data-act")
        if name == "rel" and tag == "a":
            return ""  # written anew
        if not known:
            raise UnfitError(f"the attribute {name} may not stand on <{tag}>")
        text = value or ""
        if name == "id" and not (self.anchor and text.startswith(f"{self.anchor}-")):
            raise UnfitError(f"the id “{text[:60]}” must begin with “{self.anchor}-”")
        if name in ("href", "cite") and not (_LINK.fullmatch(text) or _is_own(text)):
            raise UnfitError(f"the link “{text[:60]}” leads elsewhere than to http, https, mailto or the share")
        if name == "src" and not (_PICTURE.fullmatch(text) or _is_own(text)):
            raise UnfitError(f"“{text[:60]}” would load from elsewhere")
        shown = str(escape(clean(text.replace(_ROOT, "")))) if not _is_own(text) else text.replace(_ROOT, ROOT)
        return f' {_SPELLED.get(name, name)}="{shown}"'


def _is_own(link: str) -> bool:
    """Whether a link leads to a file that the share itself publishes."""
    return link.startswith(_ROOT) and _SAFE_NAME.fullmatch(link.removeprefix(_ROOT)) is not None
