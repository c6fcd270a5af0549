"""What a style sheet loads, with its comments, strings, escapes and functions read as browsers read them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n\f\r]?|[^0-9a-fA-F\n\f\r])"
_TOKEN = re.compile(
    rf"""
        /\*.*?(?:\*/|\Z)
      | "(?P<double>(?:[^"\\\n]|\\.)*+)"?
      | '(?P<single>(?:[^'\\\n]|\\.)*+)'?
      | (?P<name>@?(?:[-\w]|[^\x00-\x7f]|{_ESCAPE})++)(?P<opens>\(\s*+)?+
      | (?P<bracket>\()
      | (?P<closes>\))
      | (?P<ends>[;{{}}])
    """,
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(rf"(?:[^\s)\"'\\]|{_ESCAPE})*+")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\f\r])?|(\r\n|.))", re.DOTALL)
_NAMING = frozenset({"url", "src"})
_IMAGES = frozenset({*_NAMING, "image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade"})
"""Functions in which a string names a file."""


def css_references(text: str) -> Iterator[str]:
    """What a style sheet, or a value in one, loads."""
    inside: list[str] = []
    rule, at = "", 0
    while (match := _TOKEN.search(text, at)) is not None:
        at = match.end()
        string = match["double"] if match["double"] is not None else match["single"]
        if string is not None:
            if (inside and inside[-1] in _IMAGES) or (rule == "@import" and not inside):
                yield from _told(string)
        elif match["name"]:
            name = _plain(match["name"]).lower()
            rule = name if name.startswith("@") else rule
            if match["opens"]:
                inside.append(name)
                if name in _NAMING and (bare := _BARE.match(text, at)):
                    at = bare.end()
                    yield from _told(bare.group())
        elif match["bracket"]:
            inside.append("")
        elif match["closes"]:
            del inside[-1:]
        elif match["ends"]:
            rule = ""
            inside.clear()


def _told(url: str) -> Iterator[str]:
    plain = _plain(url).strip()
    if plain:
        yield plain


def _plain(text: str) -> str:
    return _ESCAPED.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is None:
        return "" if match[2] in ("\n", "\r\n", "\f", "\r") else match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"
