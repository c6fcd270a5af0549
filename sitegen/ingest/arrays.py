"""Takes a JSON array of any length apart, element by element, in the memory that one element needs.

A broken element costs itself only: reading goes on where the next whole one begins. A file of a single object, or of
objects one after the other, is read likewise.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from sitegen.model import Json


MAX_ELEMENT_CHARS: Final = 64 << 20
"""A longer element is told and passed over."""
_CHUNK_BYTES: Final = 1 << 20
_BETWEEN: Final = re.compile(r"[\s,\ufeff]*")
_DECODER: Final = json.JSONDecoder(strict=False)
# An error nearer than this to the end of what has been read may be owed to the end alone: "tru", "\u00", "-".
_TAIL: Final = 16
_KEY: Final = re.compile(r'\{\s*"((?:[^"\\]|\\.){1,100})"')


class Element(Struct, frozen=True):
    """An element by its number (from 1) and its bytes. `problem` says why it has no value."""

    number: int
    offset: int
    raw: bytes
    value: Json = None
    problem: str | None = None


class _BrokenError(Exception):
    """No element begins here; the message says why."""


def split_array(
    stream: IO[bytes],
    *,
    is_element: Callable[[Json], bool],
    keys: Sequence[str],
    max_chars: int = MAX_ELEMENT_CHARS,
) -> Iterator[Element]:
    """The elements of the array in `stream`. Raises OSError, and never for what the stream holds.

    `keys` are those that elements may begin with and `is_element` says whether a value is one: after a broken element,
    the next is found by both.
    """
    yield from _Splitter(stream, is_element, set(keys), max_chars).elements()


class _Splitter:
    """The window on the stream: the text from the element under work on, and where it stands in the file."""

    def __init__(self, stream: IO[bytes], is_element: Callable[[Json], bool], keys: set[str], max_chars: int) -> None:
        self._stream = stream
        self._is_element = is_element
        self._keys = keys
        self._max_chars = max_chars
        # Bytes that aren't UTF-8 survive as half characters, so that every text has the length it has in the file.
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text = ""
        self._at = 0
        self._offset = 0
        self._is_ended = False

    def elements(self) -> Iterator[Element]:
        """All elements, in order."""
        self._skip_between()
        is_array = self._text.startswith("[", self._at)
        if is_array:
            self._advance(self._at + 1)
        number = 0
        while self._skip_between():
            if is_array and self._text[self._at] == "]":
                return
            number += 1
            yield self._next(number)
        if is_array:
            yield Element(number + 1, self._offset, b"", problem="the file ends before its list does")

    def _next(self, number: int) -> Element:
        offset = self._offset
        try:
            value, end = self._decoded(self._at)
        except _BrokenError as error:
            self._find_next()
            return Element(number, offset, b"", problem=str(error))
        raw = self._advance(end)
        if self._is_element(value) and (key := _KEY.match(raw[:200].decode(errors="replace"))):
            self._keys.add(key[1])
        return Element(number, offset, raw, value)

    def _decoded(self, at: int) -> tuple[Json, int]:
        """The value that begins at `at` and its end. Reads on as long as only the end of the text is in the way."""
        shift = at - self._at
        while True:
            at = self._at + shift
            try:
                value, end = _DECODER.raw_decode(self._text, at)
                # A number could go on behind the end of the window.
                if end < len(self._text) or isinstance(value, dict | list | str) or not self._fill():
                    return value, end
            except RecursionError:
                raise _BrokenError("it is nested too deeply") from None
            except ValueError as error:
                self._read_on(error, at)

    def _read_on(self, error: ValueError, at: int) -> None:
        """Returns when there is more to read that may mend the error."""
        if not isinstance(error, json.JSONDecodeError):
            raise _BrokenError(f"it isn't JSON: {error}") from None
        is_cut = error.pos >= len(self._text) - _TAIL or error.msg.startswith("Unterminated string")
        if is_cut and len(self._text) - at > self._max_chars:
            raise _BrokenError(f"it is larger than {self._max_chars >> 20} MB") from None
        if is_cut and self._fill():
            return
        if is_cut and self._is_ended:
            raise _BrokenError("the file ends in the middle of it") from None
        reason = f"it isn't JSON: {error.msg[0].lower()}{error.msg[1:]} at its character {error.pos - at + 1}"
        raise _BrokenError(reason) from None

    def _find_next(self) -> None:
        """Goes on to where the next whole element begins, or to the end.

        Looks from the broken one's beginning: the error may be found long behind the next, which it has swallowed.
        """
        start = re.compile(r'\{\s*"(?:' + "|".join(map(re.escape, sorted(self._keys))) + r')"\s*:')
        self._advance(self._at + 1)
        while True:
            match = start.search(self._text, self._at)
            if match is None:
                # The beginning of one may stand at the end of the window.
                self._advance(max(self._at, len(self._text) - 400))
                if not self._fill():
                    self._advance(len(self._text))
                    return
                continue
            self._advance(match.start())
            try:
                if self._is_element(self._decoded(self._at)[0]):
                    return
            except _BrokenError:
                pass
            self._advance(self._at + 1)

    def _skip_between(self) -> bool:
        """Passes over blanks and commas; whether anything follows."""
        while True:
            match = _BETWEEN.match(self._text, self._at)
            self._advance(match.end() if match else self._at)
            if self._at < len(self._text):
                return True
            if not self._fill():
                return False

    def _advance(self, to: int) -> bytes:
        """Moves to a place in the window; the bytes that were passed over."""
        passed = self._text[self._at : to].encode("utf-8", "surrogateescape")
        self._offset += len(passed)
        self._at = to
        return passed

    def _fill(self) -> bool:
        """Reads more, the more the longer the element already is; whether there was any."""
        if self._is_ended:
            return False
        data = self._stream.read(max(_CHUNK_BYTES, len(self._text) - self._at))
        self._is_ended = not data
        self._text = self._text[self._at :] + self._decode(data, self._is_ended)
        self._at = 0
        return True
