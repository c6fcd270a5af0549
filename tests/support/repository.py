"""git repositories for tests: the user's own, and a bare one that stands for a host."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_QUIET: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at `path`."""

    path: Path

    @classmethod
    def make(cls, path: Path, *, bare: bool = False) -> Repository:
        path.mkdir(parents=True, exist_ok=True)
        repository = cls(path)
        repository.git("init", "--quiet", "--initial-branch=main", *(["--bare"] if bare else []))
        return repository

    def git(self, *arguments: str) -> str:
        """What git prints. Fails the test when git does."""
        return self._run(*arguments).decode()

    def commit(self, files: Mapping[str, str], message: str = "By hand") -> str:
        """Commits these files on the current branch; its name."""
        for path, text in files.items():
            (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            (self.path / path).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def tree(self, branch: str) -> dict[str, bytes]:
        """The files of a branch."""
        names = [name for name in self.git("ls-tree", "-r", "-z", "--name-only", branch).split("\0") if name]
        return {name: self._bytes(f"{branch}:{name}") for name in names}

    def reachable(self) -> list[bytes]:
        """The bytes of every file that any branch or tag leads to, through all history."""
        rows = self.git("rev-list", "--objects", "--all").split("\n")
        objects = [row.split(" ")[0] for row in rows if row]
        return [self._bytes(name) for name in objects if self.git("cat-file", "-t", name).strip() == "blob"]

    def _bytes(self, name: str) -> bytes:
        return self._run("cat-file", "blob", name)

    def _run(self, *arguments: str) -> bytes:
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**own, **_QUIET}, capture_output=True, check=False
        )
        assert done.returncode == 0, (done.stderr, done.stdout)
        return done.stdout
