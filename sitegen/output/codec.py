"""Records to plain values and back, by their type hints: tuples, mappings, times, enums, optional values.

Plain are JSON's values, tuples for its lists, and times, which come back as text from what has none. Bytes are kept
aside in a list of blobs. The shape of a type has a digest, so that what an older program wrote is never read as
something it isn't.
"""

from __future__ import annotations

import hashlib
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any

from msgspec import MsgspecError, Struct
from msgspec.structs import astuple

from sitegen.bulk import Bulk, Bulky, Stretch

T = typing.TypeVar("T")

UNUSABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MsgspecError)
"""What decoding raises for text of another shape, or none."""

Blobs = list[Bulky]
Views = Sequence[Bulky | memoryview | Stretch]
"""Blobs as they are read, of which those that are wanted are copied, or stay in the file where they are."""
Encode = Callable[[Any, Blobs], Any]
Decode = Callable[[Any, Views], Any]


class Codec(Struct, frozen=True):
    """How values of one type go to plain values and back. `decode` raises what misshapen values make it raise."""

    encode: Encode
    decode: Decode
    shape: str

    @property
    def digest(self) -> str:
        """Changes whenever the type, or a type within it, gets another field or another type of field."""
        return _digest(self.shape)


@cache
def _digest(shape: str) -> str:
    return hashlib.sha256(shape.encode()).hexdigest()[:16]


def to_text(value: object) -> str:
    """A record without bytes, as a line of JSON that knows its shape."""
    codec = codec_for(type(value))
    return json.dumps([codec.digest, codec.encode(value, [])], separators=(",", ":"), default=datetime.isoformat)


def from_text(text: str, kind: type[T]) -> T | None:
    """The value in a text that `to_text` made; None when it can't be used, as after a change of its type."""
    codec = codec_for(kind)
    try:
        digest, value = json.loads(text)
        return typing.cast("T", codec.decode(value, [])) if digest == codec.digest else None
    except UNUSABLE:
        return None


def codec_for(hint: Any) -> Codec:
    """The codec of a type. Raises TypeError for types that values passed between stages don't use."""
    return _codec_for(hint)


@cache
def _codec_for(hint: Any) -> Codec:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _record_codec(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Codec(lambda value, _: value.value, lambda value, _: hint(value), hint.__name__)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    return _generic_codec(hint)


def _generic_codec(hint: Any) -> Codec:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return Codec(_same, _same, repr(arguments))
    if origin is tuple:
        return _tuple_codec(arguments)
    if origin in (types.UnionType, typing.Union):
        return _optional_codec(arguments)
    if origin in (dict, Mapping):
        return Codec(_plain, _same, "json")
    msg = f"no codec for {hint!r}"
    raise TypeError(msg)


def _record_codec(hint: type[Struct]) -> Codec:
    """An object as its fields in their order. Most are plain, and nothing is called for those."""
    hints = typing.get_type_hints(hint)
    codecs = [codec_for(hints[name]) for name in hint.__struct_fields__]
    encoders = [(place, codec.encode) for place, codec in enumerate(codecs) if codec.encode is not _same]
    decoders = [(place, codec.decode) for place, codec in enumerate(codecs) if codec.decode is not _same]

    def encode(value: Any, blobs: Blobs) -> Any:
        parts: list[Any] = list(astuple(value))
        for place, encode_part in encoders:
            parts[place] = encode_part(parts[place], blobs)
        return parts

    def decode(value: Any, blobs: Views) -> Any:
        parts = list(value)
        for place, decode_part in decoders:
            parts[place] = decode_part(parts[place], blobs)
        return hint(*parts)

    shape = ",".join(f"{name}:{codec.shape}" for name, codec in zip(hint.__struct_fields__, codecs, strict=True))
    return Codec(encode if encoders else _fields, decode, f"{hint.__name__}({shape})")


def _tuple_codec(arguments: tuple[Any, ...]) -> Codec:
    if arguments[-1] is Ellipsis:
        part = codec_for(arguments[0])
        return Codec(
            _same if part.encode is _same else lambda value, blobs: [part.encode(item, blobs) for item in value],
            _to_tuple
            if part.decode is _same
            else lambda value, blobs: tuple([part.decode(item, blobs) for item in value]),
            f"[{part.shape}]",
        )
    parts = [codec_for(argument) for argument in arguments]
    return Codec(
        _same
        if all(part.encode is _same for part in parts)
        else lambda value, blobs: [part.encode(item, blobs) for part, item in zip(parts, value, strict=True)],
        _to_tuple
        if all(part.decode is _same for part in parts)
        else lambda value, blobs: tuple([part.decode(item, blobs) for part, item in zip(parts, value, strict=True)]),
        "(" + ",".join(part.shape for part in parts) + ")",
    )


def _optional_codec(arguments: tuple[Any, ...]) -> Codec:
    """One type or None; a union of several types is let through as it is."""
    kinds = [argument for argument in arguments if argument is not type(None)]
    if len(kinds) > 1:
        return Codec(_same, _same, "json")
    inner = codec_for(kinds[0])
    return Codec(
        _same if inner.encode is _same else lambda value, blobs: None if value is None else inner.encode(value, blobs),
        inner.decode
        if inner.decode in (_same, _moment)
        else lambda value, blobs: None if value is None else inner.decode(value, blobs),
        f"{inner.shape}?",
    )


def _fields(value: Struct, _: Blobs) -> Any:
    return astuple(value)


def _same(value: Any, _: Blobs | Views) -> Any:
    return value


def _plain(value: Any, _: Blobs) -> Any:
    return dict(value)


def _keep_aside(value: Bulky, blobs: Blobs) -> int:
    blobs.append(value)
    return len(blobs) - 1


def _bulky(value: int, blobs: Views) -> Bulky:
    found = blobs[value]
    return Bulk([found]) if isinstance(found, Stretch) else bytes(found)


def _moment(value: datetime | str | None, _: Views) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _to_tuple(value: Any, _: Views) -> Any:
    return tuple(value)


_SIMPLE: Mapping[Any, Codec] = {
    **{kind: Codec(_same, _same, kind.__name__) for kind in (str, int, float, bool)},
    bytes: Codec(_keep_aside, lambda value, blobs: bytes(blobs[value]), "bytes"),
    Bulky: Codec(_keep_aside, _bulky, "bytes"),
    datetime: Codec(_same, _moment, "datetime"),
}
