"""A bucket as the output of one build: whose objects are whose, what goes first, what stays, what is pruned at the end.

The same promises as for a folder, by fewer means: an object is put whole or not at all, there are no links and no
folders in the way, and a mark on each object says that it is ours. What stands there is taken from the state while the
bucket's own list of files is the one that the last build left; else everything is listed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from sitegen.bulk import sha256_of
from sitegen.errors import OutputError
from sitegen.output.books import STALE, Books, Removal, group
from sitegen.output.dotfile import dot_file_bytes
from sitegen.output.layout import DOT_FILE, DOT_OWNER
from sitegen.output.plan import Claim, Plan, check_documents
from sitegen.output.records import FileRecord
from sitegen.output.state import State
from sitegen.output.store import Standing, Store
from sitegen.output.writer import Document, Written, hash_of
from sitegen.stamps import Stamp

_FEW = 3


class BucketWriter(Struct, frozen=True):
    """Puts documents under one claim.

    `known` holds the owner's objects as the last build left them (without a hash: not any more), `others` what else
    stands under the claim; None when nobody has looked.
    """

    store: Store
    claim: Claim
    known: Mapping[str, FileRecord]
    others: frozenset[str] | None = None

    def write(self, documents: Iterable[Document]) -> list[Written]:
        """Put what differs, and say how each object stands now, in the order given.

        Raises OutputError before the first byte when a path isn't planned or holds something that isn't ours; later
        only when the bucket refuses.
        """
        documents = list(documents)
        check_documents((document.path for document in documents), claim=self.claim)
        hashes = {document.path: hash_of(document) for document in documents}
        found = self.store.look_at_all(path for path in hashes if self._must_look(path))
        for path, standing in found.items():
            if standing is not None and standing.sha256 is None:
                raise _foreign(self.store, path)
        kept = {path: stamp for path, sha256 in hashes.items() if (stamp := self._standing(path, sha256, found))}
        pending = [(document.path, bytes(document.data)) for document in documents if document.path not in kept]
        stamps = kept | dict(zip((path for path, _ in pending), self.store.put(pending), strict=True))
        owner = self.claim.owner
        return [
            Written(FileRecord(path, owner, sha256, stamps[path]), is_changed=path not in kept)
            for path, sha256 in hashes.items()
        ]

    def _must_look(self, path: str) -> bool:
        return path not in self.known and (self.others is None or path in self.others)

    def _standing(self, path: str, sha256: str, found: Mapping[str, Standing | None]) -> Stamp | None:
        """The stamp of the object when it already holds these bytes; None when it must be put."""
        if path in self.known:
            return self.known[path].stamp if self.known[path].sha256 == sha256 else None
        standing = found.get(path)
        return standing.stamp if standing is not None and standing.sha256 == sha256 else None


class Bucket(Books):
    """The objects of one site. See `Target` for the order of calls."""

    _BATCH = 200
    is_live = True

    def __init__(self, store: Store, *, state: State, listed: Mapping[str, Stamp] | None) -> None:
        super().__init__(state.last.files)
        self._store = store
        self._state = state
        self._listed = listed
        self._others: dict[str | None, set[str]] = {}
        self._standing = self._find_standing()

    @classmethod
    def open(cls, store: Store, *, state: State, adopt: bool = False, is_full: bool = False) -> Self:
        """The bucket, looked into as far as needed; all of it for a full build.

        Raises OutputError when it can't be used, or holds other people's objects (unless `adopt`).
        """
        own, left = store.look(DOT_FILE), state.last.dot_file
        is_as_left = state.last.is_finished and own is not None and left is not None and own.stamp == left.stamp
        if is_as_left and not is_full:
            return cls(store, state=state, listed=None)
        listed = store.listing()
        is_known = (own is not None and own.sha256 is not None) or any(
            listed.get(path) == record.stamp for path, record in state.last.files.items()
        )
        if listed and not adopt and not is_known:
            _refuse_foreign(store, listed)
        if own is not None and own.sha256 is None:
            raise _foreign(store, DOT_FILE)
        return cls(store, state=state, listed=listed)

    def begin(self, plan: Plan) -> Removal:
        """Note that a build is under way; find what a killed one left; remove first what no claim covers any more."""
        self._plan = plan
        self._ours = {**self._recorded, **self._find_strays()}
        self._owners = {path: plan.owner_of(path) for path in self._ours}
        known = (self._standing.get(path, replace(record, sha256="")) for path, record in self._recorded.items())
        self._known_by_owner = group(known, owners=self._owners)
        for path in self._listed or ():
            if path not in self._recorded:
                self._others.setdefault(plan.owner_of(path), set()).add(path)
        if self._listed is not None and DOT_FILE not in self._listed:
            self._store.put([(DOT_FILE, dot_file_bytes(()))])
        try:
            self._state.begin()
        except OutputError:
            self._remove(self._paths_of(None))  # taking back must not wait for room on a disk
            raise
        return self._remove(self._paths_of(None))

    def keep(self, owner: str) -> bool:
        """Keep the owner's objects when all stand as recorded. False: they must be put again."""
        records = self._kept_by_owner.get(owner)
        if not records or not all(path in self._standing for path in records):
            return False
        self._final.update(records)
        return True

    def keep_as_is(self, owner: str) -> None:
        """Leave the owner's objects as they are: for a page that couldn't be made anew."""
        self._final.update({path: replace(self._ours[path], owner=owner) for path in self._paths_of(owner)})

    def writer(self, owner: str) -> BucketWriter:
        """What puts the owner's documents; it can be sent to another process."""
        others = None if self._listed is None else frozenset(self._others.get(owner, ()))
        return BucketWriter(self._store, self._plan.claim(owner), self._known_by_owner.get(owner, {}), others)

    def read(self, path: str) -> bytes:
        """The bytes of an object; one that is gone is empty."""
        try:
            return self._store.read(path)
        except FileNotFoundError:
            return b""

    def withdraw(self, path: str) -> None:
        """Take one object out, whatever it holds. Raises OutputError when it may still be there.

        The list of files goes with it: the records say that the object stands, so the next build must look.
        """
        for reason in self._store.remove([path, DOT_FILE]).values():
            raise OutputError(reason)

    def _find_standing(self) -> dict[str, FileRecord]:
        """The records of the last build that still hold; all of them when nothing was listed."""
        recorded = {path: record for path, record in self._recorded.items() if record.owner != STALE}
        if self._listed is None:
            return recorded
        listed = {path: stamp for path, stamp in self._listed.items() if path in recorded}
        doubtful = self._store.look_at_all(path for path, stamp in listed.items() if stamp != recorded[path].stamp)
        altered = {path for path, found in doubtful.items() if not found or found.sha256 != recorded[path].sha256}
        return {path: recorded[path] for path in listed.keys() - altered}

    def _find_strays(self) -> dict[str, FileRecord]:
        """What is ours by its mark and in no record: left by a killed build, or by one of another state."""
        looked = self._store.look_at_all(
            path for path in self._listed or () if path not in self._recorded and path != DOT_FILE
        )
        return {
            path: FileRecord(path, STALE, found.sha256, found.stamp)
            for path, found in looked.items()
            if found is not None and found.sha256 is not None
        }

    def _remove(self, paths: Iterable[str]) -> Removal:
        """Take away what is as we left it, which is looked at once more."""
        looked = self._store.look_at_all(sorted(paths))
        altered = [path for path, found in looked.items() if found is not None and found.sha256 is None]
        failed = self._store.remove(path for path, found in looked.items() if found is not None and found.sha256)
        removed = [path for path in looked if path not in failed and path not in altered]
        for path in removed:
            del self._ours[path]
        return Removal(tuple(removed), tuple(altered), tuple(failed.items()))

    def _seal(self, data: bytes) -> FileRecord:
        sha256, last = sha256_of(data), self._state.last.dot_file
        if self._listed is None and last is not None and last.sha256 == sha256:
            return last
        (stamp,) = self._store.put([(DOT_FILE, data)])
        return FileRecord(DOT_FILE, DOT_OWNER, sha256, stamp)


def _refuse_foreign(store: Store, listed: Mapping[str, Stamp]) -> None:
    names = sorted(listed)
    shown = ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")
    msg = (
        f"{store.url} holds objects that sitegen didn't put there ({shown}). Choose an empty prefix, or pass --adopt to"
        " build among them: they won't be touched."
    )
    raise OutputError(msg)


def _foreign(store: Store, path: str) -> OutputError:
    return OutputError(
        f"{store.url}/{path} is an object that sitegen didn't put there, and a page is to stand there. Move it away and"
        " build again."
    )
