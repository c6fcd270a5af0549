"""The no-op path says "nothing to do" only when that is so."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from sitegen.output.layout import DOT_FILE
from sitegen.output.watch import Watch
from sitegen.stamps import stamp_input
from tests.output.world import NOW, World, page


def test_nothing_to_do_after_a_build(world: World) -> None:
    world.build({"a": page("A")}, next_expiry=NOW + timedelta(days=1))
    verdict = world.look()
    assert verdict.is_unchanged
    assert verdict.output == str(world.output)
    assert (verdict.files, verdict.next_expiry) == (2, (NOW + timedelta(days=1)).timestamp())


def test_nothing_was_built_yet(world: World) -> None:
    assert world.look().reason == "there was no build before"


def _edit_config(world: World) -> None:
    world.config.write_text("[Site]\n")


def _replace_config_keeping_size_and_time(world: World) -> None:
    status = world.config.stat()
    copy = world.root / "copy"
    copy.write_text("[SITE]\n")
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    copy.replace(world.config)


def _rewrite_config_keeping_size_time_and_inode(world: World) -> None:
    status = world.config.stat()
    time.sleep(0.02)
    world.config.write_text("[SITE]\n")
    os.utime(world.config, ns=(status.st_atime_ns, status.st_mtime_ns))


def _delete_config(world: World) -> None:
    world.config.unlink()


def _alter_page(world: World) -> None:
    (world.output / "s/a/index.html").write_text("B")


def _delete_page(world: World) -> None:
    (world.output / "s/a/index.html").unlink()


def _delete_dot_file(world: World) -> None:
    (world.output / DOT_FILE).unlink()


def _link_page(world: World) -> None:
    page = world.output / "s/a/index.html"
    page.rename(world.root / "page")
    page.symlink_to(world.root / "page")


@pytest.mark.parametrize(
    "change",
    [
        _edit_config,
        _replace_config_keeping_size_and_time,
        _rewrite_config_keeping_size_time_and_inode,
        _delete_config,
        _alter_page,
        _delete_page,
        _delete_dot_file,
        _link_page,
    ],
    ids=lambda change: change.__name__.strip("_").replace("_", " "),
)
def test_any_change_shows(world: World, change: Callable[[World], None]) -> None:
    world.build({"a": page("A")})
    change(world)
    assert not world.look().is_unchanged


def test_an_expiry_shows_when_its_time_has_come(world: World) -> None:
    world.build({}, next_expiry=NOW + timedelta(hours=1))
    assert world.look(now=NOW + timedelta(minutes=59)).is_unchanged
    assert world.look(now=NOW + timedelta(hours=1)).reason == "a share has expired"


def test_an_earlier_time_than_the_last_build_shows(world: World) -> None:
    world.build({})
    assert not world.look(now=NOW - timedelta(seconds=1)).is_unchanged


@pytest.mark.parametrize("now", [{"PASSWORD": "b"}, {"PASSWORD": ""}, {}], ids=["changed", "emptied", "unset"])
def test_a_changed_secret_in_the_environment_shows(world: World, now: dict[str, str]) -> None:
    world.build({}, environment={"PASSWORD": "a"})
    assert world.look(environment={"PASSWORD": "a", "OTHER": "x"}).is_unchanged
    assert world.look(environment=now).reason == "a secret in the environment has changed"


def test_a_secret_of_the_environment_is_not_in_the_state(world: World) -> None:
    world.build({}, environment={"PASSWORD": "correct horse battery"})
    assert b"correct horse" not in world.state_file.read_bytes()


def test_a_foreign_file_is_nothing_to_do(world: World) -> None:
    world.build({"a": page("A")})
    (world.output / "s/a/own.txt").write_text("mine")
    assert world.look().is_unchanged


def test_only_light_modules_are_imported() -> None:
    program = (
        "import sys; import sitegen.output.unchanged\n"
        "heavy = ('dataclasses', 'pathlib', 'inspect', 'typing', 'duckdb', 'jinja2')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert done.stdout.strip() == "[]"


# ------------------------------------------------------------------------------------------------------ watching


def test_a_file_that_appears_shows(tmp_path: Path) -> None:
    watch = Watch()
    watch.file(tmp_path / "archive.duckdb.wal")
    (path, before), *_ = watch.inputs.items()
    (tmp_path / "archive.duckdb.wal").touch()
    assert stamp_input(path) != before


def test_a_tree_is_watched_by_its_files_and_names(tmp_path: Path) -> None:
    (tmp_path / "t/sub").mkdir(parents=True)
    (tmp_path / "t/sub/a.html").touch()
    watch = Watch()
    watch.tree(tmp_path / "t")
    before = dict(watch.inputs)
    (tmp_path / "t/sub/b.html").touch()
    changed = [path for path, stamp in before.items() if stamp_input(path) != stamp]
    assert changed == [f"{tmp_path}/t/sub/"]


def test_caches_of_python_and_links_back_are_not_watched(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t/a.py").touch()
    (tmp_path / "t/loop").symlink_to(tmp_path / "t")
    watch = Watch()
    watch.tree(tmp_path / "t")
    before = dict(watch.inputs)
    (tmp_path / "t/__pycache__").mkdir()
    (tmp_path / "t/__pycache__/a.pyc").touch()
    assert {path: stamp_input(path) for path in before} == before


def test_a_change_in_the_tick_of_the_reading_shows(tmp_path: Path) -> None:
    file = tmp_path / "a"
    for _ in range(20):
        file.write_text("one")
        watch = Watch()
        watch.file(file)
        file.write_text("two")
        assert stamp_input(str(file)) != watch.inputs[str(file)]


def test_a_file_from_the_future_is_looked_at_each_time(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.touch()
    os.utime(file, (time.time() + 1000, time.time() + 1000))
    watch = Watch()
    watch.file(file)
    assert stamp_input(str(file)) != watch.inputs[str(file)]
