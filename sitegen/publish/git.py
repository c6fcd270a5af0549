"""git as it's used here: on a bare repository of our own that passes, never on the user's files, index or history.

That repository reads the user's configuration, so that names of remotes, credentials and proxies are as they know them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from sitegen.errors import PublishError

_LOCAL = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_QUARANTINE_PATH",
)  # fmt: skip
"""What a hook or an alias may have set for another repository."""
_LAST_LINES = 6


class GitError(PublishError):
    """git refused; `said` is what it wrote."""

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.said = said


class Git(Struct, frozen=True):
    """Runs git in a folder, on the bare repository `repository` when one is given."""

    folder: Path
    repository: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """Environment variables besides the user's."""

    def run(self, *arguments: str, given: Iterable[bytes] = ()) -> bytes:
        """What git prints; `given` is what it reads. Raises GitError with what it says on failure."""
        environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
        environment |= {"GIT_TERMINAL_PROMPT": "1" if sys.stdin.isatty() else "0", "LC_ALL": "C", **self.settings}
        where = [f"--git-dir={self.repository}"] if self.repository is not None else []
        with tempfile.TemporaryFile(dir=self.repository) as stream:
            try:
                stream.writelines(given)
                stream.seek(0)
                done = subprocess.run(  # noqa: S603 - git, with arguments of ours
                    ["git", *where, *arguments],  # noqa: S607
                    stdin=stream,
                    cwd=self.folder,
                    env=environment,
                    capture_output=True,
                    check=False,
                )
            except FileNotFoundError:
                raise GitError("git isn't installed, or not on the PATH; install it, or publish to a folder.") from None
            except OSError as error:
                raise GitError(f"git can't be run: {(error.strerror or str(error)).lower()}.") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            shown = "\n".join(said.splitlines()[-_LAST_LINES:]) or f"exit code {done.returncode}"
            raise GitError(f"git {arguments[0]} failed: {shown}", said)
        return done.stdout

    def line(self, *arguments: str, given: Iterable[bytes] = ()) -> str:
        """What git prints, as one line of text."""
        return self.run(*arguments, given=given).decode("utf-8", "surrogateescape").strip()

    def entries(self, tree: str) -> dict[str, str]:
        """The files of a tree or commit: names of their bytes, by path."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", tree).decode("utf-8", "surrogateescape")
        rows = (row.split("\t", 1) for row in listed.split("\0") if row)
        return {path: what.split()[2] for what, path in rows}


def home_of(folder: Path) -> tuple[Path, Path] | None:
    """The repository that a folder lies in, as its working tree's top and its own folder; None when in none."""
    try:
        said = Git(folder).line("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    except GitError as error:
        if error.said:
            return None
        raise
    top, common = said.splitlines()
    return Path(top), Path(common)


def make_passing(place: Path, *, home: tuple[Path, Path] | None, folder: Path) -> Git:
    """A new bare repository at `place`, in the place of one that a killed run left. Raises PublishError."""
    drop(place)
    cwd = home[0] if home is not None else folder
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        form = ["--object-format=" + Git(cwd).line("rev-parse", "--show-object-format")] if home is not None else []
        Git(cwd).run("init", "--quiet", "--bare", *form, str(place))
        own = (place / "config").read_text("utf-8")
        (place / "config").write_text(_config(home) + own + _OVERRIDES, "utf-8")
    except OSError as error:
        raise PublishError(f"{place} can't be made: {(error.strerror or '').lower()}.") from error
    return Git(cwd, place)


_OVERRIDES = """\
[core]
\tbare = true
\thooksPath = /dev/null
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""


def _config(home: tuple[Path, Path] | None) -> str:
    if home is None:
        return ""
    quoted = str(home[1] / "config").replace("\\", "\\\\").replace('"', '\\"')
    return f'[include]\n\tpath = "{quoted}"\n'


def drop(place: Path) -> None:
    """Remove a passing repository; git makes its objects read-only, which is no hindrance on POSIX."""
    shutil.rmtree(place, ignore_errors=True)


def import_stream(files: Iterable[tuple[str, bytes]], *, ref: str) -> Iterable[bytes]:
    """What `git fast-import` reads to make one commit of these files."""
    yield f"commit {ref}\ncommitter sitegen <sitegen@localhost> 0 +0000\ndata 0\n\n".encode()
    for path, data in files:
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (_quoted(path), len(data), data)
    yield b"done\n"


def _quoted(path: str) -> bytes:
    return ('"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"').encode("utf-8", "surrogateescape")


def index_lines(entries: Mapping[str, str], paths: Sequence[str]) -> Iterable[bytes]:
    """What `git update-index -z --index-info` reads to hold these files."""
    return (f"100644 {entries[path]}\t{path}\0".encode("utf-8", "surrogateescape") for path in paths)
