"""The preview in a real browser: what is saved shows by itself, faults come and go, protected pages too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.serving import preview_of
from tests.support.workshop import Workshop, share, talk_about

pytestmark = pytest.mark.browser

BASE = "https://ann.example.org/repo/"
SHARES = share("tides", "tides", "listed = true", 'title = "Ebb and flow"')
GATED = share("tides", "locked", 'gate = "password"', 'secret = "env:TIDES"', 'hint = "Ask Ann."')


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure(SHARES, base_url=BASE)
    monkeypatch.setenv("TIDES", "sandbar-lantern-quiet-otter-maple-drift")
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    return workshop


@pytest.fixture
def preview(workshop: Workshop, chromium: Browser) -> Iterator[Reader]:
    with preview_of(workshop.folder) as (address, _):
        page = chromium.new_page()
        yield Reader(page, address)
        page.close()


class Reader:
    """Somebody with the preview open. `complaints` is what the browser found wrong."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self._hearing = 0
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("websocket", lambda channel: channel.on("framesent", self._note))

    def _note(self, frame: str | bytes) -> None:
        self._hearing += '"info"' in str(frame)

    def open(self, path: str) -> None:
        """Opens a page and waits until it would hear of a change."""
        with self.listening():
            self.page.goto(self.address + path)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Waits, after what is done, until the page that came of it would hear of a change."""
        before = self._hearing
        yield
        while self._hearing == before:
            self.page.wait_for_timeout(20)


def test_saved_change_shows_by_itself(preview: Reader, workshop: Workshop) -> None:
    preview.open("s/tides/")
    assert "/repo/" in preview.page.url
    expect(preview.page.get_by_role("heading", name="Ebb and flow")).to_be_visible()
    with preview.listening():
        workshop.configure(SHARES.replace("Ebb and flow", "Spring tide"), base_url=BASE)
        expect(preview.page.get_by_role("heading", name="Spring tide")).to_be_visible()
    workshop.talk(talk_about("tides", "And at night?", "The same at night."))
    expect(preview.page.get_by_text("The same at night.")).to_be_visible()
    assert not preview.complaints


def test_protected_page_loads_itself_anew_under_its_strict_policy(preview: Reader, workshop: Workshop) -> None:
    preview.open("")
    with preview.listening():
        workshop.configure(GATED, base_url=BASE)
    preview.open("s/locked/")
    expect(preview.page.get_by_text("Ask Ann.")).to_be_visible()
    workshop.configure(GATED.replace("Ask Ann.", "Ask Bo."), base_url=BASE)
    expect(preview.page.get_by_text("Ask Bo.")).to_be_visible()
    assert not preview.complaints


def test_fault_shows_in_the_page_and_goes_when_it_is_mended(preview: Reader, workshop: Workshop) -> None:
    preview.open("s/tides/")
    with preview.listening():
        (workshop.folder / "sitegen.toml").write_text("[site\n")
        expect(preview.page.get_by_role("alert")).to_contain_text("valid TOML")
    workshop.configure(SHARES.replace("Ebb and flow", "Mended"), base_url=BASE)
    expect(preview.page.get_by_role("heading", name="Mended")).to_be_visible()


def test_wrong_address_shows_the_sites_own_page(preview: Reader) -> None:
    reply = preview.page.goto(f"{preview.address}s/nothing/here/")
    assert reply is not None
    assert reply.status == 404
    expect(preview.page.get_by_role("link", name="Notes").first).to_have_attribute("href", "/repo/")
