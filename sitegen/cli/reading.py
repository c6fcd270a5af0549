"""What listing and sharing commands read before they answer: the projections and the registry of shares."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from sitegen.cli.terminal import day, safe, safe_lines
from sitegen.errors import SitegenError, UsageError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.gate.vault import Vault
    from sitegen.model import ConversationHead, SharedView
    from sitegen.shares import Finder, Registry


class Archive(Struct, frozen=True):
    """The conversations of all projections, and the shared views that stand beside them."""

    heads: tuple[ConversationHead, ...]
    views: tuple[SharedView, ...]


def read_archive(config: Config) -> Archive:
    """The projections of a configuration, read; what they warn of is said on stderr."""
    from sitegen.build.fetching import fetch_projections
    from sitegen.projection import open_all

    fetch_projections(config)
    with (
        tempfile.TemporaryDirectory(prefix="sitegen-") as temp_folder,
        open_all(config.source.projections, temp_folder=Path(temp_folder)) as projections,
    ):
        archive = Archive(tuple(projections.heads()), tuple(projections.shared_views()))
        for warning in projections.warnings:
            remark(warning)
    return archive


def read_registry(config: Config, archive: Archive) -> Registry:
    """All shares as they stand, whether or not they can be published."""
    from sitegen.build.wishes import slug_hider
    from sitegen.shares import resolve

    hide_slug = slug_hider(read_vault(config))
    now = datetime.now(UTC)
    return resolve(config, archive.heads, archive.views, now=now, hide_slug=hide_slug, is_publishing=False)


def read_vault(config: Config) -> Vault:
    """The owner's secrets, for commands that can do without; why they can't be had is said on stderr."""
    from sitegen.gate.vault import Vault

    try:
        return Vault.open(config.folder)
    except SitegenError as error:
        remark(str(error))
        return Vault(config.folder)


def remark(message: str) -> None:
    """Say something on stderr that isn't the answer."""
    click.echo(f"sitegen: {safe_lines(message)}", err=True)


def the_one(finder: Finder, name: str) -> ConversationHead:
    """The conversation that a person named. Raises UsageError, listing the candidates, when it isn't clear."""
    found = finder.find(name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"no conversation is called “{name}”; “sitegen list” shows them with their ids")
    shown = "\n".join(f"  {line}" for line in _candidates(found))
    raise UsageError(f"“{name}” fits {len(found)} conversations; say more of the id:\n{shown}")


def _candidates(found: Sequence[ConversationHead], limit: int = 10) -> list[str]:
    lines = [f"{head.key}  {day(head.started_at)}  {safe(head.title or '(no title)', limit=50)}" for head in found]
    more = len(lines) - limit
    return lines if more <= 0 else [*lines[:limit], f"… and {more} more"]


def iso(moment: datetime | None) -> str | None:
    """A moment as scripts read it: 2026-01-31T14:03:05Z."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
