"""The ids of rows: the same source always gives the same, on any machine.

They must never change. Ids of one conversation begin alike, so that writing it touches one corner of each index: with
ids at random, every conversation would bring all indexes of the projection into memory.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container


def conversation(source_id: str, native_id: str) -> str:
    """Of a conversation: 80 bits in 16 characters."""
    return _short(f"{source_id}\x1f{native_id}", 10)


def message(conversation_id: str, native_id: str | None, *, index: int, taken: Container[str] = ()) -> str:
    """Of a message: by its native id, or by its place when it has none of its own (or one that looks the same)."""
    if native_id is not None and (found := f"{conversation_id}-{_short(native_id, 8)[:12]}") not in taken:
        return found
    return f"{conversation_id}-n{index}"


def part(message_id: str, number: int, *, kind: str = "") -> str:
    """Of a message's block, or of another part of the given kind."""
    return f"{message_id}-{kind}{number}"


def event(conversation_id: str, line: int) -> str:
    """Of a raw event."""
    return f"{conversation_id}-l{line}"


def _short(text: str, size_bytes: int) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:size_bytes]).decode().lower().rstrip("=")
