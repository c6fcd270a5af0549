"""What a reader's browser makes of the pages: weight, DOM ready, nodes, long tasks, scrolling, memory.

Beside each the page that claude-code-log makes of the same session. Pages are opened from disk in a real Chromium, a
fresh one for each run.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.bench.generate import Recipe
from tests.bench.lab import Lab
from tests.bench.peers import make_page
from tests.bench.steps import Workload
from tests.bench.table import Row, table
from tests.support.browser import launch

Say = Callable[[str], None]

_PAGES = {
    "200 messages": Recipe(sessions=1, messages=200),
    "5,000 messages, first document": Recipe(sessions=0, huge=5_000),
}
_SETTLED_MS = 500
_PATIENCE_MS = 180_000
_HEAD = (
    "page", "program", "kB", "gzip kB", "with assets kB", "gzip kB", "DOM ready ms", "nodes",
    "long tasks", "longest ms", "frame p50 ms", "frame p95 ms", "renderer MB",
)  # fmt: skip

_WATCH = "window.longTasks = []; new PerformanceObserver(list => { for (const entry of list.getEntries())" + (
    " longTasks.push(entry.duration); }).observe({ type: 'longtask', buffered: true });"
)
_READY = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
_NODES = (
    "() => { const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL); let nodes = 1;"
    " while (walker.nextNode()) nodes++; return nodes; }"
)
_SCROLL = """() => new Promise(resolve => {
  const frames = []; let last = performance.now();
  const step = now => {
    frames.push(now - last); last = now;
    window.scrollBy(0, 120);
    frames.length < 180 ? requestAnimationFrame(step) : resolve(frames.slice(1));
  };
  requestAnimationFrame(step);
})"""


@dataclass(frozen=True, slots=True)
class _Look:
    """One run: times in milliseconds, memory in bytes."""

    ready_ms: float
    nodes: float
    long_tasks: float
    longest_ms: float
    frame_ms: float
    slow_frame_ms: float
    renderer_bytes: float


def look(lab: Lab, *, repeat: int, say: Say) -> str:
    """A table of the pages' figures, medians of so many runs; says so when there is no Chromium."""
    rows: list[Row] = []
    missing: list[str] = []
    for name, recipe in _PAGES.items():
        workload = Workload(lab, f"browser-{len(rows)}", recipe, repeat=1)
        workload.measure(("cold",), say=say)
        theirs = make_page(lab, recipe, say=say)
        pages = [("sitegen", _first_page(workload.site), repeat)]
        if isinstance(theirs, Path):
            pages.append(("claude-code-log", theirs, 1))
        else:
            missing.append(f"not measured: {theirs}")
        for program, page, times in pages:
            say(f"Chromium: {name}, {program}")
            try:
                looks = [_look_once(page) for _ in range(times)]
            except Error as error:
                return f"not measured: no Chromium ({str(error).splitlines()[0]})"
            rows.append(_row((name, program), page, looks))
    return "\n".join([table(_HEAD, rows, text_columns=2), *dict.fromkeys(missing)])


def _first_page(site: Path) -> Path:
    (page,) = site.glob("s/*/index.html")
    return page


def _look_once(path: Path) -> _Look:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(_PATIENCE_MS)
            page.add_init_script(_WATCH)
            page.goto(path.as_uri(), wait_until="load")
            page.wait_for_timeout(_SETTLED_MS)
            return _read(browser, page)
        finally:
            browser.close()


def _read(browser: Browser, page: Page) -> _Look:
    nodes, ready_ms = page.evaluate(_NODES), page.evaluate(_READY)
    renderer = _renderer_bytes(browser)
    frames = sorted(page.evaluate(_SCROLL))
    tasks = page.evaluate("longTasks")
    return _Look(
        ready_ms=ready_ms,
        nodes=nodes,
        long_tasks=len(tasks),
        longest_ms=max(tasks, default=0),
        frame_ms=frames[len(frames) // 2],
        slow_frame_ms=frames[len(frames) * 95 // 100],
        renderer_bytes=renderer,
    )


def _renderer_bytes(browser: Browser) -> int:
    """Memory of the largest renderer; pages that it shares with others count by their part. 0 without /proc."""
    known = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    renderers = [process["id"] for process in known if process["type"] == "renderer"]
    return max(map(_proportional_bytes, renderers), default=0)


def _proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _row(name: tuple[str, str], page: Path, looks: Sequence[_Look]) -> Row:
    document = page.read_bytes()
    shared = page.parent.parent.parent / "assets"
    assets = (
        [path.read_bytes() for path in shared.iterdir() if path.name.encode() in document] if shared.is_dir() else []
    )
    middle = _Look(*map(median, zip(*map(astuple, looks), strict=True)))
    return (
        *name,
        _kilobytes(len(document)),
        _kilobytes(_packed(document)),
        _kilobytes(len(document) + sum(map(len, assets))),
        _kilobytes(_packed(document) + sum(map(_packed, assets))),
        f"{middle.ready_ms:.0f}",
        f"{middle.nodes:,.0f}",
        f"{middle.long_tasks:.0f}",
        f"{middle.longest_ms:.0f}",
        f"{middle.frame_ms:.0f}",
        f"{middle.slow_frame_ms:.0f}",
        f"{middle.renderer_bytes / 1e6:.0f}",
    )


def _packed(data: bytes) -> int:
    return len(gzip.compress(data, 6, mtime=0))


def _kilobytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e3:,.0f}"
