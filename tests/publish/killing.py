"""Run as a program: publications into a folder, killed at each of their steps in turn, each followed by another.

Prints how many kills it made, or what was wrong after one. A process of its own, since it forks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sitegen.publish.copying import Copying
from sitegen.publish.folder import PublishedFolder
from sitegen.publish.tree import Tree
from tests.output.killing import KILLED, STEPS, _Countdown
from tests.publish.owner import tree
from tests.publish.site import FIRST, SECOND, THIRD, make_tree, missing


def publish(built: Tree, live: Path) -> None:
    target = Copying(PublishedFolder(live))
    target.publish(built, target.compare(built, known=()), on_put=lambda *_: None)


def publish_killed(built: Tree, live: Path, at: int) -> bool:
    """Publish in a child that ends at that step; whether it did."""
    child = os.fork()
    if child == 0:
        countdown = _Countdown(at)
        for name in STEPS:
            setattr(os, name, countdown.around(getattr(os, name)))
        publish(built, live)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def fault_after(folder: Path, at: int, healing: Mapping[str, str]) -> str | None:
    """What is wrong after a kill at that step and the next publication: None for nothing, "" when it wasn't killed."""
    live = folder / "live"
    first, second = make_tree(folder / "first", FIRST), make_tree(folder / "second", SECOND)
    publish(first, live)
    (live / "notes.txt").write_text("somebody's")
    if not publish_killed(second, live, at):
        return ""
    left = {path: data for path, data in tree(live).items() if not path.rpartition("/")[2].startswith(".")}
    if lacking := missing(left):
        return f"broken: {lacking}"
    publish(make_tree(folder / "healing", healing), live)
    if (stands := tree(live)) != {
        **{path: text.encode() for path, text in healing.items()},
        "notes.txt": b"somebody's",
    }:
        return f"stands {sorted(stands)}"
    return None


def main(folder: Path) -> int:
    kills = 0
    for first, healing in enumerate((SECOND, THIRD)):
        at = first
        while (fault := fault_after(folder / str(at), at, healing)) != "":
            if fault is not None:
                print(f"killed at step {at}: {fault}")
                return 1
            at += 2
            kills += 1
    print(kills)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
