"""Careful looks into a source's JSON: a value of the wrong kind counts as absent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitegen.ingest.lines import kind_of

if TYPE_CHECKING:
    from sitegen.model import Json, JsonObject

Object = dict[str, "Json"]


def text_of(value: Json) -> str | None:
    """The text, when it is one that isn't empty."""
    return value if isinstance(value, str) and value else None


def first_text(*values: Json) -> str | None:
    """The first of the values that is a text and not empty."""
    return next((value for value in values if isinstance(value, str) and value), None)


def object_of(value: Json) -> Object:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Json) -> list[Object]:
    """The objects of a list; [] when it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_of(value: Json) -> list[str]:
    """The texts of a list, in order; a single text counts as a list of one."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def number_of(value: Json) -> int | None:
    """The whole number, when it is one that a database can hold."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def moment_of(value: Json) -> datetime | None:
    """The time in UTC that a text in ISO 8601 or a number of seconds since 1970 says."""
    try:
        match value:
            case bool() | None:
                return None
            case int() | float():
                return datetime.fromtimestamp(value, UTC)
            case str():
                moment = datetime.fromisoformat(value)
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
            case _:
                return None
    except (ValueError, OverflowError, OSError):
        return None


def checked_text(record: JsonObject, key: str, reasons: list[str]) -> str | None:
    """The text under `key`; a value of another kind is told in `reasons`."""
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        reasons.append(f"its {key} is {kind_of(value)} where text was expected")
    return text_of(value)


def checked_moment(record: JsonObject, key: str, reasons: list[str]) -> datetime | None:
    """The time under `key`; a value that is none is told in `reasons`."""
    value = record.get(key)
    moment = moment_of(value)
    if isinstance(value, list | dict):
        reasons.append(f"its {key} is {kind_of(value)} where text was expected")
    elif moment is None and value not in (None, ""):
        reasons.append(f"its {key} is no time")
    return moment


def without_nothing(values: JsonObject) -> Object:
    """The object without the keys that say nothing: null, empty texts, empty lists and objects."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}
