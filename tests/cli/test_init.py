"""`sitegen init`: a folder that a site can start from, and nothing lost that was there."""

from __future__ import annotations

import base64
import os
import re
import stat
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen import __version__
from sitegen.cli import main
from sitegen.config import load

FILES = [
    "sitegen.toml",
    ".gitignore",
    ".sitegen/.gitignore",
    ".sitegen/secrets.toml",
    ".github/workflows/pages.yml",
]


def init(folder: Path) -> Result:
    return CliRunner().invoke(main, ["init", str(folder)])


def test_new_folder_has_all_a_site_needs(tmp_path: Path) -> None:
    told = init(tmp_path / "a/b")
    assert told.exit_code == 0
    assert all((tmp_path / "a/b" / name).is_file() for name in FILES)
    assert "sitegen ingest" in told.stdout
    assert f"cd {tmp_path / 'a/b'}" in told.stdout


def test_configuration_made_is_a_good_one(tmp_path: Path) -> None:
    init(tmp_path)
    config = load(tmp_path / "sitegen.toml")
    assert config.source.projections == (tmp_path / "archive.duckdb",)
    assert (config.shares, config.rules, config.site.base_url) == ((), (), None)


def test_examples_in_the_configuration_are_good_ones(tmp_path: Path) -> None:
    init(tmp_path)
    path = tmp_path / "sitegen.toml"
    path.write_text(re.sub(r"^# (?=\[|\w+ = )", "", path.read_text(), flags=re.MULTILINE))
    config = load(path)
    assert len(config.shares) == len(config.rules) == 1
    assert config.site.base_url == "https://ann.github.io/talks/"


def test_secret_is_new_long_and_private(tmp_path: Path) -> None:
    secrets = []
    for name in ("one", "two"):
        init(tmp_path / name)
        path = tmp_path / name / ".sitegen/secrets.toml"
        secrets.append(tomllib.loads(path.read_text())["site_secret"])
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert secrets[0] != secrets[1]
    assert all(len(base64.urlsafe_b64decode(secret + "=")) == 32 for secret in secrets)


def test_secret_is_never_printed(tmp_path: Path) -> None:
    told = init(tmp_path)
    assert tomllib.loads((tmp_path / ".sitegen/secrets.toml").read_text())["site_secret"] not in told.output


def test_what_is_private_stays_out_of_a_repository(tmp_path: Path) -> None:
    init(tmp_path)
    ignored = (tmp_path / ".gitignore").read_text().splitlines()
    assert {".sitegen/", "public/", "*.duckdb"} <= set(ignored)
    for name in ("archive.duckdb", "archive.duckdb.wal", ".archive.duckdb.changes"):
        assert any(fnmatch(name, line) for line in ignored), name
    assert (tmp_path / ".sitegen/.gitignore").read_text() == "*\n"


def test_second_run_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    told = init(tmp_path)
    assert told.exit_code == 0
    assert "nothing was changed" in told.stdout
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == before


@pytest.mark.parametrize("name", FILES)
def test_file_that_is_there_is_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine\n")
    told = init(tmp_path)
    assert f"kept  {name}" in told.stdout
    assert (tmp_path / name).read_text() == "mine\n"


def test_gitignore_that_lacks_a_line_is_told(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("public/\n")
    assert "lacks *.duckdb, .sitegen/; add it before you commit" in init(tmp_path).stderr


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_secret_that_others_can_read_is_told(tmp_path: Path) -> None:
    init(tmp_path)
    (tmp_path / ".sitegen/secrets.toml").chmod(0o644)
    assert "can be read by others" in init(tmp_path).stderr


def test_workflow_below_the_top_of_a_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert f"move .github/workflows/pages.yml to {tmp_path}" in init(tmp_path / "site").stderr
    assert "move" not in init(tmp_path).stderr


@pytest.mark.parametrize("name", ["x", ".sitegen"], ids=["folder", "private-folder"])
def test_file_in_place_of_a_folder_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a file")
    told = init(tmp_path / "x" if name == "x" else tmp_path)
    assert told.exit_code == 1
    assert told.stderr.startswith("sitegen: ")
    assert (tmp_path / name).read_text() == "a file"


def test_workflow_builds_without_rights_and_pins_what_it_runs(tmp_path: Path) -> None:
    init(tmp_path)
    workflow = (tmp_path / ".github/workflows/pages.yml").read_text()
    uses = re.findall(r"uses: (\S+)", workflow)
    assert len(uses) == 4
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in uses)
    assert "permissions: {}" in workflow
    assert "cron:" in workflow
    # The package index knows another program by our name: the job fails until its owner says where ours is.
    assert 'pip install "${SITEGEN_PACKAGE:?' in workflow
    assert f"sitegen-{__version__}-py3-none-any.whl" in workflow
    assert "pip install sitegen" not in workflow


def test_init_doesn_t_take_a_configuration(tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["-C", str(tmp_path / "x.toml"), "init"])
    assert told.exit_code == 2
    assert "takes the folder as its argument" in told.stderr
