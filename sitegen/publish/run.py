"""One publication: the place opened, compared with what was built, made like it, and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitegen.build import STATE_FOLDER
from sitegen.config import Config
from sitegen.output.lock import hold
from sitegen.output.published import Published, note_published, read_published
from sitegen.publish.changes import Changes, gone
from sitegen.publish.copying import Copying
from sitegen.publish.folder import PublishedFolder, refuse_private
from sitegen.publish.ready import Ready
from sitegen.publish.target import Address, BucketAddress, FolderAddress, GitAddress, OnPut, Target
from sitegen.publish.tree import units

_LOCK = "publish"
"""The folder in the private one that holds what a publication needs while it goes on."""


class Publication(Struct, frozen=True):
    """What is about to happen at a place."""

    config: Config
    ready: Ready
    target: Target
    changes: Changes
    last: Published | None
    """What was published there before, as far as is remembered."""

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The files of shares that are no more: they go even when nothing else may change."""
        if self.ready.problem is None:
            return ()
        return gone(self.changes, self.config.registry.revoked)

    def carry_out(self, *, on_put: OnPut = lambda *_: None) -> None:
        """Make the place what was built, and remember it. Raises as `Target.publish` does."""
        self.target.publish(self.ready.tree, self.changes, on_put=on_put)
        tree = self.ready.tree
        published = Published(datetime.now(UTC), tree.shares, frozenset(tree.files))
        note_published(self.config.folder / STATE_FOLDER, self.target.name, published)

    def withdraw(self) -> None:
        """Remove what is no more, and nothing else. Raises as `Target.withdraw` does."""
        paths = self.withdrawn
        self.target.withdraw(paths)
        if self.last is not None:
            left = {slug: key for slug, key in self.last.shares.items() if f"s/{slug}" not in units(paths)}
            last = replace(self.last, shares=left, paths=self.last.paths - set(paths))
            note_published(self.config.folder / STATE_FOLDER, self.target.name, last)


@contextmanager
def publication(config: Config, ready: Ready, address: Address, *, is_forced: bool = False) -> Iterator[Publication]:
    """A publication under a lock, so that neither a build nor another one changes what it goes by.

    Raises UsageError for an impossible place, PublishError and RefusedError as `Target.compare` does, and BusyError.
    """
    state = config.folder / STATE_FOLDER
    with ExitStack() as stack:
        if isinstance(address, FolderAddress):  # before it's locked: it may be the very folder that we lock
            refuse_private(address.path, (*_private(config), ready.tree.root))
        stack.enter_context(hold(state, output=ready.tree.root))
        own = address.path if isinstance(address, FolderAddress) else state / _LOCK / "none"
        stack.enter_context(hold(state / _LOCK, output=own))
        target = _open(config, address, stack, is_forced=is_forced)
        last = read_published(state).get(target.name)
        changes = target.compare(ready.tree, known=last.paths if last else frozenset())
        yield Publication(config, ready, target, changes, last)


def _open(config: Config, address: Address, stack: ExitStack, *, is_forced: bool) -> Target:
    match address:
        case FolderAddress(path):
            return Copying(PublishedFolder(path, is_forced))
        case GitAddress():
            from sitegen.publish.branch import PublishedBranch

            branch = PublishedBranch(address, config.folder, config.folder / STATE_FOLDER / _LOCK / "git", is_forced)
            stack.callback(branch.close)
            return branch
        case BucketAddress(url):
            from sitegen.output.store import Store
            from sitegen.publish.bucket import PublishedBucket

            return Copying(PublishedBucket(Store(url), is_forced))


def _private(config: Config) -> tuple[Path, ...]:
    """What must not come to lie where readers get at it."""
    projections = (Path(each) for each in config.source.projections if "://" not in str(each))
    return (config.path, config.folder / STATE_FOLDER, *projections)
