"""A conversation with some of its texts replaced; its parts are the very same where nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from sitegen.model import Attachment, Conversation, Message
from sitegen.privacy.corpus import MESSAGE_NAMES, Corpus, of_message
from sitegen.privacy.fields import DEEPEST, PLAIN, all_fields, flat, is_record, reader, shape, text_fields
from sitegen.privacy.texts import encode
from sitegen.privacy.wrapped import text_of

T = TypeVar("T")


def rewrite(conversation: Conversation, changed: Mapping[str, str], texts: Corpus) -> Conversation:
    """The conversation that `texts` are of, with texts replaced; what doesn't change is the very same."""
    outer = {
        each.outer: each.wrap(changed[each.inner]) for each in texts.wrapped if each.inner and each.inner in changed
    }
    return _rewritten_conversation(conversation, {**changed, **outer})


def _rewritten_conversation(value: Conversation, changed: Mapping[str, str]) -> Conversation:
    """The conversation. How deep its values are nested counts from where it does when their texts are collected."""
    names = [name for name in text_fields(Conversation) if name not in ("messages", "subagents")]
    parts = _rewritten_parts([(name, getattr(value, name)) for name in names], changed, -1)
    messages = tuple([_rewritten_message(each, changed) for each in value.messages])
    subagents = tuple([_rewritten_conversation(each, changed) for each in value.subagents])
    return replace(value, messages=messages, subagents=subagents, **parts)


def _rewritten_message(value: Message, changed: Mapping[str, str]) -> Message:
    parts = _rewritten_parts(zip(MESSAGE_NAMES, of_message(value), strict=True), changed, 0)
    parts |= _rewritten_parts((("blocks", value.blocks),), changed, -2)
    parts |= _rewritten_parts((("attachments", value.attachments),), changed, -1)
    if not parts:
        return value
    names, read_all = all_fields(Message)
    return Message(*[parts.get(name, old) for name, old in zip(names, read_all(value), strict=True)])


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
        if not part:  # most fields are empty
            continue
        kind = type(part)
        if kind is str:
            if part in changed:
                new_parts[name] = changed[part]
        elif kind not in PLAIN and (new := _rewritten(part, changed, depth + 1)) is not part:
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
