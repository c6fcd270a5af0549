"""Fetches the projections that a configuration names by address, before anything reads them."""

from __future__ import annotations

from contextlib import suppress

from sitegen.config import Config


def fetch_projections(config: Config) -> None:
    """Brings what has changed; copies that nothing names any more are removed. Raises ProjectionError, OutputError."""
    if not config.source.remote:
        return
    from sitegen.fetch import fetch

    for remote in config.source.remote:
        fetch(remote.address, remote.copy)
    wanted = {remote.copy.name for remote in config.source.remote}
    for file in config.source.remote[0].copy.parent.iterdir():
        if file.name.removesuffix(".json") not in wanted and not file.name.startswith(".part-"):
            with suppress(OSError):
                file.unlink()
