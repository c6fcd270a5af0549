"""Processes beside a build's own: begun before there is work when there surely will be, and never left behind."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sitegen.build.processes import Processes, has_surely_much
from sitegen.config import Config, load

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


def test_a_large_projection_without_a_site_is_much(configure: Configure, tmp_path: Path) -> None:
    config, state = configure(size=50_000_000), tmp_path / "state.db"
    assert has_surely_much(config, state_file=state, is_full=False)
    state.touch()
    assert not has_surely_much(config, state_file=state, is_full=False)
    assert has_surely_much(config, state_file=state, is_full=True)


def test_a_small_projection_is_little(configure: Configure, tmp_path: Path) -> None:
    assert not has_surely_much(configure(size=1_000_000), state_file=tmp_path / "state.db", is_full=True)


def test_single_shares_of_a_large_projection_are_little(configure: Configure, tmp_path: Path) -> None:
    config = configure(size=50_000_000, share='[[share]]\nconversation = "019"\n')
    assert not has_surely_much(config, state_file=tmp_path / "state.db", is_full=False)


def test_a_missing_projection_is_left_to_whoever_reads_it(configure: Configure, tmp_path: Path) -> None:
    config = configure(size=0)
    (tmp_path / "archive.duckdb").unlink()
    assert not has_surely_much(config, state_file=tmp_path / "state.db", is_full=False)


def test_one_begun_early_has_loaded_what_rendering_needs_and_ends_with_the_build() -> None:
    with Processes(2) as processes:
        processes.begin()
        loaded = processes.executor.submit(_loaded).result(timeout=60)
        assert {"sitegen.build.work", "sitegen.render.transcript"} <= loaded
        assert len(multiprocessing.active_children()) == 1
    assert not multiprocessing.active_children()


def test_a_build_that_may_use_one_process_begins_no_other() -> None:
    with Processes.of(1) as processes:
        processes.begin()
        assert not multiprocessing.active_children()


def test_a_build_that_fails_leaves_no_process() -> None:
    with suppress(ValueError), Processes(2) as processes:
        processes.begin()
        raise ValueError
    assert not multiprocessing.active_children()


def _loaded() -> set[str]:
    return set(sys.modules)
