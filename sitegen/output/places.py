"""How the state names places: relative to the site's folder when within it, so that a site can be moved as a whole.

The site's folder is the one that holds the configuration and `.sitegen/`. Light, for the no-op path: no pathlib.
"""

from __future__ import annotations

import os

# ruff: noqa: PTH100, PTH118, PTH120


def site_folder(state_file: str | os.PathLike[str]) -> str:
    """The site's folder, absolute, its own links followed."""
    return os.path.realpath(os.path.dirname(os.path.dirname(os.path.abspath(state_file))))


def to_stored(path: str | os.PathLike[str], site: str) -> str:
    """The way the state names `path`. A "/" at the end, which marks a folder, is kept."""
    text = os.fspath(path)
    if is_bucket(text):
        return text
    mark = "/" if text.endswith("/") else ""
    absolute = os.path.abspath(text)
    inside = site.rstrip("/") + "/"
    return (absolute[len(inside) :] if absolute.startswith(inside) else absolute) + mark


def from_stored(stored: str, site: str) -> str:
    """The absolute path that the state means by `stored`."""
    return stored if stored.startswith("/") or is_bucket(stored) else os.path.join(site, stored)


def is_bucket(place: str) -> bool:
    """Whether a place is a bucket rather than a folder. A path in the file system never begins so."""
    return place.startswith("s3://")
