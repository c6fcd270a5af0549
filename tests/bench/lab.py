"""Where measuring is done: a copy of the program, so that nobody's edits come in between, and sessions that are kept.

Everything is below one cache folder outside the repository.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.generate import Recipe
from tests.bench.measure import Cost, measure

ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = ("sitegen", "templates", "static")
_ASIDE = "aside"
_EDITED_TEMPLATE = Path("templates") / "base.html"
_MOST_ASIDE_BYTES = 20_000_000_000


def default_cache() -> Path:
    """The user's cache folder for benchmarks."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sitegen-bench"


@dataclass(frozen=True, slots=True)
class Lab:
    """A cache folder with a copy of the program in it."""

    cache: Path
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What else the program finds in its environment."""

    @property
    def program(self) -> Path:
        return self.cache / "program"

    def set_up(self) -> None:
        """Copies the program anew and compiles it, so that no measurement pays for that."""
        self.put_aside(self.program)
        for name in _PROGRAM:
            shutil.copytree(ROOT / name, self.program / name, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(self.program / "sitegen")], check=True)

    def run(self, *arguments: str, folder: Path) -> Cost:
        """What sitegen costs with these arguments."""
        command = [sys.executable, "-m", "sitegen", *arguments]
        return measure(command, folder=folder, variables={**self.variables, "PYTHONPATH": str(self.program)})

    def edit_template(self, mark: str) -> None:
        """Changes the template that all pages are made of; `mark` makes each change another."""
        original = (ROOT / _EDITED_TEMPLATE).read_text(encoding="utf-8")
        edited = original.replace("</body>", f"<!-- {mark} --></body>")
        (self.program / _EDITED_TEMPLATE).write_text(edited, encoding="utf-8")

    def sessions(self, recipe: Recipe) -> Path:
        """The sessions of a recipe, made by a process of its own unless they are there from before."""
        folder = self.cache / "sessions" / _digest(recipe)
        if not folder.is_dir():
            making = folder.with_suffix(f".{os.getpid()}")
            shutil.rmtree(making, ignore_errors=True)
            _generate(recipe, making)
            making.rename(folder)
        return folder

    def workshop(self, name: str) -> Path:
        """An empty folder to build in."""
        folder = self.cache / "work" / name
        self.put_aside(folder)
        folder.mkdir(parents=True)
        return folder

    def put_aside(self, *paths: Path) -> None:
        """Takes files and folders away without deleting them, which waits for `clear`.

        ext4 steps one by one over all that was deleted in the last minutes when it looks for a place for a new file, so
        that a build right after thousands of deletions would pay for them. When more is aside than fits, or than there
        is room left, the oldest is deleted all the same: a disk that is full measures nothing.
        """
        aside = self.cache / _ASIDE
        aside.mkdir(parents=True, exist_ok=True)
        for path in paths:
            if path.exists():
                size_bytes = weigh(path)[0] if path.is_dir() else path.stat().st_size
                path.rename(aside / f"{time.time_ns()}-{size_bytes}")
        kept = sorted(aside.iterdir())
        while kept and _weight(kept) > min(_MOST_ASIDE_BYTES, shutil.disk_usage(aside).free):
            _delete(kept.pop(0))

    def clear(self) -> None:
        """Deletes what was put aside, when all is measured; what a run that was stopped has left goes with the next."""
        shutil.rmtree(self.cache / _ASIDE, ignore_errors=True)


def weigh(folder: Path, pattern: str = "*") -> tuple[int, int]:
    """Bytes and number of the files below a folder, or of those whose name fits."""
    sizes = [path.stat().st_size for path in folder.rglob(pattern) if path.is_file()]
    return sum(sizes), len(sizes)


def _weight(kept: Sequence[Path]) -> int:
    """Bytes of what is aside, as its names tell, which begin with when it came."""
    return sum(int(path.name.partition("-")[2]) for path in kept)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _digest(recipe: Recipe) -> str:
    """Names a recipe together with the code that follows it."""
    found = hashlib.sha256(repr(recipe).encode())
    here = Path(__file__).parent
    for file in [here / "generate.py", *sorted((here / "workload").glob("*.py"))]:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _generate(recipe: Recipe, folder: Path) -> None:
    options = [f"--{name}={getattr(recipe, name.replace('-', '_'))}" for name in _OPTIONS]
    options += ["--markdown"] if recipe.is_markdown else []
    command = [sys.executable, "-m", "tests.bench.generate", str(folder), *options]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


_OPTIONS = ("sessions", "messages", "projects", "seed", "scale", "images", "huge", "huge-scale")
