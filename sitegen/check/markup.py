"""Reads the tags of a page that can matter to a check, quickly: those with an attribute besides `class`.

A tokenizer as browsers have it, without their tree: it knows comments of every kind, raw text elements and quoting.
Where only the tree tells how a browser reads on, it reads both ways and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape

from msgspec import Struct

ODD = "!odd"
"""The name of what isn't a tag, but may hide some; its content says what it is."""

_SPACE = r"\t\n\f\r "
_ATTRIBUTE = (
    rf"""[^{_SPACE}/>][^{_SPACE}/>=]*+(?:[{_SPACE}]*+=[{_SPACE}]*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^{_SPACE}>]*+))?+"""
)
_ATTRIBUTES = rf"(?:[{_SPACE}/]++|{_ATTRIBUTE})*+"
_DEEPEST = 8
_RAW = "script|style|title|textarea|xmp|iframe|noembed|noframes|noscript"
_COMMENT = r"!--(?:-?>|.*?(?:--!?>|\Z))"
# Of plain tags only those are looked at that begin or end another way of reading; they're most of a page.
_TOKEN = re.compile(
    rf"""<(?:
        {_COMMENT}
      | (?P<raw>{_RAW})(?=[{_SPACE}/>])(?P<raw_attributes>{_ATTRIBUTES})>(?P<content>.*?)(?=</(?P=raw)[{_SPACE}/>]|\Z)
      | (?!(?!svg|math)[a-zA-Z][a-zA-Z0-9]*+(?:[ ]class=(?:"[^"<]*+"|[a-z]++))?+>)
        (?P<name>[a-zA-Z][^{_SPACE}/>]*+)(?P<attributes>{_ATTRIBUTES})>
      | /(?!(?!svg|math)[a-zA-Z][a-zA-Z0-9]*+>)(?P<end>[a-zA-Z][^{_SPACE}/>]*+){_ATTRIBUTES}>
      | (?P<cdata>!\[CDATA\[)
      | (?:[!?]|/(?![a-zA-Z]))[^>]*+
    )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_WHOLE = re.compile(
    rf"<(?:!--(?:-?>|.*?--!?>)|/?[a-zA-Z][^{_SPACE}/>]*+{_ATTRIBUTES}>|[!?/](?!--|[a-zA-Z])[^>]*+>)", re.DOTALL
)
_BEGUN = re.compile(r"<[a-zA-Z!?/]")
_NESTED_SCRIPT = re.compile(r"<!--.*<script", re.DOTALL | re.IGNORECASE)
_XML_TAG = re.compile(
    rf"""<(?P<name>[^{_SPACE}/>!?<][^{_SPACE}/>]*+)(?P<attributes>{_ATTRIBUTES})>(?P<content>[^<]*+)"""
)
_XML_TEXT = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_ENTITY = re.compile(r"<!ENTITY\b", re.IGNORECASE)
_VALUE = re.compile(
    rf"""([^{_SPACE}/>][^{_SPACE}/>=]*+)(?:[{_SPACE}]*+=[{_SPACE}]*+(?:"([^"]*+)"|'([^']*+)'|(?!["'])([^{_SPACE}>]*+)))?+"""
)


class Tag(Struct, frozen=True):
    """A start tag: its name and attributes in lower case, values unescaped, where it stands in the text.

    `content` is the text of a script or style element, else "".
    """

    name: str
    attributes: Mapping[str, str]
    offset: int
    content: str = ""


def read_tags(text: str) -> Iterator[Tag]:
    """The tags of a page in order, without those that have no attribute but `class`."""
    return _read(text, 0, foreign=0, depth=0)


def read_xml_tags(text: str) -> Iterator[Tag]:
    """All tags of an XML file, each with the text after it; names keep their prefixes."""
    plain = _XML_TEXT.sub(_without_markup, text)
    if (entity := _ENTITY.search(plain)) is not None:
        yield Tag(ODD, {}, entity.start(), "it declares an entity, which may stand for anything")
    for match in _XML_TAG.finditer(plain):
        yield Tag(match["name"].lower(), _attributes(match["attributes"]), match.start(), unescape(match["content"]))


def line_of(text: str, offset: int) -> int:
    """The line of an offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def _read(text: str, start: int, *, foreign: int, depth: int) -> Iterator[Tag]:
    """The tags of a text that begins at `start`, `foreign` deep in drawings and formulas, where nothing is raw text."""
    for match in _TOKEN.finditer(text):
        raw, name, end, at = match["raw"], match["name"], match["end"], start + match.start()
        if name:
            name, attributes = name.lower(), match["attributes"]
            foreign += name in ("svg", "math") and not attributes.endswith("/")
            if attributes:
                yield Tag(name, _attributes(attributes), at)
        elif raw:
            content = match["content"]
            yield Tag(raw.lower(), _attributes(match["raw_attributes"]), at, content)
            if foreign or raw.lower() == "noscript":
                yield from _also_markup(content, start + match.start("content"), foreign=foreign, depth=depth)
            elif raw.lower() == "script" and _NESTED_SCRIPT.search(content):
                yield Tag(ODD, {}, at, "a <script> holds “<!--” and “<script”, so that its end isn't where it seems")
        elif end and end.lower() in ("svg", "math"):
            foreign = max(foreign - 1, 0)
        elif match["cdata"]:
            yield Tag(ODD, {}, at, "it has a CDATA section, which may hide what follows")


def _also_markup(content: str, start: int, *, foreign: int, depth: int) -> Iterator[Tag]:
    """The tags in what is text for one browser and markup for another."""
    if "<" not in content:
        return
    if depth == _DEEPEST:
        yield Tag(ODD, {}, start, "it nests elements that hold text so deep that nothing in them can be told")
        return
    yield from _read(content, start, foreign=foreign, depth=depth + 1)
    if _BEGUN.search(_WHOLE.sub("", content)):
        yield Tag(ODD, {}, start, "it has a tag that is cut off, which browsers read in more than one way")


def _without_markup(match: re.Match[str]) -> str:
    """What stands for a comment or a section of text, with as many lines."""
    text = match["text"]
    return "\n" * match.group().count("\n") if text is None else escape(text)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, double, single, bare in _VALUE.findall(text):
        value = double or single or bare
        found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found
