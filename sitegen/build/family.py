"""Which shares belong together: subagents under the conversation they worked for, as far as both are shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitegen.model import Card, ConversationHead, Share


@dataclass(frozen=True, slots=True)
class Family:
    """The open shares of a build, by conversation, and the subagents of each conversation."""

    _cards: Mapping[str, Card]
    _children: Mapping[str, tuple[ConversationHead, ...]]

    @classmethod
    def of(cls, shares: Iterable[Share], heads: Iterable[ConversationHead]) -> Family:
        """The family of these shares, without those that a link would give away: gated, unlisted, expired."""
        cards: dict[str, Card] = {}
        for share in shares:
            if share.listed and not share.is_gated and not share.is_expired:
                cards.setdefault(share.head.key, _card(share))
        children: dict[str, tuple[ConversationHead, ...]] = {}
        for head in heads:
            if head.parent_key is not None:
                children[head.parent_key] = (*children.get(head.parent_key, ()), head)
        return cls(cards, children)

    def parent(self, share: Share) -> Card | None:
        """The share of the conversation that this one is a subagent of."""
        key = share.head.parent_key
        card = None if key is None else self._cards.get(key)
        return card if card is not None and self._cards.get(share.head.key, card).slug == share.slug else None

    def children(self, share: Share) -> tuple[Card, ...]:
        """The shares of the conversation's own subagents."""
        found = (self._cards.get(head.key) for head in self._children.get(share.head.key, ()))
        return tuple(card for card in found if card is not None)

    def descendants(self, head: ConversationHead) -> tuple[ConversationHead, ...]:
        """All subagents below a conversation, at any depth."""
        found: dict[str, ConversationHead] = {}
        waiting = [head]
        while waiting:
            for child in self._children.get(waiting.pop().key, ()):
                if child.key not in found:
                    found[child.key] = child
                    waiting.append(child)
        return tuple(found.values())


def _card(share: Share) -> Card:
    """Enough of a card for a link; what only the content knows isn't read for it."""
    return Card(
        slug=share.slug,
        title=share.title or share.head.title or "",
        is_protected=False,
        project=share.project.slug if share.project else None,
        listed=True,
    )
