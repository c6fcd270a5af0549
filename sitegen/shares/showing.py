"""How much of its conversation a share shows: as its entry says, else as `[privacy]` does."""

from __future__ import annotations

from typing import TypedDict, TypeVar

from sitegen.config import Privacy, RuleEntry, ShareEntry

T = TypeVar("T")


class Showing(TypedDict):
    """The fields of a share that say how much is shown, besides `show` and ranges of messages."""

    thinking: bool
    attachments: bool
    branches: bool
    context: bool
    exclude_tools: tuple[str, ...]
    keeps_image_metadata: bool


def showing_of(entry: ShareEntry | RuleEntry | None, default: Privacy) -> Showing:
    """What holds for the shares of an entry; None: for those that can't say."""
    if entry is None:
        return Showing(
            thinking=default.thinking,
            attachments=default.attachments,
            branches=default.branches,
            context=default.context,
            exclude_tools=default.exclude_tools,
            keeps_image_metadata=default.image_metadata == "keep",
        )
    return Showing(
        thinking=_said(entry.thinking, default.thinking),
        attachments=_said(entry.attachments, default.attachments),
        branches=_said(entry.branches, default.branches),
        context=_said(entry.context, default.context),
        exclude_tools=_said(entry.exclude_tools, default.exclude_tools),
        keeps_image_metadata=_said(entry.image_metadata, default.image_metadata) == "keep",
    )


def _said(said: T | None, default: T) -> T:
    return default if said is None else said
