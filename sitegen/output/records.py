"""What one build leaves to the next: records of files and shares, and of the build as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from sitegen.stamps import Stamp


class FileRecord(Struct, frozen=True):
    """A file as it was written: `path` is relative to the output with `/`, `owner` is whose it is in the plan.

    A tuple, for there are many, which are read from the state and sent between processes.
    """

    path: str
    owner: str
    sha256: str
    stamp: Stamp


class ShareRecord(Struct, frozen=True):
    """A share as it was published. `conversation` is the key of its conversation, `card` the JSON of its Card."""

    slug: str
    conversation: str
    page_key: str
    cache_key: str = ""
    expires: datetime | None = None
    card: str = ""


class LastBuild(Struct, frozen=True):
    """What the last build left. `is_finished` is false after a build that was killed, and when there was none."""

    is_finished: bool = False
    files: Mapping[str, FileRecord] = field(default_factory=dict)
    """By path, without the dot file."""
    shares: Mapping[str, ShareRecord] = field(default_factory=dict)
    """By slug."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Whatever the build wanted to know again: digests of what its pages were made from."""
    dot_file: FileRecord | None = None


class FinishedBuild(Struct, frozen=True):
    """What a build hands to `State.finish`. Times are aware.

    `files` is what `Folder.finish` returned, the dot file among them. `invocation` None keeps the next build from the
    no-op path: for builds in which something failed. `environment` is `Watch.environment`, `notes` any text that the
    no-op path should see again.
    """

    files: Mapping[str, FileRecord]
    built_at: datetime
    shares: Mapping[str, ShareRecord] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Stamp] = field(default_factory=dict)
    environment: str = ""
    invocation: str | None = None
    next_expiry: datetime | None = None
    notes: str = ""
