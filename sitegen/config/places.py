"""Where each key and table of a valid TOML text stands; tomllib says what they hold, but not where."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import Final

from msgspec import Struct

KeyPath = tuple[str | int, ...]
"""Keys and positions in arrays, from the top: ("share", 2, "slug")."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS: Final = (
    # Up to two quotes may stand directly before the three that close.
    re.compile(r'"""(?:\\.|[^\\])*?"{3,5}', re.DOTALL),
    re.compile(r"'''.*?'{3,5}", re.DOTALL),
    re.compile(r'"(?:\\.|[^\\"])*"'),
    re.compile(r"'[^']*'"),
)
# The one bare value with a blank in it is a date and time.
_BARE_VALUE: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^,\]}\s#]*|[^,\]}\s#]+")


class Place(Struct, frozen=True):
    """Offsets of a key with its value, of a table's header, or of an array's element; `line` counts from 1."""

    line: int
    start: int
    end: int


def find_places(text: str) -> dict[KeyPath, Place]:
    """The place of every table, key and array element of a text that tomllib accepts."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.places: dict[KeyPath, Place] = {}
        self._last: dict[KeyPath, int] = {}
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def scan(self) -> dict[KeyPath, Place]:
        table: KeyPath = ()
        while not self._is_at_end():
            if self.text[self.pos] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.places

    def _is_at_end(self) -> bool:
        self._skip(_BLANK)
        return self.pos >= len(self.text)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos

    def _note(self, path: KeyPath, start: int) -> None:
        line = bisect_right(self._line_starts, start)
        self.places[path] = Place(line, start, self.pos)

    def _header(self) -> KeyPath:
        start = self.pos
        is_array = self.text.startswith("[[", start)
        self.pos += 2 if is_array else 1
        keys = self._keys()
        self.pos += 2 if is_array else 1
        path = self._array_table(keys) if is_array else self._resolve(keys)
        self._note(path, start)
        return path

    def _resolve(self, keys: KeyPath) -> KeyPath:
        """The path of a table named by a header: within an array of tables, its last one is meant."""
        path: KeyPath = ()
        for key in keys:
            path = (*path, key)
            if path in self._last:
                path = (*path, self._last[path])
        return path

    def _array_table(self, keys: KeyPath) -> KeyPath:
        array = (*self._resolve(keys[:-1]), keys[-1])
        self._last[array] = self._last.get(array, -1) + 1
        return (*array, self._last[array])

    def _keys(self) -> KeyPath:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            keys.append(self._key())
            self._skip(_SPACE)
            if not self.text.startswith(".", self.pos):
                return tuple(keys)
            self.pos += 1

    def _key(self) -> str:
        start = self.pos
        if self.text[start] not in "\"'":
            self._skip(_BARE_KEY)
            return self.text[start : self.pos]
        self._string()
        return str(tomllib.loads(f"key = {self.text[start : self.pos]}")["key"])

    def _string(self) -> None:
        for pattern in _STRINGS:
            if match := pattern.match(self.text, self.pos):
                self.pos = match.end()
                return

    def _pair(self, table: KeyPath) -> None:
        start = self.pos
        keys = self._keys()
        self.pos += 1  # the equals sign
        self._skip(_SPACE)
        path = (*table, *keys)
        self._value(path)
        for length in range(len(table) + 1, len(path)):
            if path[:length] not in self.places:
                self._note(path[:length], start)
        self._note(path, start)

    def _value(self, path: KeyPath) -> None:
        match self.text[self.pos]:
            case '"' | "'":
                self._string()
            case "[":
                self._members(path, closer="]")
            case "{":
                self._members(path, closer="}")
            case _:
                self._skip(_BARE_VALUE)

    def _members(self, path: KeyPath, *, closer: str) -> None:
        """The elements of an array or the pairs of an inline table, to its closing bracket."""
        self.pos += 1
        number = 0
        while True:
            self._skip(_BLANK)
            if self.text[self.pos] == closer:
                self.pos += 1
                return
            if self.text[self.pos] == ",":
                self.pos += 1
            elif closer == "}":
                self._pair(path)
            else:
                start = self.pos
                self._value((*path, number))
                self._note((*path, number), start)
                number += 1
