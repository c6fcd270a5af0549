"""Processes beside a build's own: begun before there is work when there surely will be, and never left behind."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

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


def test_a_build_that_may_use_one_process_begins_no_other() -> None:
    with Processes.of(1) as begun:
        begun.begin(renders=True)
        assert not multiprocessing.active_children()


def test_a_build_that_fails_leaves_no_process() -> None:
    with suppress(ValueError), Processes(2) as begun:
        begun.begin(renders=True)
        raise ValueError
    assert not multiprocessing.active_children()


def _tell_at_the_end(file: Path) -> None:
    atexit.register(file.touch)


def _loaded() -> set[str]:
    return set(sys.modules)
