"""Shares: what is decided about a conversation before its content is read."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from sitegen.model.conversation import ConversationHead


class Gate(StrEnum):
    """What stands between a reader and a share."""

    NONE = "none"
    PASSWORD = "password"  # noqa: S105 - the name of a gate, not a password
    EMAIL = "email"
    OTP = "otp"
    AGREEMENT = "agreement"


class Show(StrEnum):
    """How much of a conversation a share shows."""

    ALL = "all"
    CALLS = "calls"
    """Tool calls in one line each, without what they returned and without thinking."""
    CONVERSATION = "conversation"
    """Prompts and answers only."""


class Project(Struct, frozen=True):
    """A project as the site shows it. `slug` is unique in the site, `name` is for people.

    What protects its index, and the shares that say nothing else, is told as for a share.
    """

    slug: str
    name: str
    description: str | None = None
    gate: Gate = Gate.NONE
    secret: str | None = None
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    epoch: int = 0
    allow_weak: bool = False
    hint: str | None = None

    @property
    def is_gated(self) -> bool:
        return self.gate is not Gate.NONE

    @property
    def scope(self) -> str:
        """Whose credentials open its index; no slug of a share holds a colon."""
        return f"p:{self.slug}"


class Share(Struct, frozen=True):
    """One conversation published under one slug: everything that is decided before its content is read.

    `origin` says in words where it comes from ("sitegen.toml:31", "a rule", "shared_views"), for messages.
    """

    slug: str
    head: ConversationHead
    project: Project | None
    origin: str
    title: str | None = None
    """The title its owner gave; None: the conversation's own."""
    gate: Gate = Gate.NONE
    secret: str | None = None
    """A reference (`env:NAME`, `file:PATH`, `private:NAME`), never the secret itself."""
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    expires: datetime | None = None
    is_expired: bool = False
    view_limit: int | None = None
    listed: bool = False
    show: Show = Show.ALL
    messages: tuple[tuple[int, int | None], ...] = ()
    """Ranges of messages shown, counted from 1, ends included; empty: all; an open end is None."""
    exclude: tuple[tuple[int, int | None], ...] = ()
    """Ranges of messages not shown, likewise."""
    exclude_tools: tuple[str, ...] = ()
    """Names of tools, `*` for any letters, whose calls and results aren't shown."""
    thinking: bool = True
    attachments: bool = True
    """Whether images and files are shown."""
    branches: bool = False
    """Whether the ways not taken are shown beside the one that was."""
    context: bool = False
    """Whether system prompts, instructions and what programs told the model are shown."""
    keeps_image_metadata: bool = False
    """Whether pictures keep what cameras and programs wrote into them."""
    epoch: int = 0
    allow_weak: bool = False
    """Whether its owner knows that the password can be guessed."""
    hint: str | None = None
    """What the gate says to everyone: whom to ask, never what opens it."""
    public_title: str | None = None
    """What indexes call a protected share."""
    withheld: tuple[str, ...] = ()
    """Keys of the conversation's subagents that aren't shown within it: those taken back or expired by themselves."""
    is_inherited: bool = False
    """Whether the project's own credentials open it: one unlock for all of them and for the index."""

    @property
    def is_gated(self) -> bool:
        return self.gate is not Gate.NONE or self.agreement is not None

    @property
    def is_indexed(self) -> bool:
        """Whether indexes list it."""
        return self.listed and not self.is_expired

    @property
    def shown(self) -> tuple[object, ...]:
        """All that decides how much of the conversation is shown."""
        parts = (self.messages, self.exclude, self.exclude_tools)
        is_shown = (self.thinking, self.attachments, self.branches, self.context, self.keeps_image_metadata)
        return (self.show, *parts, *is_shown, self.withheld)

    @property
    def is_part(self) -> bool:
        """Whether only some of the messages are shown, which its conversation's title may know nothing of."""
        return bool(self.messages or self.exclude)

    @property
    def scope(self) -> str:
        """Whose credentials open it: its own slug, or the project's scope."""
        return self.project.scope if self.is_inherited and self.project is not None else self.slug
