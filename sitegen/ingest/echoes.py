"""Tells apart what a session says twice, once for the conversation and once for the screen, and what it says once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from sitegen.ingest.records import MessageRecord


class Echoes(Struct):
    """Texts of one kind (prompts, say). Items hold more than events do, so an event waits for its item."""

    items: Counter[str] = field(default_factory=Counter)
    """Said by items, and by no event yet."""
    told: Counter[str] = field(default_factory=Counter)
    """Said by events in place of an item."""
    waiting: list[tuple[str, MessageRecord]] = field(default_factory=list)

    def is_new_item(self, text: str) -> bool:
        """Whether an item says what no event has said in its place."""
        key = text.strip()
        if self.told[key] > 0:
            self.told[key] -= 1
            return False
        same = next((n for n, (other, _) in enumerate(self.waiting) if other == key), None)
        if same is None:
            self.items[key] += 1
        else:
            del self.waiting[same]
        return True

    def hear(self, text: str, message: MessageRecord) -> None:
        """Keeps an event's message back, unless an item has said it."""
        key = text.strip()
        if self.items[key] > 0:
            self.items[key] -= 1
        elif message.blocks:
            self.waiting.append((key, message))

    def release(self) -> Iterator[MessageRecord]:
        """The messages that were kept back, when no item is going to say them."""
        self.told.update(key for key, _ in self.waiting)
        waiting, self.waiting = self.waiting, []
        yield from (message for _, message in waiting)
