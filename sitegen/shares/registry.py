"""What `resolve` finds: shares, and what their owner should hear about them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sitegen.errors import ConfigError
from sitegen.model import Project, Share


class Origin(Struct, frozen=True):
    """Where a share was asked for. `path` is the configuration as messages name it, None for a projection's table."""

    path: Path | None
    line: int | None = None
    what: str = "a share"

    def __str__(self) -> str:
        if self.path is None:
            return self.what
        place = f"{self.path.name}:{self.line}" if self.line else self.path.name
        return f"{self.what} ({place})" if self.what == "a rule" else place

    def fault(self, message: str) -> ConfigError:
        """The error that says `message` about what was asked for here."""
        said = f"{self.what}: {message}" if self.path is None else message
        return ConfigError(said, path=self.path, line=self.line)


class Registry(Struct, frozen=True):
    """All shares in a fixed order: those of the configuration as they stand there, of shared_views, of rules.

    A share in `problems` is left out, which `--strict` doesn't accept; `notes` are worth hearing and stop nothing.
    """

    shares: tuple[Share, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next_expiry: datetime | None = None
    """When the next of the open shares expires."""
    is_refused: bool = False
    """Whether a build would refuse to begin, for what one of `problems` says; only where nothing is published."""

    @property
    def projects(self) -> tuple[Project, ...]:
        """The projects of the shares, by slug."""
        found = {share.project.slug: share.project for share in self.shares if share.project}
        return tuple(found[slug] for slug in sorted(found))
