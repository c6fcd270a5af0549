"""Searching the whole site in a real browser: below a path and under the site's own policy, and from disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import OpenPage
from tests.support.server import ServeFolder
from tests.support.workshop import Workshop, share, talk_about

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
RUN = """axe.run(document, { preload: false })
  .then((found) => found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" | ")}`))"""

LONG = [line for n in range(120) for line in (f"Question {n} about the harbour?", f"Answer {n}: nothing new.")]
LISTED = "listed = true"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A site with search, and beside it the same one to be opened from disk."""
    workshop = Workshop(tmp_path_factory.mktemp("site"))
    workshop.talk(
        talk_about(
            "tides", "Where does the heron stand?", "In the **reed bed**, <b>always</b>.", title="Tides & <Herons>"
        ),
        talk_about("harbour", *LONG, "And the lighthouse keeper?", "He sleeps."),
        talk_about("merger", "Who owns the pearl?", "Nobody knows."),
    )
    shares = share("tides", "tides", LISTED) + share("harbour", "harbour", LISTED) + share("merger", "merger")
    workshop.configure(f"{shares}[search]\nenabled = true\n", base_url="https://ann.example.org/repo/")
    workshop.build()
    workshop.build("--offline", "-o", str(workshop.folder / "offline"))
    return workshop


@pytest.mark.parametrize("base", ["/", "/repo/"])
def test_search_finds_a_message_and_lands_on_it(
    site: Workshop, open_page: OpenPage, serve_folder: ServeFolder, base: str
) -> None:
    address = serve_folder(site.public, base=base)
    page = open_page(address)
    page.get_by_role("link", name="Search all conversations").click()
    page.get_by_role("searchbox").fill("reed")
    result = page.locator("#results li.entry")
    expect(result.locator("mark")).to_have_text("reed")
    expect(result.locator(".title")).to_have_text("Tides & <Herons>")
    result.get_by_role("link", name="Answer").click()
    expect(page.locator("article.answer.here")).to_contain_text("reed bed")
    expect(page.locator("article.answer.here")).to_be_in_viewport()


def test_what_was_typed_on_the_home_page_is_searched_for(
    site: Workshop, open_page: OpenPage, serve_folder: ServeFolder
) -> None:
    address = serve_folder(site.public, base="/repo/")
    page = open_page(address, width=390)
    page.locator("#filter").fill("reed bed")
    page.get_by_role("link", name="Search all conversations").click()
    expect(page.locator("#results li.entry")).to_have_count(1)
    assert page.url.endswith("/repo/search/?q=reed+bed")


@pytest.mark.skipif(not AXE.is_file(), reason="npm install fetches axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_results(
    site: Workshop, open_page: OpenPage, serve_folder: ServeFolder, scheme: str
) -> None:
    disk = (site.folder / "offline" / "index.html").as_uri()
    address = serve_folder(site.public)
    for url, field in ((f"{address}search/", "#query"), (disk, "#filter")):
        page = open_page(url, color_scheme=scheme, bypass_csp=True)
        page.locator(field).fill("heron")
        expect(page.locator("li.entry mark").first).to_be_visible()
        page.add_script_tag(path=AXE)
        assert page.evaluate(RUN) == []


def test_search_lands_in_a_further_part(site: Workshop, open_page: OpenPage, serve_folder: ServeFolder) -> None:
    address = serve_folder(site.public, base="/repo/")
    page = open_page(f"{address}search/?q=lighthouse")
    page.locator("#results .who").first.click()
    expect(page.locator("article.here")).to_contain_text("lighthouse keeper")
    assert "/s/harbour/2/" in page.url


def test_what_is_unlisted_is_not_found(site: Workshop, open_page: OpenPage, serve_folder: ServeFolder) -> None:
    address = serve_folder(site.public)
    page = open_page(f"{address}search/")
    page.get_by_role("searchbox").fill("pearl")
    expect(page.locator(".query output")).to_have_text("Nothing found")


def test_many_results_come_a_page_at_a_time(site: Workshop, open_page: OpenPage, serve_folder: ServeFolder) -> None:
    address = serve_folder(site.public)
    page = open_page(f"{address}search/?q=harbour")
    expect(page.locator("#results .lines li")).to_have_count(20)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#results .lines li")).to_have_count(40)


@pytest.mark.parametrize("width", [1280, 390], ids=["wide", "phone"])
@pytest.mark.parametrize("start", ["index.html", "p/talks/index.html"], ids=["home", "project"])
def test_search_on_disk_finds_a_prompt_and_lands_on_it(
    site: Workshop, open_page: OpenPage, start: str, width: int
) -> None:
    page = open_page((site.folder / "offline" / start).as_uri(), width=width)
    page.locator("#filter").fill("Heron STAND")
    result = page.locator(".results li.entry")
    expect(result.locator(".title")).to_have_text("Tides & <Herons>")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    result.get_by_role("link", name="Prompt").click()
    expect(page.locator("article.prompt.here")).to_contain_text("heron")


def test_search_on_disk_reaches_further_parts_and_says_nothing_when_there_is_nothing(
    site: Workshop, open_page: OpenPage
) -> None:
    page = open_page((site.folder / "offline" / "index.html").as_uri())
    page.locator("#filter").fill("pearl")
    expect(page.locator(".filter output")).to_have_text("Nothing found")
    expect(page.locator(".results")).to_be_hidden()
    page.locator("#filter").fill("lighthouse")
    page.locator(".results .who").first.click()
    expect(page.locator("article.here")).to_contain_text("lighthouse keeper")
    assert Path(page.url).parent.name == "2"
