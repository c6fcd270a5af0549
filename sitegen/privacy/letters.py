"""Whether what stands beside a word makes it part of a longer one.

Only scripts that part words by blanks have such letters: in Chinese, Japanese, Korean or Thai, a name stands right
beside other characters. Quotes, dashes and other marks are none, and neither is the end of an escape.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 4
"""Bytes of a character."""
_UNPARTED: Final = (
    *("\u0e00\u0eff", "\u1000\u109f", "\u1100\u11ff", "\u1780\u17ff", "\u2e80\u9fff", "\ua960\ua97f"),
    *("\uac00\ud7ff", "\uf900\ufaff", "\uff00\uffef", "\U00020000\U0003ffff"),
)
"""Pairs of ends instead of a pattern: to prepare one for so many characters takes longer than to need it."""
_ESCAPE: Final = re.compile(rb"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\x1b\[[0-9;:]{0,20}m)$")
"""Ends in a letter or digit that is none of the text."""


def letter_at(data: bytes, start: int) -> bool:
    """Whether the character that begins there continues a word."""
    return _is_letter(data[start : start + _LONGEST].decode("utf-8", "ignore")[:1])


def letter_before(data: bytes, end: int) -> bool:
    """Whether the character that ends there begins a word which goes on."""
    near = data[max(0, end - _LONGEST) : end].decode("utf-8", "ignore")[-1:]
    return _is_letter(near) and not _ESCAPE.search(data, max(0, end - 24), end)


def _is_letter(character: str) -> bool:
    return character.isalnum() and (
        character < _UNPARTED[0][0] or not any(ends[0] <= character <= ends[1] for ends in _UNPARTED)
    )
