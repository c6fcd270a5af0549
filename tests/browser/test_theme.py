"""The how-to's theme in a real browser: font and picture load under the pages' security policy, its colours count."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import OpenPage
from tests.support.server import ServeFolder
from tests.support.workshop import EVERYTHING, Workshop, share, talk_about

pytestmark = pytest.mark.browser

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "make-it-yours.md"
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>'


def a_font() -> bytes:
    """A real font: one that a development package brings."""
    spec = find_spec("mkdocs")
    assert spec is not None
    assert spec.origin is not None
    return next(iter(sorted(Path(spec.origin).parent.rglob("*.woff2")))).read_bytes()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure('[theme]\nfolder = "theme"\n\n' + share("tides", "tides") + EVERYTHING)
    files = dict(re.findall(r"`(theme/[^`]+\.(?:css|html))`[^`]*```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    for name, text in {**files, "theme/static/logo.svg": LOGO}.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    fonts = tmp_path / "theme" / "static" / "fonts"
    fonts.mkdir()
    (fonts / "workshop.woff2").write_bytes(a_font())
    workshop.build()
    return workshop.public


@pytest.mark.parametrize(("scheme", "colour"), [("light", "rgb(247, 247, 242)"), ("dark", "rgb(20, 23, 26)")])
def test_theme_of_the_how_to_shows(
    site: Path, open_page: OpenPage, serve_folder: ServeFolder, scheme: str, colour: str
) -> None:
    page = open_page(f"{serve_folder(site, base='/notes/')}s/tides/", color_scheme=scheme)
    expect(page.get_by_text("Written with a machine, read by a person.")).to_be_visible()
    expect(page.locator("html")).to_have_css("background-color", colour)
    page.wait_for_function("[...document.fonts].some(font => font.family === 'Workshop' && font.status === 'loaded')")
    page.wait_for_function("document.querySelector('footer img').naturalWidth > 0")
