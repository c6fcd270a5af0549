"""Text made safe to show: control bytes, lone surrogates, bidi overrides, first lines.

Knows characters only; escaping for HTML is markupsafe's, terminal sequences are `ansi`'s.
"""

from __future__ import annotations

import re
import unicodedata

_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BEYOND_ASCII = [
    (each[:1], re.compile(each)) for each in (b"\xc2[\x80-\x9f]", b"\xed[\xa0-\xbf]", b"\xef\xbf[\xbe\xbf]")
]
"""The rest of it in UTF-8: what it begins with, and the pattern."""
_ASCII_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
_SURROGATE = re.compile("[\ud800-\udfff]")
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_REPLACEMENT = "\ufffd"


def is_clean(text: str) -> bool:
    """Whether `text` may stand in HTML as it is: no carriage return or other control byte, no lone surrogate."""
    return (text.isascii() and text.isprintable()) or _is_clean(text.encode("utf-8", "surrogatepass"))


def _is_clean(data: bytes) -> bool:
    """Likewise of a text in UTF-8, where all of it is found several times as fast."""
    return len(data.translate(None, _ASCII_CONTROLS)) == len(data) and _is_clean_beyond_ascii(data)


def _is_clean_beyond_ascii(data: bytes) -> bool:
    return data.isascii() or not any(lead in data and unwanted.search(data) for lead, unwanted in _BEYOND_ASCII)


def clean_json(data: bytes) -> bytes:
    """`clean` of JSON in UTF-8, in which lone surrogates may be. Of ASCII all control bytes but one are escaped."""
    if b"\x7f" not in data and _is_clean_beyond_ascii(data):
        return data
    return clean(data.decode("utf-8", "surrogatepass")).encode()


def clean(text: str) -> str:
    """`text` as it may stand in HTML: line ends as `\\n`, every other control byte and lone surrogate as U+FFFD.

    The halves of a pair that were stored apart are joined. Text that is already clean comes back as it is.
    """
    if is_clean(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _SURROGATE.search(text) is not None:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNWANTED.sub(_REPLACEMENT, text)


def visible(text: str) -> str:
    """A name, path or title in which nothing hides: control, zero-width and bidi override characters in sight.

    Control bytes become their pictures (␀, ␛), the others their number (`⟨U+202E⟩`). Joiners inside emoji stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_picture, clean(text) if _SURROGATE.search(text) else text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def first_line(text: str, limit: int = 120) -> str:
    """The first line of `text` that isn't blank, cleaned and at most `limit` characters long; "" when all is blank."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    start = text.lstrip()[: limit * 8]
    line = start.split("\n", 1)[0].split("\r", 1)[0]
    return shorten(visible(" ".join(line.split())), limit)


def shorten(text: str, limit: int) -> str:
    """`text` cut to at most `limit` characters with an ellipsis, between words where that loses little.

    Never cuts between a letter and what combines with it, nor inside a joined emoji.
    """
    if len(text) <= limit:
        return text
    end = limit - 1
    space = text.rfind(" ", end - end // 4, end)
    end = space if space > 0 else end
    while end > 0 and _clings(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _clings(text: str, position: int) -> bool:
    character = text[position]
    return (
        character in "\u200d\ufe0e\ufe0f"
        or text[position - 1] == "\u200d"
        or unicodedata.combining(character) != 0
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
