"""Values as they are built: which are plain, which fields hold text, how all of them are read at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final

from msgspec import Struct

_STRUCTURE: Final = frozenset(
    (
        *("id", "parent_id", "row_id", "digest", "source_id", "native_id", "parent_key", "content_hash", "request_id"),
        *("tool_use_id", "role", "kind", "after"),
    )
)
"""What holds a conversation together."""
PLAIN: Final = frozenset({type(None), bool, int, float, datetime})
_PLAIN_FIELDS: Final = frozenset(("bool", "int", "int | None", "float | None", "datetime | None", "Usage | None"))
"""How fields are declared that hold no text ever."""
DEEPEST: Final = 60
"""Values nested deeper than this are treated as their JSON."""


@cache
def is_record(kind: Any) -> bool:
    """Whether a type is a record: a struct, not a value of JSON."""
    return issubclass(kind, Struct)


@cache
def text_fields(kind: Any) -> tuple[str, ...]:
    """The fields of a record that can hold text."""
    types = kind.__annotations__
    return tuple(name for name in kind.__struct_fields__ if name not in _STRUCTURE and types[name] not in _PLAIN_FIELDS)


@cache
def all_fields(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of all fields of a record, and how to read them at once."""
    names = kind.__struct_fields__
    return names, attrgetter(*names)


@cache
def shape(kind: Any) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[int, ...]]:
    """How to read all fields of a record at once, and which of them can hold text."""
    names, read_all = all_fields(kind)
    return read_all, tuple(names.index(name) for name in text_fields(kind))


@cache
def reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Reads all fields of a record that can hold text at once."""
    names = text_fields(kind)
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


def flat(value: object) -> str:
    """A value as its JSON, for those nested too deeply to be walked."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return "…"
