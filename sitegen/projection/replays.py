"""Leaves out what a session holds twice because its program wrote it down again when the session was resumed.

The copy has ids of its own and may be cut into other messages, but the same words at the same moments. The earlier
copy goes; what was said again later, or differs in anything, stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from sitegen.model import Message

_Said = tuple[datetime, str, str]
"""A block by its moment, its kind, and its words or id."""


def without_replays(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without the earlier copy of each part that was written again, whole, as another way on."""
    starts: dict[tuple[str | None, datetime], list[int]] = defaultdict(list)
    places = {message.id: place for place, message in enumerate(messages)}
    for place, message in enumerate(messages):
        # Results that came at one moment are no copies of one another.
        if message.role == "user" and message.created_at and any(block.kind == "text" for block in message.blocks):
            parent = message.parent_id if message.parent_id in places else None
            starts[parent, message.created_at].append(place)
    doubtful = [siblings for siblings in starts.values() if len(siblings) > 1]
    if not doubtful:
        return messages
    below = _Descent(messages, places)
    gone = {place for siblings in doubtful for place in below.copied(siblings)}
    return [message for place, message in enumerate(messages) if place not in gone]


class _Descent:
    """What follows from each message."""

    def __init__(self, messages: Sequence[Message], places: dict[str, int]) -> None:
        self._messages = messages
        self._children: dict[int, list[int]] = defaultdict(list)
        for place, message in enumerate(messages):
            parent = places.get(message.parent_id or "", place)
            if parent < place:
                self._children[parent].append(place)

    def copied(self, siblings: Sequence[int]) -> Iterator[int]:
        """The places of all that a later sibling and what follows from it say again."""
        said = {place: {each for at in self._from(place) for each in _said(self._messages[at])} for place in siblings}
        for number, place in enumerate(siblings):
            if said[place] and any(said[place] <= said[later] for later in siblings[number + 1 :]):
                yield from self._from(place)

    def _from(self, place: int) -> Iterator[int]:
        waiting = [place]
        while waiting:
            at = waiting.pop()
            yield at
            waiting.extend(self._children.get(at, ()))


def _said(message: Message) -> Iterator[_Said]:
    if message.created_at is None:
        return
    for block in message.blocks:
        words = block.text or block.tool_use_id or str(sorted(map(str, block.payload.items())))
        yield message.created_at, block.kind, words
