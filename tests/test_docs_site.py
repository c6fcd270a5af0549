"""The documentation builds into a site without a warning, loads nothing from elsewhere, and its pictures are real."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent
PICTURES = sorted((ROOT / "docs" / "images").glob("*.png"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` makes it: a link to a page or a heading that isn't there fails it."""
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {file.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for file in (ROOT / "docs").rglob("*.md")}
    assert pages <= {file.relative_to(site).as_posix() for file in site.rglob("*.html")}


def test_sections_come_in_a_readers_order(site: Path) -> None:
    bar = (site / "index.html").read_text("utf-8")
    places = [bar.index(f">{name}<") for name in ("Tutorial", "How to", "Reference", "Explanation")]
    assert places == sorted(places)


def test_nothing_loads_from_elsewhere(site: Path) -> None:
    for file in (*site.rglob("*.html"), *site.rglob("*.css")):
        text = file.read_text("utf-8")
        loads = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?([^\">\s]+)", text)
        loads += re.findall(r"<link[^>]*rel=\"(?:stylesheet|icon|preload)\"[^>]*href=\"([^\"]+)", text)
        loads += re.findall(r"(?:url\(|@import\s+)['\"]?([^'\")\s]+)", text) if file.suffix == ".css" else []
        assert not [load for load in loads if re.match(r"(?:https?:)?//", load)], file


def test_tables_and_code_are_such(site: Path) -> None:
    text = (site / "reference" / "configuration.html").read_text("utf-8")
    assert "<table" in text
    assert "<pre><code" in text
    assert "| --- |" not in text


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_picture_is_what_the_script_takes(picture: Path) -> None:
    script = (ROOT / "scripts" / "screenshots.py").read_text("utf-8")
    found = re.search(rf'Shot\("{picture.stem}", "[^"]+", (\d+), (\d+)', script)
    assert found is not None
    with Image.open(picture) as image:
        assert image.size == (int(found[1]), int(found[2]))
