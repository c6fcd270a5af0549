"""The built site as it's about to be published: which files, what they hold, and what of them are shares."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sitegen.errors import PublishError
from sitegen.output.ground import Kind, hash_file, walk
from sitegen.output.layout import DOT_FILE, TEMPORARY_PREFIX
from sitegen.output.state import State

_FOR_HOSTS: Final = frozenset({"CNAME", "robots.txt", "_headers", "_redirects", "favicon.ico"})
"""Files that people put beside a site for the host's sake; all others that sitegen didn't write stay here."""


class Tree(Struct, frozen=True):
    """The files of the last build, as paths with the SHA-256 of their bytes.

    `shares` names by slug what each share's page is made of, `foreign` are files of others that aren't published.
    """

    root: Path
    files: Mapping[str, str]
    shares: Mapping[str, str]
    foreign: tuple[str, ...] = ()

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises PublishError when it isn't as the build left it."""
        try:
            descriptor = os.open(self.root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(descriptor, "rb") as file:
                data = file.read()
        except OSError as error:
            raise PublishError(f"{self.root / path} can't be read: {(error.strerror or '').lower()}.") from None
        if hashlib.sha256(data).hexdigest() != self.files[path]:
            raise PublishError(f"{self.root / path} was changed after the build. Build again, and publish then.")
        return data

    def standing(self) -> Tree:
        """The same without files that aren't as the build left them: all that there is to go by when it failed."""
        return replace(self, files={path: sha256 for path, sha256 in self.files.items() if self._is_standing(path)})

    def _is_standing(self, path: str) -> bool:
        try:
            return hash_file(self.root / path) == self.files[path]
        except OSError:
            return False


def read_tree(state_file: Path, output: Path) -> Tree:
    """What the last build left in `output`. Raises PublishError when there was none that finished."""
    with closing(State.open(state_file, output=output)) as state:
        last = state.last
    if not last.is_finished:
        raise PublishError(f"There is no finished build in {output}; “sitegen build” makes one.")
    ours = {path: record.sha256 for path, record in last.files.items() if path != DOT_FILE}
    others = [path for path, kind in walk(output) if path not in ours and _is_seen(path) and kind is Kind.FILE]
    kept = {path: hash_file(output / path) for path in others if path in _FOR_HOSTS}
    shares = {slug: share.cache_key for slug, share in last.shares.items() if share.cache_key}
    return Tree(output, {**ours, **kept}, shares, tuple(path for path in others if path not in kept))


def _is_seen(path: str) -> bool:
    return path != DOT_FILE and not path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)


def unit_of(path: str) -> str:
    """The share or the project that a file belongs to, as its folder: "s/tides"; "" for all else."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 and parts[0] in ("s", "p") else ""


def units(paths: Iterable[str]) -> frozenset[str]:
    """The shares and projects that have files among these."""
    return frozenset(map(unit_of, paths)) - {""}
