"""The ratios that must hold on any machine, and whether they do.

Steps are compared by CPU time: wall time on a busy machine says more about the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.bench.steps import Result, by_step

Results = Mapping[str, Sequence[Result]]
"""By workload."""

_OF_COLD = {"no-op": 0.25, "one changed": 0.3, "template edit": 0.35}
_OF_COLD_ALONE = {**_OF_COLD, "one changed": 0.85}
"""Of one long conversation, of which all but the new is found again."""
MEMORY_GROWTH = 1.3
_MOST_BYTES = {"1x36000": 600_000_000}
"""What the largest process may hold of workloads that would take all the memory there is if nothing were done."""
_FEW_SECONDS = 1.5
"""Below this a cold build is mostly start-up, and its ratios say nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A ratio with what it may be at most."""

    name: str
    ratio: float
    limit: float

    @property
    def is_kept(self) -> bool:
        return self.ratio <= self.limit

    def __str__(self) -> str:
        word = "ok" if self.is_kept else "TOO MUCH"
        return f"{self.name}: {self.ratio:.2f}, at most {self.limit:.2f}: {word}"


def judge(results: Results, *, growing: Sequence[str] = (), alone: Sequence[str] = ()) -> list[Verdict]:
    """Every ratio that can be formed.

    `growing` names workloads that differ in their number of conversations only, smallest first; memory may hardly grow
    between them. `alone` names those of one conversation, which is read and written whole when it goes on.
    """
    found = [
        verdict
        for name, measured in results.items()
        for verdict in (
            *_of_cold(name, measured, _OF_COLD_ALONE if name in alone else _OF_COLD),
            *_held(name, measured),
        )
    ]
    return found + list(_memory(results, [name for name in growing if name in results]))


def _of_cold(name: str, measured: Sequence[Result], limits: Mapping[str, float]) -> Iterator[Verdict]:
    steps = by_step(measured)
    cold = steps.get("cold")
    if cold is None or cold.cpu_s < _FEW_SECONDS:
        return
    for step, limit in limits.items():
        if step in steps:
            yield Verdict(f"{name}, {step} of cold", steps[step].cpu_s / cold.cpu_s, limit)


def _held(name: str, measured: Sequence[Result]) -> Iterator[Verdict]:
    for step in measured:
        if name in _MOST_BYTES and not step.step.startswith("ingest"):
            most = _MOST_BYTES[name]
            yield Verdict(f"{name}, memory of {step.step}, of {most / 1e6:.0f} MB", step.peak_bytes / most, 1.0)


def _memory(results: Results, names: Sequence[str]) -> Iterator[Verdict]:
    """Both the largest process and all together, of cold builds."""
    if len(names) < 2:
        return
    small, large = (by_step(results[name]).get("cold") for name in (names[0], names[-1]))
    if small is None or large is None:
        return
    what = f"cold build of {names[-1]} over {names[0]}"
    yield Verdict(f"memory of the largest process, {what}", large.peak_bytes / small.peak_bytes, MEMORY_GROWTH)
    if small.tree_bytes and large.tree_bytes:
        yield Verdict(f"memory of all processes, {what}", large.tree_bytes / small.tree_bytes, MEMORY_GROWTH)
