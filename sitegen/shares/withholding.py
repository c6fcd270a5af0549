"""Which subagents a share may not show within its conversation: what was taken back is nowhere, not even there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set

from msgspec.structs import replace

from sitegen.model import ConversationHead, Share


def withholding(
    shares: Iterable[Share], heads: Iterable[ConversationHead], *, taken_back: Set[str]
) -> tuple[Share, ...]:
    """The shares, none of which shows a subagent that was taken back or whose own share has expired.

    `taken_back` are keys of conversations. One that is shared openly all the same is shown.
    """
    shares = tuple(shares)
    gone = taken_back | {share.head.key for share in shares if share.is_expired}
    gone -= {share.head.key for share in shares if not share.is_expired}
    below = _by_those_above(gone, {head.key: head.parent_key for head in heads}) if gone else {}
    return tuple(
        replace(share, withheld=tuple(sorted(below[share.head.key]))) if share.head.key in below else share
        for share in shares
    )


def _by_those_above(keys: Set[str], parents: dict[str, str | None]) -> dict[str, set[str]]:
    """The keys by each conversation that they're a subagent of, at any depth."""
    below: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        above = parents.get(key)
        while above is not None and key not in below[above]:
            below[above].add(key)
            above = parents.get(above)
    return below
