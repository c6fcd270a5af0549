"""From an address to a file of the folder that is served, or to nothing; and which bytes of it were asked for."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_INDEX: Final = "index.html"
_SHOWN_HIDDEN: Final = frozenset({".well-known", ".nojekyll"})


class Found(Struct, frozen=True):
    """What an address means: a file, or a folder whose address lacks its slash."""

    path: str
    """Relative to the folder, with `/`."""
    file: Path
    is_folder: bool = False


def find(root: Path, path: str) -> Found | None:
    """What `path` (decoded, relative to the site) means in `root`; None for nothing that may be served.

    Neither `..`, nor hidden names, nor a link that leads out of `root` gets anywhere.
    """
    parts = path.split("/")
    wants_folder = parts[-1] == ""
    names = parts[:-1] if wants_folder else parts
    if any(not _is_plain(name) for name in names):
        return None
    place = root.joinpath(*names)
    if wants_folder:
        place /= _INDEX
    inside = _real(root, place)
    if inside is None:
        return None
    mode = inside.stat().st_mode
    if stat.S_ISREG(mode):
        return Found("/".join([*names, _INDEX] if wants_folder else names), inside)
    if stat.S_ISDIR(mode) and not wants_folder and _real(root, place / _INDEX) is not None:
        return Found("/".join(names), inside, is_folder=True)
    return None


def _is_plain(name: str) -> bool:
    if not name or "\0" in name or "\\" in name:
        return False
    return not name.startswith(".") or name in _SHOWN_HIDDEN


def _real(root: Path, place: Path) -> Path | None:
    """The real file behind a path; None when there is none or it lies outside."""
    try:
        real = Path(os.path.realpath(place, strict=True))
    except (OSError, ValueError):
        return None
    return real if real.is_relative_to(os.path.realpath(root)) else None


def byte_range(header: str, size: int) -> range | None:
    """The bytes that a Range header asks for out of `size`; None: all of them, for a header that isn't understood.

    An empty range: what was asked for lies beyond the end.
    """
    asked = _RANGE.fullmatch(header.strip())
    if asked is None or asked[0] == "bytes=-":
        return None
    first, last = asked[1], asked[2]
    if not first:
        return range(max(size - int(last), 0), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)
