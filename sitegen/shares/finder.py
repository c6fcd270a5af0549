"""Finds the conversation that a person means by an id, a part of one, or its identity."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from sitegen.model import ConversationHead

SHORT: Final = 8
SHORTEST: Final = 4
"""Parts of an id shorter than this are more likely a slip than a name."""


class Finder:
    """Looks conversations up. With two of one identity, the fuller one counts."""

    def __init__(self, heads: Iterable[ConversationHead]) -> None:
        self.heads = distinct(heads)
        self._exact = tuple(_by(self.heads, attrgetter(name)) for name in ("key", "row_id", "native_id"))
        self._names = sorted(
            (name, number) for number, head in enumerate(self.heads) for name in {head.row_id, head.native_id, head.key}
        )

    def named(self, name: str) -> tuple[ConversationHead, ...]:
        """The conversations of exactly this `source:native-id`, row id or native id, the first kind that fits."""
        return next((found for index in self._exact if (found := index.get(name, ()))), ())

    def find(self, name: str) -> tuple[ConversationHead, ...]:
        """The conversations that `name` can mean: one when it is clear, none, or the candidates, in a fixed order."""
        if exact := self.named(name):
            return exact
        if len(name) < SHORTEST:
            return ()
        return tuple(self.heads[number] for number in sorted(self._beginning_with(name)))

    def _beginning_with(self, prefix: str) -> set[int]:
        found = set()
        for position in range(bisect_left(self._names, (prefix, -1)), len(self._names)):
            name, number = self._names[position]
            if not name.startswith(prefix):
                break
            found.add(number)
        return found


def distinct(heads: Iterable[ConversationHead]) -> tuple[ConversationHead, ...]:
    """One head for each identity, the one with more messages, ordered by identity."""
    fullest: dict[str, ConversationHead] = {}
    for head in heads:
        known = fullest.get(head.key)
        if known is None or head.message_count > known.message_count:
            fullest[head.key] = head
    return tuple(fullest[key] for key in sorted(fullest))


def short_ids(heads: Sequence[ConversationHead]) -> Mapping[str, str]:
    """For each row id its shortest beginning, of at least eight characters, that no other conversation's ids share."""
    names = sorted({name for head in heads for name in (head.row_id, head.native_id, head.key)})
    shortened = {}
    for head in heads:
        place = bisect_left(names, head.row_id)
        around = (names[i] for i in (place - 1, place + 1) if 0 <= i < len(names))
        shared = max((_common(head.row_id, other) for other in around), default=0)
        shortened[head.row_id] = head.row_id[: max(SHORT, shared + 1)]
    return shortened


def _common(one: str, other: str) -> int:
    """How many characters two names have in common at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _by(
    heads: Iterable[ConversationHead], name_of: Callable[[ConversationHead], str]
) -> Mapping[str, tuple[ConversationHead, ...]]:
    found: defaultdict[str, list[ConversationHead]] = defaultdict(list)
    for head in heads:
        found[name_of(head)].append(head)
    return {name: tuple(mine) for name, mine in found.items()}
