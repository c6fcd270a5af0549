"""A conversation's record in pieces: itself without its messages, then each of them. Merged they are the record again.

One row of many megabytes would be too large for a database that keeps thousands of rows together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitegen.ingest.fields import Object, object_of

if TYPE_CHECKING:
    from sitegen.model import Json

_WRAPPER = "conversation"


def pieces_of(record: Object, key: str) -> Iterator[Object]:
    """The pieces of a record whose messages stand under `key`, in it or in the conversation that it wraps."""
    inner = object_of(record.get(_WRAPPER))
    is_wrapped = bool(inner.get(key)) and not record.get(key)
    held = inner if is_wrapped else record
    many = held.get(key)
    if not many or not isinstance(many, dict | list):
        yield record
        return
    rest: Object = {name: value for name, value in held.items() if name != key}
    yield {**record, _WRAPPER: rest} if is_wrapped else rest
    for one in _ones(many):
        yield {_WRAPPER: {key: one}} if is_wrapped else {key: one}


def _ones(many: dict[str, Json] | list[Json]) -> Iterator[Json]:
    if isinstance(many, dict):
        yield from ({name: value} for name, value in many.items())
    else:
        yield from ([value] for value in many)
