"""Which packages are installed, told by the names of their folders: to ask each what it says of itself takes ten times
as long, most of it for importing what asks.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_INFO = re.compile(r"([^-]+)-([^-]+)(?:-.+)?\.(?:dist|egg)-info")
"""A folder in which a package, of this version, tells of itself."""
_JOINTS = re.compile(r"[-_.]+")


def version_of(package: str) -> str:
    """A package's version; "" for one that isn't installed."""
    return _versions().get(_plain(package), "")


def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """What packages offer under the name of a group, sorted."""
    named = f"[{group}]".encode()
    if not any(named in _read(f"{folder.path}/entry_points.txt") for folder in _infos()):
        return ()
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=group), key=lambda point: (point.name, point.value)))


@cache
def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for match in filter(None, (_INFO.fullmatch(folder.name) for folder in _infos())):
        found.setdefault(_plain(match[1]), match[2])
    return found


def _infos() -> Iterator[os.DirEntry[str]]:
    """The folders in which packages tell of themselves, in the order in which Python looks for modules."""
    for place in sys.path:
        with suppress(OSError), os.scandir(place or ".") as entries:
            yield from (entry for entry in entries if entry.name.endswith((".dist-info", ".egg-info")))


def _plain(name: str) -> str:
    return _JOINTS.sub("-", name).lower()


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a path for each takes as long as looking for it
            return file.read()
    except OSError:
        return b""
