"""How fast sessions are ingested, and beside chatstrata, whose schema projections are in: the same sessions, one run.

That chatstrata opens what sitegen wrote is looked at on the way.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from tests.bench.generate import Recipe
from tests.bench.lab import Lab, weigh
from tests.bench.limits import Verdict
from tests.bench.measure import Cost, FailedError, measure
from tests.bench.peers import install
from tests.bench.table import Row, megabytes, seconds, table

CHATSTRATA = "chatstrata==0.4.0"
LEAST_TIMES = 15
"""How many times the CPU time that sitegen takes it must take, at least."""
_RECIPE = Recipe()
_HEAD = ("program", "wall s", "CPU s", "MB/s", "MB/CPU s", "process MB", "projection MB", "CPU / sitegen")
_RATIO = "CPU of an ingest, in hundredths of chatstrata's"
_COUNT = "SELECT count(*) FROM content_blocks"


def compare(lab: Lab, *, repeat: int, say: Callable[[str], None]) -> tuple[str, list[Verdict]]:
    """A table of both on the same sessions, and whether the ratio is kept. Chatstrata runs once: it takes a minute."""
    folder, sessions = lab.workshop("ingesting"), lab.sessions(_RECIPE)
    size_bytes, files = weigh(sessions, "*.jsonl")
    missing: list[str] = []
    program = install(lab, CHATSTRATA, missing, say)
    ours = []
    for number in range(repeat):
        say(f"ingest: sitegen ({number + 1} of {repeat})")
        (folder / "ours.duckdb").unlink(missing_ok=True)
        ours.append(lab.run("ingest", "claude-code", str(sessions), "--db", "ours.duckdb", folder=folder))
    rows = [_row("sitegen", ours, size_bytes, folder / "ours.duckdb", own=ours)]
    verdicts: list[Verdict] = []
    if program is not None:
        say("ingest: chatstrata")
        theirs = [_measure_chatstrata(program, folder, sessions)]
        rows.append(_row("chatstrata 0.4.0", theirs, size_bytes, folder / "theirs.duckdb", own=ours))
        verdicts.append(Verdict(_RATIO, 100 * _cpu(ours) / _cpu(theirs), 100 / LEAST_TIMES))
        _require_opens(program, folder)
    told = f"ingest of {files} sessions, {megabytes(size_bytes)} MB\n\n{table(_HEAD, rows)}"
    return "\n".join([told, *(f"not measured: {reason}" for reason in missing)]), verdicts


def _measure_chatstrata(program: Path, folder: Path, sessions: Path) -> Cost:
    (folder / "theirs.duckdb").unlink(missing_ok=True)
    command = [str(program), "ingest", "claude_code", "--path", str(sessions), "--db", "theirs.duckdb"]
    return measure(command, folder=folder, variables={"HOME": str(folder)})


def _require_opens(program: Path, folder: Path) -> None:
    """Raises FailedError unless it finds in our projection what it finds in its own."""
    found = {}
    for name in ("ours.duckdb", "theirs.duckdb"):
        _ask(program, folder, "stats", "--db", name)
        found[name] = json.loads(_ask(program, folder, "query", "--db", name, "--json", _COUNT))
    if found["ours.duckdb"] != found["theirs.duckdb"]:
        msg = f"chatstrata finds other numbers of blocks in ours and in its own: {found}"
        raise FailedError(msg)


def _ask(program: Path, folder: Path, *arguments: str) -> str:
    result = subprocess.run([str(program), *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        msg = f"chatstrata {' '.join(arguments)} failed: {result.stderr[-500:]}"
        raise FailedError(msg)
    return result.stdout


def _row(name: str, costs: Sequence[Cost], size_bytes: int, projection: Path, *, own: Sequence[Cost]) -> Row:
    wall_s = median(cost.wall_s for cost in costs)
    return (
        name,
        seconds(wall_s),
        seconds(_cpu(costs)),
        megabytes(round(size_bytes / wall_s)),
        megabytes(round(size_bytes / _cpu(costs))),
        megabytes(max(cost.peak_bytes for cost in costs)),
        megabytes(projection.stat().st_size),
        f"{_cpu(costs) / _cpu(own):.1f}",
    )


def _cpu(costs: Sequence[Cost]) -> float:
    return median(cost.cpu_s for cost in costs)
