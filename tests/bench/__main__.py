"""The command: `python -m tests.bench [--quick] [--sizes NAME …] [--only STEP …] [--ingest] [--peers] [--browser]
[--gates]`.

Exits with 1 when a ratio isn't kept or something failed, never for a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench import machine
from tests.bench.generate import Recipe
from tests.bench.lab import Lab, default_cache
from tests.bench.limits import Verdict, judge
from tests.bench.measure import FailedError
from tests.bench.steps import STEPS, Result, Workload, by_step
from tests.bench.table import Row, megabytes, seconds, table

SIZES = {
    "50x200": (Recipe(), 3),
    "1000x60": (Recipe(sessions=1_000, messages=60, projects=12), 3),
    "4000x60": (Recipe(sessions=4_000, messages=60, projects=12), 1),
    "10000x60": (Recipe(sessions=10_000, messages=60, projects=12), 1),
    "1x5000": (Recipe(sessions=0, huge=5_000), 3),
    "1x36000": (Recipe(sessions=0, huge=36_000), 1),
    "300x60": (Recipe(sessions=300, messages=60, projects=12), 2),
    "900x60": (Recipe(sessions=900, messages=60, projects=12), 1),
}
"""Sessions × messages, and how often each is measured."""
_STANDARD = ("50x200", "1000x60", "4000x60", "1x5000", "1x36000")
_QUICK = ("300x60", "900x60")
"""Both larger than the memory DuckDB may use, which fills up whatever the number of conversations."""
_GROWING = ("300x60", "900x60"), ("1000x60", "4000x60"), ("1000x60", "10000x60")
_ALONE = ("1x5000", "1x36000")
_HEAD = (
    "workload",
    "step",
    "wall s",
    "fastest s",
    "CPU s",
    "process MB",
    "tree MB",
    "MB",
    "files",
    "wall/cold",
    "CPU/cold",
    "runs",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, and returns 1 when a ratio isn't kept or something failed."""
    options = _read_options(arguments)
    lab = Lab(options.cache)
    print(f"{machine.describe()}\n", flush=True)
    try:
        lab.set_up()
        results = _measure(lab, options) if options.measures_builds else {}
        if results:
            print(_show(results), flush=True)
        verdicts = _measure_more(lab, options)
    except FailedError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    finally:
        lab.clear()
    verdicts += [verdict for growing in _GROWING for verdict in judge(results, growing=growing, alone=_ALONE)]
    return _conclude(verdicts)


def _read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measures sitegen.")
    parser.add_argument("--quick", action="store_true", help="small workloads, under two minutes")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, metavar="NAME", help=f"workloads: {', '.join(SIZES)}")
    parser.add_argument("--only", nargs="+", choices=STEPS, metavar="STEP", help=f"steps: {', '.join(STEPS)}")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each step, of which the median counts")
    parser.add_argument("--peers", action="store_true", help="measure other programs on the same sessions too")
    parser.add_argument("--ingest", action="store_true", help="measure ingesting beside chatstrata, and nothing else")
    parser.add_argument("--browser", action="store_true", help="measure pages in Chromium, as when nothing is chosen")
    parser.add_argument("--gates", action="store_true", help="measure gated pages, and nothing else")
    parser.add_argument("--cache", type=Path, default=default_cache(), metavar="DIR", help="where all is kept")
    options = parser.parse_args(arguments)
    is_all = not (options.quick or options.sizes or options.only or options.ingest or options.gates)
    options.browser |= is_all
    is_built = bool(options.sizes or options.only or options.quick)
    options.measures_builds = is_built or not (options.ingest or options.gates)
    options.ingest |= is_all
    options.gates |= is_all
    options.sizes = options.sizes or (_QUICK if options.quick else _STANDARD)
    return options


def _measure(lab: Lab, options: argparse.Namespace) -> dict[str, list[Result]]:
    results = {}
    for name in options.sizes:
        recipe, repeat = SIZES[name]
        workload = Workload(lab, name, recipe, repeat=options.repeat or repeat)
        results[name] = workload.measure(_steps(options, name), say=_say)
    _say("")
    return results


def _steps(options: argparse.Namespace, name: str) -> Sequence[str]:
    if options.only:
        return list(options.only)
    if options.quick:
        return STEPS[:-1] if name == _QUICK[0] else ("ingest", "cold")
    return STEPS


def _measure_more(lab: Lab, options: argparse.Namespace) -> list[Verdict]:
    verdicts: list[Verdict] = []
    if options.ingest:
        from tests.bench.ingesting import compare as compare_ingests

        shown, verdicts = compare_ingests(lab, repeat=options.repeat or 3, say=_say)
        print(f"\n{shown}", flush=True)
    if options.peers:
        from tests.bench.peers import compare

        print(f"\n{compare(lab, repeat=options.repeat or 3, say=_say)}", flush=True)
    if options.browser:
        from tests.bench.browser import look

        print(f"\n{look(lab, repeat=options.repeat or 3, say=_say)}", flush=True)
    if options.gates:
        from tests.bench.gated import measure_gates

        shown, found = measure_gates(lab, repeat=options.repeat or 3, say=_say)
        verdicts = [*verdicts, *found]
        print(f"\n{shown}", flush=True)
    return verdicts


def _show(results: dict[str, list[Result]]) -> str:
    rows = [row for name, measured in results.items() for row in _rows(name, measured)]
    return table(_HEAD, rows, text_columns=2)


def _rows(name: str, measured: Sequence[Result]) -> list[Row]:
    cold = by_step(measured).get("cold")
    return [
        (
            name,
            result.step,
            seconds(result.wall_s),
            seconds(result.fastest_s),
            seconds(result.cpu_s),
            megabytes(result.peak_bytes),
            megabytes(result.tree_bytes),
            megabytes(result.size_bytes),
            f"{result.files:,}",
            f"{result.wall_s / cold.wall_s:.2f}" if cold else "–",
            f"{result.cpu_s / cold.cpu_s:.2f}" if cold else "–",
            str(result.runs),
        )
        for result in measured
    ]


def _conclude(verdicts: Sequence[Verdict]) -> int:
    told = list(dict.fromkeys(map(str, verdicts)))
    print("\n" + "\n".join(told) if told else "")
    return 0 if all(verdict.is_kept for verdict in verdicts) else 1


def _say(text: str) -> None:
    """Where it stands, on a terminal's last line."""
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="" if text else "\r", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
