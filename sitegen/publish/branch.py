"""A branch of a git repository as the place: one commit without a past, replaced whole, so that nothing lives on in it.

Works on a passing repository of our own: neither working tree, nor index, nor history of the user's is touched.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.errors import PublishError, RefusedError, UsageError
from sitegen.publish.changes import Changes
from sitegen.publish.git import Git, GitError, drop, home_of, import_stream, index_lines, make_passing
from sitegen.publish.target import GitAddress, OnPut, without_credentials
from sitegen.publish.tree import Tree

EPOCH = "SOURCE_DATE_EPOCH"
_NEW = "refs/published/new"
_TIP = "refs/published/tip"
_MARK = "Sitegen-Tree"
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "sitegen"), ("EMAIL", "sitegen@localhost"))
}


@dataclass(slots=True)
class PublishedBranch:
    """A branch to publish to. `place` is where the passing repository may stand; `close` removes it.

    `is_forced` replaces a branch that sitegen didn't make.
    """

    address: GitAddress
    folder: Path
    place: Path
    is_forced: bool = False
    _git: Git = field(init=False)
    _remote: str = field(default="", init=False)
    _tip: str = field(default="", init=False)
    """The commit that is published now; "" when the branch isn't there."""
    _entries: dict[str, str] = field(default_factory=dict, init=False)
    """Its files."""

    def __post_init__(self) -> None:
        home = home_of(self.folder)
        self._remote = _find_remote(self.address, self.folder, is_home=home is not None)
        self._git = make_passing(self.place, home=home, folder=self.folder)
        if "\n" in self.address.branch or not self._is_branch_name():
            raise UsageError(f"“{self.address.branch}” can't be the name of a branch; write it like git:gh-pages")

    def _is_branch_name(self) -> bool:
        try:
            self._git.run("check-ref-format", "--branch", self.address.branch)
        except GitError:
            return False
        return True

    @property
    def name(self) -> str:
        return f"git:{self.address.branch}@{without_credentials(self._remote)}"

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.address.branch}"

    def close(self) -> None:
        """Remove the passing repository, and with it all copies of what is or was published."""
        drop(self.place)

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        """What would change: the branch is fetched, alone and without its past."""
        self._fetch()
        self._refuse_foreign()
        stream = import_stream(((path, tree.read(path)) for path in sorted(tree.files)), ref=_NEW)
        self._git.run("fast-import", "--quiet", "--done", "--force", given=stream)
        wanted, live = self._git.entries(_NEW), self._entries
        return Changes(
            added=tuple(sorted(wanted.keys() - live.keys())),
            changed=tuple(sorted(path for path in wanted.keys() & live.keys() if wanted[path] != live[path])),
            removed=tuple(sorted(live.keys() - wanted.keys())),
            kept=tuple(sorted(path for path in wanted.keys() & live.keys() if wanted[path] == live[path])),
        )

    def publish(self, tree: Tree, changes: Changes, *, on_put: OnPut) -> None:
        """Replace the branch by one commit. It changes whole or not at all."""
        self._push(self._git.line("rev-parse", f"{_NEW}^{{tree}}"))
        on_put(len(changes.put), len(changes.put))

    def withdraw(self, paths: Collection[str]) -> None:
        """Replace the branch by what it holds without these."""
        left = [path for path in self._entries if path not in set(paths)]
        index = Git(self._git.folder, self._git.repository, {"GIT_INDEX_FILE": str(self.place / "sitegen-index")})
        index.run("read-tree", "--empty")
        index.run("update-index", "-z", "--index-info", given=index_lines(self._entries, left))
        self._push(index.line("write-tree"))

    def _fetch(self) -> None:
        listed = self._told("read", "ls-remote", self._remote, self._ref)
        self._tip = listed.split()[0] if listed else ""
        if self._tip:
            options = ("--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head")
            self._told("read", "fetch", *options, self._remote, f"+{self._ref}:{_TIP}")
            self._tip = self._git.line("rev-parse", _TIP)
            self._entries = self._git.entries(_TIP)

    def _refuse_foreign(self) -> None:
        """Raises when the branch is one that sitegen didn't make: it may hold the only copy of somebody's work."""
        if not self._tip or self.is_forced or self._is_ours():
            return
        raise RefusedError(
            f"The tip of {self.name} isn't a commit that sitegen made, and publishing would replace the branch with its"
            " whole past. Name another branch, or pass --force if nothing in it is needed any more."
        )

    def _is_ours(self) -> bool:
        """One commit without a parent whose message names the very tree it holds."""
        head, _, message = self._git.run("cat-file", "commit", self._tip).decode("utf-8", "replace").partition("\n\n")
        facts = [line.split(" ", 1) for line in head.splitlines()]
        tree = next((value for name, value in facts if name == "tree"), "")
        return all(name != "parent" for name, _ in facts) and f"{_MARK}: {tree}" in message.splitlines()

    def _push(self, tree: str) -> None:
        if self._tip and tree == self._git.line("rev-parse", f"{self._tip}^{{tree}}") and self._is_ours():
            return
        message = f"Publish the site\n\n{_MARK}: {tree}\n"
        moment = _moment()
        dates = {f"GIT_{who}_DATE": f"@{moment} +0000" for who in ("AUTHOR", "COMMITTER")}
        author = Git(self._git.folder, self._git.repository, _AUTHOR | dates)
        commit = author.line("commit-tree", tree, "-F", "-", given=[message.encode()])
        lease = f"--force-with-lease={self._ref}:{self._tip}"  # nobody else may have published meanwhile
        self._told("write", "push", "--quiet", "--no-follow-tags", lease, self._remote, f"{commit}:{self._ref}")
        self._tip, self._entries = commit, self._git.entries(commit)

    def _told(self, what: str, *arguments: str) -> str:
        try:
            return self._git.line(*arguments)
        except GitError as error:
            if "stale info" in error.said:
                msg = f"{self.name} was changed by somebody else just now, so nothing was published. Publish again."
                raise PublishError(msg) from None
            said = without_secrets(str(error), self._remote)
            raise PublishError(f"{self.name} can't be {'read' if what == 'read' else 'written'}: {said}") from None


def without_secrets(text: str, remote: str) -> str:
    """What git said, without the password that the remote's address may hold."""
    return text.replace(remote, without_credentials(remote))


def _address(given: str) -> str:
    """What was given, once it's known that it can be taken apart to show it. Raises UsageError, and repeats nothing."""
    try:
        without_credentials(given)
    except ValueError:
        raise UsageError("what follows the branch's @ isn't an address that can be read; name another") from None
    return given


def _moment() -> str:
    """When to say that it was published, in unix seconds. Raises UsageError."""
    moment = os.environ.get(EPOCH) or str(int(time.time()))
    if not (moment.isascii() and moment.isdecimal()):
        raise UsageError(f"{EPOCH} is “{moment[:40]}”, and should be a number of seconds since 1970")
    return moment


def _find_remote(address: GitAddress, folder: Path, *, is_home: bool) -> str:
    """The name or address of the remote. Raises UsageError when none is named and there's no usual one."""
    names = Git(folder).line("remote").splitlines() if is_home else []
    given = address.remote
    if given is not None:
        is_path = given not in names and ":" not in given
        path = (folder / Path(given).expanduser()).absolute()
        if given.startswith("-") or (is_path and not path.exists()):
            raise UsageError(f"“{given}” is neither a remote of this repository nor an address of one; name another")
        return str(path) if is_path else _address(given)
    if "origin" in names or len(names) == 1:
        return "origin" if "origin" in names else names[0]
    what = "has several remotes" if names else "has no remote" if is_home else "isn't in a git repository"
    raise UsageError(f"{folder} {what}; name one, as in git:{address.branch}@git@github.com:ann/talks.git")
