"""The errors sitegen tells its users about.

SitegenError            exit 1: something failed, told in one or two sentences
├── UsageError          exit 2: the command line or the configuration asks for something impossible
│   └── ConfigError     … with the file and the line where it stands
├── ProjectionError     the DuckDB file can't be read or isn't what it should be
│   └── LockedError     … because another process writes it; waiting helps
├── IngestError         a source can't be read at all (a bad line is a count, not an error)
├── OutputError         the output folder can't be written, or isn't ours
│   └── BusyError       … because another build uses it; waiting helps
├── PublishError        what was built can't be put where its readers are
├── BuildError          some pages failed; the others were made
└── RefusedError        exit 3: refused for safety

Every message says what was found, what was expected and what to do.
"""

from __future__ import annotations

from pathlib import Path


class SitegenError(Exception):
    """Something failed; the message is meant for the user as it stands."""

    exit_code = 1


class UsageError(SitegenError):
    """What was asked for is impossible as it was asked."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file holds something that sitegen can't use.

    `path` and `line` (counted from 1) say where; both may be unknown for values that come from a table of a projection.
    """

    def __init__(self, message: str, *, path: Path | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(f"{where}{message}")
        self.path = path
        self.line = line


class ProjectionError(SitegenError):
    """The projection can't be read, or lacks what sitegen needs from it."""


class LockedError(ProjectionError):
    """Another process is writing the projection; it can be read when that is done."""


class IngestError(SitegenError):
    """A source can't be read at all, or the projection can't be written."""


class OutputError(SitegenError):
    """The output folder can't be written, isn't ours, or two outputs claim one path."""


class BusyError(OutputError):
    """Another build is at work in the same place; it ends."""


class PublishError(SitegenError):
    """The place where the site is published can't be read or written; what stands there is whole."""


class BuildError(SitegenError):
    """Some pages could not be made; the others were."""


class RefusedError(SitegenError):
    """Refused for safety: going on would publish or destroy what it should not."""

    exit_code = 3
