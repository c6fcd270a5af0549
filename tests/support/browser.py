"""A real Chromium for tests: the one on the PATH, else Playwright's own. Pages that misbehave are caught here.

`chromium` is the browser of a test run; `open_page` opens pages and, when the test ends, fails it if any of them wrote
an error to the console, threw, or asked another origin for anything. Pages are closed before any fixture of the test
ends, so that none asks a server that is gone already.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

OpenPage = Callable[..., Page]

# A machine with other work may hold a page up for many seconds; that says nothing about the page.
expect.set_options(timeout=30_000)


def launch(playwright: Playwright) -> Browser:
    """A headless Chromium. Raises playwright's Error when there is none."""
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=executable, args=[*_ARGUMENTS, *sandbox])


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium. Without one its tests fail, for a green run has tried the pages.

    SITEGEN_NO_BROWSER=1 skips them instead, but never where CI=true.
    """
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except Error as error:
            message = f"no Chromium could be started: neither one of {', '.join(_NAMES)} nor Playwright's own"
            if os.environ.get("SITEGEN_NO_BROWSER") == "1" and os.environ.get("CI") != "true":
                pytest.skip(message)
            pytest.fail(f"{message}\n{error}")
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """`open_page(url, width=…, height=…, **context options)`: a page in a context of its own, watched for faults."""
    faults = list[str]()

    def open_(url: str, *, width: int = 1280, height: int = 800, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        # What is added last ends first: when the test opens a page, all of its fixtures stand.
        request.node.addfinalizer(context.close)
        page = context.new_page()
        page.on("console", lambda said: faults.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(f"thrown: {error}"))
        page.on("request", lambda asked: _watch(asked.url, url, faults))
        page.goto(url)
        return page

    yield open_
    assert not faults, "\n".join(faults)


def launch_with_page_cache(chromium: Browser) -> Browser:
    """Another browser like `chromium`, which keeps pages left behind for Back, as readers' browsers do."""
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return chromium.browser_type.launch(
        executable_path=next(filter(None, map(shutil.which, _NAMES)), None),
        args=[*_ARGUMENTS, *root],
        ignore_default_args=["--disable-back-forward-cache"],
    )


def _watch(asked: str, opened: str, faults: list[str]) -> None:
    here, there = urlsplit(opened), urlsplit(asked)
    if there.scheme not in ("data", "blob") and (here.scheme, here.netloc) != (there.scheme, there.netloc):
        faults.append(f"another origin: {asked}")
