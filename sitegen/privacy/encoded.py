"""What stands in texts in another form only: escaped for addresses or HTML, or in base64 broken into lines.

A key that is written plainly nowhere is found in what they say; then its form goes, or the whole of a base64.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from sitegen.privacy.forms import spellings
from sitegen.privacy.hits import Hit
from sitegen.privacy.texts import SEPARATOR, Texts

_PERCENT: Final = re.compile(rb"%(?:20|22|27|3[AaDd]|2[BbFfCc]|0[AaDd])")
_ENTITY: Final = re.compile(rb"&(?:quot|amp|lt|gt|apos|#39|#34|#x27|#x2[Ff]);")
_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LINES: Final = re.compile(
    rb"(?:\n|\\n)(?:[ \t>]{0,8}[A-Za-z0-9+/]{60,76}={0,2}(?:\r?\n|(?:\\r)?\\n)){1,2000}"
    rb"[ \t>]{0,8}[A-Za-z0-9+/]{0,76}={0,2}"
)
_LINE: Final = re.compile(rb"(?<!\\)[A-Za-z0-9+/]+|(?<=\\[nr])[A-Za-z0-9+/]+")
_NOT_LETTER: Final = re.compile(rb"\\[nr]|[^A-Za-z0-9+/]+")
_IN_ADDRESS: Final = bytes(0 if chr(code) in " \t\r\n\"'<>`\x1e\\" else 1 for code in range(256))
_IN_LINE: Final = bytes(0 if chr(code) in "\n\x1e" else 1 for code in range(256))
_LONGEST: Final = 10_000
_SHORTEST: Final = 30


class Encoded(Struct, frozen=True):
    """Bytes from `start` to `end`, and what they say."""

    start: int
    end: int
    said: bytes


def find_encoded(data: bytes) -> list[Encoded]:
    """All that is encoded, kind by kind."""
    return [
        *_runs(data, _PERCENT, _IN_ADDRESS, lambda run: unquote_to_bytes(run.replace(b"+", b" "))),
        *_runs(data, _ENTITY, _IN_LINE, lambda run: html.unescape(run.decode("utf-8", "replace")).encode()),
        *_base64(data),
    ]


def texts_of(found: Sequence[Encoded]) -> Texts:
    """What they say, as one run of bytes."""
    data = SEPARATOR.join(each.said for each in found)
    starts, at = [], 0
    for each in found:
        starts.append(at)
        at += len(each.said) + len(SEPARATOR)
    return Texts(data, data.lower(), tuple(starts))


def hits_in(data: bytes, found: Sequence[Encoded], texts: Texts, hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits in what is said as hits in the bytes that say it."""
    for hit in hits:
        index = texts.index(hit.start)
        if hit.end <= texts.end(index):
            value, begin = texts.data[hit.start : hit.end], hit.start - texts.starts[index]
            for start, end in _places(data, found[index], value, begin):
                yield Hit(start, end, hit.kind, hit.rule)


def _places(data: bytes, found: Encoded, value: bytes, begin: int) -> Iterator[tuple[int, int]]:
    """Where a value that is said from `begin` on stands in the bytes: its form, else all that is encoded.

    Of base64 also the lines that hold some of it, which may stand alone elsewhere.
    """
    for form in spellings(value):
        at = data.find(form, found.start, found.end)
        if at >= 0:
            yield at, at + len(form)
            return
    yield found.start, found.end
    done = 0
    for line in _LINE.finditer(data, found.start, found.end):
        if done < (begin + len(value)) * 4 / 3 and begin * 4 / 3 < done + len(line[0]) and len(line[0]) >= _SHORTEST:
            yield line.span()
        done += len(line[0])


def _runs(
    data: bytes, pattern: re.Pattern[bytes], within: bytes, decode: Callable[[bytes], bytes]
) -> Iterator[Encoded]:
    """The runs in which a pattern occurs, up to the bytes that no run holds."""
    end = 0
    for match in pattern.finditer(data):
        at = match.start()
        if at < end:
            continue
        low = max(end, at - _LONGEST)
        start = low + data[low:at].translate(within).rfind(b"\0") + 1
        length = data[at : at + _LONGEST].translate(within).find(b"\0")
        end = at + length if length >= 0 else min(len(data), at + _LONGEST)
        yield Encoded(start, end, decode(data[start:end]))


def _base64(data: bytes) -> Iterator[Encoded]:
    """Texts in base64 that is broken into lines; the bytes of pictures and the like aren't text."""
    for match in _LINES.finditer(data):
        before = data[max(0, match.start() - 100) : match.start()]
        first_line = len(before) - len(before.rstrip(_LETTERS))  # behind what says what it is
        start = match.start() - (first_line if first_line >= _SHORTEST else 0)
        letters = _NOT_LETTER.sub(b"", data[start : match.end()])
        try:
            said = base64.b64decode(letters[: len(letters) // 4 * 4])
            said.decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if b"\0" not in said:
            yield Encoded(start, match.end(), said)
