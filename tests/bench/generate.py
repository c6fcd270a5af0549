"""Writes invented sessions in the layout of Claude Code's projects folder: `python -m tests.bench.generate --help`.

Only the standard library; the same options give the same bytes on any machine and Python.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.bench.workload.session import Session
from tests.bench.workload.words import MODULES

_START = datetime(2026, 3, 1, 8, tzinfo=UTC)
_APART = timedelta(hours=7)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How many sessions of how many messages, in how many projects. A message is a record of one block.

    `scale` multiplies the length of files and outputs, `images` is the share of prompts with a picture. `huge` asks for
    one more session of so many messages. With `is_markdown` sessions are prompts and large answers only.
    """

    sessions: int = 50
    messages: int = 200
    projects: int = 5
    seed: str = "7"
    scale: float = 1.0
    images: float = 0.05
    huge: int = 0
    huge_scale: float = 2.6
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    seed: str
    folder: str
    messages: int
    scale: float


def generate(recipe: Recipe, folder: Path) -> list[Path]:
    """Writes the sessions of a recipe below a folder and returns their files."""
    return [_write(recipe, job, place, folder) for place, job in enumerate(_jobs(recipe))]


def continuation(recipe: Recipe, *, messages: int) -> str:
    """What the first session of a recipe says when it goes on for so many messages: lines to add to its file."""
    job = next(_jobs(recipe))
    session = _session(recipe, job, 0)
    for _ in session.lines(job.messages):
        pass
    return "".join(session.lines(messages))


def _jobs(recipe: Recipe) -> Iterator[_Job]:
    """The huge session comes first, so that it is the one that grows."""
    if recipe.huge:
        yield _Job(f"{recipe.seed}:huge", "/home/dev/code/huge-app", recipe.huge, recipe.huge_scale)
    for number in range(recipe.sessions):
        project = number % recipe.projects
        folder = f"/home/dev/code/{MODULES[project % len(MODULES)]}-app{project}"
        yield _Job(f"{recipe.seed}:{number}", folder, recipe.messages, recipe.scale)


def _session(recipe: Recipe, job: _Job, place: int) -> Session:
    start = _START + _APART * place
    return Session(job.seed, folder=job.folder, start=start, scale=job.scale, images=recipe.images)


def _write(recipe: Recipe, job: _Job, place: int, folder: Path) -> Path:
    session = _session(recipe, job, place)
    path = folder / job.folder.replace("/", "-") / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = session.pages(job.messages) if recipe.is_markdown else session.lines(job.messages)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
    os.utime(path, (session.now.timestamp(), session.now.timestamp()))
    return path


def _read_options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.generate", description=__doc__)
    standard = Recipe()
    parser.add_argument("folder", type=Path, help="where the sessions are written")
    parser.add_argument("--sessions", type=int, default=standard.sessions, metavar="N")
    parser.add_argument("--messages", type=int, default=standard.messages, metavar="N", help="in each session")
    parser.add_argument("--turns", type=int, metavar="N", help="the same as --messages with twice the number")
    parser.add_argument("--projects", type=int, default=standard.projects, metavar="N")
    parser.add_argument("--seed", default=standard.seed)
    parser.add_argument("--scale", type=float, default=standard.scale, help="of files and outputs")
    parser.add_argument("--images", type=float, default=standard.images, help="share of prompts with a picture")
    parser.add_argument("--huge", type=int, default=standard.huge, metavar="N", help="one more session, of N messages")
    parser.add_argument("--huge-scale", type=float, default=standard.huge_scale, help="of files and outputs in it")
    parser.add_argument("--markdown", action="store_true", dest="is_markdown", help="only prompts and large answers")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """The command: writes the sessions and says how many and how large."""
    options = vars(_read_options(arguments))
    folder, turns = options.pop("folder"), options.pop("turns")
    if turns is not None:
        options["messages"] = 2 * turns
    files = generate(Recipe(**options), folder)
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} sessions, {size / 1e6:.1f} MB in {folder}")


if __name__ == "__main__":
    main()
