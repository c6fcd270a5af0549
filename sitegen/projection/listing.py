"""What is remembered of a projection between two looks at it: enough to look only at what changed, and no words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct


class Content(Struct, frozen=True):
    """What the tables hold of one conversation beside its own row, as numbers: no word of it."""

    row_id: str
    message_count: int
    size_bytes: int
    seal: str
    keeps_records: bool


class Listing(Struct, frozen=True):
    """What a look at a projection found, to be kept: a later look needs to see only what changed since.

    `facts` tell what the seals depend on. Conversations whose title isn't in their row are left out: to know it they
    must be looked at each time, for no words are kept.
    """

    facts: str
    contents: tuple[Content, ...]


class Known(Struct, frozen=True):
    """An earlier listing, and the row ids of all conversations that may be others since, be they new or gone."""

    listing: Listing
    changed: frozenset[str]


Recall = Callable[[Path], Known | None]
"""What is known of the projection at a path; None for nothing."""


def nothing(_: Path) -> None:
    """What is known by whoever looks for the first time."""
