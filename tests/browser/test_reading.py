"""The reader's promises in a real browser, over http under a base path and from disk, with and without script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sitegen.model import ROOT, BranchPage, Card, ShareFile
from sitegen.pages import make_card
from tests.support.browser import OpenPage
from tests.support.server import serving
from tests.support.sites import make_pages, write
from tests.support.transcripts import PROJECT, image, make_exchange, make_exchanges, make_share, make_transcript

pytestmark = pytest.mark.browser

LATE = (
    '<details id="heavy"><summary>Output</summary><div class="detail"><pre>what</pre>'
    f'<p class="heavy"><a href="{ROOT}o/ab.html">16 kB</a></p></div></details>'
)


def _build(folder: Path, *, offline: bool = False) -> None:
    pages = make_pages(offline=offline)
    picture, file = image()
    long_line = f'<figure class="code"><pre tabindex="0"><code>{"wide " * 200}</code></pre></figure>'
    rich = make_exchange("0000", calls=2, prompt="Where is the needle?", more=picture + long_line + LATE)
    exchanges = [rich, *make_exchanges(250, calls=1)[1:]]
    output = ShareFile("o/ab.html", b'<pre class="term">what a tool said</pre>', "text/html")
    transcript = make_transcript(exchanges, files=(file, output), branches=(BranchPage("b-1", make_exchanges(2)),))
    share = make_share()
    cards: list[Card] = [make_card(share, transcript)]
    cards += [make_card(make_share(f"s{n}"), make_transcript(title=f"Conversation {n}")) for n in range(120)]
    documents = [*pages.share(share, transcript, is_project_listed=True), *pages.project(PROJECT, cards)]
    write(folder, [*documents, *pages.home([PROJECT], cards), *pages.extras([PROJECT], cards)])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the built site, under the base path /talks/."""
    folder = tmp_path_factory.mktemp("web")
    _build(folder / "talks")
    with serving(folder) as address:
        yield f"{address}talks/"


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the site built for opening from disk."""
    folder = tmp_path_factory.mktemp("disk")
    _build(folder, offline=True)
    return folder.as_uri() + "/"


SHARE = "s/empty-list/"


def _top(page: Page, selector: str) -> float:
    return float(page.eval_on_selector(selector, "element => element.getBoundingClientRect().top"))


def _is_open(page: Page, selector: str) -> bool:
    return bool(page.eval_on_selector(selector, "element => element.open"))


def test_without_script_all_is_readable_and_linked(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, java_script_enabled=False)
    expect(page.get_by_role("heading", level=1)).to_have_text("An empty list")
    expect(page.locator("#m-0000p")).to_be_visible()
    expect(page.locator("button:visible")).to_have_count(0)
    page.locator("summary", has_text="Ran 2 commands").click()
    expect(page.locator("#t-0000a-1")).to_be_visible()
    page.get_by_role("link", name="Continue with part 2").click()
    expect(page.locator("#m-0100p")).to_be_visible()


def test_without_script_the_outline_is_a_sheet_on_phones(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, width=390, java_script_enabled=False)
    expect(page.locator("#outline")).to_be_hidden()
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("link", name="Question number 7", exact=True).click()
    assert page.url.endswith("#x-0007p")


def test_a_permalink_opens_the_folds_on_its_way(open_page: OpenPage, served: str) -> None:
    page = open_page(f"{served}{SHARE}#t-0030a-0")
    expect(page.locator("#t-0030a-0")).to_be_in_viewport()
    assert _is_open(page, "#r-0030a")
    assert _is_open(page, "#t-0030a-0")
    expect(page.locator("#t-0030a-0.here")).to_have_count(1)


def test_an_open_fold_gives_its_link(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    page.locator("#r-0030a > summary").click()
    page.locator("#t-0030a-0 > summary").click()
    page.locator("#t-0030a-0").get_by_role("link", name="Link to this").click()
    assert page.url == f"{served}{SHARE}#t-0030a-0"
    expect(page.locator("#t-0030a-0.here")).to_have_count(1)


def test_a_permalink_into_an_activity_shows_it_where_activities_are_hidden(open_page: OpenPage, served: str) -> None:
    page = open_page(f"{served}{SHARE}?show=conversation#t-0030a-0")
    expect(page.locator("#t-0030a-0")).to_be_in_viewport()


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_a_bare_permalink_on_the_first_page_finds_its_part(
    open_page: OpenPage, where: str, request: pytest.FixtureRequest
) -> None:
    site = request.getfixturevalue(where)
    index = "" if where == "served" else "index.html"
    page = open_page(f"{site}{SHARE}{index}#m-0249a")
    page.wait_for_url(f"**/3/{index}#m-0249a")
    expect(page.locator("#m-0249a")).to_be_in_viewport()


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_the_next_part_flows_in(open_page: OpenPage, where: str, request: pytest.FixtureRequest) -> None:
    site = request.getfixturevalue(where)
    page = open_page(f"{site}{SHARE}index.html")
    page.locator(".parts").scroll_into_view_if_needed()
    expect(page.locator("#m-0199a")).to_be_attached()
    page.locator(".parts").scroll_into_view_if_needed()
    expect(page.locator("#m-0249a")).to_be_attached()
    expect(page.locator(".parts")).to_have_count(0)
    assert page.locator("#m-0100p .at").get_attribute("href").endswith("#m-0100p")  # type: ignore[union-attr]
    assert "/2/" in str(page.locator("#m-0100p .at").get_attribute("href"))


def test_a_link_to_what_flowed_in_stays_on_the_page(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    page.locator(".parts").scroll_into_view_if_needed()
    expect(page.locator("#m-0199a")).to_be_attached()
    page.evaluate("document.body.dataset.probe = 'same document'")
    page.locator(".rail a", has_text="Question number 120").click()
    expect(page.locator("#x-0120p")).to_be_in_viewport()
    assert page.url == f"{served}{SHARE}#x-0120p"
    assert page.evaluate("document.body.dataset.probe") == "same document"
    page.reload()
    page.wait_for_url("**/2/#x-0120p")


def test_a_further_part_has_the_whole_outline(open_page: OpenPage, served: str) -> None:
    page = open_page(f"{served}{SHARE}2/")
    expect(page.locator(".rail li")).to_have_count(250)
    page.locator(".rail a", has_text="Question number 249").click()
    page.wait_for_url("**/3/#x-0249p")


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_a_further_part_has_the_whole_timeline(open_page: OpenPage, where: str, request: pytest.FixtureRequest) -> None:
    site = request.getfixturevalue(where)
    index = "" if where == "served" else "index.html"
    page = open_page(f"{site}{SHARE}3/{index}")
    expect(page.locator(".timeline > a[href*='x-']").first).to_have_attribute("href", f"{site}{SHARE}{index}#x-0000p")
    expect(page.locator(".timeline > a.here")).to_have_count(1)
    page.locator(".timeline > a[href*='/2/'] > rect").first.dispatch_event("click")
    page.wait_for_url(f"**/2/{index}#x-*")


def test_a_picture_opens_large_in_its_place_and_gives_the_focus_back(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    link = page.locator("#m-0000a a:has(> img)")
    link.scroll_into_view_if_needed()
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="A white dot")
    expect(dialog.get_by_role("img", name="A white dot")).to_be_visible()
    assert page.url == served + SHARE
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_without_script_a_picture_is_a_link_to_its_file(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, java_script_enabled=False)
    expect(page.locator("#m-0000a a:has(> img)")).to_have_attribute("href", "i/0123456789abcdef.png")


def test_nothing_jumps_when_the_script_starts(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    shifts = page.evaluate(
        """new Promise((done) => {
          new PerformanceObserver((list) => done(list.getEntries().map((each) => each.value)))
            .observe({ type: "layout-shift", buffered: true });
          setTimeout(() => done([]), 300);
        })"""
    )
    assert sum(shifts) < 0.01


def test_chips_choose_remember_and_stand_in_the_address(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    chip = page.get_by_role("button", name="Conversation")
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#r-0000a")).to_be_hidden()
    assert page.url.endswith("?show=conversation")
    page.goto(served + SHARE)
    expect(page.locator("#r-0000a")).to_be_hidden()
    page.get_by_role("button", name="Everything").click()
    expect(page.locator("#t-0000a-1")).to_be_visible()
    page.get_by_role("button", name="+ activity").click()
    expect(page.locator("#t-0000a-1")).to_be_hidden()
    assert "show" not in page.url


def test_chips_keep_what_is_being_read_in_its_place(open_page: OpenPage, served: str) -> None:
    page = open_page(f"{served}{SHARE}#m-0040a")
    expect(page.locator("#m-0040a")).to_be_in_viewport()
    page.get_by_role("button", name="Everything").click()
    expect(page.locator("#m-0040a")).to_be_in_viewport()


def test_keys_move_search_and_switch(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert 0 <= _top(page, "#x-0001p") < 130
    page.keyboard.press("k")
    assert 0 <= _top(page, "#x-0000p") < 130
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("jt")
    expect(page.locator("#find")).to_have_value("jt")


def test_the_chosen_theme_holds_on_other_pages(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    for _ in ("light", "dark"):
        page.get_by_role("button", name="Theme").click()
    page.goto(served)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(23, 22, 20)"


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_search_opens_folds_and_looks_into_other_parts(
    open_page: OpenPage, where: str, request: pytest.FixtureRequest
) -> None:
    page = open_page(f"{request.getfixturevalue(where)}{SHARE}index.html")
    page.locator("#find").fill("no RULE 1")
    expect(page.locator(".find output")).to_have_text("0 of 1")
    page.locator("#find").press("Enter")
    expect(page.locator("#t-0000a-1 .detail")).to_be_in_viewport()
    page.locator("#find").fill("number 249")
    expect(page.locator(".elsewhere a")).to_have_text("Part 3")
    page.locator("#find").fill("nowhere to be found")
    expect(page.locator(".find output")).to_have_text("Nothing found")


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_a_heavy_output_comes_in_when_opened(open_page: OpenPage, where: str, request: pytest.FixtureRequest) -> None:
    page = open_page(f"{request.getfixturevalue(where)}{SHARE}index.html")
    page.locator("#heavy > summary").click()
    expect(page.locator("#heavy pre")).to_have_text("what a tool said")


def test_a_message_can_be_quoted_with_its_link(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#m-0000p .prose").hover()
    page.locator("#m-0000p").get_by_role("button", name="Quote").click()
    expect(page.locator("#m-0000p").get_by_role("button", name="Copied")).to_be_visible()
    quote = page.evaluate("navigator.clipboard.readText()")
    assert quote == f"> Where is the needle?\n\n{served}{SHARE}#m-0000p\n"


@pytest.mark.parametrize("where", ["served", "on_disk"])
def test_a_message_shows_its_source_and_gives_it_away(
    open_page: OpenPage, where: str, request: pytest.FixtureRequest
) -> None:
    site = request.getfixturevalue(where)
    page = open_page(f"{site}{SHARE}index.html", permissions=["clipboard-read", "clipboard-write"])
    message = page.locator("#m-0001a")
    message.hover()
    message.get_by_role("button", name="Source").click()
    expect(message.locator(".prose")).to_be_hidden()
    message.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == "Because *nothing* was added."
    message.get_by_role("button", name="As read").click()
    expect(message.locator(".prose")).to_be_visible()
    expect(message.locator(".source")).to_have_count(0)


def test_code_can_be_copied_and_wrapped(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, permissions=["clipboard-read", "clipboard-write"])
    code = page.locator("#m-0000a figure.code")
    code.hover()
    code.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == "wide " * 200
    code.get_by_role("button", name="Wrap").click()
    assert code.locator("pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")


def test_times_say_the_readers_own_zone(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE, timezone_id="Asia/Tokyo", locale="en-GB")
    page.locator("#m-0000p time").hover()
    title = page.locator("#m-0000p time").get_attribute("title")
    assert title
    assert "23:03:05" in title or "11:03:05" in title
    assert "GMT+9" in title or "JST" in title


@pytest.mark.parametrize("path", ["", "p/mailbox/", SHARE, f"{SHARE}2/", f"{SHARE}b-1/", f"{SHARE}o/ab.html"])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_nothing_scrolls_sideways_on_a_phone(open_page: OpenPage, served: str, path: str, script: bool) -> None:
    page = open_page(served + path, width=360, height=740, java_script_enabled=script)
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 360


def test_the_index_filters_in_place_and_across_its_pages(open_page: OpenPage, served: str) -> None:
    page = open_page(f"{served}p/mailbox/")
    expect(page.locator(".entry:visible")).to_have_count(100)
    page.locator("#filter").fill("conversation 11")
    expect(page.locator(".entry:visible")).to_have_count(11)
    expect(page.locator(".filter output")).to_have_text("11 found")
    page.locator("#filter").fill("nothing like it")
    expect(page.locator(".filter output")).to_have_text("Nothing found")
    page.locator("#filter").fill("")
    expect(page.locator(".entry:visible")).to_have_count(100)


def test_print_shows_no_chrome_and_cuts_no_code(open_page: OpenPage, served: str) -> None:
    page = open_page(served + SHARE)
    page.emulate_media(media="print")
    for chrome in (".bar", ".rail", ".controls", ".parts", ".drawer"):
        expect(page.locator(chrome).first).to_be_hidden()
    assert page.locator("figure.code pre").first.evaluate("pre => pre.scrollWidth <= pre.clientWidth")
