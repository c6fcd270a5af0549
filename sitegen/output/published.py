"""What was published, where and when: a memory in `.sitegen/published.json` of what readers were last given.

It tells what changed since, and which files at a place are ours though somebody altered them. Losing it costs no more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from sitegen.output.writer import replace_file

PUBLISHED_FILE = "published.json"
_VERSION = 1


class Published(Struct, frozen=True):
    """One publication. `shares` names by slug what each page was made of, `paths` are all files."""

    at: datetime
    shares: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()


class Since(Struct, frozen=True):
    """What differs from a publication: slugs of shares that came, changed and went."""

    place: str
    at: datetime
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def read_published(state_folder: Path) -> dict[str, Published]:
    """The last publication of each place, by its name; nothing when there was none, or its memory is spoilt."""
    try:
        data = json.loads((state_folder / PUBLISHED_FILE).read_text("utf-8"))
        if data["version"] != _VERSION:
            return {}
        return {
            str(place): Published(datetime.fromisoformat(each["at"]), dict(each["shares"]), frozenset(each["paths"]))
            for place, each in data["places"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def note_published(state_folder: Path, place: str, published: Published) -> None:
    """Remember a publication in place of the last one there. Raises OutputError when it can't be written."""
    places = {**read_published(state_folder), place: published}
    record = {
        name: {"at": each.at.isoformat(), "shares": dict(sorted(each.shares.items())), "paths": sorted(each.paths)}
        for name, each in sorted(places.items())
    }
    file = state_folder / PUBLISHED_FILE
    replace_file(file, json.dumps({"version": _VERSION, "places": record}, indent=1).encode())
    with suppress(OSError):
        file.chmod(0o600)


def compare(place: str, published: Published, shares: Mapping[str, str]) -> Since:
    """How the shares of now, each with what its page is made of, differ from a publication."""
    last = published.shares
    return Since(
        place,
        published.at,
        new=tuple(sorted(shares.keys() - last.keys())),
        changed=tuple(sorted(slug for slug in shares.keys() & last.keys() if shares[slug] != last[slug])),
        removed=tuple(sorted(last.keys() - shares.keys())),
    )
