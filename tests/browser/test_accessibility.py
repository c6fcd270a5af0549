"""Nothing for axe to find, in light and dark, on every kind of page with all folds open; what screen readers hear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from sitegen.model import Conversation, Share
from sitegen.pages import make_card
from tests.support.browser import OpenPage
from tests.support.server import serving
from tests.support.sessions import png
from tests.support.sites import make_pages, write
from tests.support.talks import Line, ask, call, message, rendered, result, say, talk, think
from tests.support.transcripts import PROJECT, make_share, make_transcript

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
RUN = "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | ')))"
OPEN = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"

LADDER = "### Third first\n\n# First\n\n## Second\n\n###### Sixth\n\n> # Quoted\n\nWords[^1]\n\n[^1]: # In a note\n"
TEXT = (
    f"{LADDER}\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint('x')  # said\n```\n\n"
    "$x^2$ [link](https://example.org)\n\n```diff\n-a\n+b\n```\n\n> quoted `code`\n"
)
DIFF = {"file_path": "/a/b.py", "old_string": "a = 1\n", "new_string": "a = 2\n"}
COLOURS = "".join(f"\x1b[{code}mword\x1b[0m " for code in (1, 2, 3, 4, 7, *range(31, 38), *range(91, 98), 41, 44))


def _agent(name: str, *lines: Line, subagents: tuple[Conversation, ...] = ()) -> Conversation:
    conversation = talk(*lines, subagents=subagents)
    return replace(conversation, head=replace(conversation.head, native_id=f"agent-{name}"))


def _launch(agent: str) -> tuple[Line, Line]:
    given = {"description": "Look", "prompt": f"Look for {agent}."}
    return call("Task", agent, arguments=dict(given)), result(LADDER, agent, tool_detail={"agentId": agent})


def _conversation() -> Conversation:
    inner = _agent("a2", ask("Look for a2."), call("Read", "r"), result("x", "r"), say(LADDER), ask(LADDER), say("."))
    outer = _agent("a1", ask("Look for a1."), think(LADDER * 2), *_launch("a2"), say(LADDER), subagents=(inner,))
    lines = [
        ask(TEXT, labels=("kept",)),
        think(LADDER * 2),
        *_launch("a1"),
        say(TEXT, model="one"),
        call("Edit", "e", arguments=dict(DIFF)),
        result("ok", "e"),
        call("Bash", "b", arguments={"command": "make", "description": "Build it"}),
        result(f"Exit code 2\n{COLOURS}", "b", failed=True),
        call("ExitPlanMode", "p", arguments={"plan": LADDER}),
        result("User has approved your plan", "p"),
        call("WebFetch", "w", arguments={"url": "https://example.org", "prompt": "x"}),
        result(LADDER * 300, "w"),
        call("TodoWrite", "t", arguments={"todos": [{"content": "x", "status": "completed", "activeForm": "x"}]}),
        result("ok", "t"),
        call("mcp__a__b", "m", arguments={"x": {"y": 1}}),
        result('{"z": [1, 2]}', "m"),
        say(TEXT, model="two"),
        ask("<command-name>/model</command-name>"),
        ask("<bash-input>ls</bash-input>"),
        message("user"),
        ask("[Request interrupted by user]"),
        ask("One way", id="way"),
        say("One"),
        ask("Another way", parent_id="m16"),
        *(line for _ in range(110) for line in (ask("Go on."), say("Gone on."))),
    ]
    return talk(*lines, subagents=(outer,))


def _build(folder: Path) -> None:
    pages = make_pages()
    share = make_share()
    transcript = rendered(_conversation(), heavy_bytes=16_384)
    cards = [make_card(share, transcript), make_card(make_share("x", listed=True), make_transcript())]
    documents = [*pages.share(share, transcript, is_project_listed=True), *pages.project(PROJECT, cards)]
    documents += [*pages.share(make_share("quiet"), make_transcript(())), pages.tombstone(_expired())]
    write(folder, [*documents, *pages.home([PROJECT], cards), pages.not_found(), *pages.extras([PROJECT], cards)])
    (folder / "dot.png").write_bytes(png())


def _expired() -> Share:
    return make_share("gone")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    _build(folder)
    with serving(folder, base="/talks/") as address:
        yield address, folder


def _found(page: Page) -> list[str]:
    page.evaluate(
        "document.querySelectorAll('.group').forEach((group) => { group.style.contentVisibility = 'visible'; })"
    )
    page.add_script_tag(path=AXE)
    return list(page.evaluate(RUN))


@pytest.mark.skipif(not AXE.is_file(), reason="npm install fetches axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_with_all_folds_open(
    open_page: OpenPage, site: tuple[str, Path], scheme: str
) -> None:
    address, folder = site
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    assert len(paths) >= 9
    page = open_page(address, color_scheme=scheme, bypass_csp=True)
    found = {}
    for path in paths:
        page.goto(address + path)
        page.evaluate(OPEN)
        found[path] = _found(page)
    assert not any(found.values()), {path: each for path, each in found.items() if each}


@pytest.mark.skipif(not AXE.is_file(), reason="npm install fetches axe-core")
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_in_what_a_reader_calls_up(open_page: OpenPage, site: tuple[str, Path], width: int) -> None:
    page = open_page(f"{site[0]}s/empty-list/", width=width, bypass_csp=True)
    page.locator(".message").first.hover()
    page.get_by_role("button", name="Source").first.click()
    page.keyboard.press("?")
    assert _found(page) == []
    page.keyboard.press("Escape")
    page.locator("#find").fill("gone on")
    expect(page.locator(".elsewhere li").first).to_be_visible()
    assert _found(page) == []


def test_a_message_is_a_heading_with_role_and_time(open_page: OpenPage, site: tuple[str, Path]) -> None:
    page = open_page(f"{site[0]}s/empty-list/")
    heading = page.get_by_role("heading", level=2, name="Prompt").first
    expect(heading.locator("time")).to_have_attribute("datetime", "2026-01-02T14:03:05Z")
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("banner")).to_have_count(1)
    expect(page.get_by_role("navigation", name="Outline")).to_have_count(1)
    expect(page.get_by_role("search")).to_have_count(1)


def test_reduced_motion_stops_all_motion(open_page: OpenPage, site: tuple[str, Path]) -> None:
    page = open_page(f"{site[0]}s/empty-list/", reduced_motion="reduce")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter((each) => {"
        " const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(each);"
        " return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior === 'smooth'; }).length"
    )
    assert moving == 0
