"""Writes the files of one owner: atomically, only where bytes differ, and never over or through what isn't ours.

A Writer can be sent to another process. It appends to the dot file what it is about to write before it writes it, so
that a build that is killed at any moment leaves nothing that the next one wouldn't know.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from sitegen.bulk import Bulky, pieces, sha256_of, write
from sitegen.errors import OutputError
from sitegen.output.dotfile import append_lines, line_for, read_lines
from sitegen.output.failures import as_output_error
from sitegen.output.ground import Kind, hash_file, look_at, parents, remove_tree, walk
from sitegen.output.layout import TEMPORARY_PREFIX
from sitegen.output.plan import Claim, check_documents
from sitegen.output.records import FileRecord
from sitegen.stamps import ABSENT, Stamp, stamp_of

_serial = itertools.count()
_BATCH_BYTES: Final = 16_000_000
"""More than this of a share isn't held in memory before it's written."""


class Document(Protocol):
    """A file to write: `model.Document` is one."""

    @property
    def path(self) -> str:
        """Relative to the output, with `/`."""

    @property
    def data(self) -> Bulky:
        """The content."""

    @property
    def sha256(self) -> str:
        """Its hexadecimal SHA-256, if it was taken already."""


def hash_of(document: Document) -> str:
    """The hexadecimal SHA-256 of a document's content, taken now if it wasn't before."""
    return document.sha256 or sha256_of(document.data)


class Written(Struct, frozen=True):
    """A file as it now stands, and whether it had to be written for that."""

    record: FileRecord
    is_changed: bool


class Writer(Struct, frozen=True):
    """Writes documents under one claim. `known` holds the owner's files as the last build left them."""

    root: Path
    claim: Claim
    known: Mapping[str, FileRecord]

    def write(self, documents: Iterable[Document]) -> list[Written]:
        """Write what differs, and say how each file stands now, in the order given.

        Raises OutputError before the first byte when a path isn't planned, isn't safe, or holds something that isn't
        ours; later only when the file system refuses.
        """
        documents = list(documents)
        check_documents((document.path for document in documents), claim=self.claim)
        hashes = [hash_of(document) for document in documents]
        pairs = list(zip(documents, hashes, strict=True))
        sound: set[str] = set()
        standing = {document.path: self._standing(document, sha256, sound) for document, sha256 in pairs}
        pending = [line_for(document.path, sha256) for document, sha256 in pairs if standing[document.path] is None]
        if pending:
            append_lines(self.root, pending)
        return [self._settle(document, sha256, sound, stamp=standing[document.path]) for document, sha256 in pairs]

    def _settle(self, document: Document, sha256: str, sound: set[str], *, stamp: Stamp | None) -> Written:
        is_changed = stamp is None
        if stamp is None:
            stamp = self._replace(document, sound)
        record, known = FileRecord(document.path, self.claim.owner, sha256, stamp), self.known.get(document.path)
        return Written(known if known == record else record, is_changed)  # of many files, none is in memory twice

    def _standing(self, document: Document, sha256: str, sound: set[str]) -> Stamp | None:
        """The stamp of the file when it already holds these bytes; None when it must and may be written.

        `sound` are folders that were looked at before for other files.
        """
        path = document.path
        try:
            self._check_parents(path, sound)
            kind, stamp = look_at(self._place(path))
            match kind:
                case Kind.NOTHING:
                    return None
                case Kind.FILE:
                    return self._standing_file(document, sha256, stamp=stamp or ABSENT)
                case Kind.FOLDER:
                    self._check_folder(path)
                    return None
                case _:
                    raise foreign(self._place(path), kind)
        except OSError as error:
            raise as_output_error(error, self._place(path)) from error

    def _standing_file(self, document: Document, sha256: str, *, stamp: Stamp) -> Stamp | None:
        known = self.known.get(document.path)
        if known is not None and known.stamp == stamp:
            return stamp if known.sha256 == sha256 else None
        if known is not None and stamp[0] != len(document.data):
            return None
        found = hash_file(self._place(document.path))
        if found == sha256:
            return stamp
        if known is None and not self._is_ours(document.path, found):
            raise foreign(self._place(document.path), Kind.FILE)
        return None

    def _place(self, path: str) -> str:
        """Where that is: as a text, for to make a Path of each would take longer than to look at it."""
        return f"{self.root}/{path}"

    def _is_ours(self, path: str, sha256: str) -> bool:
        return line_for(path, sha256) in (read_lines(self.root) or ())

    def _check_parents(self, path: str, sound: set[str]) -> None:
        """All folders above must be real or absent; a file there must be one of ours, which then goes."""
        for parent in parents(path):
            if parent in sound:
                continue
            place = self._place(parent)
            kind, _ = look_at(place)
            if kind is Kind.NOTHING:
                return
            if kind is Kind.FOLDER:
                sound.add(parent)
                continue
            if kind is not Kind.FILE or not self._is_ours(parent, hash_file(place)):
                raise foreign(place, kind, wanted="a folder")
            return

    def _check_folder(self, path: str) -> None:
        """A folder that stands where a file is needed must hold only what is ours, which then goes."""
        lines = read_lines(self.root) or frozenset()
        for file, kind in walk(self.root, path):
            if kind is not Kind.FILE or line_for(file, hash_file(self.root / file)) not in lines:
                raise foreign(self._place(path), Kind.FOLDER)

    def _replace(self, document: Document, sound: set[str]) -> Stamp:
        target = self._place(document.path)
        try:
            self._make_way(document.path, sound)
        except OSError as error:
            raise as_output_error(error, target) from error
        return replace_file(target, document.data)

    def _make_way(self, path: str, sound: set[str]) -> None:
        """Folders above, nothing but a file of ours at the place itself; what goes was checked to be ours."""
        for parent in parents(path):
            if parent in sound:
                continue
            sound.add(parent)
            folder = self.root / parent
            kind, _ = look_at(folder)
            if kind is Kind.FOLDER:
                continue
            if kind is Kind.FILE:
                folder.unlink(missing_ok=True)
            elif kind is not Kind.NOTHING:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            folder.mkdir(exist_ok=True)  # another process may have been quicker
        if look_at(self._place(path))[0] is Kind.FOLDER:
            remove_tree(self.root, path)


def batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents as they are written at once: mostly all of a share, so that all can be made before one is written."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.data)
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def replace_file(target: Path | str, data: Bulky) -> Stamp:
    """Put a file at `target` whole or not at all, and return its stamp. Raises OutputError, leaving what was there."""
    folder = os.path.dirname(target) or "."  # noqa: PTH120 - here and below, much of the time for a page would be pathlib's
    temporary = f"{folder}/{TEMPORARY_PREFIX}{os.getpid()}-{next(_serial)}"
    try:
        try:
            _write_new(temporary, data)
            os.replace(temporary, target)  # noqa: PTH105
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            raise
        return stamp_of(os.lstat(target))
    except OSError as error:
        raise as_output_error(error, target) from error


def _write_new(path: str, data: Bulky) -> None:
    """Without fsync: after a power cut a file may be short, and then its size tells the next build."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        write(descriptor, pieces(data))
    finally:
        os.close(descriptor)


_NAMES = {
    Kind.FILE: "a file that sitegen didn't write",
    Kind.FOLDER: "a folder with files that sitegen didn't write",
    Kind.LINK: "a symbolic link",
    Kind.OTHER: "something that is neither file nor folder",
}


def foreign(path: Path | str, kind: Kind, *, wanted: str = "a page") -> OutputError:
    """The error for something in the way that isn't ours."""
    return OutputError(f"{path} is {_NAMES[kind]}, and {wanted} is to stand there. Move it away and build again.")
