"""What gates cost: in the build beyond stretching the password, and to a reader from the password to the page.

Pages are served from this machine and opened in a real Chromium, a fresh one for each run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Error, Page, sync_playwright

from sitegen.gate.encoding import b64u
from sitegen.gate.keys import password_root
from tests.bench.generate import Recipe
from tests.bench.lab import Lab, weigh
from tests.bench.limits import Verdict
from tests.bench.steps import Workload, by_step
from tests.bench.table import Row, megabytes, table
from tests.support.browser import launch
from tests.support.opener import core_of
from tests.support.server import serving

Say = Callable[[str], None]

LONG = Recipe(sessions=0, huge=5_000, huge_scale=6.2)
"""Its pages, outputs and indexes are 30 MB of text."""
MANY = Recipe(sessions=500, messages=30, projects=12)
FIRST_MS, WHOLE_MS = 300, 2_000
SHARE_OF_RENDERING = 0.15
_PASSWORD = "ripening trinity pretty divided squint distort"
SECRETS = {"SITEGEN_SITE_SECRET": b64u(bytes(range(32))), "MEASURED": _PASSWORD}
"""What the program finds in its environment, to build behind the password."""
_GATE = 'gate = "password"\nsecret = "env:MEASURED"\n'

_WATCH = """
window.marks = {};
const derive = crypto.subtle.deriveBits.bind(crypto.subtle);
crypto.subtle.deriveBits = async (how, ...more) => {
  const began = performance.now();
  const bits = await derive(how, ...more);
  if (how.name === "PBKDF2") Object.assign(marks, { began, derived: performance.now() });
  return bits;
};
const painted = (act) => requestAnimationFrame(() => setTimeout(act));
document.addEventListener("DOMContentLoaded", () => new MutationObserver((_, watcher) => {
  if (!document.querySelector("#view .message")) return;
  watcher.disconnect();
  painted(() => { marks.first = performance.now(); });
}).observe(document.querySelector("#view"), { childList: true, subtree: true }));
document.addEventListener("sitegen:content", () => painted(() => { marks.shown ??= performance.now(); }));
"""
_SHOWN = """() => new Promise((resolve) => {
  const look = () => marks.first && marks.shown ? resolve() : setTimeout(look, 20);
  look();
})"""
_READ_ALL = """async (ids) => {
  const began = performance.now();
  const texts = ids.map((id) => {
    const detail = { url: new URL("#att-" + id, document.baseURI).href, text: null };
    document.dispatchEvent(new CustomEvent("sitegen:late", { detail }));
    return detail.text.then((text) => text.length, () => 0);
  });
  const lengths = await Promise.all(texts);
  return [performance.now() - began, lengths.reduce((sum, length) => sum + length, 0)];
}"""
_HEAD = ("gated page", "opened MB", "derivation ms", "first message ms", "document ms", "whole ms")


@dataclass(frozen=True, slots=True)
class Opening:
    """One reader's waiting, in milliseconds after the end of key derivation, but for `derivation_ms` before it.

    `document_ms` is until the first document is there, `whole_ms` until every part, output and index is decrypted.
    """

    derivation_ms: float
    first_ms: float
    document_ms: float
    whole_ms: float
    opened_bytes: int


class GatedWorkload(Workload):
    """A workload all of whose conversations are behind one password."""

    def _configure(self, title: str) -> None:
        super()._configure(title)
        with (self._folder / "sitegen.toml").open("a", encoding="utf-8") as file:
            file.write(_GATE)


def measure_gates(lab: Lab, *, repeat: int, say: Say) -> tuple[str, list[Verdict]]:
    """A table and sentences of the figures, medians of so many runs, and the ratios that must hold."""
    told, verdicts = measure_building(lab, repeat=repeat, say=say)
    return f"{_look(lab, repeat=repeat, say=say)}\n\n{told}", verdicts


def measure_building(
    lab: Lab, *, repeat: int, say: Say, recipe: Recipe = MANY, most: float = SHARE_OF_RENDERING
) -> tuple[str, list[Verdict]]:
    """What a build of gated pages costs beyond the derivation, and how many derivations there are."""
    protected = replace(lab, variables=SECRETS)
    workloads = (
        # Without an address it has no pictures of links either, as protected pages have none.
        Workload(lab, "open", recipe, repeat=repeat, knows_address=False),
        GatedWorkload(protected, "gated", recipe, repeat=repeat),
    )
    plain, gated = (by_step(each.measure(("cold",), say=say))["cold"].cpu_s for each in workloads)
    derivations = _derivations(workloads[1].site)
    stretching = _stretching_s() * derivations
    share = (gated - plain - stretching) / plain
    told = (
        f"{recipe.sessions} shares, cold: {plain:.2f} s of CPU open, {gated:.2f} s gated; {stretching:.2f} s are "
        f"{derivations} derivation(s)"
    )
    return told, [
        Verdict(f"gating {recipe.sessions} shares beyond derivation, of a cold build", share, most),
        Verdict(f"derivations for {recipe.sessions} shares of one password", derivations, 1),
    ]


def _derivations(site: Path) -> int:
    """How many different derivations the pages of a site were made with."""
    kdfs = [core_of(page.parent)["kdf"] for page in site.glob("s/*/index.html")]
    return len({(kdf["salt"], kdf["i"]) for kdf in kdfs})


def _stretching_s() -> float:
    began = time.process_time()
    password_root(_PASSWORD, salt=bytes(32), iterations=1_000_000)
    return time.process_time() - began


def _look(lab: Lab, *, repeat: int, say: Say) -> str:
    workload = GatedWorkload(replace(lab, variables=SECRETS), "gated-long", LONG, repeat=1)
    workload.measure(("cold",), say=say)
    say("Chromium: a gated page")
    try:
        openings = open_repeatedly(workload.site, repeat=repeat)
    except Error as error:
        return f"not measured: no Chromium ({str(error).splitlines()[0]})"
    return table(_HEAD, [_row("5,000 messages", openings), ("at most", "", "", str(FIRST_MS), "", str(WHOLE_MS))])


def open_repeatedly(site: Path, *, repeat: int) -> list[Opening]:
    """Opens the one gated share of a site. Raises Playwright's Error when there is no browser."""
    (folder,) = (page.parent for page in site.glob("s/*/index.html"))
    files = sorted(path.name.split(".")[1] for path in folder.glob("a.*.bin"))
    with serving(site) as address:
        url = f"{address}s/{folder.name}/"
        return [_open(url, files, weigh(folder, "*.bin")[0]) for _ in range(repeat)]


def _open(url: str, files: Sequence[str], size_bytes: int) -> Opening:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(_WATCH)
            page.goto(url)
            page.locator("#secret").fill(_PASSWORD)
            page.keyboard.press("Enter")
            page.evaluate(_SHOWN)
            return _opening(page, files, size_bytes)
        finally:
            browser.close()


def _opening(page: Page, files: Sequence[str], size_bytes: int) -> Opening:
    marks: dict[str, Any] = page.evaluate("marks")
    took_ms, length = page.evaluate(_READ_ALL, list(files))
    document_ms = marks["shown"] - marks["derived"]
    return Opening(
        derivation_ms=marks["derived"] - marks["began"],
        first_ms=marks["first"] - marks["derived"],
        document_ms=document_ms,
        whole_ms=document_ms + took_ms,
        opened_bytes=max(size_bytes, length),
    )


def _row(name: str, openings: Sequence[Opening]) -> Row:
    return (
        name,
        megabytes(max(each.opened_bytes for each in openings)),
        *(
            f"{median(figures):.0f}"
            for figures in zip(
                *((each.derivation_ms, each.first_ms, each.document_ms, each.whole_ms) for each in openings),
                strict=True,
            )
        ),
    )
