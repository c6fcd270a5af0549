"""The references a page makes: which attribute of which element names what, and whether a browser loads it unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from sitegen.check.markup import Tag


class Use(Enum):
    """What a browser does with a reference."""

    LOAD = auto()
    """Fetches it when the page opens."""
    FOLLOW = auto()
    """Goes there when a reader asks."""
    NAME = auto()
    """Nothing: it says where the page belongs."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as it stands in a page."""

    url: str
    use: Use
    tag: Tag


_PLAIN = {
    "a": {"href": Use.FOLLOW, "ping": Use.LOAD},
    "area": {"href": Use.FOLLOW, "ping": Use.LOAD},
    "audio": {"src": Use.LOAD},
    "blockquote": {"cite": Use.NAME},
    "body": {"background": Use.LOAD},
    "button": {"formaction": Use.FOLLOW},
    "embed": {"src": Use.LOAD},
    "form": {"action": Use.FOLLOW},
    "frame": {"src": Use.LOAD},
    "iframe": {"src": Use.LOAD},
    "image": {"href": Use.LOAD, "xlink:href": Use.LOAD},
    "img": {"src": Use.LOAD},
    "input": {"src": Use.LOAD, "formaction": Use.FOLLOW},
    "object": {"data": Use.LOAD},
    "script": {"src": Use.LOAD},
    "source": {"src": Use.LOAD},
    "track": {"src": Use.LOAD},
    "use": {"href": Use.LOAD, "xlink:href": Use.LOAD},
    "video": {"src": Use.LOAD, "poster": Use.LOAD},
}
_DROPPED = dict.fromkeys(map(ord, "\t\n\r"))
_TRIMMED = "".join(map(chr, range(0x21)))
_NAMING_RELATIONS = frozenset({"canonical", "alternate", "author", "license", "me", "next", "prev", "up", "help"})
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)", re.IGNORECASE)
_CANDIDATE = re.compile(r"[\s,]*([^\s,][^\s]*[^\s,]|[^\s,])(?:\s[^,]*)?")
_CSS_REFERENCE = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)\s"']*))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE
)
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


def references_of(tag: Tag) -> Iterator[Reference]:
    """All that a tag refers to."""
    for url, use in _urls_of(tag):
        # Browsers drop these before they look for a scheme.
        yield Reference(url.translate(_DROPPED).strip(_TRIMMED), use, tag)


def _urls_of(tag: Tag) -> Iterator[tuple[str, Use]]:
    attributes = tag.attributes
    for name, use in _PLAIN.get(tag.name, {}).items():
        if name in attributes:
            yield attributes[name], use
    for name in ("srcset", "imagesrcset"):
        if name in attributes:
            yield from ((url, Use.LOAD) for url in _CANDIDATE.findall(attributes[name]))
    if tag.name == "link" and "href" in attributes:
        yield attributes["href"], _use_of_link(attributes.get("rel", ""))
    elif tag.name == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
        match = _REFRESH.match(attributes.get("content", ""))
        if match and match[1]:
            yield match[1], Use.LOAD
    elif tag.name == "style":
        yield from ((url, Use.LOAD) for url in css_references(tag.content))


def css_references(text: str) -> Iterator[str]:
    """What a style sheet loads."""
    for groups in _CSS_REFERENCE.findall(_CSS_COMMENT.sub(" ", text)):
        url = "".join(groups).strip()
        if url:
            yield url


def _use_of_link(relation: str) -> Use:
    """A link loads unless all it says is where the page belongs: a relation that isn't known may load."""
    relations = set(relation.lower().split())
    is_naming = bool(relations & _NAMING_RELATIONS) and "stylesheet" not in relations
    return Use.NAME if is_naming else Use.LOAD
