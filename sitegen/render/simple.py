"""Text within a line that can be read at a glance: words, code, emphasis around words, line breaks, nothing nested.

Most of what people and models write is that, and is written at once, as the parser would have it. What isn't surely
so is left to the parser.
"""

from __future__ import annotations

import re

from sitegen.render.figure import content

_WORDS = r"[^\n$&*<>\[\\\]_`~!:@]"
"""A character that means nothing but itself, whatever stands beside it."""
_MARKED = (
    r"(?<!`)`(?P<code>[^`\n]+)`(?!`)"
    rf"|(?<![^ \n(])(?P<mark>\*\*?|~~)(?P<inner>[A-Za-z0-9](?:{_WORDS}*[A-Za-z0-9])?)(?P=mark)(?=[ \n.,;:!?)]|\Z)"
    r"|(?<=\S)(?P<break>\n)(?=\S)"
)
_SIMPLE = re.compile(rf"(?>{_WORDS}+|!(?!\[)|:(?!//)|>|{_MARKED})+")
_MARKS = re.compile(_MARKED)
_TAGS = {"*": "em", "**": "strong", "~~": "s"}


def is_simple(text: str) -> bool:
    """Whether all of `text` can be written without parsing it."""
    return _SIMPLE.fullmatch(text) is not None and "www." not in text.lower()


def write_simple(text: str, *, newline: str, code_attributes: str = "") -> str:
    """The HTML of a simple text; `newline` stands for a line break."""

    def write(match: re.Match[str]) -> str:
        if (code := match["code"]) is not None:
            return f"<code{code_attributes}>{content(_trimmed(code))}</code>"
        if (mark := match["mark"]) is not None:
            return f"<{_TAGS[mark]}>{match['inner']}</{_TAGS[mark]}>"
        return newline

    return _MARKS.sub(write, text)


def plain_simple(text: str) -> str:
    """What a simple text says, without its marks."""
    return _MARKS.sub(lambda match: _trimmed(match["code"]) if match["code"] else match["inner"] or "\n", text)


def _trimmed(code: str) -> str:
    """Code without the one space on either side that lets it begin with a backtick."""
    is_padded = code[0] == code[-1] == " " and not code.isspace() and len(code) > 1
    return code[1:-1] if is_padded else code
