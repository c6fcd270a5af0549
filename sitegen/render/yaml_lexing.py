"""YAML read line by line, with the tokens that Pygments' own lexer makes of it, when no value goes over lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from pygments.token import Comment, Literal, Name, Punctuation, String, Whitespace, _TokenType

from sitegen.render.scans import Span

_KINDS: Final = {
    "key": Name.Tag,
    "quoted": String,
    "string": String,
    "scalar": Literal.Scalar.Plain,
    "comment": Comment.Single,
}
_DULL: Final = (Whitespace, Punctuation.Indicator, Name.Variable, Name.Namespace)
_QUOTED: Final = r"(?:\"(?:[^\"\\\s]| )*+\"|'(?:[^'\s]| )*+'(?!'))"
_WORDS: Final = r"[\w./$=+~^-]++(?: ++[\w./$=+~^-]++)*+"
_NAME: Final = r" *+[\w./$-]++(?: ++[\w./$-]++)*+"
"""A key within braces. It takes the white space before it."""
_LIST: Final = rf"\[ *+(?:(?:{_QUOTED}|{_WORDS}) *+(?:, *+|(?=\])))*+\]"
_MAP: Final = rf"\{{(?:{_NAME}: ++(?:{_QUOTED}|{_WORDS}) *+(?:,|(?=\}})))*+ *+\}}"
_KEY: Final = r"(?![?:-][ \n])(?:[^#,?\[\]{}\"'\s]| )+(?=:[ \n])"
_SCALAR: Final = r"(?:[^\s?:,\[\]{}#&*!|>'\"%@`-]|[?:-](?=\S))(?:[^\s:]|:(?=\S)| ++(?=[^\s#:]|:\S))*+"
_LINE: Final = re.compile(
    r"(?P<indent> *+)(?!%|(?:---|\.\.\.)[ \n])(?P<dashes>(?:-(?: ++|(?=\n)))*+)"
    rf"(?:(?:(?P<key>{_KEY})|(?P<quoted>{_QUOTED})(?=:[ \n])):)?+ *+"
    rf"(?:(?P<string>{_QUOTED})|(?P<flow>{_LIST}|{_MAP})|(?P<scalar>{_SCALAR}))?+ *+(?P<comment>#.*+)?+\n|---\n"
)
_IN_FLOW: Final = re.compile(rf"(?P<string>{_QUOTED})|(?<=[{{,])(?P<key>{_NAME})(?=:)")


def lex_yaml(text: str, classes: Callable[[_TokenType], str]) -> list[Span] | None:
    """Where each token that has a class begins and ends, and its class; None when a line doesn't stand for itself.

    White space within a text is part of it.
    """
    if any(map(classes, _DULL)):
        return None
    names = {group: classes(kind) for group, kind in _KINDS.items()}
    spans: list[Span] = []
    position, deepest = 0, len(text)
    while position < len(text):
        line = _LINE.match(text, position)
        if line is None:
            return None
        position = line.end()
        if line[0].isspace():
            continue  # an empty one ends nothing
        if line.end("indent") - line.start() > deepest:
            return None  # what the line before says goes on
        spans += [(start, end, names[kind]) for kind, start, end in _parts(line)]
        deepest = len(text)
        if line["scalar"] is not None and line["comment"] is None:
            deepest = _column(line)
            if deepest < 0:
                return None
    return spans


def _parts(line: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The kinds of a line's tokens, where they begin and end."""
    for group in ("key", "quoted", "string", "flow", "scalar", "comment"):
        start, end = line.span(group)
        if group == "flow" and start >= 0:
            for match in _IN_FLOW.finditer(line.string, start, end):
                yield match.lastgroup or "", match.start(), match.end()
        elif start >= 0:
            yield group, start, end


def _column(line: re.Match[str]) -> int:
    """Up to which column what comes next isn't part of the line's value; -1 when nothing stands before that."""
    start = line.start("quoted") if line["key"] is None else line.start("key")
    if start < 0:
        start = line.string.rfind("-", line.start("dashes"), line.end("dashes"))
    return start - line.start() if start >= 0 else -1
