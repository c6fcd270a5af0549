"""What is measured on one workload, in order: ingest, the cold build, and builds after each kind of change."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from tests.bench.generate import Recipe, continuation
from tests.bench.lab import Lab, weigh
from tests.bench.measure import Cost

STEPS = ("ingest", "cold", "no-op", "ingest one", "one changed", "template edit", "config edit", "one process")
"""In the order of measuring. Ingest and cold are always run, as the others stand on them."""
_NEEDED = frozenset({"ingest", "cold"})
_ADDED_MESSAGES = 4

_ADDRESS = 'base_url = "https://ann.example.org/talks/"\n'
_CONFIG = """\
[site]
title = "{title}"
{address}
[source]
projection = "archive.duckdb"

[[rule]]
match = {{}}
listed = true
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The medians of a step, and what stood in its folder afterwards: for ingests the projection, else the site."""

    step: str
    wall_s: float
    fastest_s: float
    cpu_s: float
    peak_bytes: int
    tree_bytes: int | None
    size_bytes: int
    files: int
    runs: int

    @classmethod
    def of(cls, step: str, costs: Sequence[Cost], *, size_bytes: int, files: int) -> Self:
        """The result of several runs of one step."""
        trees = [cost.tree_bytes for cost in costs if cost.tree_bytes is not None]
        return cls(
            step=step,
            wall_s=median(cost.wall_s for cost in costs),
            fastest_s=min(cost.wall_s for cost in costs),
            cpu_s=median(cost.cpu_s for cost in costs),
            peak_bytes=int(median(cost.peak_bytes for cost in costs)),
            tree_bytes=int(median(trees)) if trees else None,
            size_bytes=size_bytes,
            files=files,
            runs=len(costs),
        )


class Workload:
    """One recipe's sessions, and a folder in which they are ingested and built again and again.

    A site that doesn't know its address is without what needs one: pictures of links, feeds, a sitemap.
    """

    def __init__(self, lab: Lab, name: str, recipe: Recipe, *, repeat: int, knows_address: bool = True) -> None:
        self.name = name
        self._lab = lab
        self._recipe = recipe
        self._repeat = repeat
        self._knows_address = knows_address
        self._costs: dict[str, list[Cost]] = {}
        self._weights: dict[str, tuple[int, int]] = {}

    def measure(self, steps: Sequence[str], *, say: Callable[[str], None]) -> list[Result]:
        """Runs the steps so often and returns what each cost. Raises FailedError when one fails."""
        self.set_up()
        for number in range(self._repeat):
            self.run(steps, number, say=say)
        return self.results(steps)

    def run(self, steps: Sequence[str], number: int, *, say: Callable[[str], None]) -> None:
        """Runs the steps once, in a workload that is set up. Raises FailedError when one fails."""
        for step in STEPS:
            if step in steps or step in _NEEDED:
                say(f"{self.name}: {step} ({number + 1} of {self._repeat})")
                self._run(step, number)

    def results(self, steps: Sequence[str]) -> list[Result]:
        """What each step cost in the runs there were."""
        return [self._result(step) for step in STEPS if step in steps]

    @property
    def site(self) -> Path:
        return self._folder / "public"

    def set_up(self) -> None:
        """Lays out the sessions in an empty folder."""
        self._folder = self._lab.workshop(self.name)
        self._sessions = self._folder / "sessions"
        shutil.copytree(self._lab.sessions(self._recipe), self._sessions)
        self._growing, self._more = growth(self._sessions, self._recipe, times=self._repeat)
        self._configure("Measured")

    def _configure(self, title: str) -> None:
        address = _ADDRESS if self._knows_address else ""
        (self._folder / "sitegen.toml").write_text(_CONFIG.format(title=title, address=address), encoding="utf-8")

    def _run(self, step: str, number: int) -> None:
        self._prepare(step, number)
        is_ingest = step.startswith("ingest")
        arguments = _INGEST if is_ingest else ("build", "--jobs", "1") if step == "one process" else ("build",)
        self._costs.setdefault(step, []).append(self._lab.run(*arguments, folder=self._folder))
        projection = self._folder / "archive.duckdb"
        self._weights[step] = (projection.stat().st_size, 1) if is_ingest else weigh(self.site)

    def _prepare(self, step: str, number: int) -> None:
        match step:
            case "ingest":
                self._lab.put_aside(self._folder / "archive.duckdb")
            case "cold" | "one process":
                self._lab.put_aside(self.site, self._folder / ".sitegen")
            case "ingest one":
                with self._growing.open("a", encoding="utf-8", newline="\n") as file:
                    file.write(self._more[number])
            case "one changed" if "ingest one" not in self._costs or len(self._costs["ingest one"]) <= number:
                self._run("ingest one", number)
            case "template edit":
                self._lab.edit_template(f"{self.name} {number}")  # another one than the last workload left
            case "config edit":
                self._configure(f"Measured {number}")

    def _result(self, step: str) -> Result:
        size_bytes, files = self._weights[step]
        return Result.of(step, self._costs[step], size_bytes=size_bytes, files=files)


_INGEST = ("ingest", "claude-code", "sessions", "--db", "archive.duckdb")


def growth(sessions: Path, recipe: Recipe, *, times: int) -> tuple[Path, list[str]]:
    """The session of a recipe that goes on, and what is added to its file each time."""
    if recipe.is_markdown:
        return sessions, []
    lines = continuation(recipe, messages=_ADDED_MESSAGES * times).splitlines(keepends=True)
    name = json.loads(lines[0])["sessionId"]
    parts = ["".join(lines[at : at + _ADDED_MESSAGES]) for at in range(0, len(lines), _ADDED_MESSAGES)]
    return next(sessions.rglob(f"{name}.jsonl")), parts


def by_step(results: Sequence[Result]) -> dict[str, Result]:
    """The results by the names of their steps."""
    return {result.step: result for result in results}
