"""Takes the pictures of the documentation from the example site: `make site`, then this. Prints what it wrote."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "site" / "offline"
IMAGES = ROOT / "docs" / "images"


@dataclass(frozen=True)
class Shot:
    """A page as a reader with that screen sees it."""

    name: str
    page: str
    width: int
    height: int
    scheme: str = "light"


SHOTS = (
    Shot("share", "s/an-hour-off/index.html", 1200, 860),
    Shot("share-dark", "s/an-hour-off/index.html", 1200, 860, "dark"),
    Shot("share-phone", "s/an-hour-off/index.html", 390, 780, "dark"),
    Shot("home", "index.html", 1200, 860),
    Shot("home-phone", "index.html", 390, 780),
    Shot("gate", "s/day-curve/index.html", 1200, 640),
    Shot("gate-phone", "s/day-curve/index.html", 390, 780, "dark"),
)


def take(browser: Browser, shot: Shot) -> Path:
    target = IMAGES / f"{shot.name}.png"
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
    )
    page = context.new_page()
    page.goto((SITE / shot.page).as_uri())
    page.wait_for_timeout(300)
    page.screenshot(path=target)
    context.close()
    return target


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for shot in SHOTS:
            print(take(browser, shot).relative_to(ROOT))
        browser.close()


if __name__ == "__main__":
    main()
