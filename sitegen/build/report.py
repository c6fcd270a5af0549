"""What a build was asked for and what became of it. Named tuples, for one with nothing to do imports nothing more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

Stage = Literal["reading", "making", "finishing"]
OnProgress = Callable[[Stage, int, int], None]
"""Hears the stage, how much of it is done and how much there is (0: unknown)."""


class BuildOptions(NamedTuple):
    """How to build, beside what the configuration says.

    `output` replaces the configured place (a folder, or the address of a bucket), `state` the `.sitegen` beside the
    configuration, `now` the clock (aware);
    `is_full` trusts nothing made before; `executor` is the address of a cluster that makes open pages.
    """

    output: Path | str | None = None
    state: Path | None = None
    jobs: int | None = None
    executor: str | None = None
    now: datetime | None = None
    is_strict: bool = False
    is_offline: bool = False
    is_full: bool = False
    is_adopting: bool = False


class BuildReport(NamedTuple):
    """What a build did. `written`, `kept` and `removed` count files; `notices` are sentences for the owner."""

    output: Path | str
    written: int = 0
    kept: int = 0
    removed: int = 0
    shares: int = 0
    expired: int = 0
    next_expiry: datetime | None = None
    notices: tuple[str, ...] = ()
    found: tuple[tuple[str, int], ...] = ()
    """How much was taken out of what the shares show, by what it was; () when nothing was to be done."""
