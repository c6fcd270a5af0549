"""The example site shows what sitegen does, and gives away nothing that it protects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sitegen.gate.vault import Vault
from tests.support.browser import OpenPage
from tests.support.server import ServeFolder

ROOT = Path(__file__).parent.parent
PROTECTED_WORDS = (
    "Draw the day's tide as a curve",
    "The curve should peak at 04:10",
    "getUTCHours",
    "hoursAt(tide.time",
    "one hour early",
    "Set the specimen page on a baseline grid",
    "every line on the 20 px grid",
    "Every line now stands on the grid",
    "Notes for a fair that is over",
    "Which posters do we take",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, made as `make site` makes it."""
    folder = tmp_path_factory.mktemp("example")
    subprocess.run([sys.executable, ROOT / "site" / "make.py", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("output", ["public", "offline"])
def test_no_word_of_what_is_protected_or_expired_stands_anywhere(site: Path, output: str) -> None:
    files = {file: file.read_bytes() for file in (site / output).rglob("*") if file.is_file()}
    assert len(files) > 40
    for word in PROTECTED_WORDS:
        assert not [str(file) for file, data in files.items() if word.encode() in data], word


def test_password_that_make_site_prints_opens_the_protected_page(
    site: Path, open_page: OpenPage, serve_folder: ServeFolder
) -> None:
    password = Vault.open(site).find(None, scope="day-curve")
    assert password is not None
    address = serve_folder(site / "public")
    page = open_page(f"{address}s/day-curve/")
    page.locator("input[type=password]").fill(password.value)
    page.locator("input[type=password]").press("Enter")
    expect(page.get_by_text("one hour early")).to_be_visible()
    expect(page.locator("main img").first).to_be_visible()


def test_terms_are_asked_for_before_the_page_behind_them_opens(site: Path, open_page: OpenPage) -> None:
    page = open_page((site / "offline" / "s" / "specimen" / "index.html").as_uri())
    expect(page.get_by_text("Please don't pass it on")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Every line now stands on the grid")).to_be_visible()


def test_example_has_no_broken_link(site: Path) -> None:
    command = [sys.executable, "-m", "sitegen", "-C", str(site / "sitegen.toml"), "check"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
