"""Projects: from the value that a source recorded (a path, a name, nothing) to a name for people and a slug.

What is computed depends on the value with its home folder shortened and on nothing of this computer.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from msgspec import Struct

from sitegen.config import Config, ProjectEntry
from sitegen.config.slugs import fault_of, folded, simplified
from sitegen.model import ConversationHead, Gate, Project
from sitegen.shares.gates import terms_of
from sitegen.shares.registry import Origin

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_HOME: Final = re.compile(
    r"(?:/(?:mnt/)?[A-Za-z])?/(?:home|Users|export/home|var/home)/[^/]+(?=/|$)"
    r"|[A-Za-z]:/(?:Users|Documents and Settings)/[^/]+(?=/|$)"
    r"|/(?:var/)?root(?=/|$)",
)
_ENCODED_HOME: Final = re.compile(r"(?:[A-Za-z]-)?-(?:home|Users)-[A-Za-z0-9_]+(?:-|$)")
"""As agents name the folder of a project's sessions: `-home-ann-code-x`."""
_NAME_LIMIT: Final = 80


@lru_cache(maxsize=1_000)
def home_shortened(value: str | None) -> str:
    """A project's value with the home folder as `~` and with `/` between its parts; "" when there is none."""
    text = (value or "").strip()
    if _WINDOWS.match(text):
        text = text.replace("\\", "/")
        text = re.sub(r"^//(?:wsl\$|wsl\.localhost)/[^/]+", "", text, flags=re.IGNORECASE)
    if match := _ENCODED_HOME.match(text):
        return _trimmed(f"~/{text[match.end() :]}")
    return _trimmed(_HOME.sub("~", text, count=1) if _HOME.match(text) else text)


def _trimmed(path: str) -> str:
    return path.rstrip("/") or path[:1]


def project_name(value: str | None) -> str:
    """The last part of a project's value, as people call it; "" when there is none."""
    parts = [part for part in re.split(r"[\\/]", home_shortened(value)) if part]
    last = parts[-1] if parts else ""
    shown = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in last)
    return " ".join(shown.split())[:_NAME_LIMIT]


class Projects(Struct, frozen=True):
    """The `[[project]]`s of a configuration, by the value they match."""

    entries: Mapping[str, ProjectEntry]
    hide_slug: Callable[[str], str] | None = None
    clean_path: Callable[[str], str] = str
    """Takes out of a project's value what isn't to be published."""

    def entry(self, value: str | None) -> ProjectEntry | None:
        """What the configuration says about the project of this value."""
        return self.entries.get(home_shortened(value))

    def named(self, values: Iterable[str | None]) -> Mapping[str, Project]:
        """The projects of all these values, by the value with its home shortened.

        Only these share the names: those of one name, or whose names make one slug, are told apart by a short hash.
        """
        wanted = {home_shortened(value) for value in values}
        names = {value: self._name(value) for value in wanted if value or value in self.entries}
        slugs = self._slugs(names)
        doubled = _doubled({value: name.casefold() for value, name in names.items()})
        return {
            value: self._project(value, slugs[value], f"{name} ({_mark(value)})" if value in doubled else name)
            for value, name in names.items()
        }

    def _name(self, value: str) -> str:
        entry = self.entries.get(value)
        given = (entry.title, entry.slug) if entry else (None, None)
        return given[0] or self._own_name(value) or given[1] or value or "…"

    def _own_name(self, value: str) -> str:
        return project_name(self.clean_path(value))

    def _slugs(self, names: Mapping[str, str]) -> Mapping[str, str]:
        given = {value: entry.slug for value, entry in self.entries.items() if entry.slug}
        given |= self._hidden_slugs(value for value in names if value not in given)
        free = {value: _slug_of(self._own_name(value)) for value in names if value not in given}
        doubled = _doubled({value: folded(slug) for value, slug in (free | given).items() if slug})
        return given | {
            value: "-".join(filter(None, [slug or "project", _mark(value)])) if value in doubled or not slug else slug
            for value, slug in free.items()
        }

    def _hidden_slugs(self, values: Iterable[str]) -> Mapping[str, str]:
        """Slugs of protected projects, whose names are nobody's business."""
        if self.hide_slug is None:
            return {}
        return {value: self.hide_slug(f"project {value}") for value in values if self._is_gated(value)}

    def _is_gated(self, value: str) -> bool:
        entry = self.entries.get(value)
        return entry is not None and terms_of(entry).gate is not Gate.NONE

    def _project(self, value: str, slug: str, name: str) -> Project:
        entry = self.entries.get(value)
        if entry is None:
            return Project(slug, name)
        terms = terms_of(entry)
        return Project(
            slug,
            entry.title or name,
            entry.description,
            gate=terms.gate,
            secret=terms.secret,
            recipients=terms.recipients,
            agreement=terms.agreement,
            epoch=terms.epoch,
            allow_weak=terms.allow_weak,
            hint=terms.hint,
        )


def read_projects(
    config: Config,
    origin: Callable[[int], Origin],
    *,
    hide_slug: Callable[[str], str] | None = None,
    clean_path: Callable[[str], str] = str,
) -> Projects:
    """The configuration's projects. Raises ConfigError when two are about one value or want one slug."""
    entries: dict[str, ProjectEntry] = {}
    slugs: dict[str, ProjectEntry] = {}
    for entry in config.projects:
        value = home_shortened(entry.match)
        if known := entries.get(value):
            raise origin(entry.line).fault(f"the project “{entry.match}” is described in line {known.line} already")
        if entry.slug and (known := slugs.get(folded(entry.slug))):
            raise origin(entry.line).fault(f"the project in line {known.line} has the slug “{known.slug}” already")
        entries[value] = entry
        slugs[folded(entry.slug or "")] = entry
    return Projects(entries, hide_slug, clean_path)


def unmatched(projects: Projects, heads: Iterable[ConversationHead]) -> Iterator[tuple[ProjectEntry, str]]:
    """The `[[project]]`s of no conversation, each with what is to be said about it: a sentence without its stop."""
    values = sorted({home_shortened(head.project) for head in heads})
    for value, entry in projects.entries.items():
        if value not in values:
            in_vain = ", so its gate would protect nothing" if values and terms_of(entry).gate is not Gate.NONE else ""
            yield entry, f"no conversation has the project “{entry.match}”{in_vain}; {_hint(value, values)}"


def _hint(value: str, values: Sequence[str]) -> str:
    nearest = _nearest(value, values)
    return f"the nearest there is is “{nearest}”" if nearest else "“sitegen list” shows those that there are"


def _nearest(value: str, values: Sequence[str]) -> str | None:
    """The value that was most likely meant: one of the same name, or one that is spelled alike."""
    from difflib import get_close_matches

    name = project_name(value).casefold()
    same = (known for known in values if known and project_name(known).casefold() == name)
    alike = get_close_matches(value.casefold(), {known.casefold() for known in values if known}, n=1, cutoff=0.3)
    near = (known for known in values if known.casefold() in alike)
    return next(chain(same, near), None)


def belongs_to(head: ConversationHead, wanted: str, entry: ProjectEntry | None) -> bool:
    """Whether a person who says `wanted` means the project of this conversation: its name, slug, title or value."""
    names = {head.project or "", home_shortened(head.project), project_name(head.project)}
    if entry:
        names |= {entry.slug or "", entry.title or ""}
    return folded(wanted) in {folded(name) for name in names if name}


def _slug_of(name: str) -> str:
    """A slug from a name; "" when the name has nothing that a slug can hold or makes a reserved one."""
    slug = "home" if name == "~" else simplified(name)[:60].strip("-._")
    return "" if fault_of(slug) else slug


def _doubled(labels: Mapping[str, str]) -> set[str]:
    """The values whose label another value has too."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for value, label in labels.items():
        owners[label].append(value)
    return {value for mine in owners.values() if len(mine) > 1 for value in mine}


def _mark(value: str) -> str:
    """Six digits that tell a project from another of its name, the same on every computer."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:6]
