"""Who may write where: claims on files and folders of the output, checked against each other before the first byte.

A claim on a folder takes all below it, so that the pages of a share need not be known to know that no two shares clash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from msgspec import Struct

from sitegen.errors import OutputError
from sitegen.output.layout import DOT_FILE, TEMPORARY_PREFIX

_LONGEST_NAME_BYTES = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Claim(Struct, frozen=True):
    """What one owner will write: single files, and folders whole. `owner` is shown in messages ("share fixing-it")."""

    owner: str
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Whether `path` may be written under this claim."""
        return path in self.files or any(parent in self.folders for parent in _parents(path))


class Plan:
    """The claims of a build, free of collisions."""

    def __init__(self, claims: Mapping[str, Claim]) -> None:
        self._claims = claims
        self._owners = {path: claim.owner for claim in claims.values() for path in (*claim.files, *claim.folders)}
        self._folders = frozenset(path for claim in claims.values() for path in claim.folders)

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> Self:
        """The plan of these claims. Raises OutputError when two want one place or a path isn't safe.

        Two places are one when a file system that ignores case or composes accents would make them one.
        """
        by_owner: dict[str, Claim] = {}
        for claim in claims:
            if claim.owner in by_owner:
                msg = f"{claim.owner} is planned twice; every owner of output files is planned once."
                raise OutputError(msg)
            by_owner[claim.owner] = claim
        _refuse_collisions(by_owner.values())
        return cls(by_owner)

    def claim(self, owner: str) -> Claim:
        """The claim of that owner. Raises KeyError when it has none."""
        return self._claims[owner]

    @property
    def owners(self) -> frozenset[str]:
        """All owners that claim something."""
        return frozenset(self._claims)

    def owner_of(self, path: str) -> str | None:
        """Who may write `path`; None: nobody, so that a file of ours there is stale."""
        if path not in self._folders and (owner := self._owners.get(path)):
            return owner
        return next((self._owners[parent] for parent in _parents(path) if parent in self._folders), None)


def check_documents(paths: Iterable[str], *, claim: Claim) -> None:
    """Raise OutputError when paths of one owner leave its claim, clash with each other or aren't safe."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        check_path(path)
        if not claim.covers(path):
            msg = (
                f"{claim.owner} would write {path}, which it didn't plan; this is a fault in sitegen, please report it."
            )
            raise OutputError(msg)
        place = fold(path)
        if place in files:
            raise _collision(claim.owner, files[place], claim.owner, path)
        files[place] = path
        for parent in _parents(path):
            folders.setdefault(fold(parent), path)
    for place, path in files.items():
        if place in folders:
            raise _collision(claim.owner, path, claim.owner, folders[place])


def check_path(path: str) -> None:
    """Raise OutputError unless `path` is relative, stays in the output and is a name that file systems take."""
    why = _fault(path)
    if why is not None:
        msg = f"The output path {path!r} can't be used: {why}. Choose another slug or file name."
        raise OutputError(msg)


def fold(path: str) -> str:
    """The form in which two paths are equal when some file system takes them for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _fault(path: str) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "it holds half a character (a lone surrogate)"
    if path.startswith("/"):
        return "it is absolute"
    if _CONTROL.search(path):
        return "it holds a control character"
    if "\\" in path:
        return "it holds a backslash"
    return next((why for name in path.split("/") if (why := _fault_of_name(name))), None)


def _fault_of_name(name: str) -> str | None:
    if name == "":
        return "a part of it is empty"
    if name in (".", ".."):
        return f'"{name}" leads elsewhere'
    if len(name.encode()) > _LONGEST_NAME_BYTES:
        return f"a part of it is longer than {_LONGEST_NAME_BYTES} bytes"
    if name.casefold() == DOT_FILE or name.casefold().startswith(TEMPORARY_PREFIX):
        return f'"{name}" is a name that sitegen keeps for itself'
    return None


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def _refuse_collisions(claims: Iterable[Claim]) -> None:
    taken: dict[str, tuple[str, str]] = {}
    for claim in claims:
        for path in (*claim.files, *claim.folders):
            check_path(path)
            place = fold(path)
            if place in taken:
                raise _collision(*taken[place], claim.owner, path)
            taken[place] = (claim.owner, path)
    for owner, path in list(taken.values()):
        for parent in _parents(fold(path)):
            if parent in taken:
                raise _collision(*taken[parent], owner, path)


def _collision(owner: str, path: str, other: str, other_path: str) -> OutputError:
    if path == other_path:
        return OutputError(
            f"{owner} and {other} would both be written to {path}. Give one of them another slug or name."
        )
    return OutputError(
        f"{owner} would be written to {path} and {other} to {other_path}, which is one place on some file systems or"
        " one within the other. Give one of them another slug or name."
    )
