"""The references a page makes: which attribute of which element names what, and whether a browser loads it unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

from msgspec import Struct

from sitegen.check.css import css_references
from sitegen.check.markup import Tag


class Use(Enum):
    """What a browser does with a reference."""

    LOAD = auto()
    """Fetches it when the page opens."""
    FOLLOW = auto()
    """Goes there when a reader asks."""
    NAME = auto()
    """Nothing: it says where the page belongs."""


class Reference(Struct, frozen=True):
    """A reference as it stands in a page."""

    url: str
    use: Use
    tag: Tag


_PLAIN = {
    **dict.fromkeys(
        ("src", "background", "poster", "ping", "attributionsrc", "manifest", "lowsrc", "dynsrc"), Use.LOAD
    ),
    **dict.fromkeys(("action", "formaction", "longdesc"), Use.FOLLOW),
    "cite": Use.NAME,
}
"""What attributes refer to, whatever element they stand at."""
_EMBEDDED = {"object": ("data", "classid", "codebase"), "embed": ("code",), "applet": ("code", "codebase", "archive")}
_LINKING = frozenset({"a", "area"})
_PAINTING = (
    *("fill", "stroke", "filter", "clip-path", "mask", "cursor", "color-profile"),
    *("marker", "marker-start", "marker-mid", "marker-end"),
)
"""Attributes of drawings whose values are read as those of a style sheet."""
_FORMULA = frozenset(
    {
        *(
            "annotation",
            "annotation-xml",
            "maction",
            "math",
            "menclose",
            "merror",
            "mfrac",
            "mi",
            "mmultiscripts",
            "mn",
        ),
        *("mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle"),
        *("msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "semantics"),
    }
)
_CHANGING = ("values", "to", "from", "by")
_DROPPED = dict.fromkeys(map(ord, "\t\n\r"))
_TRIMMED = "".join(map(chr, range(0x21)))
_NAMING_RELATIONS = frozenset({"canonical", "alternate", "author", "license", "me", "next", "prev", "up", "help"})
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)", re.IGNORECASE)
_CANDIDATE = re.compile(r"[\s,]*([^\s,][^\s]*[^\s,]|[^\s,])(?:\s[^,]*)?")


def references_of(tag: Tag) -> Iterator[Reference]:
    """All that a tag refers to."""
    for url, use in _urls_of(tag):
        # Browsers drop these before they look for a scheme.
        yield Reference(url.translate(_DROPPED).strip(_TRIMMED), use, tag)


def _urls_of(tag: Tag) -> Iterator[tuple[str, Use]]:
    name = tag.name.rpartition(":")[2]
    for attribute, value in tag.attributes.items():
        yield from _of_attribute(tag, name, attribute, value)
    if name == "meta" and tag.attributes.get("http-equiv", "").lower() == "refresh":
        match = _REFRESH.match(tag.attributes.get("content", ""))
        if match and match[1]:
            yield match[1], Use.LOAD
    elif name == "meta" and tag.attributes.get("property", "").lower() == "og:image":
        yield tag.attributes.get("content", ""), Use.NAME
    elif name == "style":
        yield from ((url, Use.LOAD) for url in css_references(tag.content))
    elif tag.attributes.get("attributename", "").lower().endswith("href"):
        values = (tag.attributes.get(each, "") for each in _CHANGING)
        yield from ((url, Use.FOLLOW) for value in values for url in value.split(";") if url.strip())


def _of_attribute(tag: Tag, name: str, attribute: str, value: str) -> Iterator[tuple[str, Use]]:
    if attribute == "href" or attribute.endswith(":href"):
        yield value, _use_of_href(tag, name)
    elif attribute in _PLAIN:
        yield value, _PLAIN[attribute]
    elif attribute in ("srcset", "imagesrcset"):
        yield from ((url, Use.LOAD) for url in _CANDIDATE.findall(value))
    elif attribute in _EMBEDDED.get(name, ()):
        yield value, Use.LOAD
    elif attribute in _PAINTING and ("(" in value or "\\" in value):
        yield from ((url, Use.LOAD) for url in css_references(value))


def _use_of_href(tag: Tag, name: str) -> Use:
    """What a drawing refers to is drawn; a link is followed, and so is any part of a formula."""
    match name:
        case "link":
            return _use_of_link(tag.attributes.get("rel", ""))
        case "base":
            return Use.NAME
        case _:
            return Use.FOLLOW if name in _LINKING or name in _FORMULA else Use.LOAD


def _use_of_link(relation: str) -> Use:
    """A link loads unless all it says is where the page belongs: a relation that isn't known may load."""
    relations = set(relation.lower().split())
    return Use.NAME if relations and relations <= _NAMING_RELATIONS else Use.LOAD
