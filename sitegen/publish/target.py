"""What a place to publish to can do, and how its name is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from sitegen.errors import UsageError
from sitegen.publish.changes import Changes
from sitegen.publish.tree import Tree

DEFAULT: Final = "git:gh-pages"
_BRANCH: Final = "gh-pages"
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_BUCKET: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s?#]*)?")

OnPut = Callable[[int, int], None]
"""Hears how many files are there, and of how many."""


class Target(Protocol):
    """A place. `compare` comes first and touches nothing; then `publish`, or `withdraw` when nothing new may go out."""

    @property
    def name(self) -> str:
        """How it is called in messages and records; it holds no credentials."""

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        """What would change there. `known` are paths that were published there before.

        Raises PublishError when the place can't be read, RefusedError when it is somebody else's.
        """

    def publish(self, tree: Tree, changes: Changes, *, on_put: OnPut) -> None:
        """Make the place what the tree is.

        Raises PublishError when something failed, after removing what was taken back, RefusedError when something that
        should be gone is still there.
        """

    def withdraw(self, paths: Collection[str]) -> None:
        """Remove these and change nothing else. Raises as `publish` does."""


class FolderAddress(Struct, frozen=True):
    """A folder of this machine."""

    path: Path


class GitAddress(Struct, frozen=True):
    """A branch of a repository; `remote` is a name or an address, None for the repository's usual one."""

    branch: str
    remote: str | None


class BucketAddress(Struct, frozen=True):
    """`s3://bucket/prefix`, without a slash at its end."""

    url: str


Address = FolderAddress | GitAddress | BucketAddress


def read_address(text: str, *, folder: Path) -> Address:
    """The place that a text names; a relative folder begins at `folder`. Raises UsageError for one that names none."""
    if text.startswith("git:"):
        branch, _, remote = text.removeprefix("git:").partition("@")
        return GitAddress(branch or _BRANCH, remote or None)
    scheme = _SCHEME.match(text)
    if scheme is None and text.strip():
        return FolderAddress((folder / Path(text).expanduser()).absolute())
    if _BUCKET.fullmatch(text):
        return BucketAddress(text.rstrip("/"))
    raise UsageError(
        f"“{text}” is no place to publish to; write a folder, git:BRANCH or git:BRANCH@REMOTE, or s3://bucket/prefix"
    )


def without_credentials(url: str) -> str:
    """An address as it may be shown and kept: without the user, the password and the query that it may hold."""
    parts = urlsplit(url) if "://" in url else None
    if parts is None or not ("@" in parts.netloc or parts.query or parts.fragment):
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
