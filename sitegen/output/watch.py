"""Collects what a build reads, with the stamps it had before it was read, for the no-op path of the next build."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sitegen.output.unchanged import environment_digest
from sitegen.stamps import Stamp, settled_stamp, stamp_input


class Watch:
    """The inputs of a build. Tell it of each one before reading it: a change during the build then shows."""

    def __init__(self) -> None:
        self._inputs: dict[str, Stamp] = {}
        self._names: set[str] = set()

    @property
    def inputs(self) -> Mapping[str, Stamp]:
        """Stamps by absolute path, for `FinishedBuild.inputs`."""
        return self._inputs

    def file(self, path: Path) -> None:
        """Watch a file, even one that isn't there: it may appear. The first stamp counts."""
        self._file(str(path.absolute()))

    def names(self, folder: Path) -> None:
        """Watch which names are in a folder, but not what is in them."""
        self._folder(str(folder.absolute()))

    def tree(self, folder: Path) -> None:
        """Watch a folder whole: names and files at any depth, but Python's caches and hidden names."""
        self._tree(str(folder.absolute()))

    def environment(self, names: Iterable[str]) -> None:
        """Watch environment variables, set or not."""
        self._names.update(names)

    def seal_environment(self, environ: Mapping[str, str] = os.environ) -> str:
        """A text for `FinishedBuild.environment` that tells whether a watched variable changed, and nothing else."""
        if not self._names:
            return ""
        names, salt = sorted(self._names), secrets.token_hex(16)
        return json.dumps([names, salt, environment_digest(names, environ, salt)])

    def _file(self, path: str) -> None:
        if path not in self._inputs:
            self._inputs[path] = settled_stamp(path)

    def _folder(self, path: str) -> None:
        key = f"{path}/"
        self._inputs.setdefault(key, stamp_input(key))

    def _tree(self, folder: str) -> None:
        """By texts and not by paths, of which there are hundreds."""
        self._folder(folder)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name == "__pycache__" or entry.name.startswith("."):
                    continue
                if not entry.is_dir():
                    self._file(entry.path)
                elif not entry.is_symlink():  # a link may lead back to where it stands
                    self._tree(entry.path)
