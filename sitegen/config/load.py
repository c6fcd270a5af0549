"""Reads sitegen.toml. Anything it can't honour is refused with file and line; nothing is ignored."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Final, TypedDict

from msgspec import Struct

from sitegen.config import values
from sitegen.config.privacy import read_privacy, read_showing
from sitegen.config.toml import Table, TomlFile
from sitegen.config.types import (
    Config,
    Match,
    Output,
    Pages,
    ProjectEntry,
    Publish,
    RegistryEntry,
    Remote,
    RuleEntry,
    Search,
    ShareEntry,
    Site,
    Source,
    Theme,
)
from sitegen.model import Gate, Show

_SECTIONS: Final = (
    *("site", "source", "output", "privacy", "share", "project", "rule", "registry", "pages", "search"),
    *("theme", "publish"),
)


def load(path: Path) -> Config:
    """The configuration at `path`. Raises ConfigError with file and line for all that it can't honour."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link to the file counts as where it is, not as what it leads to
    top = TomlFile.read(path, shown=shown_path(path)).top()
    top.allow(_SECTIONS)
    site, zone = _site(top.table("site"))
    config = Config(
        path=path,
        folder=path.parent,
        site=site,
        source=_source(top.table("source"), path.parent),
        output=_output(top.table("output"), path.parent),
        privacy=read_privacy(top.table("privacy"), path.parent),
        shares=tuple(_share(table, zone) for table in top.tables("share")),
        projects=tuple(_project(table) for table in top.tables("project")),
        rules=tuple(_rule(table, zone) for table in top.tables("rule")),
        registry=_registry(top.table("registry")),
        pages=_pages(top.table("pages")),
        theme=_theme(top.table("theme"), path.parent),
        search=_search(top.table("search")),
        publish=_publish(top.table("publish")),
    )
    _refuse_publishing_ourselves(config, top.table("output"))
    return config


def shown_path(path: Path) -> Path:
    """A path as messages name it: relative when it is within the current folder."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path


def _site(table: Table) -> tuple[Site, tzinfo]:
    default = Site()
    table.allow(_names(Site))
    name, zone = values.timezone(table, "timezone", default.timezone)
    days = table.whole("remember_days", least=0)
    site = Site(
        title=table.text("title") or default.title,
        base_url=values.base_url(table, "base_url"),
        language=values.language(table, "language", default.language),
        timezone=name,
        remember_days=default.remember_days if days is None else days,
    )
    return site, zone


def _source(table: Table, folder: Path) -> Source:
    table.allow(("projection",))
    read = values.each_or_one(table, "projection", lambda value: values.projection(table, value, folder=folder))
    if not read:
        raise table.file.fault('[source] lacks “projection”; write projection = "archive.duckdb"', table.path)
    return Source(*_told_apart(read))


def _told_apart(read: Sequence[Path | Remote]) -> tuple[tuple[Path, ...], tuple[Remote, ...]]:
    """The paths of all projections, and those of them that are copies."""
    paths = (each.copy if isinstance(each, Remote) else each for each in read)
    return tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(each for each in read if isinstance(each, Remote)))


def _output(table: Table, folder: Path) -> Output:
    table.allow(("directory",))
    value = table.text("directory") or "public"
    if values.names_bucket(value):
        return Output(folder / "public", values.bucket(table, "directory", value))
    return Output(values.local_path(table, "directory", value, folder=folder))


def _refuse_publishing_ourselves(config: Config, table: Table) -> None:
    """What stands in the output folder is published: the configuration, its secrets and projections must not."""
    if config.output.bucket is not None:
        return
    output = Path(os.path.normpath(config.output.directory))
    inside = {"this file": config.path, "the private folder .sitegen": config.folder / ".sitegen"}
    inside |= {f"the projection {path.name}": path for path in config.source.projections}
    inside |= {"the theme": config.theme.folder} if config.theme.folder else {}
    for what, path in inside.items():
        if Path(os.path.normpath(path)).is_relative_to(output):
            raise table.fault("directory", f"is a folder that holds {what}, which would be published; name another")
    if output.is_relative_to(os.path.normpath(config.folder / ".sitegen")):
        raise table.fault("directory", "lies in the private folder .sitegen; name another")
    if config.theme.folder and output.is_relative_to(os.path.normpath(config.theme.folder)):
        raise table.fault("directory", "lies in the theme's folder, which is read and not written; name another")


class _Asking(TypedDict):
    gate: Gate | None
    secret: str | None
    recipients: tuple[str, ...]
    agreement: str | None
    epoch: int
    allow_weak: bool | None
    hint: str | None


def _asking(table: Table) -> _Asking:
    return _Asking(
        gate=table.choice("gate", Gate),
        secret=values.reference(table, "secret"),
        recipients=values.addresses(table, "recipients"),
        agreement=table.text("agreement"),
        epoch=table.whole("epoch", least=0) or 0,
        allow_weak=table.flag("allow_weak"),
        hint=table.text("hint"),
    )


def _share(table: Table, zone: tzinfo) -> ShareEntry:
    table.allow(_names(ShareEntry))
    return ShareEntry(
        line=table.line,
        conversation=table.required_text("conversation", 'conversation = "claude_code:7f3c…"'),
        slug=values.slug(table, "slug"),
        title=table.text("title"),
        **_asking(table),
        expires=values.moment(table, "expires", zone),
        view_limit=table.whole("view_limit", least=1),
        listed=table.flag("listed"),
        show=table.choice("show", Show),
        messages=values.ranges(table, "messages"),
        exclude=values.ranges(table, "exclude"),
        **read_showing(table),
        public_title=table.text("public_title"),
    )


def _project(table: Table) -> ProjectEntry:
    table.allow(_names(ProjectEntry))
    return ProjectEntry(
        line=table.line,
        match=_project_match(table),
        slug=values.slug(table, "slug"),
        title=table.text("title"),
        description=table.text("description"),
        **_asking(table),
    )


def _project_match(table: Table) -> str:
    """The project value meant; an empty one, which `text` would refuse, means conversations without a project."""
    if table.values.get("match") == "":
        return ""
    return table.required_text("match", 'match = "~/code/talks", the project\'s value with its home folder as ~')


def _rule(table: Table, zone: tzinfo) -> RuleEntry:
    table.allow(_names(RuleEntry))
    if "match" not in table.values:
        raise table.file.fault(
            "[[rule]] lacks “match”; write match = {} when every conversation is meant to be published", table.path
        )
    return RuleEntry(
        line=table.line,
        match=_match(table.table("match"), zone),
        **_asking(table),
        expires=values.moment(table, "expires", zone),
        view_limit=table.whole("view_limit", least=1),
        listed=table.flag("listed"),
        show=table.choice("show", Show),
        **read_showing(table),
    )


def _match(table: Table, zone: tzinfo) -> Match:
    table.allow(_names(Match))
    match = Match(
        project=table.text("project"),
        source=table.text("source"),
        title=table.text("title"),
        since=values.moment(table, "since", zone),
        until=values.moment(table, "until", zone, ends_day=True),
    )
    if match.since and match.until and match.since >= match.until:
        raise table.fault("until", "comes before since; no conversation can match")
    return match


def _registry(table: Table) -> RegistryEntry:
    table.allow(_names(RegistryEntry))
    return RegistryEntry(revoked=table.texts("revoked"), excluded=table.texts("excluded"))


def _pages(table: Table) -> Pages:
    table.allow(_names(Pages))
    return Pages(labels=table.flag("labels") or False)


def _theme(table: Table, folder: Path) -> Theme:
    table.allow(_names(Theme))
    value = table.text("folder")
    return Theme(None if value is None else values.local_path(table, "folder", value, folder=folder))


def _search(table: Table) -> Search:
    table.allow(_names(Search))
    return Search(enabled=table.flag("enabled") or False)


def _publish(table: Table) -> Publish:
    table.allow(_names(Publish))
    return Publish(table.text("to"))


def _names(kind: type[Struct]) -> tuple[str, ...]:
    """The keys of a table: the fields of what it becomes."""
    return tuple(name for name in kind.__struct_fields__ if name != "line")
