"""Reads the tags of a page that can matter to a check, quickly: those with an attribute besides `class`.

A scanner, not a parser: it knows comments, raw text elements and quoting, and no nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape

_ATTRIBUTES = r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+"""
_TOKEN = re.compile(
    rf"""<(?:
        !--.*?(?:-->|\Z)
      | (?P<raw>script|style|title|textarea|xmp)\b(?P<raw_attributes>{_ATTRIBUTES})>(?P<content>.*?)(?:</(?P=raw)\b|\Z)
      | (?!/|[a-zA-Z][a-zA-Z0-9]*+(?:[ ]class="[^"]*+")?+>)(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>{_ATTRIBUTES})>
    )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag: its name and attributes in lower case, values unescaped, where it stands in the text.

    `content` is the text of a script or style element, else "".
    """

    name: str
    attributes: Mapping[str, str]
    offset: int
    content: str = ""


def read_tags(text: str) -> Iterator[Tag]:
    """The tags of a page in order, without those that have no attribute but `class`."""
    for match in _TOKEN.finditer(text):
        raw, name = match["raw"], match["name"]
        if name:
            yield Tag(name.lower(), _attributes(match["attributes"]), match.start())
        elif raw:
            yield Tag(raw.lower(), _attributes(match["raw_attributes"]), match.start(), match["content"])


def line_of(text: str, offset: int) -> int:
    """The line of an offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found
