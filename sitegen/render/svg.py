"""SVG made harmless: rebuilt from an allow-list, with no script, style sheet or outside link.

It's shown through `<img>` only, where no script runs; opened by its address it would be a page of the site's.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import escape
from msgspec import Struct

_SVG = "http://www.w3.org/2000/svg"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
# Atomic groups: what can be read in two ways would take for ever on a file made for it.
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*\?>)?+\s*+"
    rb"(?:<!--(?>.*?-->)\s*+|<!DOCTYPE\s+svg[^>\[]*+>\s*+)*+<(?:[a-z]+:)?svg[\s>]",
    re.S,
)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*>")
_NAMES = (
    "svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath linearGradient"
    " radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite"
    " feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG"
    " feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight"
    " feTile feTurbulence"
)
_ELEMENTS = frozenset(_NAMES.split())
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z\-]*[0-9]?")
_BAD_VALUE = re.compile(r"url\s*\(\s*[\"']?\s*(?!#)[^\s\"'#)]|javascript:|data:|expression\s*\(|@import|\\", re.I)
_NUMBER = re.compile(r"\s*(\d{1,5}(?:\.\d+)?)\s*(?:px)?\s*")
_DEPTH_LIMIT = 100
_DEFAULT_SIZE = (300, 150)


class Svg(Struct, frozen=True):
    """A harmless SVG document and the size it asks for, in CSS pixels."""

    data: bytes
    width: int
    height: int


def clean_svg(data: bytes) -> Svg | None:
    """The SVG document in `data` without anything that acts; None when it is no SVG or not well-formed."""
    if _BEGINNING.match(data[:4096]) is None or b"<!ENTITY" in data:
        return None
    try:
        root = ElementTree.fromstring(_DOCTYPE.sub(b"", data, count=1))  # noqa: S314 - entities are refused above
        width, height = _size(root)
        text = _write(root, depth=0)
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
    return Svg(text.encode("utf-8", "replace"), width, height) if text else None


def _size(root: ElementTree.Element) -> tuple[int, int]:
    width, height = (_NUMBER.fullmatch(root.get(name, "")) for name in ("width", "height"))
    if width and height:
        return max(1, round(float(width[1]))), max(1, round(float(height[1])))
    box = [_NUMBER.fullmatch(part) for part in re.split(r"[\s,]+", root.get("viewBox", "").strip())]
    if len(box) == 4 and box[2] and box[3]:
        return max(1, round(float(box[2][1]))), max(1, round(float(box[3][1])))
    return _DEFAULT_SIZE


def _write(element: ElementTree.Element, *, depth: int) -> str:
    """`element` and what is in it, without what isn't allowed. Raises ValueError when it's nested too deep."""
    namespace, _, name = str(element.tag).rpartition("}")
    if depth > _DEPTH_LIMIT:
        raise ValueError("nested too deep")
    if namespace not in ("", "{" + _SVG) or name not in _ELEMENTS:
        return ""
    attributes = "".join(
        f' {_local(key)}="{escape(value)}"' for key, value in element.attrib.items() if _is_harmless(key, value)
    )
    declared = f' xmlns="{_SVG}"' if depth == 0 else ""
    inner = str(escape(element.text or "")) + "".join(
        f"{_write(child, depth=depth + 1)}{escape(child.tail or '')}" for child in element
    )
    return f"<{name}{declared}{attributes}>{inner}</{name}>"


def _local(key: str) -> str:
    return "href" if key in _LINKS else key


def _is_harmless(key: str, value: str) -> bool:
    if key in _LINKS:
        return value.startswith("#")
    is_plain = _ATTRIBUTE.fullmatch(key) is not None and not key.lower().startswith("on")
    return is_plain and _BAD_VALUE.search(value) is None
