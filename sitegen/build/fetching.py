"""Fetches the projections that a configuration names by address, before anything reads them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from sitegen.config import Config
from sitegen.errors import ProjectionError

_MAGIC: Final = slice(8, 12)


def fetch_projections(config: Config) -> None:
    """Brings what has changed; copies that nothing names any more are removed. Raises ProjectionError, OutputError."""
    if not config.source.remote:
        return
    from sitegen.fetch import fetch

    for remote in config.source.remote:
        fetch(remote.address, remote.copy)
        _refuse_other(remote.address, remote.copy)
    wanted = {remote.copy.name for remote in config.source.remote}
    for file in config.source.remote[0].copy.parent.iterdir():
        if file.name.removesuffix(".json") not in wanted and not file.name.startswith(".part-"):
            with suppress(OSError):
                file.unlink()


def _refuse_other(address: str, copy: Path) -> None:
    """Raises ProjectionError for what is no projection, such as a page that asks to log in; it isn't kept for one."""
    from sitegen.fetch import forget, shown

    with suppress(OSError), copy.open("rb") as file:
        if file.read(_MAGIC.stop)[_MAGIC] == b"DUCK":
            return
    forget(copy)
    raise ProjectionError(
        f"What {shown(address)} gave isn't a DuckDB file; it may be a page that asks to log in, or that says what went"
        " wrong. Correct the address, or put the file there again."
    )
