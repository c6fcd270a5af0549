"""What a program said on its own account, as notes: `metadata["subtype"]` tells which kind a message is.

What it said to the model alone has its kind under `"context"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.model import Message
from sitegen.render import workspace
from sitegen.wording.wrappers import Form, Note, NoteKind, Piece, Words, split

_PHRASE = 40
"""A shorter text at a compaction is the phrase that it always has, and the label says it."""
_BY_SUBTYPE: dict[str, tuple[NoteKind, Form]] = {
    "hook": ("hook", "plain"),
    "file_changed": ("changed", "plain"),
    "local_command": ("output", "terminal"),
    "notification": ("notification", "prose"),
    "untold": ("untold", "prose"),
    "unsent": ("unsent", "prose"),
    "peer": ("teammate", "prose"),
    "away_summary": ("recap", "prose"),
}
_PLAIN = frozenset({"", "informational"})
"""Kinds that say nothing which the label doesn't."""


def system_notes(message: Message) -> Iterator[Note]:
    """The notes of a system message, in order."""
    for block in message.blocks:
        for piece in split(block.text or "", is_summary=workspace.is_summary(message)):
            yield from _noted(piece, message)


def _noted(piece: Piece, message: Message) -> Iterator[Note]:
    subtype = _text(message, "subtype") or _text(message, "context")
    match piece:
        case Words(text=text):
            yield _of_words(text.strip(), subtype, message)
        case Note(kind="notification") if subtype == "untold":
            yield Note("untold", piece.title, piece.body, piece.form, piece.failed)
        case Note():
            yield piece


def _of_words(text: str, subtype: str, message: Message) -> Note:
    title, failed = _text(message, "title"), message.metadata.get("failed") is True
    if subtype == "api_error" or message.is_api_error:
        return Note("error", body=text, failed=True)
    if subtype in _BY_SUBTYPE:
        kind, form = _BY_SUBTYPE[subtype]
        return Note(kind, title, text, form, failed)
    match subtype:
        case "api_retry":
            times = message.metadata.get("times")
            return Note("retried", body=text.replace("\n", ", "), times=times if isinstance(times, int) else 1)
        case "compact_boundary":
            return Note("system", subtype, "" if len(text) < _PHRASE else text)
        case _:
            return Note("system", "" if subtype in _PLAIN else subtype.replace("_", " "), text)


def _text(message: Message, name: str) -> str:
    value = message.metadata.get(name)
    return value if isinstance(value, str) else ""
