"""What sitegen.toml says, as typed values; which pages a change of each touches.

Every field's metadata says what it rebuilds: "text" (each conversation is rendered anew), "page" (each page of each
share, around conversations rendered before), "site" (home, indexes, feeds, 404) or "nothing" (what it decides is seen
again in the shares themselves, or never shows).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from sitegen.model import Gate, Json, Show

Rebuilds = Literal["text", "page", "site", "nothing"]

TEXT: Final = {"rebuilds": "text"}
PAGE: Final = {"rebuilds": "page"}
SITE: Final = {"rebuilds": "site"}
NOTHING: Final = {"rebuilds": "nothing"}

CONFIG_NAME: Final = "sitegen.toml"


@dataclass(frozen=True, slots=True)
class Site:
    """`[site]`: what the site is called and where it will stand."""

    title: str = field(default="Conversations", metadata=PAGE)
    base_url: str | None = field(default=None, metadata=PAGE)
    """Absolute, http or https, always ending in `/`; None when it isn't known yet."""
    language: str = field(default="en", metadata=TEXT)
    timezone: str = field(default="UTC", metadata=TEXT)
    """For the times that pages show; a name of the IANA database."""
    remember_days: int = field(default=30, metadata=PAGE)
    """For how long readers may have a protected page remembered; 0 offers it to nobody."""

    @property
    def base_path(self) -> str:
        """The path of `base_url`: "/" or "/talks/"."""
        return urlsplit(self.base_url).path if self.base_url else "/"


@dataclass(frozen=True, slots=True)
class Remote:
    """A projection that stands elsewhere, and the path of its copy here, which has to be fetched first."""

    address: str
    copy: Path


@dataclass(frozen=True, slots=True)
class Source:
    """`[source]`: the projections, as absolute paths; of those that are named by address, of their copies."""

    projections: tuple[Path, ...] = field(default=(), metadata=NOTHING)
    remote: tuple[Remote, ...] = field(default=(), metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class Output:
    """`[output]`: where the site is written, as an absolute path, unless it is written to a bucket."""

    directory: Path = field(default=Path("public"), metadata=NOTHING)
    bucket: str | None = field(default=None, metadata=NOTHING)
    """`s3://bucket/prefix` without a slash at its end; the directory isn't used then."""

    @property
    def place(self) -> Path | str:
        """Where the site is written: a folder, or the address of a bucket."""
        return self.directory if self.bucket is None else self.bucket


Masking = Literal["mask", "keep"]
ImageMetadata = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class Privacy:
    """`[privacy]`: what is taken out before anything is published, and how much shares show unless they say so.

    What that does is seen in each conversation, so no field rebuilds anything by itself.
    """

    secrets: Literal["redact", "block", "allow"] = field(default="redact", metadata=NOTHING)
    allow: tuple[str, ...] = field(default=(), metadata=NOTHING)
    """Fingerprints of secrets that may be published."""
    paths: Literal["shorten", "keep"] = field(default="shorten", metadata=NOTHING)
    emails: Masking = field(default="mask", metadata=NOTHING)
    hosts: Masking = field(default="keep", metadata=NOTHING)
    ips: Masking = field(default="keep", metadata=NOTHING)
    macs: Masking = field(default="keep", metadata=NOTHING)
    serials: Masking = field(default="keep", metadata=NOTHING)
    phones: Masking = field(default="keep", metadata=NOTHING)
    hide: tuple[str, ...] = field(default=(), metadata=NOTHING)
    """Words to hide, those of `hide_file` among them."""
    hide_file: Path | None = field(default=None, metadata=NOTHING)
    show: Show = field(default=Show.ALL, metadata=NOTHING)
    thinking: bool = field(default=True, metadata=NOTHING)
    attachments: bool = field(default=True, metadata=NOTHING)
    branches: bool = field(default=False, metadata=NOTHING)
    context: bool = field(default=False, metadata=NOTHING)
    exclude_tools: tuple[str, ...] = field(default=(), metadata=NOTHING)
    image_metadata: ImageMetadata = field(default="drop", metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class ShareEntry:
    """A `[[share]]` as written; None is "not said". `line` is where it begins."""

    line: int = field(metadata=NOTHING)
    conversation: str = field(metadata=NOTHING)
    slug: str | None = field(default=None, metadata=NOTHING)
    title: str | None = field(default=None, metadata=NOTHING)
    gate: Gate | None = field(default=None, metadata=NOTHING)
    secret: str | None = field(default=None, metadata=NOTHING)
    recipients: tuple[str, ...] = field(default=(), metadata=NOTHING)
    agreement: str | None = field(default=None, metadata=NOTHING)
    expires: datetime | None = field(default=None, metadata=NOTHING)
    view_limit: int | None = field(default=None, metadata=NOTHING)
    listed: bool | None = field(default=None, metadata=NOTHING)
    show: Show | None = field(default=None, metadata=NOTHING)
    messages: tuple[tuple[int, int | None], ...] = field(default=(), metadata=NOTHING)
    exclude: tuple[tuple[int, int | None], ...] = field(default=(), metadata=NOTHING)
    thinking: bool | None = field(default=None, metadata=NOTHING)
    attachments: bool | None = field(default=None, metadata=NOTHING)
    branches: bool | None = field(default=None, metadata=NOTHING)
    context: bool | None = field(default=None, metadata=NOTHING)
    exclude_tools: tuple[str, ...] | None = field(default=None, metadata=NOTHING)
    image_metadata: ImageMetadata | None = field(default=None, metadata=NOTHING)
    epoch: int = field(default=0, metadata=NOTHING)
    allow_weak: bool | None = field(default=None, metadata=NOTHING)
    hint: str | None = field(default=None, metadata=NOTHING)
    public_title: str | None = field(default=None, metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """A `[[project]]` as written. `match` is a project value with the home folder shortened; "" is "no project"."""

    line: int = field(metadata=NOTHING)
    match: str = field(metadata=NOTHING)
    slug: str | None = field(default=None, metadata=NOTHING)
    title: str | None = field(default=None, metadata=NOTHING)
    description: str | None = field(default=None, metadata=NOTHING)
    gate: Gate | None = field(default=None, metadata=NOTHING)
    secret: str | None = field(default=None, metadata=NOTHING)
    recipients: tuple[str, ...] = field(default=(), metadata=NOTHING)
    agreement: str | None = field(default=None, metadata=NOTHING)
    epoch: int = field(default=0, metadata=NOTHING)
    allow_weak: bool | None = field(default=None, metadata=NOTHING)
    hint: str | None = field(default=None, metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule takes; every condition must hold, and none takes everything."""

    project: str | None = field(default=None, metadata=NOTHING)
    source: str | None = field(default=None, metadata=NOTHING)
    title: str | None = field(default=None, metadata=NOTHING)
    """Words that the title contains, in any case."""
    since: datetime | None = field(default=None, metadata=NOTHING)
    until: datetime | None = field(default=None, metadata=NOTHING)
    """The first moment that is too late."""


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """A `[[rule]]` as written."""

    line: int = field(metadata=NOTHING)
    match: Match = field(metadata=NOTHING)
    gate: Gate | None = field(default=None, metadata=NOTHING)
    secret: str | None = field(default=None, metadata=NOTHING)
    recipients: tuple[str, ...] = field(default=(), metadata=NOTHING)
    agreement: str | None = field(default=None, metadata=NOTHING)
    expires: datetime | None = field(default=None, metadata=NOTHING)
    view_limit: int | None = field(default=None, metadata=NOTHING)
    listed: bool | None = field(default=None, metadata=NOTHING)
    show: Show | None = field(default=None, metadata=NOTHING)
    thinking: bool | None = field(default=None, metadata=NOTHING)
    attachments: bool | None = field(default=None, metadata=NOTHING)
    branches: bool | None = field(default=None, metadata=NOTHING)
    context: bool | None = field(default=None, metadata=NOTHING)
    exclude_tools: tuple[str, ...] | None = field(default=None, metadata=NOTHING)
    image_metadata: ImageMetadata | None = field(default=None, metadata=NOTHING)
    epoch: int = field(default=0, metadata=NOTHING)
    allow_weak: bool | None = field(default=None, metadata=NOTHING)
    hint: str | None = field(default=None, metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """`[registry]`: what `revoke` remembers."""

    revoked: tuple[str, ...] = field(default=(), metadata=NOTHING)
    """Slugs that were taken back and aren't given again silently."""
    excluded: tuple[str, ...] = field(default=(), metadata=NOTHING)
    """Conversations, as `source:native-id`, that no rule publishes."""


@dataclass(frozen=True, slots=True)
class Pages:
    """`[pages]`: what pages show beyond the conversation."""

    labels: bool = field(default=False, metadata=TEXT)


@dataclass(frozen=True, slots=True)
class Theme:
    """`[theme]`: the folder whose templates and static files are laid over sitegen's own, as an absolute path."""

    folder: Path | None = field(default=None, metadata=NOTHING)
    """What is in it counts by its bytes, wherever it stands."""


@dataclass(frozen=True, slots=True)
class Search:
    """`[search]`: whether the conversations of the site can be searched."""

    enabled: bool = field(default=False, metadata=SITE)


@dataclass(frozen=True, slots=True)
class Publish:
    """`[publish]`: where the site goes out to, as `sitegen publish --to` takes it."""

    to: str | None = field(default=None, metadata=NOTHING)


@dataclass(frozen=True, slots=True)
class Config:
    """All of sitegen.toml. `path` is the file, `folder` the one that its relative paths start from; both absolute."""

    path: Path = field(metadata=NOTHING)
    folder: Path = field(metadata=NOTHING)
    site: Site = field(default_factory=Site, metadata=PAGE)
    source: Source = field(default_factory=Source, metadata=NOTHING)
    output: Output = field(default_factory=Output, metadata=NOTHING)
    privacy: Privacy = field(default_factory=Privacy, metadata=PAGE)
    shares: tuple[ShareEntry, ...] = field(default=(), metadata=NOTHING)
    projects: tuple[ProjectEntry, ...] = field(default=(), metadata=NOTHING)
    rules: tuple[RuleEntry, ...] = field(default=(), metadata=NOTHING)
    registry: RegistryEntry = field(default_factory=RegistryEntry, metadata=NOTHING)
    pages: Pages = field(default_factory=Pages, metadata=PAGE)
    theme: Theme = field(default_factory=Theme, metadata=NOTHING)
    search: Search = field(default_factory=Search, metadata=SITE)
    publish: Publish = field(default_factory=Publish, metadata=NOTHING)


def fingerprint(config: Config, scope: Literal["text", "page", "site"]) -> str:
    """A hash (64 hex digits) of all that `config` says about rendered conversations, pages, or the site as a whole.

    Each shows what the one before does: "page" covers the fields tagged "text" too, and "site" all of them.
    """
    scopes = ("text", "page", "site")
    wanted = set(scopes[: scopes.index(scope) + 1])
    facts = dict(_tagged(config, wanted, prefix=""))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _tagged(section: Any, wanted: set[str], *, prefix: str) -> Iterator[tuple[str, Json]]:
    for each in fields(section):
        value = getattr(section, each.name)
        if is_dataclass(value):
            yield from _tagged(value, wanted, prefix=f"{prefix}{each.name}.")
        elif each.metadata["rebuilds"] in wanted:
            yield f"{prefix}{each.name}", _plain(value)


def _plain(value: object) -> Json:
    match value:
        case Enum():
            return str(value.value)
        case bool() | int() | str() | None:
            return value
        case date():
            return value.isoformat()
        case _:
            return repr(value)
