"""`sitegen revoke`: takes a share back, so that no later build publishes it again unasked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import Archive, read_archive, read_registry, remark
from sitegen.cli.terminal import safe
from sitegen.errors import ProjectionError, UsageError

if TYPE_CHECKING:
    from sitegen.config import Config, ShareEntry
    from sitegen.shares import Finder


@click.command("revoke")
@click.argument("slug")
@click.option("--yes", is_flag=True, help="Don't ask.")
@pass_app
def command(app: App, slug: str, yes: bool) -> None:
    """Take a share back: the next build leaves nothing of it.

    The slug isn't given to another conversation afterwards, and no rule publishes the conversation again.
    """
    from sitegen.config.slugs import folded

    config = app.config()
    if any(folded(slug) == folded(known) for known in config.registry.revoked) and not _entries(config, slug):
        click.echo(f"“{safe(slug)}” is revoked already.")
        return
    target = _target(config, slug)
    if not yes:
        click.confirm(f"Take back “{safe(target.slug)}”?", abort=True, err=True)
    _take_back(app, target)
    click.echo(
        f"Took back “{target.slug}”. It leaves the site with the next “sitegen build”, and its readers' reach when"
    )
    click.echo("that is published. Copies that somebody saved stay with them.")


class _Target(Struct, frozen=True):
    """What is taken back: `unnamed` are the `conversation`s of entries that have this slug without writing it."""

    slug: str
    keys: tuple[str, ...]
    unnamed: frozenset[str] = frozenset()


def _entries(config: Config, slug: str) -> list[ShareEntry]:
    from sitegen.config.slugs import folded

    return [entry for entry in config.shares if entry.slug and folded(entry.slug) == folded(slug)]


def _target(config: Config, slug: str) -> _Target:
    from sitegen.config.slugs import folded
    from sitegen.shares import Finder

    entries = _entries(config, slug)
    archive = _archive(config, is_needed=not entries)
    finder = Finder(archive.heads)
    if entries:
        return _Target(str(entries[0].slug), tuple(key for entry in entries for key in _keys(entry, finder)))
    shares = read_registry(config, archive).shares
    for share in shares:
        if folded(share.slug) == folded(slug):
            named = (entry.conversation for entry in config.shares if entry.slug is None)
            return _Target(
                share.slug, (share.head.key,), frozenset(name for name in named if finder.find(name) == (share.head,))
            )
    raise UsageError(_unknown(slug, [share.slug for share in shares]))


def _archive(config: Config, *, is_needed: bool) -> Archive:
    """The projections; taking back what the configuration names must work when they can't be read."""
    try:
        return read_archive(config)
    except ProjectionError as error:
        if is_needed:
            raise
        remark(f"{error} The share is taken back all the same")
        return Archive((), ())


def _keys(entry: ShareEntry, finder: Finder) -> list[str]:
    found = [head.key for head in finder.find(entry.conversation)]
    return found or ([entry.conversation] if ":" in entry.conversation else [])


def _unknown(slug: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(slug, known, n=1)
    hint = f"did you mean “{near[0]}”?" if near else "“sitegen shares” lists what is shared"
    return f"nothing is shared as “{slug}”; {hint}"


def _take_back(app: App, target: _Target) -> None:
    from sitegen.config.edit import rewrite, with_registry, without_shares
    from sitegen.config.slugs import folded

    def is_meant(share: Mapping[str, object]) -> bool:
        if "slug" in share:
            return folded(str(share["slug"])) == folded(target.slug)
        return str(share.get("conversation")) in target.unnamed

    rewrite(
        app.config_path(),
        lambda text: with_registry(without_shares(text, is_meant), revoked=[target.slug], excluded=target.keys),
    )
