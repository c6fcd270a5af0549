"""Run as a program: builds, killed at each of its steps in turn, each followed by a build that must heal.

Prints how many kills it made, or what was wrong after one. A process of its own, since it forks.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sitegen.output.layout import TEMPORARY_PREFIX
from tests.output.world import Pages, World, make_world

KILLED = 77
FIRST = {
    "a": {"index.html": "A", "2/index.html": "A part"},
    "b": {"index.html": "B", "f/1/x.txt": "x"},
    "c": {"index.html": "C"},
}
KILLED_BUILD = {
    "a": {"index.html": "A new"},
    "c": {"index.html": "C", "3/index.html": "new part"},
    "d": {"index.html": "D", "i/p.png": "p"},
}
HEALING = {
    "the same plan": KILLED_BUILD,
    "the plan before": FIRST,
    "all taken back": {},
    "another plan": {"d": {"index.html": "D2"}, "a": {"2/index.html": "A part"}},
}
FOREIGN = {"CNAME": "example.org", "s/a/own.txt": "mine"}
STEPS = ("open", "write", "replace", "rename", "unlink", "mkdir", "rmdir")


class _Countdown:
    """Ends the process, with no clean-up whatever, at the given step."""

    def __init__(self, left: int) -> None:
        self.left = left

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            os._exit(KILLED)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*arguments: Any, **options: Any) -> Any:
            self.step()
            result = function(*arguments, **options)
            self.step()
            return result

        return stepped


def build_killed(world: World, shares: Mapping[str, Pages], at: int) -> bool:
    """Build in a child that ends at that step; whether it did."""
    child = os.fork()
    if child == 0:
        countdown = _Countdown(at)
        for name in STEPS:
            setattr(os, name, countdown.around(getattr(os, name)))
        _count_statements(countdown)
        world.build(shares)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def _count_statements(countdown: _Countdown) -> None:
    class Counted(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            countdown.step()
            return super().execute(*arguments)

    connect = sqlite3.connect
    sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Counted, **options)  # type: ignore[assignment]


def fault_after(folder: Path, at: int, healing: Mapping[str, Pages], *, lose_state: bool) -> str | None:
    """What is wrong after a build killed at that step and the next one: None for nothing, "" when it wasn't killed."""
    world = make_world(folder)
    for path, text in FOREIGN.items():
        (world.output / path).parent.mkdir(parents=True, exist_ok=True)
        (world.output / path).write_text(text)
    world.build(FIRST, adopt=True)
    if not build_killed(world, KILLED_BUILD, at):
        return ""
    if lose_state:
        shutil.rmtree(world.state_file.parent)
    outcome = world.build(healing)
    expected = {f"s/{slug}/{name}": text for slug, pages in healing.items() for name, text in pages.items()}
    expected |= {"index.html": "home", **FOREIGN}
    if world.tree() != expected:
        return f"stands {world.tree()}, expected {expected}"
    if not outcome.removal.is_complete or outcome.problem:
        return f"told {outcome.removal} {outcome.problem}"
    if list(world.output.rglob(f"{TEMPORARY_PREFIX}*")):
        return "left temporary files"
    return None if world.look().is_unchanged else "the next build would find something to do"


def main(folder: Path, *, lose_state: bool, stride: int) -> int:
    kills = 0
    for number, (name, healing) in enumerate(HEALING.items()):
        at = number % stride
        while (fault := fault_after(folder / f"{name} {at}", at, healing, lose_state=lose_state)) != "":
            if fault is not None:
                print(f"killed at step {at}, then {name}: {fault}")
                return 1
            at += stride
            kills += 1
    print(kills)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), lose_state=sys.argv[2] == "lost", stride=int(sys.argv[3])))
