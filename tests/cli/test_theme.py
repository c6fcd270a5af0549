"""`sitegen theme eject` starts a theme from ours and never overwrites what its owner wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.resources import resource_folder
from tests.support.workshop import EVERYTHING, Workshop, talk_about


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure()
    return workshop


def ejected(workshop: Workshop) -> set[str]:
    folder = workshop.folder / "theme"
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_named_files_are_copied_and_the_rest_is_told(workshop: Workshop) -> None:
    result = workshop.run("theme", "eject", "--only", "theme.css", "--only", "share")
    assert result.exit_code == 0
    assert ejected(workshop) == {"static/css/theme.css", "templates/share.html"}
    assert '[theme]\nfolder = "theme"' in result.stdout
    assert (workshop.folder / "theme/templates/share.html").read_bytes() == (
        resource_folder("templates") / "share.html"
    ).read_bytes()


def test_what_is_there_is_kept(workshop: Workshop) -> None:
    file = workshop.folder / "theme/templates/share.html"
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    result = workshop.run("theme", "eject")
    assert result.exit_code == 0
    assert file.read_text("utf-8") == "mine"
    assert "kept" in result.stdout
    assert "static/css/base.css" in ejected(workshop)


def test_all_that_is_copied_is_what_may_change_with_ones_own_version(workshop: Workshop) -> None:
    workshop.run("theme", "eject")
    names = ejected(workshop)
    assert {"templates/base.html", "static/css/theme.css", "static/icon.svg"} <= names
    assert not [name for name in names if name.endswith(".js")]
    assert "templates/gate.html" not in names
    workshop.configure('[theme]\nfolder = "theme"\n\n' + EVERYTHING)
    workshop.build()
    themed = workshop.tree()
    workshop.configure()
    workshop.build()
    assert {n: d for n, d in themed.items() if n != ".sitegen-files"} == {
        n: d for n, d in workshop.tree().items() if n != ".sitegen-files"
    }


def test_folder_of_the_configuration_is_used(workshop: Workshop) -> None:
    workshop.configure('[theme]\nfolder = "look/mine"\n\n' + EVERYTHING)
    result = workshop.run("theme", "eject", "--only", "css")
    assert (workshop.folder / "look/mine/static/css/base.css").is_file()
    assert "[theme]" not in result.stdout


@pytest.mark.parametrize(
    ("name", "hint"), [("shar.htm", "did you mean “share.html”?"), ("zzz", "there are: 404.html")], ids=["near", "far"]
)
def test_unknown_name_is_refused_with_the_nearest(workshop: Workshop, name: str, hint: str) -> None:
    result = workshop.run("theme", "eject", "--only", name)
    assert (result.exit_code, hint in result.stderr) == (2, True)
    assert not (workshop.folder / "theme").exists()


def test_file_in_the_way_is_told(workshop: Workshop) -> None:
    (workshop.folder / "theme").write_text("")
    result = workshop.run("theme", "eject", "--only", "theme.css")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr
