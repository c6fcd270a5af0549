"""Measuring: what a command cost, how results are shown, which ratios fail a run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench import gated
from tests.bench.gated import measure_building
from tests.bench.generate import Recipe
from tests.bench.lab import Lab, weigh
from tests.bench.limits import judge
from tests.bench.measure import FailedError, measure
from tests.bench.steps import Result, Workload, by_step
from tests.bench.table import megabytes, table

COLD = Result("cold", 10.0, 9.0, 20.0, 200_000_000, 400_000_000, 1, 1, 1)
HOLD_MEMORY = "import time; block = b'x' * {size}; time.sleep(0.5)"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def _python(tmp_path: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-c", *arguments]


def test_memory_of_children_is_seen(tmp_path: Path) -> None:
    child = HOLD_MEMORY.format(size=80_000_000)
    cost = measure(_python(tmp_path, PARENT, child), folder=tmp_path)
    assert cost.peak_bytes > 80_000_000
    assert cost.tree_bytes is None or cost.tree_bytes > 80_000_000  # sampled, so the very peak may be missed
    assert cost.wall_s >= 0.5


def test_cpu_of_children_is_counted(tmp_path: Path) -> None:
    idle = measure(_python(tmp_path, "pass"), folder=tmp_path)
    busy = measure(_python(tmp_path, PARENT, "sum(range(8_000_000))"), folder=tmp_path)
    assert busy.cpu_s > idle.cpu_s


def test_command_that_fails_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(FailedError, match=r"(?s)exit code 3.*no ink"):
        measure(_python(tmp_path, "print('no ink'); raise SystemExit(3)"), folder=tmp_path)


@pytest.mark.parametrize(
    ("step", "cpu_s", "is_kept"),
    [
        pytest.param("no-op", 4.9, True, id="no-op-kept"),
        pytest.param("no-op", 5.1, False, id="no-op-too-slow"),
        pytest.param("one changed", 6.1, False, id="one-changed-too-slow"),
        pytest.param("template edit", 6.9, True, id="template-kept"),
    ],
)
def test_ratios_decide(step: str, cpu_s: float, is_kept: bool) -> None:
    (verdict,) = judge({"w": [COLD, replace(COLD, step=step, cpu_s=cpu_s)]})
    assert verdict.is_kept is is_kept
    assert ("ok" if is_kept else "TOO MUCH") in str(verdict)


def test_builds_of_a_moment_are_not_judged() -> None:
    moment = replace(COLD, cpu_s=1.0)
    assert not judge({"w": [moment, replace(moment, step="no-op")]})


@pytest.mark.parametrize(("peak", "is_kept"), [(259_000_000, True), (261_000_000, False)])
def test_memory_may_hardly_grow_with_the_number_of_conversations(peak: int, is_kept: bool) -> None:
    results = {"small": [COLD], "large": [replace(COLD, peak_bytes=peak)]}
    process, tree = judge(results, growing=("small", "large"))
    assert (process.is_kept, tree.is_kept) == (is_kept, True)


@pytest.mark.parametrize(("peak", "is_kept"), [(599_000_000, True), (601_000_000, False)])
def test_memory_of_a_giant_may_be_no_more_than_was_promised(peak: int, is_kept: bool) -> None:
    giant = replace(COLD, peak_bytes=peak)
    assert judge({"1x36000": [replace(giant, step="ingest"), giant]})[0].is_kept is is_kept
    assert not judge({"4000x60": [giant]})


def test_workloads_that_were_not_measured_are_not_compared() -> None:
    assert not judge({"small": [COLD]}, growing=("small", "large"))


@pytest.mark.parametrize(("cpu_s", "is_kept"), [(16.9, True), (17.1, False)])
def test_conversation_that_is_all_there_is_may_take_most_of_a_build(cpu_s: float, is_kept: bool) -> None:
    measured = [COLD, replace(COLD, step="one changed", cpu_s=cpu_s)]
    assert judge({"huge": measured}, alone=("huge",))[0].is_kept is is_kept
    assert not judge({"many": measured})[0].is_kept


def test_table_reads_as_markdown() -> None:
    shown = table(("step", "MB"), [("cold", megabytes(12_400_000)), ("no-op", megabytes(None))])
    assert shown.splitlines() == ["| step  | MB |", "| ----- | -: |", "| cold  | 12 |", "| no-op |  – |"]


def _heavy(folder: Path) -> Path:
    folder.mkdir()
    (folder / "page.html").write_bytes(b"x" * 1_000)
    return folder


def test_deleting_waits_until_all_is_measured(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.put_aside(_heavy(tmp_path / "site"), tmp_path / "never-made")
    assert not (tmp_path / "site").exists()
    assert len(list(tmp_path.rglob("page.html"))) == 1
    lab.clear()
    assert not list(tmp_path.rglob("page.html"))


def test_oldest_is_deleted_when_too_much_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bench.lab._MOST_ASIDE_BYTES", 2_000)
    lab = Lab(tmp_path)
    for name in ("first", "second", "third"):
        lab.put_aside(_heavy(tmp_path / name))
    assert len(list(tmp_path.rglob("page.html"))) == 2


@pytest.mark.slow
def test_only_a_site_that_knows_its_address_has_what_peers_do_not_make(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.set_up()
    made = []
    for knows_address in (True, False):
        workload = Workload(lab, "tiny", Recipe(sessions=2, messages=8), repeat=1, knows_address=knows_address)
        workload.measure(("cold",), say=lambda _: None)
        made.append({path.name for path in workload.site.rglob("*") if path.is_file()})
    assert made[0] - made[1] == {"poster.png", "feed.xml", "sitemap.xml"}
    assert not made[1] - made[0]


@pytest.mark.slow
def test_every_step_is_measured_on_a_real_build(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.set_up()
    workload = Workload(lab, "tiny", Recipe(sessions=2, messages=8), repeat=2)
    steps = ("ingest", "cold", "no-op", "ingest one", "one changed", "template edit", "config edit")
    results = by_step(workload.measure(steps, say=lambda _: None))
    assert tuple(results) == steps
    assert {result.runs for result in results.values()} == {2}
    assert results["no-op"].files == weigh(workload.site)[1]
    assert "<!-- tiny 1 --></body>" in (workload.site / "index.html").read_text(encoding="utf-8")


def test_what_gates_cost_is_judged_by_a_build_without(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.set_up()
    told, (share, derivations) = measure_building(
        lab, repeat=1, say=lambda _: None, recipe=Recipe(sessions=3, messages=4), most=-9
    )
    assert "3 shares, cold" in told
    assert not share.is_kept
    assert derivations.ratio == 1


@pytest.mark.browser
@pytest.mark.slow
def test_a_reader_s_waiting_is_measured_from_the_password_on(tmp_path: Path) -> None:
    lab = Lab(tmp_path, gated.SECRETS)
    lab.set_up()
    workload = gated.GatedWorkload(lab, "tiny", Recipe(sessions=1, messages=8), repeat=1)
    workload.measure(("cold",), say=lambda _: None)
    (opening,) = gated.open_repeatedly(workload.site, repeat=1)
    assert opening.first_ms > 0
    assert 0 < opening.document_ms <= opening.whole_ms
    assert opening.opened_bytes > 0
