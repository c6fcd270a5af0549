"""The files of a tree, and what a reference from one of them leads to."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):|//")
INDEX = "index.html"
NOT_FOUND = "404.html"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Site:
    """A tree on disk. `files` holds sizes by path; `base_url` is where it will stand, when that is known."""

    root: Path
    files: dict[str, int]
    links: tuple[str, ...] = ()
    """Symbolic links in it, which aren't followed."""
    base_url: str | None = None
    _folders: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        folders = {parent for path in self.files for parent in _parents(path)}
        object.__setattr__(self, "_folders", frozenset(folders))

    def read(self, path: str) -> bytes:
        """The bytes of a file of the tree."""
        return (self.root / path).read_bytes()

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder with files at `path`."""
        return path == "" or path in self._folders

    def has(self, path: str) -> bool:
        """Whether a reader who asks for `path` from the site's root gets something."""
        path = unquote(path.partition("#")[0].partition("?")[0])
        return path in self.files or posixpath.join(path, INDEX).lstrip("/") in self.files

    def rooted(self, reference: str) -> Target:
        """What a reference from the host's root leads to; with an unknown base path, the first thing that fits."""
        url, _, fragment = reference.partition("#")
        path = unquote(url.partition("?")[0]).lstrip("/")
        if self.base_url is not None:
            base = urlsplit(self.base_url).path.strip("/")
            path = path.removeprefix(f"{base}/") if base else path
        while self.base_url is None and not self.has(path) and "/" in path:
            path = path.partition("/")[2]
        return self.target(NOT_FOUND, (path or "./") + (f"#{fragment}" if fragment else ""))

    def below_base(self, url: str) -> str | None:
        """What an absolute URL names within the site, from its root; None when it leads elsewhere."""
        if self.base_url is None:
            return None
        base = self.base_url.rstrip("/") + "/"
        if url.rstrip("/") + "/" == base:
            return ""
        return url[len(base) :] if url.startswith(base) else None

    def target(self, page: str, reference: str) -> Target:
        """What a relative reference on `page` leads to."""
        url, _, fragment = reference.partition("#")
        way = unquote(url.partition("?")[0])
        if not way:
            return Target(page, unquote(fragment))
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(page), way)).lstrip("/")
        leaves = _climbs_out(page, way)
        is_folder = way.endswith("/") or posixpath.basename(way) in (".", "..") or path in ("", ".")
        if is_folder or self.has_folder(path):
            path = posixpath.join("" if path == "." else path, INDEX)
        return Target(None if leaves else path, unquote(fragment))


class Target(Struct, frozen=True):
    """A file of the tree (None: outside of it) and the anchor in it ("": its start)."""

    path: str | None
    fragment: str


def read_site(root: Path, *, base_url: str | None = None) -> Site:
    """The tree at `root`."""
    files: dict[str, int] = {}
    links: list[str] = []
    for path, entry in _walk(root, ""):
        if entry.is_symlink():
            links.append(path)
        else:
            files[path] = entry.stat(follow_symlinks=False).st_size
    return Site(root, files, tuple(links), base_url)


def scheme_of(url: str) -> str | None:
    """The scheme in lower case; "//" when there is a host without one; None for a relative reference."""
    match = _SCHEME.match(url)
    return None if match is None else (match[1] or "//").lower()


def host_of(url: str) -> str:
    """The host of an absolute URL, for messages."""
    try:
        return urlsplit(url).netloc or url[:60]
    except ValueError:
        return url[:60]


def _walk(root: Path, below: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(root / below) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if path == ".git":  # a work tree that is published by its commits
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, path)
        else:
            yield path, entry


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def _climbs_out(page: str, way: str) -> bool:
    if way.startswith("/"):
        return False
    depth = page.count("/")
    for part in way.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False
