"""What a projection's cells mean: times from microseconds, JSON text into plain values, whatever the text holds."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, Final, cast

from msgspec import MsgspecError
from msgspec.json import Decoder

from sitegen.model import Json, JsonObject

decode: Final[Callable[[str | bytes], Any]] = Decoder().decode
"""Parses JSON several times as fast as the standard library; the same value, unless it raises one of `REFUSED`."""
REFUSED: Final = (MsgspecError, UnicodeError, RecursionError)
"""What it raises for lone surrogates, numbers out of range, and all that isn't JSON."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What programs write for a time they don't know (0, or the year 1) lies before, what is no time at all after.
_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)
LONG_PAST = _EARLIEST
"""Stands for every time before it, where a time that is over must not pass for none."""
# Far enough from the calendar's end for every time zone.
_LATEST_EXPIRY = datetime(9998, 12, 31, tzinfo=UTC)
# Made once: `json.loads` with an option makes a decoder for each call.
_DECODER = json.JSONDecoder(
    parse_constant=lambda _name: None, parse_float=lambda digits: found if isfinite(found := float(digits)) else None
)
_BLANKS = " \t\r\n"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def moment(microseconds: int | None) -> datetime | None:
    """The moment in UTC; None when the cell is NULL or names a time at which nobody talked to a program."""
    return None if microseconds is None else _within_reason(microseconds)


def expiry(microseconds: int | None) -> datetime | None:
    """When something expires; None for NULL alone. A time that no calendar has is the nearest one that is safe."""
    if microseconds is None:
        return None
    if microseconds < 0:
        return LONG_PAST
    try:
        return min(_EPOCH + timedelta(microseconds=microseconds), _LATEST_EXPIRY)
    except OverflowError:
        return _LATEST_EXPIRY


def moment_in(text: Json) -> datetime | None:
    """The moment that an ISO 8601 text names, in UTC; None for anything else, and for a time out of reason."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
        utc = found and (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return utc if utc is not None and _EARLIEST <= utc < _LATEST else None


def _within_reason(microseconds: int) -> datetime | None:
    try:
        found = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None
    return found if _EARLIEST <= found < _LATEST else None


def short_id(name: str) -> str:
    """An id that is safe in a URL and in HTML, of a name that may be anything."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def parse_object(text: str | None) -> JsonObject:
    """The JSON object in `text`: {} for NULL, and {"unparsed": text} for whatever isn't an object."""
    if not text or text == "null":
        return {}
    value = parse(text)
    return value if isinstance(value, dict) else {"unparsed": text}


def parse(text: str) -> Json:
    """The JSON value in `text`, without lone surrogates, NaN and infinities; None when it isn't JSON."""
    try:
        return cast("Json", decode(text))
    except REFUSED:
        return _parse_odd(text)


def _parse_odd(text: str) -> Json:
    text = text.strip(_BLANKS)
    try:
        value, end = _DECODER.raw_decode(text)  # `decode` looks for blanks longer than it takes to parse short texts
        whole = cast("Json", value) if end == len(text) else None
        return _mended(whole) if _SURROGATE.search(text) else whole
    except (ValueError, RecursionError):
        return None


def object_in(values: JsonObject, name: str) -> JsonObject:
    """The object of that name; {} when there is none."""
    value = values.get(name)
    return value if isinstance(value, dict) else {}


def clean_text(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD, so that it can be encoded."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mended(value: Json) -> Json:
    match value:
        case str():
            return clean_text(value)
        case list():
            return [_mended(item) for item in value]
        case dict():
            return {clean_text(key): _mended(item) for key, item in value.items()}
        case _:
            return value
