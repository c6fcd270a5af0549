"""Which shares belong together: subagents under the conversation they worked for, as far as both are shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from sitegen.model import Card, ConversationHead, Share

TitleOf = Callable[[Share], str]


def _own_title(share: Share) -> str:
    return share.head.title or ""


class Family(Struct, frozen=True):
    """The open shares of a build, by conversation, and the subagents of each conversation."""

    _shares: Mapping[str, Share]
    _children: Mapping[str, tuple[ConversationHead, ...]]
    _title_of: TitleOf

    @classmethod
    def of(
        cls, shares: Iterable[Share], heads: Iterable[ConversationHead], *, title_of: TitleOf = _own_title
    ) -> Family:
        """The family of these shares, without those that a link would give away: gated, unlisted, expired.

        `title_of` gives the title of a share that its owner gave none, as it may be shown.
        """
        open_shares: dict[str, Share] = {}
        for share in shares:
            if share.listed and not share.is_gated and not share.is_expired:
                open_shares.setdefault(share.head.key, share)
        children: dict[str, tuple[ConversationHead, ...]] = {}
        for head in heads:
            if head.parent_key is not None:
                children[head.parent_key] = (*children.get(head.parent_key, ()), head)
        return cls(open_shares, children, title_of)

    def parent(self, share: Share) -> Card | None:
        """The share of the conversation that this one is a subagent of."""
        key = share.head.parent_key
        found = None if key is None else self._shares.get(key)
        if found is None or self._shares.get(share.head.key, found).slug != share.slug:
            return None
        return self._card(found)

    def children(self, share: Share) -> tuple[Card, ...]:
        """The shares of the conversation's own subagents."""
        found = (self._shares.get(head.key) for head in self._children.get(share.head.key, ()))
        return tuple(self._card(share) for share in found if share is not None)

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

    def _card(self, share: Share) -> Card:
        """Enough of a card for a link; what only the content knows isn't read for it."""
        return Card(
            slug=share.slug,
            title=share.title or self._title_of(share),
            is_protected=False,
            project=share.project.slug if share.project else None,
            listed=True,
        )
