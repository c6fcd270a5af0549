"""Processes beside a build's own: begun before there is work when there surely will be, and never left behind."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import pytest

from sitegen.build import processes
from sitegen.build.processes import Outlook, Processes, is_any_newer, look_ahead
from sitegen.config import Config, load
from tests.support.workshop import EVERYTHING, Workshop, talk_about

Configure = Callable[..., Config]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """A configuration of a projection that takes so many bytes."""

    def make(*, size: int, share: str = "[[rule]]\nmatch = {}\n") -> Config:
        with (tmp_path / "archive.duckdb").open("wb") as file:
            file.truncate(size)
        path = tmp_path / "sitegen.toml"
        path.write_text(
            f'[site]\nbase_url = "https://ann.example.org/"\n[source]\nprojection = "archive.duckdb"\n{share}'
        )
        return load(path)

    return make


def look(config: Config, state_file: Path, *, is_full: bool = False) -> Outlook:
    return look_ahead(config, state_file=state_file, invocation="i", is_full=is_full)


def test_for_a_large_projection_without_a_site_all_is_to_be_done(configure: Configure, tmp_path: Path) -> None:
    config, state = configure(size=50_000_000), tmp_path / "state.db"
    assert look(config, state) is Outlook.ALL
    state.touch()
    assert look(config, state) is Outlook.UNSURE
    assert look(config, state, is_full=True) is Outlook.ALL


def test_a_small_projection_is_little(configure: Configure, tmp_path: Path) -> None:
    assert look(configure(size=1_000_000), tmp_path / "state.db", is_full=True) is Outlook.UNSURE


def test_single_shares_of_a_large_projection_are_little(configure: Configure, tmp_path: Path) -> None:
    config = configure(size=50_000_000, share='[[share]]\nconversation = "019"\n')
    assert look(config, tmp_path / "state.db") is Outlook.UNSURE


def test_a_missing_projection_is_left_to_whoever_reads_it(configure: Configure, tmp_path: Path) -> None:
    config = configure(size=0)
    (tmp_path / "archive.duckdb").unlink()
    assert look(config, tmp_path / "state.db") is Outlook.UNSURE


def test_what_was_written_to_since_the_last_build_will_have_something_new(tmp_path: Path) -> None:
    state, projection, other = tmp_path / "state.db", tmp_path / "a.duckdb", tmp_path / "b.duckdb"
    for second, file in enumerate((projection, other)):
        file.touch()
        os.utime(file, (second, second))
    assert is_any_newer([projection], state)
    state.touch()
    assert not is_any_newer([projection, other], state)
    os.utime(state, (0.5, 0.5))
    assert not is_any_newer([projection], state)
    assert is_any_newer([projection, other], state)


def test_pages_are_to_be_made_when_the_theme_has_changed_and_not_for_another_title(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_LARGE_BYTES", 1)
    begun: list[bool] = []
    monkeypatch.setattr(Processes, "begin", lambda _, *, renders: begun.append(renders))
    style = workshop.folder / "mine" / "static" / "theme.css"
    style.parent.mkdir(parents=True)
    style.write_text(":root { --accent: teal }")
    workshop.talk(talk_about("herons"))
    workshop.configure(f'[theme]\nfolder = "mine"\n\n{EVERYTHING}')
    workshop.build()
    assert begun == [True]
    workshop.configure(f'[theme]\nfolder = "mine"\n\n{EVERYTHING}', base_url="https://ann.example.org/birds/")
    workshop.build()
    assert begun == [True]
    style.write_text(":root { --accent: navy }")
    workshop.build()
    assert begun == [True, False]


def test_one_begun_early_has_loaded_what_rendering_needs_and_ends_with_the_build() -> None:
    with Processes(2) as begun:
        begun.begin(renders=True)
        loaded = begun.executor.submit(_loaded).result(timeout=60)
        assert {"sitegen.build.work", "sitegen.render.transcript", "pygments.lexers.python"} <= loaded
        assert len(multiprocessing.active_children()) == 1
    assert not multiprocessing.active_children()


def test_those_that_were_dismissed_have_ended_with_the_build() -> None:
    with Processes(2) as begun:
        begun.begin(renders=False)
        begun.dismiss()
    assert not multiprocessing.active_children()


def test_what_one_has_to_close_is_closed_when_it_ends(tmp_path: Path) -> None:
    with Processes(2) as begun:
        begun.executor.submit(_tell_at_the_end, tmp_path / "closed").result(timeout=60)
    assert (tmp_path / "closed").exists()


def test_others_work_where_pipes_between_them_cant_be_widened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_PIPE_BYTES", (1 << 32) - 1)
    with Processes(2) as begun:
        assert begun.executor.submit(len, bytes(3_000_000)).result(timeout=60) == 3_000_000


def test_a_build_that_may_use_one_process_begins_no_other() -> None:
    with Processes.of(1) as begun:
        begun.begin(renders=True)
        assert not multiprocessing.active_children()


def test_a_build_that_fails_leaves_no_process() -> None:
    with suppress(ValueError), Processes(2) as begun:
        begun.begin(renders=True)
        raise ValueError
    assert not multiprocessing.active_children()


def test_the_others_have_compiled_the_templates_before_there_is_a_page_to_make(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_LARGE_BYTES", 1)
    kept = workshop.folder / ".sitegen" / "templates"
    ask, by_others = Processes.ask, set[Path]()

    def wait(begun: Processes, call: Callable[[], Any]) -> Future[Any] | None:
        asked = ask(begun, call)
        assert asked is not None
        asked.result(timeout=60)
        by_others.update(kept.iterdir())
        return asked

    monkeypatch.setattr(Processes, "ask", wait)
    workshop.talk(talk_about("herons"))
    workshop.configure()
    workshop.build("--jobs", "2")
    assert by_others == set(kept.iterdir()) != set()


_ALONE = """
import sys, threading
from sitegen.build.processes import Processes
if sys.argv[1] == "threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
sys.modules["known_before"] = sys
with Processes(2) as begun:
    begun.begin(renders=False)
    print(begun.executor.submit(eval, "'known_before' in __import__('sys').modules").result(timeout=60))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none is forked")
@pytest.mark.parametrize(("others", "is_forked"), [("none", True), ("threads", False)])
def test_one_is_forked_where_nothing_else_runs_yet_and_never_beside_threads(others: str, is_forked: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, others], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == [str(is_forked)]


_UNDISTURBED = """
import signal, sys
from sitegen.build.processes import Processes
signal.signal(signal.SIGINT, getattr(signal, sys.argv[1]))
with Processes(2) as begun:
    print(begun.executor.submit(signal.getsignal, signal.SIGINT).result(timeout=60).name)
"""


@pytest.mark.parametrize("asked", ["SIG_IGN", "SIG_DFL"])
def test_others_are_as_deaf_to_ctrl_c_as_a_build_in_the_background(asked: str) -> None:
    command = [sys.executable, "-c", _UNDISTURBED, asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == [asked]


_LARGE = """
from sitegen.build import pool, processes
pool._WORTH_A_POOL = pool._SMALLEST_BATCH = processes._LARGE_BYTES = 1
from sitegen.cli import main
main()
"""


def test_forked_processes_make_the_same_site_and_leave_nothing(workshop: Workshop) -> None:
    workshop.talk(*(talk_about(f"subject{number}") for number in range(6)))
    workshop.configure()
    workshop.build("--jobs", "1")
    made = workshop.tree()
    shutil.rmtree(workshop.public)
    shutil.rmtree(workshop.folder / ".sitegen")
    command = [sys.executable, "-c", _LARGE, "--config", str(workshop.folder / "sitegen.toml"), "build", "--jobs", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert workshop.tree() == made
    assert not list((workshop.folder / ".sitegen" / "tmp").iterdir())
    workshop.build("--full")  # nobody holds the lock any more


def _tell_at_the_end(file: Path) -> None:
    Finalize(None, file.touch, exitpriority=0)


def _loaded() -> set[str]:
    return set(sys.modules)
