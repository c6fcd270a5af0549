"""What people install works as the checkout does: templates, static files, sentences and all."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.workshop import Workshop, talk_about

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel unpacked as pip would, and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def _run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the unpacked wheel ahead of the checkout."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=installed, env=environment, check=False, capture_output=True, text=True
    )


def test_wheel_holds_no_tests_and_no_sample(installed: Path) -> None:
    names = {path.name for path in installed.iterdir()}
    assert "sitegen" in names
    assert not names & {"tests", "site", "docs", "scripts", "templates", "static"}


def test_installed_sitegen_builds_the_same_site(installed: Path, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides", "`code`", "| a |\n|--|\n| b |"))
    workshop.configure()
    workshop.build()
    where = _run(installed, "-c", "import sitegen; print(sitegen.__file__)").stdout
    assert where.startswith(str(installed))
    config = str(tmp_path / "sitegen.toml")
    done = _run(installed, "-m", "sitegen", "-C", config, "build", "-o", str(tmp_path / "other"))
    assert done.returncode == 0, done.stderr
    other = {
        f.relative_to(tmp_path / "other").as_posix(): f.read_bytes()
        for f in (tmp_path / "other").rglob("*")
        if f.is_file()
    }
    assert other == workshop.tree()


def test_other_installation_looks_for_itself_whether_there_is_anything_to_do(installed: Path, tmp_path: Path) -> None:
    """What one program has built may be old news to another, whatever their versions say."""
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure()
    workshop.build()
    template = installed / "sitegen" / "_data" / "templates" / "base.html"
    before = template.read_text("utf-8")
    template.write_text(before.replace("</body>", "<!-- another --></body>"), encoding="utf-8")
    try:
        _run(installed, "-m", "sitegen", "-C", str(tmp_path / "sitegen.toml"), "build")
    finally:
        template.write_text(before, encoding="utf-8")
    assert "<!-- another -->" in workshop.page("index.html")
