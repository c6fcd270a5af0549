"""A value with some of its texts replaced; the very same value, or part of one, where nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from sitegen.model import Attachment
from sitegen.privacy.fields import DEEPEST, PLAIN, flat, is_record, reader, shape
from sitegen.privacy.texts import Texts, encode
from sitegen.privacy.wrapped import text_of

T = TypeVar("T")


def rewrite(value: T, changed: Mapping[str, str], texts: Texts) -> T:
    """A value with texts replaced; the very same value where nothing changes."""
    outer = {
        each.outer: each.wrap(changed[each.inner]) for each in texts.wrapped if each.inner and each.inner in changed
    }
    return cast("T", _rewritten(value, {**changed, **outer}, 0))


def _rewritten(value: Any, changed: Mapping[str, str], depth: int) -> Any:
    kind: Any = type(value)
    if kind is str:
        return changed.get(value, value)
    if kind in PLAIN or not value:
        return value
    if kind is dict and depth < DEEPEST:
        return _rewritten_mapping(value, changed, depth)
    if kind is tuple or (kind is list and depth < DEEPEST):
        new_parts = _rewritten_parts(enumerate(value), changed, depth)
        return kind(_with_parts(value, new_parts)) if new_parts else value
    if kind is Attachment:
        return _rewritten_attachment(value, changed, depth)
    if is_record(kind):
        return _rewritten_record(value, changed, depth)
    if isinstance(value, Mapping) and depth < DEEPEST:
        return _rewritten_mapping(value, changed, depth)
    return changed.get(flat(value), value) if isinstance(value, Mapping | list) else value


def _rewritten_parts(parts: Iterable[tuple[T, Any]], changed: Mapping[str, str], depth: int) -> dict[T, Any]:
    """The parts that change, by their name or number."""
    new_parts = {}
    for name, part in parts:
        kind = type(part)
        if kind is str:
            if part in changed:
                new_parts[name] = changed[part]
        elif kind not in PLAIN and part and (new := _rewritten(part, changed, depth + 1)) is not part:
            new_parts[name] = new
    return new_parts


def _with_parts(parts: Iterable[Any], new_parts: Mapping[int, Any]) -> list[Any]:
    found = list(parts)
    for place, new in new_parts.items():
        found[place] = new
    return found


def _rewritten_mapping(value: Mapping[str, Any], changed: Mapping[str, str], depth: int) -> Mapping[str, Any]:
    new_parts = _rewritten_parts(value.items(), changed, depth)
    if changed.keys().isdisjoint(value):
        return {**value, **new_parts} if new_parts else value
    entries: dict[str, object] = {}
    for key, part in value.items():
        name = changed.get(key, key)
        while name in entries:  # two keys that say the same now are both kept
            name += "′"
        entries[name] = new_parts.get(key, part)
    return entries


def _rewritten_record(value: Any, changed: Mapping[str, str], depth: int) -> Any:
    kind: Any = type(value)
    read_all, places = shape(kind)
    new_parts = _rewritten_parts(zip(places, reader(kind)(value), strict=True), changed, depth)
    return kind(*_with_parts(read_all(value), new_parts)) if new_parts else value


def _rewritten_attachment(value: Attachment, changed: Mapping[str, str], depth: int) -> Attachment:
    rest = cast("Attachment", _rewritten_record(value, changed, depth))
    text = None if rest.data is None else text_of(rest.data)
    if text is None or (new := changed.get(text)) is None:
        return rest
    data = encode(new)
    return replace(rest, data=data, size_bytes=len(data), content_hash=None)
