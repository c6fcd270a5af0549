"""What a projection's cells mean: times from microseconds, JSON text into plain values, whatever the text holds."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from typing import cast

from sitegen.model import Json, JsonObject

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Made once: `json.loads` with an option makes a decoder for each call.
_DECODER = json.JSONDecoder(parse_constant=lambda _name: None)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def moment(microseconds: int | None) -> datetime | None:
    """The moment in UTC; None when the cell is NULL or lies outside of what a calendar can say."""
    if microseconds is None:
        return None
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def moment_in(text: Json) -> datetime | None:
    """The moment that an ISO 8601 text names, in UTC; None for anything else."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
        return found and (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


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
        value = cast("Json", _DECODER.decode(text))
        return _mended(value) if "\\u" in text and _SURROGATE.search(text) else value
    except (ValueError, RecursionError):
        return None


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
