"""Which result belongs to which call: by id and by place, for ids repeat and some are missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msgspec import Struct, field

from sitegen.model import Block, Message

Spot = tuple[str, int]
"""A block: its message's id and its number in it."""


class Found(Struct, frozen=True):
    """A result with the message that brought it."""

    message: Message
    block: Block


class Pairs(Struct, frozen=True):
    """The result of each call that has one, and the places of the results that need no line of their own."""

    results: dict[Spot, Found] = field(default_factory=dict)
    taken: set[Spot] = field(default_factory=set)


def pair(messages: Iterable[Message]) -> Pairs:
    """Pairs the calls and results of one path.

    A result takes the nearest open call before it that has its id; without an id, the first open call without one (or
    the only open call there is). A result that comes before its call is found in a second look. A repeated result with
    the same text is taken in silence; any other that is left over is an orphan and stays.
    """
    pairs = Pairs()
    calls = _OpenCalls()
    early: list[tuple[Spot, Found]] = []
    for message in messages:
        for number, block in enumerate(message.blocks):
            spot = (message.id, number)
            if block.kind == "tool_use":
                calls.add(spot, block.tool_use_id)
            elif block.kind == "tool_result":
                call = calls.take(block.tool_use_id)
                if call is None:
                    early.append((spot, Found(message, block)))
                else:
                    pairs.results[call] = Found(message, block)
                    pairs.taken.add(spot)
    if early:
        _second_look(pairs, calls, early)
    return pairs


class _OpenCalls:
    """Calls that wait for their result, by id, each in the order they came."""

    def __init__(self) -> None:
        self._spots: dict[str | None, deque[Spot]] = {}
        self._count = 0

    def add(self, spot: Spot, call_id: str | None) -> None:
        self._spots.setdefault(call_id or None, deque()).append(spot)
        self._count += 1

    def take(self, call_id: str | None) -> Spot | None:
        """The call that a result with this id answers, no longer open; None when there is none."""
        spots = self._spots.get(call_id or None)
        if not spots and not call_id and self._count == 1:
            spots = next(waiting for waiting in self._spots.values() if waiting)
        if not spots:
            return None
        self._count -= 1
        return spots.pop() if call_id else spots.popleft()


def _second_look(pairs: Pairs, calls: _OpenCalls, early: list[tuple[Spot, Found]]) -> None:
    known = {(found.block.tool_use_id, found.block.text) for found in pairs.results.values()}
    for spot, found in early:
        wanted = found.block.tool_use_id
        call = calls.take(wanted) if wanted else None
        if call is not None:
            pairs.results[call] = found
            pairs.taken.add(spot)
        elif wanted and (wanted, found.block.text) in known:
            pairs.taken.add(spot)
