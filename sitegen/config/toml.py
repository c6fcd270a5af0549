"""A TOML file as tables whose values are asked for by type; a fault says where, what stands there, what should."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from sitegen.config.places import KeyPath, Place, find_places
from sitegen.errors import ConfigError

Toml = str | int | float | bool | datetime | date | time | list["Toml"] | Mapping[str, "Toml"]
Choice = TypeVar("Choice", bound=StrEnum)

MAX_BYTES: Final = 10_000_000
_PRIVATE: Final = re.compile(r"secret|passw|token|code", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]{1,12}", re.IGNORECASE)
"""What someone took for one of the words that a key knows."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class TomlFile:
    """The text of a TOML file, parsed. `path` is how messages name it. Raises ConfigError on a syntax error."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.values = self._parsed()

    @classmethod
    def read(cls, path: Path, *, shown: Path | None = None) -> TomlFile:
        """The file at `path`. Raises ConfigError when it can't be read or isn't TOML."""
        return cls(shown or path, read_text(path, shown=shown))

    def top(self) -> Table:
        """The file as a table."""
        return Table(self, (), self.values)

    def line(self, path: KeyPath) -> int:
        """The line of a key or table, or of the nearest table around it; counted from 1."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places[path].line if path else 1

    def fault(self, message: str, path: KeyPath) -> ConfigError:
        """The error that says `message` about what stands at `path`."""
        return ConfigError(message, path=self.path, line=self.line(path))

    @cached_property
    def _places(self) -> dict[KeyPath, Place]:
        return find_places(self.text)

    def _parsed(self) -> dict[str, Toml]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except (ValueError, RecursionError):
            message = "this isn't TOML that can be read: it is nested too deeply or holds an impossible number"
            raise ConfigError(message, path=self.path) from None

    def _syntax_error(self, told: str) -> ConfigError:
        lines = self.text.splitlines() or [""]
        found = re.search(r"\(at line (\d+), column \d+\)", told)
        line = int(found[1]) if found else len(lines)
        what = re.sub(r" \(at .*\)", "", told.replace("\n", "\\n"))
        stands = lines[line - 1].strip()[:60] if line <= len(lines) else ""
        quoted = f", in “{stands}”" if stands and not _PRIVATE.search(stands) else ""
        hint = " (two keys of one name?)" if "overwrite" in what else ""
        return ConfigError(f"this isn't valid TOML: {what}{hint}{quoted}", path=self.path, line=line)


def read_text(path: Path, *, shown: Path | None = None) -> str:
    """The text of a configuration file, line ends as they are. Raises ConfigError when it can't be read."""
    named = shown or path
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError("this file is too large for a configuration; is it the right one?", path=named)
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ConfigError("there is no such file; “sitegen init” makes one", path=named) from None
    except IsADirectoryError:
        raise ConfigError("this is a folder, not a configuration file", path=named) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError("this isn't UTF-8 text; save it as UTF-8", path=named, line=line) from None
    except OSError as error:
        raise ConfigError(f"the file can't be read: {error.strerror}", path=named) from None


class Table(Struct, frozen=True):
    """One table of a file; `path` is where it stands."""

    file: TomlFile
    path: KeyPath
    values: Mapping[str, Toml]

    @property
    def line(self) -> int:
        return self.file.line(self.path)

    @property
    def name(self) -> str:
        """The table as a reader finds it in the file: `[site]`, `[[share]]`, `match`."""
        keys = [key for key in self.path if isinstance(key, str)]
        if not keys:
            return "sitegen.toml"
        return f"[[{keys[-1]}]]" if isinstance(self.path[-1], int) else f"[{'.'.join(keys)}]"

    def allow(self, names: Iterable[str]) -> None:
        """Refuse any key but these, with the nearest one."""
        known = tuple(names)
        for key in self.values:
            if key not in known:
                raise self.file.fault(f"{self.name} has no key “{key}”; {_suggested(key, known)}", (*self.path, key))

    def fault(self, key: str, message: str) -> ConfigError:
        """The error that says `message` about a key of this table."""
        return self.file.fault(f"{self._named(key)} {message}", (*self.path, key))

    def wrong(self, key: str, expected: str) -> ConfigError:
        """The error that says what stands at a key, unless it may be a secret, and what is expected there."""
        value = self.values[key]
        is_word = _WORD.fullmatch(value) if isinstance(value, str) else isinstance(value, bool)
        stands = f"is {described(value)}, but " if is_word or not _PRIVATE.search(key) else ""
        return self.fault(key, f"{stands}should be {expected}")

    def _named(self, key: str) -> str:
        keys = [part for part in (*self.path, key) if isinstance(part, str)]
        return ".".join(keys)

    def text(self, key: str) -> str | None:
        """The text at a key, or None when the key isn't there. Empty text and control characters are refused."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.wrong(key, "text in quotes")
        return self._checked(key, value)

    def _checked(self, key: str, value: str) -> str:
        if not value.strip():
            raise self.fault(key, "is empty; leave the line out instead")
        if bad := _CONTROL.search(value):
            raise self.fault(key, f"holds the control character U+{ord(bad[0]):04X}, which can't be shown")
        return value

    def required_text(self, key: str, hint: str) -> str:
        """The text at a key that must be there; `hint` shows how it is written."""
        value = self.text(key)
        if value is None:
            raise self.file.fault(f"{self.name} lacks “{key}”; write {hint}", self.path)
        return value

    def flag(self, key: str) -> bool | None:
        value = self.values.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self.wrong(key, "true or false")

    def whole(self, key: str, *, least: int) -> int | None:
        """A whole number of at least `least` and at most nine digits, or None."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 10**9:
            raise self.wrong(key, f"a whole number from {least} on")
        return value

    def choice(self, key: str, kind: type[Choice]) -> Choice | None:
        """The member of an enumeration that a key names, or None."""
        named = self.one_of(key, tuple(member.value for member in kind))
        return None if named is None else kind(named)

    def one_of(self, key: str, known: tuple[str, ...]) -> str | None:
        """The text at a key, which must be one of these, or None."""
        value = self.values.get(key)
        if value is None or (isinstance(value, str) and value in known):
            return value
        choices = " or ".join([", ".join(f"“{name}”" for name in known[:-1]), f"“{known[-1]}”"])
        near = _nearest(value, known) if isinstance(value, str) else None
        raise self.wrong(key, choices + (f"; did you mean “{near}”?" if near else ""))

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts at a key; () when it isn't there."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, "a list of texts, as in [“a”, “b”]".replace("“", '"').replace("”", '"'))
        for number, item in enumerate(value):
            if not isinstance(item, str):
                place = (*self.path, key, number)
                raise self.file.fault(f"{self._named(key)} holds {described(item)}, but should hold texts only", place)
        return tuple(self._checked(key, str(item)) for item in value)

    def table(self, key: str) -> Table:
        """The table at a key; empty when it isn't there."""
        value = self.values.get(key, {})
        if isinstance(value, list):
            raise self.file.fault(f"{key} stands in the file as [[{key}]], but should be [{key}]", (*self.path, key, 0))
        if not isinstance(value, Mapping):
            raise self.wrong(key, f"a table, [{key}]")
        return Table(self.file, (*self.path, key), value)

    def tables(self, key: str) -> Iterator[Table]:
        """The tables of an array of tables."""
        value = self.values.get(key, [])
        if isinstance(value, Mapping):
            raise self.file.fault(f"{key} stands in the file as [{key}], but should be [[{key}]]", (*self.path, key))
        if not isinstance(value, list):
            raise self.wrong(key, f"tables, [[{key}]]")
        for number, item in enumerate(value):
            if not isinstance(item, Mapping):
                raise self.wrong(key, f"tables, [[{key}]]")
            yield Table(self.file, (*self.path, key, number), item)


def described(value: Toml) -> str:
    """A value as a message shows it, cut when long."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= 60 else f"{value[:57]}…"
            return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in shown) + '"'
        case int() | float():
            return f"the number {value}" if abs(value) < 10**20 else "a huge number"
        case datetime() | date() | time():
            return f"the time {value.isoformat()}" if not _is_date(value) else f"the date {value.isoformat()}"
        case list():
            return "a list"
        case _:
            return "a table"


def _is_date(value: Toml) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(name.casefold()[:100], known, n=1, cutoff=0.6)), None)


def _suggested(name: str, known: tuple[str, ...]) -> str:
    near = _nearest(name, known)
    return f"did you mean “{near}”?" if near else f"it may hold: {', '.join(known)}"
