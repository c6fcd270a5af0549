"""Compiled templates are kept between builds, and never trusted further than they can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.build.compiled import CompiledTemplates
from tests.support.sites import make_pages
from tests.support.workshop import EVERYTHING, Workshop, talk_about


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _scribble(path: Path) -> None:
    path.write_bytes(b"\0" * 200)


def _swap(path: Path) -> None:
    """Whole, but of another template."""
    other = next(each for each in sorted(path.parent.iterdir()) if each != path)
    path.write_bytes(other.read_bytes())


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [_cut, _scribble, _swap, _make_folder])
def test_damaged_ones_are_compiled_anew(workshop: Workshop, damage: Callable[[Path], None]) -> None:
    workshop.talk(talk_about("herons"))
    workshop.configure()
    workshop.build()
    made = workshop.tree()
    kept = list((workshop.folder / ".sitegen" / "templates").iterdir())
    assert kept
    for path in kept:
        damage(path)
    for path in sorted(workshop.public.rglob("*.html")):
        path.unlink()
    workshop.build()
    assert workshop.tree() == made


def test_folder_that_cant_be_written_is_done_without(workshop: Workshop) -> None:
    workshop.talk(talk_about("herons"))
    workshop.configure()
    (workshop.folder / ".sitegen").mkdir(mode=0o700)
    (workshop.folder / ".sitegen" / "templates").write_text("in the way")
    assert workshop.build()["written"] > 0


def test_all_can_be_compiled_before_any_page_is_made(tmp_path: Path) -> None:
    kept = CompiledTemplates(tmp_path / "templates")
    make_pages(compiled=kept).compile_all()
    count = len(list((tmp_path / "templates").iterdir()))
    make_pages(compiled=kept).not_found()
    assert len(list((tmp_path / "templates").iterdir())) == count > 1


@pytest.mark.parametrize("damage", [_cut, _scribble, _make_folder])
def test_damaged_style_sheets_are_joined_anew(workshop: Workshop, damage: Callable[[Path], None]) -> None:
    workshop.talk(talk_about("herons"))
    workshop.configure()
    workshop.build()
    made = workshop.tree()
    (kept,) = (workshop.folder / ".sitegen" / "assets").rglob("*.entry")
    damage(kept)
    for path in workshop.public.rglob("*.*s"):
        path.unlink()
    workshop.build()
    assert workshop.tree() == made


def test_style_sheets_are_joined_again_when_a_theme_changes(workshop: Workshop) -> None:
    style = workshop.folder / "mine" / "static" / "css" / "custom.css"
    style.parent.mkdir(parents=True)
    style.write_text(":root { --accent: teal }")
    workshop.talk(talk_about("herons"))
    workshop.configure(f'[theme]\nfolder = "mine"\n\n{EVERYTHING}')
    workshop.build()
    made = workshop.tree()
    style.write_text(":root { --accent: plum }")
    workshop.build()
    assert any("plum" in path.read_text() for path in workshop.public.rglob("*.css"))
    style.write_text(":root { --accent: teal }")
    workshop.build()
    assert workshop.tree() == made
