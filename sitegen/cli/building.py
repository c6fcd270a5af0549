"""What commands that build have in common: a time on the command line, and how far a build has come."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sitegen.build import Stage


class Moment(click.ParamType[datetime]):
    """A time: “2026-12-31” or “2026-12-31T18:00:00Z”; without an offset it is in UTC."""

    name = "TIME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"“{value}” isn't a time; write it like 2026-12-31 or 2026-12-31T18:00:00Z", param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Progress:
    """A bar on a terminal, nothing elsewhere: a build in a log is one line at its end."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_shown = not is_quiet and sys.stderr.isatty()
        self._width = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._put("")

    def show(self, stage: Stage, done: int, total: int) -> None:
        """Called by the build as it goes."""
        words = {"reading": "reading the projection", "making": f"making pages {done}/{total}", "finishing": "indexes"}
        self._put(f"sitegen: {words[stage]}")

    def _put(self, text: str) -> None:
        if self._is_shown:
            click.echo("\r" + text.ljust(self._width) + ("" if text else "\r"), nl=False, err=True)
            self._width = len(text)
