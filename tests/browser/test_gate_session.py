"""Remembering, locking, leaving and coming back, expiry and the counter: what stays in a browser, and what doesn't."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser import OpenPage, launch_with_page_cache
from tests.support.gates import PASSWORD, Gated, Host, by_terms_alone, link_of, serve, write_gated
from tests.support.transcripts import make_exchange, make_transcript

pytestmark = pytest.mark.browser

LINK = bytes(range(100, 132))
DAY_S = 86_400
TALK = make_transcript([make_exchange("0000", prompt="Where is the needle?", answer="In the haystack.")])
EXPIRES = 2_000_000_000


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    for share in (Gated(links=(LINK,)), Gated("again"), Gated("other", passwords=("another six words",))):
        write_gated(tmp_path, share, TALK)
    with serve(tmp_path) as running:
        yield running


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context()
    yield made
    made.close()


def expect_open(page: Page) -> None:
    expect(page.get_by_text("In the haystack.")).to_be_visible()


def expect_shut(page: Page, *, asks: bool = True) -> None:
    expect(page.get_by_text("haystack")).to_have_count(0)
    expect(page.locator("#ask")).to_be_visible(visible=asks)
    assert "haystack" not in page.content()
    expect(page).to_have_title("Protected page")


def unlock(page: Page, url: str, *, keep: bool = False, password: str = PASSWORD) -> None:
    page.goto(url)
    page.locator("#secret").fill(password)
    if keep:
        page.locator("#keep").check()
    page.keyboard.press("Enter")
    expect_open(page)


def test_nothing_is_remembered_unless_asked(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    unlock(page, host.url())
    page.reload()
    expect_shut(page)


def test_remembered_password_opens_every_page_of_its_group(context: BrowserContext, host: Host) -> None:
    """It survives loading again and a rebuild; a page of another password stays shut."""
    page = context.new_page()
    unlock(page, host.url(), keep=True)
    page.reload()
    expect_open(page)
    page.goto(host.url("again"))
    expect_open(page)
    write_gated(host.folder, Gated(), make_transcript([make_exchange("0000", answer="In the haystack. Rebuilt.")]))
    page.goto(host.url())
    expect(page.get_by_text("Rebuilt.")).to_be_visible()
    page.goto(host.url("other"))
    expect_shut(page)


def test_remembered_password_dies_with_a_new_one(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    unlock(page, host.url(), keep=True)
    write_gated(host.folder, Gated(passwords=("six quite new words here",)), TALK)
    page.goto(host.url())
    expect_shut(page)
    expect(page.locator("#said")).to_be_empty()


def test_remembered_password_dies_after_its_days(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    page.clock.install()
    unlock(page, host.url(), keep=True)
    page.clock.set_system_time(time.time() + 29 * DAY_S)
    page.reload()
    expect_open(page)
    page.clock.set_system_time(time.time() + 31 * DAY_S)
    page.reload()
    expect_shut(page)
    assert _kept(page) == []


def _kept(page: Page) -> list[bool]:
    """Of each key in the browser's store whether it could be taken out."""
    found: list[bool] = page.evaluate(
        """() => new Promise((resolve) => {
          const opening = indexedDB.open("sitegen", 1);
          opening.onsuccess = () => {
            const asked = opening.result.transaction("keys").objectStore("keys").getAll();
            asked.onsuccess = () => resolve(asked.result.map((each) => each.key.extractable));
          };
        })"""
    )
    return found


def test_remembered_key_cannot_be_taken_out(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    unlock(page, host.url(), keep=True)
    page.reload()
    expect_open(page)
    assert set(_kept(page)) == {False}
    assert PASSWORD not in str(page.context.storage_state(indexed_db=True))


def test_open_page_can_be_remembered_later(context: BrowserContext, host: Host) -> None:
    """A link's key opens its own page only."""
    page = context.new_page()
    page.goto(host.url() + link_of(LINK))
    expect_open(page)
    page.get_by_role("button", name="Remember for 30 days").click()
    expect(page.get_by_role("button", name="Remember for 30 days")).to_have_count(0)
    page.reload()
    expect_open(page)
    page.goto(host.url("again"))
    expect_shut(page)


def test_remembered_link_opens_every_page_it_was_made_for(context: BrowserContext, host: Host) -> None:
    """As the link of a protected project, which opens its index and its pages."""
    write_gated(host.folder, Gated("again", links=(LINK,)), TALK)
    page = context.new_page()
    page.goto(host.url() + link_of(LINK))
    expect_open(page)
    page.get_by_role("button", name="Remember for 30 days").click()
    expect(page.get_by_role("button", name="Remember for 30 days")).to_have_count(0)
    page.goto(host.url("again"))
    expect_open(page)


def test_remembering_is_not_offered_where_its_owner_says_so(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, Gated("never", days=0), TALK)
    page = context.new_page()
    unlock(page, host.url("never"))
    expect(page.get_by_role("button", name="Remember")).to_have_count(0)


def test_lock_wipes_every_tab_and_what_was_remembered(context: BrowserContext, host: Host) -> None:
    first, second, third = (context.new_page() for _ in range(3))
    unlock(first, host.url(), keep=True)
    second.goto(host.url("again"))
    expect_open(second)
    unlock(third, host.url("other"), password="another six words")
    first.get_by_role("button", name="Lock").click()
    for page in (first, second, third):
        expect_shut(page)
    first.reload()
    expect_shut(first)
    first.locator("#secret").fill(PASSWORD)
    first.keyboard.press("Enter")
    expect_open(first)


def test_address_with_lock_locks(context: BrowserContext, host: Host) -> None:
    page, other = context.new_page(), context.new_page()
    unlock(page, host.url(), keep=True)
    other.goto(host.url("again") + "#lock")
    expect_shut(other)
    assert other.url == host.url("again")
    expect_shut(page)
    unlock(page, host.url())
    page.evaluate("() => { location.hash = 'lock' }")
    expect_shut(page)


def test_locked_agreement_asks_again(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, by_terms_alone(slug="terms"), TALK)
    page = context.new_page()
    page.goto(host.url("terms"))
    page.locator("#accept").click()
    expect_open(page)
    page.get_by_role("button", name="Lock").click()
    expect(page.get_by_text("haystack")).to_have_count(0)
    expect(page.locator("#accept")).to_be_visible()


def test_locking_leaves_nothing_in_the_page(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    unlock(page, host.url())
    page.locator("#find").fill("haystack")
    page.get_by_role("button", name="Lock").click()
    expect_shut(page)
    assert page.evaluate("() => [...CSS.highlights.values()].reduce((sum, each) => sum + each.size, 0)") == 0
    assert page.locator("body").evaluate("body => ({...body.dataset})") == {}


@pytest.mark.parametrize("keep", [False, True], ids=["not remembered", "remembered"])
def test_back_from_another_page_asks_again_unless_remembered(chromium: Browser, host: Host, keep: bool) -> None:
    """In a browser that keeps pages left behind as they were, as readers' browsers do."""
    (host.folder / "next.html").write_text("<!doctype html><title>Next</title>")
    browser = launch_with_page_cache(chromium)
    page = browser.new_page()
    page.add_init_script("addEventListener('pageshow', (event) => { globalThis.isKept = event.persisted; })")
    unlock(page, host.url(), keep=keep)
    page.goto(host.base + "next.html")
    page.go_back(wait_until="commit")
    expect(page.locator("#ask")).to_be_visible(visible=not keep)
    expect(page.get_by_text("haystack")).to_have_count(int(keep))
    assert page.evaluate("() => globalThis.isKept")
    browser.close()


def test_page_left_behind_holds_nothing(context: BrowserContext, host: Host) -> None:
    """Pages kept by the browser for Back are wiped when they are left, and ask again."""
    page = context.new_page()
    unlock(page, host.url())
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    expect(page.get_by_text("haystack")).to_have_count(0)
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect_shut(page)


def test_remembered_page_is_veiled_until_its_key_is_found_again(context: BrowserContext, host: Host) -> None:
    page, other = context.new_page(), context.new_page()
    unlock(page, host.url(), keep=True)
    leave = "() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))"
    come = "() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    page.evaluate(leave)
    expect(page.get_by_text("In the haystack.")).to_be_hidden()
    page.evaluate(come)
    expect_open(page)
    page.evaluate(leave)
    other.goto(host.url())
    expect_open(other)
    other.evaluate("() => indexedDB.deleteDatabase('sitegen')")
    page.evaluate(come)
    expect_shut(page)


def test_back_after_lock_shows_nothing(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    unlock(page, host.url(), keep=True)
    page.goto(host.url("again"))
    expect_open(page)
    page.get_by_role("button", name="Lock").click()
    expect_shut(page)
    page.go_back()
    expect_shut(page)


@pytest.mark.parametrize(("seconds", "is_open"), [(-2, True), (-1, True), (0, False), (1, False)])
def test_expiry_holds_to_the_second(context: BrowserContext, host: Host, seconds: int, is_open: bool) -> None:
    write_gated(host.folder, Gated("brief", lock={"expires": EXPIRES}), TALK)
    page = context.new_page()
    page.clock.set_fixed_time(EXPIRES + seconds)
    page.goto(host.url("brief"))
    expect(page.locator("#ask")).to_be_visible(visible=is_open)
    if not is_open:
        expect(page.locator("#said")).to_contain_text("limited time, which is over")


def test_page_closes_itself_when_its_time_comes(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, Gated("brief", lock={"expires": EXPIRES}), TALK)
    page = context.new_page()
    page.clock.install(time=EXPIRES - 200)
    unlock(page, host.url("brief"))
    page.clock.run_for(190_000)
    expect_open(page)
    page.clock.run_for(11_000)
    expect_shut(page, asks=False)
    expect(page.locator("#said")).to_contain_text("limited time, which is over")


def test_expired_page_asks_for_no_agreement(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, by_terms_alone(slug="terms", lock={"expires": EXPIRES}), TALK)
    page = context.new_page()
    page.clock.set_fixed_time(EXPIRES)
    page.goto(host.url("terms"))
    expect(page.locator("#said")).to_contain_text("limited time")
    expect(page.locator("#agreement")).to_be_hidden()


def test_views_are_counted_in_this_browser(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, Gated("twice", lock={"limit": 2}), TALK)
    page = context.new_page()
    for count in (1, 2):
        unlock(page, host.url("twice"))
        expect(page.locator(".views")).to_have_text(f"{count} of 2 views in this browser")
    page.goto(host.url("twice"))
    expect(page.locator("#said")).to_contain_text("counts only its own visits")
    expect_shut(page, asks=False)


def test_code_is_remembered_as_used_in_this_browser(context: BrowserContext, host: Host) -> None:
    codes = ("ABCDEFGHJK00MNPQ", "0123456789ABCDEF")
    write_gated(host.folder, Gated("codes", ask="otp", passwords=(), codes=codes), TALK)
    page = context.new_page()
    for code in codes:
        unlock(page, host.url("codes"), password=code)
        page.goto(host.url("codes"))
        page.locator("#secret").fill(code.lower())
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text("was used in this browser")
        expect_shut(page)
    stored = page.evaluate("JSON.stringify(localStorage)")
    assert not [code for code in codes if code in stored]


def test_page_locked_while_it_is_being_remembered_is_not(context: BrowserContext, host: Host) -> None:
    page, other = context.new_page(), context.new_page()
    other.goto(host.url("again"))
    page.goto(host.url())
    expect(page.locator("#secret")).to_be_focused()
    other.evaluate(_HOLD_STORE)
    page.locator("#secret").fill(PASSWORD)
    page.locator("#keep").check()
    page.keyboard.press("Enter")
    expect_open(page)
    page.get_by_role("button", name="Lock").click()
    other.evaluate("() => { window.released = true; }")
    expect_shut(page)
    page.wait_for_timeout(500)
    expect(page.locator("#said")).to_be_empty()
    assert _kept(page) == []


_HOLD_STORE = """() => new Promise((resolve) => {
  const opening = indexedDB.open("sitegen", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
  opening.onsuccess = () => {
    const store = opening.result.transaction("keys", "readwrite").objectStore("keys");
    const hold = () => { if (!window.released) store.get("x").onsuccess = hold; };
    hold();
    resolve();
  };
})"""


def test_page_exposes_none_of_its_functions(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    names = ["opened", "envelope", "lastRoot", "linkSecret", "open", "unwrapped", "keepKey", "loaded", "strings"]
    own = page.evaluate("names => names.filter((name) => Object.hasOwn(globalThis, name))", names)
    assert own == ["open"]
    assert "[native code]" in page.evaluate("() => String(globalThis.open)")


def test_view_that_never_came_is_not_counted(context: BrowserContext, host: Host) -> None:
    write_gated(host.folder, Gated("once", lock={"limit": 1}), TALK)
    page = context.new_page()
    page.route("**/*.bin*", lambda route: route.abort())
    page.goto(host.url("once"))
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("Check the connection")
    page.unroute("**/*.bin*")
    page.get_by_role("button", name="Try again").click()
    expect_open(page)


def test_page_locked_while_it_opens_stays_shut(context: BrowserContext, host: Host) -> None:
    page, other = context.new_page(), context.new_page()
    page.goto(host.url())
    other.goto(host.url("again"))
    page.evaluate(
        """() => {
          const derive = crypto.subtle.deriveBits.bind(crypto.subtle);
          crypto.subtle.deriveBits = async (how, ...rest) => {
            if (how.name === "PBKDF2") await new Promise((resolve) => (globalThis.goOn = resolve));
            return derive(how, ...rest);
          };
        }"""
    )
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#busy")).to_be_visible()
    other.evaluate("() => { location.hash = 'lock' }")
    expect(page.locator("#secret")).to_have_value("")
    page.evaluate("() => globalThis.goOn()")
    page.wait_for_timeout(500)
    expect_shut(page)
