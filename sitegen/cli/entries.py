"""Finds where in sitegen.toml a share or a project was said, for commands that change it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from sitegen.cli.terminal import safe
from sitegen.errors import UsageError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.gate.credentials import Wish
    from sitegen.model import Project, Share
    from sitegen.shares import Registry


class Place(Struct, frozen=True):
    """The entry of sitegen.toml that decides: its table, its number from 0 and its epoch now."""

    table: str
    number: int
    epoch: int


class Gated(Struct, frozen=True):
    """Something with a gate: a share, or the index of a project with all that inherits from it."""

    slug: str
    wish: Wish
    share: Share | None = None
    project: Project | None = None
    value: str | None = None
    """The project's value in the projection."""

    @property
    def title(self) -> str:
        """What it's called, for its owner only."""
        if self.share is not None:
            return self.share.title or self.share.head.title or ""
        return self.project.name if self.project is not None else ""


def gated(registry: Registry) -> list[Gated]:
    """All that has a gate of its own and hasn't expired: projects first, then shares."""
    from sitegen.build.wishes import wish_of, wish_of_project

    values = {share.project: share.head.project for share in registry.shares if share.project is not None}
    projects = [each for each in registry.projects if each.is_gated]
    shares = [each for each in registry.shares if each.is_gated and not each.is_expired]
    return [
        *(Gated(each.slug, wish_of_project(each), project=each, value=values[each]) for each in projects),
        *(Gated(each.slug, wish_of(each), share=each) for each in shares),
    ]


def find_gated(registry: Registry, slug: str) -> Gated:
    """The share or project of that slug. Raises UsageError when there is none, or it has no gate."""
    from sitegen.config.slugs import folded

    found = [each for each in gated(registry) if folded(each.slug) == folded(slug)]
    shares = [each for each in found if each.share is not None]
    if found:
        return (shares or found)[0]
    if any(folded(share.slug) == folded(slug) for share in registry.shares):
        raise UsageError(f"“{safe(slug)}” has no gate, or has expired; “sitegen shares” lists what protects each share")
    raise UsageError(f"nothing is shared as “{safe(slug)}”; “sitegen shares” lists what is shared")


def place_of(config: Config, target: Gated) -> Place:
    """Where the terms of a share or project stand. Raises UsageError for a row of a projection's table."""
    if target.project is not None:
        return _project_place(config, target)
    share = target.share
    if share is not None and share.is_inherited and share.project is not None:
        raise UsageError(
            f"the gate of “{target.slug}” is its project's; “sitegen rotate {share.project.slug}” gives the project "
            "and all its shares new keys"
        )
    for number, entry in enumerate(config.shares):
        if share is not None and share.origin == _origin(config, entry.line, "a share"):
            return Place("share", number, entry.epoch)
    for number, rule in enumerate(config.rules):
        if share is not None and share.origin == _origin(config, rule.line, "a rule"):
            return Place("rule", number, rule.epoch)
    raise UsageError(
        f"“{target.slug}” comes from shared_views, which sitegen doesn't change; share it with “sitegen share” instead"
    )


def _project_place(config: Config, target: Gated) -> Place:
    from sitegen.shares import home_shortened

    values = [home_shortened(entry.match) for entry in config.projects]
    number = values.index(home_shortened(target.value))
    return Place("project", number, config.projects[number].epoch)


def _origin(config: Config, line: int, what: str) -> str:
    from sitegen.config.load import shown_path
    from sitegen.shares.registry import Origin

    return str(Origin(shown_path(config.path), line, what))
