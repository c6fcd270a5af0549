"""What keeps a protected page from opening, and what a reader is told then: script, transport, age, frames, hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import OpenPage
from tests.support.gates import (
    PASSWORD,
    Gated,
    Host,
    HostFolder,
    by_terms_alone,
    change_envelope,
    enter,
    expect_open,
    expect_said,
    link_of,
    serve,
    write_gated,
)
from tests.support.transcripts import make_exchange, make_transcript

pytestmark = pytest.mark.browser

LINK = bytes(range(100, 132))
TERMS = "<h2>Terms</h2><p>Keep it to <b>yourself</b>.</p>"
SHARES = [
    Gated(links=(LINK,)),
    Gated("mail", ask="email", passwords=(), mails=(("bo@example.org", "ABCDEFGHJK00MNPQ"),)),
    Gated("agreed", terms=TERMS, links=(LINK,)),
    by_terms_alone(slug="terms"),
    Gated("newer"),
]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("site")
    transcript = make_transcript([make_exchange("0000", prompt="Where is the needle?", answer="In the haystack.")])
    for share in SHARES:
        write_gated(folder, share, transcript)
    change_envelope(folder, "newer", lambda envelope: envelope.update(core="eyJ2IjoyfQ"))
    with serve(folder) as running:
        yield running


def test_newer_format_has_its_own_sentence(open_page: OpenPage, host: Host) -> None:
    expect_said(open_page(host.url("newer")), "needs a newer reader")


def test_without_script_the_page_says_so(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url(), java_script_enabled=False)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("noscript p")).to_contain_text("opens with JavaScript")
    expect(page.locator("#ask")).to_be_hidden()


def test_plain_http_offers_the_https_address(chromium: Browser, host: Host) -> None:
    page = chromium.new_context().new_page()
    _pretend(page, "http://talks.example.org/", host)
    page.goto("http://talks.example.org/s/talk/" + link_of(LINK))
    expect(page.locator("#said")).to_contain_text("secure connection")
    expect(page.locator("#ask")).to_be_hidden()
    link = page.locator("#said a")
    assert link.get_attribute("href") == "https://talks.example.org/s/talk/" + link_of(LINK)
    expect(link).to_have_text("https://talks.example.org/s/talk/")
    page.context.close()


def _pretend(page: Page, address: str, host: Host) -> None:
    """Has the host's files come from `address`."""

    def answer(route: Any) -> None:
        path = host.folder / route.request.url.removeprefix(address).partition("#")[0]
        file = path / "index.html" if path.is_dir() else path
        route.fulfill(path=file)

    page.route(address + "**", answer)


def test_framed_page_asks_for_nothing(chromium: Browser, host: Host) -> None:
    (host.folder / "frame.html").write_text('<!doctype html><title>x</title><iframe src="s/talk/"></iframe>')
    page = chromium.new_context().new_page()
    page.goto(host.base + "frame.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#said")).to_contain_text("shown inside another one")
    expect(frame.locator("#ask")).to_be_hidden()
    expect(frame.locator("#said a")).to_have_attribute("target", "_blank")
    page.context.close()


def test_old_browser_is_told(chromium: Browser, host: Host) -> None:
    page = chromium.new_context().new_page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(host.url())
    expect_said(page, "can’t open the page")
    page.context.close()


def test_browser_that_cannot_read_the_script_is_told_after_a_while(chromium: Browser, host: Host) -> None:
    page = chromium.new_context().new_page()
    page.route("**/s/talk/", lambda route: route.fulfill(body=_unreadable(host), content_type="text/html"))
    page.goto(host.url())
    expect(page.locator(".aged")).to_be_hidden()
    expect(page.locator(".aged")).to_be_visible()
    page.context.close()


def _unreadable(host: Host) -> str:
    return (host.folder / "s/talk/index.html").read_text().replace("<script>(()", "<script>?.(()")


@pytest.mark.parametrize("how", ["throws", "missing"])
def test_storage_that_fails_keeps_nobody_out(chromium: Browser, host: Host, how: str) -> None:
    page = chromium.new_context().new_page()
    lie = "throw new DOMException('no', 'SecurityError')" if how == "throws" else "return undefined"
    page.add_init_script(
        f"""for (const name of ["indexedDB", "localStorage"])
          Object.defineProperty(globalThis, name, {{ get() {{ {lie} }} }});"""
    )
    page.goto(host.url("agreed"))
    page.locator("#accept").click()
    page.locator("#keep").check()
    enter(page, PASSWORD)
    expect_open(page)
    expect(page.locator("#note")).to_contain_text("doesn’t let the page remember")
    page.context.close()


def test_offline_is_told_and_can_be_tried_again(chromium: Browser, host: Host) -> None:
    page = chromium.new_context().new_page()
    page.goto(host.url())
    page.route("**/*.bin*", lambda route: route.abort())
    enter(page, PASSWORD)
    expect_said(page, "Check the connection")
    page.unroute("**/*.bin*")
    page.get_by_role("button", name="Try again").click()
    expect_open(page)
    page.context.close()


@pytest.mark.parametrize("status", [200, 404])
def test_page_of_the_host_in_place_of_the_body_is_damage(chromium: Browser, host: Host, status: int) -> None:
    page = chromium.new_context().new_page()
    page.goto(host.url())
    page.route("**/b.*.bin", lambda route: route.fulfill(status=status, body="<!doctype html><p>haystack 404</p>"))
    enter(page, PASSWORD)
    expect_said(page, "incomplete or was altered")
    page.context.close()


AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"


@pytest.mark.skipif(not AXE.is_file(), reason="npm install fetches axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("slug", ["talk", "mail", "terms", "newer"])
def test_axe_finds_nothing(open_page: OpenPage, host: Host, slug: str, scheme: str) -> None:
    page = open_page(host.url(slug), color_scheme=scheme, bypass_csp=True)
    if slug == "talk":
        enter(page, "something else ")
        expect_said(page, "doesn’t open the page")
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        "() => axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | ')))"
    )
    assert found == []


@pytest.mark.parametrize(("width", "language"), [(320, "en"), (390, "de"), (390, "ar")])
def test_nothing_scrolls_sideways_on_a_phone(
    open_page: OpenPage, host_folder: HostFolder, tmp_path: Path, width: int, language: str
) -> None:
    write_gated(tmp_path, Gated(terms=TERMS, lock={"limit": 9}), language=language)
    served = host_folder(tmp_path)
    page = open_page(served.url(), width=width, height=700)
    for shown in ("#accept", "#secret", ".lock-now"):
        expect(page.locator(shown)).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        if shown == "#accept":
            page.locator(shown).click()
        if shown == "#secret":
            enter(page, PASSWORD)
