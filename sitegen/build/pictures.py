"""Counts the pictures of a conversation, and those in which a camera wrote down where it was."""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings
from collections.abc import Iterator, Mapping

from sitegen.model import Conversation, Json

_GPS = 0x8825
_ENCODED = re.compile(r"(?:data:image/[\w.+-]+;base64,)?((?:/9j/|iVBOR|UklGR|SUkq|TU0A)[A-Za-z0-9+/=_\s-]{100,})")


def count_pictures(conversation: Conversation) -> tuple[int, int]:
    """How many pictures there are, and how many of them hold a place."""
    found = list(_pictures(conversation))
    return len(found), sum(map(has_place, found))


def has_place(data: bytes) -> bool:
    """Whether an image holds coordinates."""
    if b"Exif" not in data[:100_000] and b"eXIf" not in data and b"EXIF" not in data:
        return False
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a corrupt tag is no place
            with Image.open(io.BytesIO(data)) as image:
                return bool(image.getexif().get_ifd(_GPS))
    except Exception:  # noqa: BLE001 - decoders fail in as many ways as there are broken files
        return False


def _pictures(conversation: Conversation) -> Iterator[bytes]:
    waiting = [conversation]
    while waiting:
        at = waiting.pop()
        waiting.extend(at.subagents)
        for message in at.messages:
            for block in message.blocks:
                yield from _encoded(dict(block.payload))
            for file in message.attachments:
                if file.data is not None and (file.media_type or "").startswith("image/"):
                    yield file.data


def _encoded(value: Json) -> Iterator[bytes]:
    waiting: list[Json] = [value]
    while waiting:
        at = waiting.pop()
        if isinstance(at, Mapping):
            waiting.extend(at.values())
        elif isinstance(at, list):
            waiting.extend(at)
        elif isinstance(at, str) and len(at) > 100 and (match := _ENCODED.fullmatch(at)):
            yield _decoded(match[1])


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()) + "==")
    except (binascii.Error, ValueError):
        return b""
