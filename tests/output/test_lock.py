"""Two builds at once: the second says so and with whom."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sitegen.errors import OutputError
from sitegen.output.layout import LOCK_FILE
from sitegen.output.lock import hold

_HOLDER = """
import sys
from pathlib import Path
from sitegen.output.lock import hold
with hold(Path(sys.argv[1]), output=Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def _other_build(state_folder: Path, output: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLDER, str(state_folder), str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_build_of_a_site_names_the_first(tmp_path: Path) -> None:
    with (
        _other_build(tmp_path / ".sitegen", tmp_path / "public") as other,
        pytest.raises(OutputError, match=rf"Another build is using .*\(process {other.pid}\)"),
        hold(tmp_path / ".sitegen", output=tmp_path / "elsewhere"),
    ):
        pass


def test_a_build_of_another_site_into_the_same_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    with (
        _other_build(tmp_path / "one", tmp_path / "public"),
        pytest.raises(OutputError, match=r"Another build is using .*public"),
        hold(tmp_path / "two", output=tmp_path / "public"),
    ):
        pass


def test_the_lock_of_a_killed_build_is_gone(tmp_path: Path) -> None:
    with _other_build(tmp_path / ".sitegen", tmp_path) as other:
        other.kill()
        other.wait()
        with hold(tmp_path / ".sitegen", output=tmp_path):
            pass


@pytest.mark.parametrize("content", ["", "4711\n", "not a number"])
def test_a_lock_file_left_behind_means_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / LOCK_FILE).write_text(content)
    with hold(tmp_path, output=tmp_path):
        pass


def test_builds_of_two_sites_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with _other_build(tmp_path / "one", tmp_path / "a"), hold(tmp_path / "two", output=tmp_path / "b"):
        pass


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="a part of its path is a file"), hold(tmp_path / "file/x", output=tmp_path):
        pass
