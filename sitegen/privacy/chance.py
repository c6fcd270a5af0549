"""Tells quickly whether texts hold anything so random that it could be a key: only then is the engine loaded."""

from __future__ import annotations

import re
from typing import Final

from sitegen.privacy.judge import is_identifier

_DIGIT, _LETTER, _JOINT, _OTHER = b"0a- "
_KINDS: Final = bytes(
    _DIGIT
    if char in b"0123456789"
    else _LETTER
    if chr(char).isascii() and chr(char).isalpha()
    else _JOINT
    if char in b"_-"
    else _OTHER
    for char in range(256)
)
_DIGIT_WITHIN: Final = re.compile(rb"0(?<=a0)0*[a-]")
_SHORTEST: Final = 16
_HEX: Final = re.compile(rb"[0-9a-fA-F_-]+")
_ID: Final = re.compile(
    rb"(?:req|(?:srv)?toolu|msg|call|resp|rs|fc|run|chatcmpl|file|g-p|g|conv|agent|ws|b-)[_-][A-Za-z0-9_-]+"
    rb"|[a-z]+(?:-[a-z0-9]+)*-20\d{6}"
)
"""What the programs themselves number: requests, calls, messages, files; versions of models."""
_AT_ONCE: Final = 1_000_000
_BREAK: Final = b"\n"
_GIVEN: Final = b"=:\"'`"


def may_hold_key(data: bytes) -> bool:
    """Whether somewhere a digit stands between letters in a run that is long enough and isn't words or a mere digest.

    A digest counts when it's given to a name or stands in quotes, as the keys of some services do.
    """
    start = 0
    while start < len(data):
        end = data.find(_BREAK, start + _AT_ONCE)
        end = len(data) if end < 0 else end
        if _holds_key(data, start, end):
            return True
        start = end
    return False


def _holds_key(data: bytes, first: int, last: int) -> bool:
    """Likewise between two offsets that no run goes past."""
    kinds = data[first:last].translate(_KINDS)
    end = 0
    for match in _DIGIT_WITHIN.finditer(kinds):
        at = match.start()
        if at < end:
            continue
        start = kinds.rfind(b" ", 0, at) + 1
        end = kinds.find(b" ", at)
        end = len(kinds) if end < 0 else end
        if end - start >= _SHORTEST and _is_candidate(data, first + start, first + end):
            return True
    return False


def _is_candidate(data: bytes, start: int, end: int) -> bool:
    value = data[start:end]
    if _HEX.fullmatch(value):
        return start > 0 and data[start - 1] in _GIVEN
    return not is_identifier(value) and not _ID.fullmatch(value)
