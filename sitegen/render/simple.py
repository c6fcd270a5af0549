"""Text within a line that can be read at a glance: words, code, emphasis, web addresses, line breaks, little nested.

Most of what people and models write is that, and is written at once, as the parser would have it. What isn't surely
so is left to the parser.
"""

from __future__ import annotations

import re

from sitegen.render.figure import content
from sitegen.render.links import link_open

LIMIT = 200_000
"""A paragraph of more characters than this is no prose."""

_LETTER = "A-Za-z0-9À-ÖØ-öø-ɏ"
_CODE = r"(?<!`)`[^`\n]+`(?!`)"
_WORDS = (
    r"[^\n$&*<>\[\\\]_`~!:@]+"  # characters that mean nothing but themselves, whatever stands beside them
    r"|!(?!\[)|:(?!//)|>|[&<](?=[ \n]|\Z)|(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])"
)
_EMPHASIS = "|".join(  # no group: together with possessive repeats `re` can get its span wrong
    rf"(?<![^ \n(]){mark}(?=[{_LETTER}`])(?:{_WORDS}|{_CODE})++(?<=[{_LETTER}`.,:;!?)\"'%]){mark}(?=[ \n.,;:!?)]|\Z)"
    for mark in (r"\*\*", r"\*", "~~")
)
_ADDRESS = r"://[A-Za-z0-9](?:[A-Za-z0-9/?=&.#%_~:+,-]*[A-Za-z0-9/=#-])?"
_BARE = rf"(?:(?<=(?<![A-Za-z0-9])http)|(?<=(?<![A-Za-z0-9])https)){_ADDRESS}(?=[.,:;!?]*(?:[ \n)]|\Z))"
_LINK = rf"\[(?!\^)(?:{_WORDS}|{_CODE})++\]\(https?{_ADDRESS}\)"
_SIMPLE = re.compile(rf"(?:{_WORDS}|{_CODE}|{_EMPHASIS}|(?<=\S)\n(?=\S)|{_BARE}|{_LINK})++")
_WWW = re.compile(r"(?<!/)www\.", re.I)

_INNER = "(?:[^{}`]|`[^`]+`)++"
_MARKS = re.compile(
    r"`(?P<code>[^`]+)`|\n(?P<newline>)|&(?P<and>)|<(?P<less>)"
    rf"|\*\*(?P<strong>{_INNER.format('*')})\*\*|\*(?P<em>{_INNER.format('*')})\*|~~(?P<s>{_INNER.format('~')})~~"
    rf"|\[(?P<label>{_INNER.format(']')})\]\((?P<target>[^)]+)\)|http(?P<bare>s?{_ADDRESS})"
)
"""What a simple text holds besides words. There, what looks like one of them is one."""


def is_simple(text: str) -> bool:
    """Whether all of `text` can be written without parsing it. What's longer than LIMIT is not."""
    if len(text) > LIMIT:
        return False
    return _SIMPLE.fullmatch(text) is not None and ("www." not in text.lower() or _WWW.search(text) is None)


def write_simple(text: str, *, newline: str, code_attributes: str = "") -> str:
    """The HTML of a simple text; `newline` stands for a line break."""

    def inner(text: str) -> str:
        return write_simple(text, newline=newline, code_attributes=code_attributes)

    def write(match: re.Match[str]) -> str:  # that called itself, it would stay until somebody looks for garbage
        kind = match.lastgroup or ""
        match kind:
            case "code":
                return f"<code{code_attributes}>{content(_trimmed(match['code']))}</code>"
            case "newline":
                return newline
            case "target":
                return f"{link_open(match['target'])}{inner(match['label'])}</a>"
            case "bare":
                return f"{link_open(match.group())}{content(match.group())}</a>"
            case "and" | "less":
                return content(match.group())
        return f"<{kind}>{inner(match[kind])}</{kind}>"

    return _MARKS.sub(write, text)


def plain_simple(text: str) -> str:
    """What a simple text says, without its marks."""

    def say(match: re.Match[str]) -> str:
        match kind := match.lastgroup or "":
            case "code":
                return _trimmed(match["code"])
            case "target":
                return plain_simple(match["label"])
            case "strong" | "em" | "s":
                return plain_simple(match[kind])
        return match.group()

    return _MARKS.sub(say, text)


def _trimmed(code: str) -> str:
    """Code without the one space on either side that lets it begin with a backtick."""
    is_padded = code[0] == code[-1] == " " and not code.isspace() and len(code) > 1
    return code[1:-1] if is_padded else code
