"""What a configuration publishes, found in one way by a build and by whoever looks ahead of one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from sitegen.build.clean import Cleaner, policy_of
from sitegen.build.fetching import fetch_projections
from sitegen.build.wishes import has_gates, slug_hider
from sitegen.config import Config
from sitegen.gate.vault import Vault
from sitegen.model import ConversationHead, SharedView
from sitegen.projection import Projections, open_all
from sitegen.shares import Registry, resolve


def open_projections(config: Config, *, temp_folder: Path) -> AbstractContextManager[Projections]:
    """The projections of a configuration, with what its pages show of them; fetched first if they stand elsewhere."""
    fetch_projections(config)
    return open_all(config.source.projections, temp_folder=temp_folder, labels=config.pages.labels)


def open_vault(config: Config, views: Sequence[SharedView]) -> Vault:
    """The owner's secrets when anything asks for them: an open site needs none."""
    return Vault.open(config.folder) if has_gates(config, views) else Vault(config.folder)


def find_shares(
    config: Config,
    heads: Sequence[ConversationHead],
    views: Sequence[SharedView],
    *,
    vault: Vault,
    now: datetime,
    is_publishing: bool = True,
) -> Registry:
    """The shares, with names and titles that may be shown. Raises ConfigError as `resolve` does."""
    cleaner = Cleaner(policy_of(config.privacy))
    registry = resolve(
        config,
        heads,
        views,
        now=now,
        hide_slug=slug_hider(vault),
        clean_path=cleaner.path,
        is_publishing=is_publishing,
    )
    return replace(registry, shares=tuple(cleaner.share(share) for share in registry.shares))
