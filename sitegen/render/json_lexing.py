"""JSON read by one pattern, with the tokens that Pygments' own lexer makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from pygments.token import Keyword, Name, Number, String, _TokenType

_JSON = {
    "key": Name.Tag,
    "string": String.Double,
    "integer": Number.Integer,
    "float": Number.Float,
    "constant": Keyword.Constant,
}
_JSON_STRING = r'"[^"\\]*+(?:\\(?:[^u]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
_SOUND_JSON = re.compile(
    rf"(?:[ \t\n\r{{}}\[\],:]|{_JSON_STRING}(?=[ \t\n\r]*(?:[,:\]}}]|\Z))|[-0-9][-0-9.eE+]*+|[fnt][truefalsn]*+)*+"
)
"""JSON as Pygments takes it, without comments and without what it takes for an error."""
_JSON_TOKENS = re.compile(
    rf"{_JSON_STRING}(?:(?=[ \t\n\r]*:)(?P<key>)|(?P<string>))|[-0-9]++(?![.eE+])(?P<integer>)"
    r"|[-0-9][-0-9.eE+]*+(?P<float>)|[fnt][truefalsn]*+(?P<constant>)"
)


def lex_json(text: str, classes: Callable[[_TokenType], str]) -> list[tuple[int, int, str]] | None:
    """Where each token that has a class begins and ends, and its class; None for what isn't sound."""
    if _SOUND_JSON.fullmatch(text) is None:
        return None
    names = {group: classes(kind) for group, kind in _JSON.items()}
    return [
        (match.start(), match.end(), name)
        for match in _JSON_TOKENS.finditer(text)
        if (name := names[match.lastgroup or ""])
    ]
