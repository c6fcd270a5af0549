"""The example site as an archive: unpacked somewhere else and opened from disk, all of it works."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from sitegen.gate.vault import Vault
from tests.support.browser import OpenPage

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent


def sitegen(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "sitegen", "-C", str(folder / "sitegen.toml"), *arguments]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's folder, with two archives made of it."""
    folder = tmp_path_factory.mktemp("example")
    subprocess.run([sys.executable, ROOT / "site" / "make.py", folder], check=True, stdout=subprocess.DEVNULL)
    for name in ("one.zip", "two.zip"):
        sitegen(folder, "archive", "-o", str(folder / name))
    return folder


@pytest.fixture(scope="module")
def unpacked(workshop: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a folder elsewhere") / "the talks"
    with zipfile.ZipFile(workshop / "one.zip") as archive:
        archive.extractall(folder)
    return folder


def test_two_archives_of_the_example_have_one_hash(workshop: Path) -> None:
    assert (workshop / "one.zip").read_bytes() == (workshop / "two.zip").read_bytes()


def test_unpacked_example_and_the_published_one_are_as_the_manifest_says(workshop: Path, unpacked: Path) -> None:
    sitegen(workshop, "verify", str(workshop / "one.zip"))
    sitegen(workshop, "verify", str(unpacked))
    sitegen(workshop, "verify", str(workshop / "public"), "--manifest", str(workshop / "one.zip"))


def test_every_page_of_the_example_is_reached_from_disk(unpacked: Path, open_page: OpenPage) -> None:
    home = (unpacked / "index.html").as_uri()
    page = open_page(home)
    waiting, seen = [home], set[str]()
    while waiting:
        url = waiting.pop()
        if url not in seen:
            seen.add(url)
            page.goto(url)
            links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))")
            targets = (urljoin(url, link).split("#")[0] for link in links)
            waiting += [each for each in targets if each.startswith("file:") and each.endswith(".html")]
    assert len(seen) > 10
    assert all(url.endswith("/index.html") for url in seen if "/s/" in url)


def test_search_in_the_unpacked_example_lands_on_a_prompt(unpacked: Path, open_page: OpenPage) -> None:
    page = open_page((unpacked / "index.html").as_uri(), width=390)
    page.locator("#filter").fill("tide")
    page.locator(".results .who").first.click()
    expect(page.locator("article.prompt.here")).to_be_in_viewport()


def test_long_conversation_flows_in_from_disk(unpacked: Path, open_page: OpenPage) -> None:
    (second,) = [file.parent for file in unpacked.glob("s/*/2/index.html")]
    page = open_page((second.parent / "index.html").as_uri())
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".seam").first).to_be_attached()


def test_protected_pages_of_the_unpacked_example_open(workshop: Path, unpacked: Path, open_page: OpenPage) -> None:
    password = Vault.open(workshop).find(None, scope="day-curve")
    assert password is not None
    page = open_page((unpacked / "s" / "day-curve" / "index.html").as_uri())
    page.locator("input[type=password]").fill(password.value)
    page.locator("input[type=password]").press("Enter")
    expect(page.get_by_text("one hour early")).to_be_visible()
    expect(page.locator("main img").first).to_be_visible()
    page = open_page((unpacked / "s" / "specimen" / "index.html").as_uri())
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Every line now stands on the grid")).to_be_visible()
