"""`sitegen check` as a user and a script meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen.cli import main
from tests.check.trees import page, plant


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


def test_a_sound_site_passes(tmp_path: Path) -> None:
    result = _run(str(plant(tmp_path)))
    assert (result.exit_code, result.output) == (0, "1 page of 1 file checked: 0 errors, 0 warnings\n")


def test_a_broken_link_fails_with_its_place(tmp_path: Path) -> None:
    result = _run(str(plant(tmp_path, index_html=page('<a href="gone/">x</a>'))))
    assert result.exit_code == 1
    assert "index.html:3: 'gone/' leads to gone/index.html, which isn't there\n" in result.output


def test_warnings_alone_pass_and_come_after_errors(tmp_path: Path) -> None:
    plant(tmp_path, assets__a_css=" " * 30_000)
    assert _run(str(tmp_path)).exit_code == 0
    plant(tmp_path, z_html=page('<a href="gone/">x</a>'))
    lines = _run(str(tmp_path)).output.splitlines()
    assert lines[0].startswith("z.html:")
    assert lines[1].startswith("warning: assets/a.css:")


def test_a_script_gets_all_findings(tmp_path: Path) -> None:
    body = "".join(f'<a href="{number}.html">x</a>' for number in range(60))
    result = _run(str(plant(tmp_path, index_html=page(body))), "--json")
    report = json.loads(result.output)
    assert (result.exit_code, report["ok"], len(report["findings"])) == (1, False, 60)
    assert report["findings"][0].keys() == {"path", "sentence", "line", "level"}


def test_a_person_is_spared_a_flood(tmp_path: Path) -> None:
    body = "".join(f'<a href="{number}.html">x</a>' for number in range(60))
    assert "… and 10 more; --json lists all" in _run(str(plant(tmp_path, index_html=page(body)))).output


def test_the_output_of_the_configuration_is_checked_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitegen.toml").write_text(
        '[site]\nbase_url = "https://ann.example/talks/"\n'
        '[source]\nprojection = "x.duckdb"\n[output]\ndirectory = "www"\n'
    )
    plant(tmp_path / "www", index_html=page('<a href="https://ann.example/talks/">x</a>'))
    monkeypatch.chdir(tmp_path)
    result = _run()
    assert result.exit_code == 1
    assert "names its own site by its address" in result.output


def test_names_in_a_tree_do_not_steer_the_terminal(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "a\x1b[31m.html").write_text("x")
    assert "\x1b" not in _run(str(tmp_path)).output
