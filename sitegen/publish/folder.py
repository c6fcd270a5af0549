"""A folder of this machine as the place: a web server's, or one that another program carries on.

What is ours there is told by the same list of hashes that a build leaves in its output, and by our memory.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.errors import OutputError, PublishError, RefusedError
from sitegen.output.dotfile import append_lines, dot_file_bytes, line_for, read_lines
from sitegen.output.failures import as_output_error
from sitegen.output.ground import Kind, hash_file, is_within, look_at, parents, remove_empty_parents, walk
from sitegen.output.layout import DOT_FILE, TEMPORARY_PREFIX
from sitegen.output.writer import replace_file
from sitegen.publish.changes import Changes
from sitegen.publish.tree import Tree

_FEW = 3


@dataclass(slots=True)
class PublishedFolder:
    """A folder to publish to. `is_forced` takes one that holds other people's files, and replaces those in the way."""

    root: Path
    is_forced: bool = False
    _standing: dict[str, str] = field(default_factory=dict, init=False)
    """Our files as they stand, with their hashes."""

    @property
    def name(self) -> str:
        return str(self.root)

    def compare(self, tree: Tree, *, known: Collection[str]) -> Changes:
        """What would change; what may be ours is hashed, for somebody else may have written here."""
        try:
            return self._compare(tree, known)
        except OSError as error:
            raise _failed(error, self.root) from error

    def _compare(self, tree: Tree, known: Collection[str]) -> Changes:
        if self.root.exists() and not self.root.is_dir():
            raise PublishError(f"{self.root} is a file; name a folder.")
        lines = read_lines(self.root)
        files = [path for path, kind in walk(self.root) if kind is Kind.FILE and _is_seen(path)]
        # Without a list nothing but these can be ours: a home folder named by mistake isn't read through.
        doubtful = None if lines is not None else {*known, *tree.files}
        live = {path: hash_file(self.root / path) if doubtful is None or path in doubtful else "" for path in files}
        odd = [path for path, kind in walk(self.root) if kind is not Kind.FILE]
        ours = {path for path, sha256 in live.items() if path in known or line_for(path, sha256) in (lines or ())}
        same = {path for path, sha256 in live.items() if tree.files.get(path) == sha256}
        foreign = [path for path in (*live, *odd) if path not in ours and path not in same]
        self._refuse_foreign(tree, foreign, is_known=lines is not None or bool(ours))
        self._standing = {path: live[path] for path in ours | same}
        return Changes(
            added=tuple(path for path in tree.files if path not in live),
            changed=tuple(path for path in tree.files if path in live and path not in same),
            removed=tuple(path for path in sorted(ours) if path not in tree.files),
            kept=tuple(sorted(same)),
            foreign=tuple(sorted(path for path in foreign if path not in tree.files)),
        )

    def begin(self, tree: Tree, changes: Changes) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            for path, _ in walk(self.root):
                if path.rpartition("/")[2].startswith(TEMPORARY_PREFIX):  # left by one that was killed
                    (self.root / path).unlink(missing_ok=True)
            if read_lines(self.root) is None:
                replace_file(self.root / DOT_FILE, self._list(self._standing))
            append_lines(self.root, (line_for(path, tree.files[path]) for path in changes.put))
        except OutputError as error:
            raise PublishError(str(error)) from error
        except OSError as error:
            raise _failed(error, self.root) from error

    def put(self, documents: Sequence[tuple[str, bytes]]) -> None:
        for path, data in documents:
            try:
                self._make_way(path)
                replace_file(self.root / path, data)
            except OutputError as error:
                raise PublishError(str(error)) from error
            except OSError as error:
                raise _failed(error, self.root / path) from error

    def remove(self, paths: Sequence[str]) -> Mapping[str, str]:
        failed: dict[str, str] = {}
        for path in paths:
            try:
                self._remove(path)
            except OSError as error:
                failed[path] = (error.strerror or str(error)).lower()
        return failed

    def finish(self, tree: Tree, failed: Collection[str]) -> None:
        try:
            replace_file(
                self.root / DOT_FILE,
                self._list({**tree.files, **{path: self._standing[path] for path in failed if path in self._standing}}),
            )
        except OutputError as error:
            raise PublishError(str(error)) from error

    def _list(self, files: Mapping[str, str]) -> bytes:
        return dot_file_bytes(line_for(path, sha256) for path, sha256 in files.items())

    def _remove(self, path: str) -> None:
        """Remove a file and the folders it leaves empty. Links above it are never followed."""
        kind, _ = look_at(self.root / path)
        if kind is Kind.NOTHING:
            return
        if not is_within(self.root, path):
            raise OSError(0, "a folder above it is a symbolic link now")
        (self.root / path).unlink()
        remove_empty_parents(self.root, path)

    def _make_way(self, path: str) -> None:
        """Real folders above, and nothing but a file at the place itself."""
        for parent in parents(path):
            place = self.root / parent
            kind, _ = look_at(place)
            if kind is Kind.FOLDER:
                continue
            if kind is not Kind.NOTHING:
                if kind is Kind.FILE and parent in self._standing:
                    place.unlink()
                else:
                    raise PublishError(f"{place} stands where a folder is needed. Move it away and publish again.")
            place.mkdir(exist_ok=True)
        if look_at(self.root / path)[0] not in (Kind.NOTHING, Kind.FILE):
            raise PublishError(f"{self.root / path} stands where a page is needed. Move it away and publish again.")

    def _refuse_foreign(self, tree: Tree, foreign: Sequence[str], *, is_known: bool) -> None:
        in_the_way = [path for path in foreign if path in tree.files]
        if self.is_forced or (is_known and not in_the_way) or not foreign:
            return
        raise RefusedError(
            f"{self.root} holds files that sitegen didn't publish ({_some(in_the_way or foreign)}). Name another"
            " folder, or pass --force to publish among them; only those in the way are replaced."
        )


def refuse_private(root: Path, places: Iterable[Path]) -> None:
    """Raise RefusedError when publishing in `root` would publish one of these, or when it lies in one of them."""
    real = Path(os.path.realpath(root))
    for place in places:
        other = Path(os.path.realpath(place))
        if real == other or real in other.parents or other in real.parents:
            raise RefusedError(f"{root} and {place} lie in each other; name another folder for the site alone.")


def _is_seen(path: str) -> bool:
    return path != DOT_FILE and not path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)


def _some(paths: Iterable[str]) -> str:
    paths = list(paths)
    return ", ".join(paths[:_FEW]) + (", …" if len(paths) > _FEW else "")


def _failed(error: OSError, place: Path) -> PublishError:
    return PublishError(str(as_output_error(error, place)))
