"""What sitegen.toml says, as typed values; which pages a change of each touches.

Three sections show on pages by themselves, and `_REBUILDS` says what each of their fields rebuilds: "text" (each
conversation is rendered anew), "page" (each page of each share, around conversations rendered before) or "site" (home,
indexes, feeds, 404). What the others decide is seen again in the shares themselves, or never shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from sitegen.model import Gate, Json, Show

Rebuilds = Literal["text", "page", "site"]

CONFIG_NAME: Final = "sitegen.toml"


class Site(Struct, frozen=True):
    """`[site]`: what the site is called and where it will stand."""

    title: str = "Conversations"
    base_url: str | None = None
    """Absolute, http or https, always ending in `/`; None when it isn't known yet."""
    language: str = "en"
    timezone: str = "UTC"
    """For the times that pages show; a name of the IANA database."""
    remember_days: int = 30
    """For how long readers may have a protected page remembered; 0 offers it to nobody."""

    @property
    def base_path(self) -> str:
        """The path of `base_url`: "/" or "/talks/"."""
        return urlsplit(self.base_url).path if self.base_url else "/"


class Remote(Struct, frozen=True):
    """A projection that stands elsewhere, and the path of its copy here, which has to be fetched first."""

    address: str
    copy: Path


class Source(Struct, frozen=True):
    """`[source]`: the projections, as absolute paths; of those that are named by address, of their copies."""

    projections: tuple[Path, ...] = ()
    remote: tuple[Remote, ...] = ()


class Output(Struct, frozen=True):
    """`[output]`: where the site is written, as an absolute path, unless it is written to a bucket."""

    directory: Path = Path("public")
    bucket: str | None = None
    """`s3://bucket/prefix` without a slash at its end; the directory isn't used then."""

    @property
    def place(self) -> Path | str:
        """Where the site is written: a folder, or the address of a bucket."""
        return self.directory if self.bucket is None else self.bucket


Masking = Literal["mask", "keep"]
ImageMetadata = Literal["drop", "keep"]


class Privacy(Struct, frozen=True):
    """`[privacy]`: what is taken out before anything is published, and how much shares show unless they say so.

    What that does is seen in each conversation, so no field rebuilds anything by itself.
    """

    secrets: Literal["redact", "block", "allow"] = "redact"
    allow: tuple[str, ...] = ()
    """Fingerprints of secrets that may be published."""
    paths: Literal["shorten", "keep"] = "shorten"
    emails: Masking = "mask"
    hosts: Masking = "keep"
    ips: Masking = "keep"
    macs: Masking = "keep"
    serials: Masking = "keep"
    phones: Masking = "keep"
    hide: tuple[str, ...] = ()
    """Words to hide, those of `hide_file` among them."""
    hide_file: Path | None = None
    show: Show = Show.ALL
    thinking: bool = True
    attachments: bool = True
    branches: bool = False
    context: bool = False
    exclude_tools: tuple[str, ...] = ()
    image_metadata: ImageMetadata = "drop"


class Asking(Struct, frozen=True, kw_only=True):
    """What an entry says of who may read; None is "not said"."""

    gate: Gate | None = None
    secret: str | None = None
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    epoch: int = 0
    allow_weak: bool | None = None
    hint: str | None = None


class Offering(Asking, frozen=True, kw_only=True):
    """What an entry says of shares: who may read them, for how long, and how much they show."""

    expires: datetime | None = None
    view_limit: int | None = None
    listed: bool | None = None
    show: Show | None = None
    thinking: bool | None = None
    attachments: bool | None = None
    branches: bool | None = None
    context: bool | None = None
    exclude_tools: tuple[str, ...] | None = None
    image_metadata: ImageMetadata | None = None


class ShareEntry(Offering, frozen=True, kw_only=True):
    """A `[[share]]` as written. `line` is where it begins."""

    line: int
    conversation: str
    slug: str | None = None
    title: str | None = None
    messages: tuple[tuple[int, int | None], ...] = ()
    exclude: tuple[tuple[int, int | None], ...] = ()
    public_title: str | None = None


class ProjectEntry(Asking, frozen=True, kw_only=True):
    """A `[[project]]` as written. `match` is a project value with the home folder shortened; "" is "no project"."""

    line: int
    match: str
    slug: str | None = None
    title: str | None = None
    description: str | None = None


class Match(Struct, frozen=True):
    """What a rule takes; every condition must hold, and none takes everything."""

    project: str | None = None
    source: str | None = None
    title: str | None = None
    """Words that the title contains, in any case."""
    since: datetime | None = None
    until: datetime | None = None
    """The first moment that is too late."""


class RuleEntry(Offering, frozen=True, kw_only=True):
    """A `[[rule]]` as written."""

    line: int
    match: Match


class RegistryEntry(Struct, frozen=True):
    """`[registry]`: what `revoke` remembers."""

    revoked: tuple[str, ...] = ()
    """Slugs that were taken back and aren't given again silently."""
    excluded: tuple[str, ...] = ()
    """Conversations, as `source:native-id`, that no rule publishes."""


class Pages(Struct, frozen=True):
    """`[pages]`: what pages show beyond the conversation."""

    labels: bool = False


class Theme(Struct, frozen=True):
    """`[theme]`: the folder whose templates and static files are laid over sitegen's own, as an absolute path."""

    folder: Path | None = None
    """What is in it counts by its bytes, wherever it stands."""


class Search(Struct, frozen=True):
    """`[search]`: whether the conversations of the site can be searched."""

    enabled: bool = False


class Publish(Struct, frozen=True):
    """`[publish]`: where the site goes out to, as `sitegen publish --to` takes it."""

    to: str | None = None


class Config(Struct, frozen=True):
    """All of sitegen.toml. `path` is the file, `folder` the one that its relative paths start from; both absolute."""

    path: Path
    folder: Path
    site: Site = Site()
    source: Source = Source()
    output: Output = Output()
    privacy: Privacy = Privacy()
    shares: tuple[ShareEntry, ...] = ()
    projects: tuple[ProjectEntry, ...] = ()
    rules: tuple[RuleEntry, ...] = ()
    registry: RegistryEntry = RegistryEntry()
    pages: Pages = Pages()
    theme: Theme = Theme()
    search: Search = Search()
    publish: Publish = Publish()


_REBUILDS: Final[Mapping[str, Mapping[str, Rebuilds]]] = {
    "site": {"title": "page", "base_url": "page", "language": "text", "timezone": "text", "remember_days": "page"},
    "pages": {"labels": "text"},
    "search": {"enabled": "site"},
}


def fingerprint(config: Config, scope: Rebuilds) -> str:
    """A hash (64 hex digits) of all that `config` says about rendered conversations, pages, or the site as a whole.

    Each shows what the one before does: "page" covers the fields that rebuild texts too, and "site" all of them.
    """
    scopes = ("text", "page", "site")
    wanted = scopes[: scopes.index(scope) + 1]
    facts = {
        f"{section}.{name}": _plain(getattr(getattr(config, section), name))
        for section, fields in _REBUILDS.items()
        for name, rebuilds in fields.items()
        if rebuilds in wanted
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


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
