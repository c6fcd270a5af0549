"""A built site in a real browser: at the root, below a path, from disk, without JavaScript; and full of traps."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import OpenPage
from tests.support.projections import (
    ConversationRow,
    Value,
    assistant,
    attachment,
    call,
    conversation,
    image,
    result,
    thinking,
    user,
)
from tests.support.server import ServeFolder, serving
from tests.support.sessions import png
from tests.support.workshop import Workshop

pytestmark = pytest.mark.browser

FIRE = "top.fired=(top.fired||0)+1"
TRAPS = [
    f"<script>{FIRE}</script>",
    f'"><script>{FIRE}</script>',
    f'\'><img src=x onerror="{FIRE}">',
    f"</script><script>{FIRE}</script>",
    f"<!--><script>{FIRE}</script>-->",
    f'<svg onload="{FIRE}"><a xlink:href="javascript:{FIRE}">x</a></svg>',
    f"</title></textarea></style><script>{FIRE}</script>",
    f"[link](javascript:{FIRE}) ![image](javascript:{FIRE}) <javascript:{FIRE}>",
    f"[data](data:text/html,<script>{FIRE}</script>) [vb](vbscript:{FIRE}) [x](  java\tscript:{FIRE})",
    f'`" onmouseover="{FIRE}` <b onclick="{FIRE}">b</b> <iframe srcdoc="<script>{FIRE}</script>"></iframe>',
    f"$$\\href{{javascript:{FIRE}}}{{x}}$$ \\(\\text{{<script>{FIRE}</script>}}\\)",
    f'```" onclick="{FIRE}\n</code></pre><script>{FIRE}</script>\n```',
    f'| a | b |\n|--|--|\n| <img src=x onerror={FIRE}> | "><script>{FIRE}</script> |',
    "{{ 7 * 7 }} {% raw %} ${7*7} %(x)s {0}",
    "\x1b]8;;javascript:top.fired=1\x07click\x1b]8;;\x07 \x1b[31m<script>top.fired=1</script>\x1b[0m",
    "\x00\x07\u202egnp.exe\u2066 \ud800 lone",
]
EVERYTHING_AT_ONCE = "\n\n".join(TRAPS).replace("\ud800", "")
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{FIRE}"><script>{FIRE}</script></svg>'.encode()


def trapped() -> list[ConversationRow]:
    """Conversations with a trap in every place that can hold text."""
    bad = EVERYTHING_AT_ONCE
    tools = ["Bash", "Read", "Write", "Edit", "Grep", "WebFetch", "WebSearch", "TodoWrite", "Task", "AskUserQuestion"]
    tools += ["ExitPlanMode", "mcp__<script>__x", bad, "artifacts", "python", "apply_patch", "shell"]
    fields = ["command", "description", "file_path", "content", "old_string", "new_string", "pattern", "path", "url"]
    fields += ["query", "prompt", "plan", "title", "language", "id", "input", "subagent_type", "code"]
    given: dict[str, Value] = {
        **dict.fromkeys(fields, bad),
        "todos": [{"content": bad, "status": bad, "activeForm": bad}],
        "questions": [{"question": bad, "header": bad, "options": [{"label": bad, "description": bad}]}],
    }
    talks = [
        conversation(
            "trap",
            user(bad, image(SVG, media_type=f'image/png" onload="{FIRE}'), image(b"<script>", media_type=bad)),
            assistant(thinking(bad), bad, model=bad),
            *(
                message
                for number, tool in enumerate(tools)
                for message in (
                    assistant(call(tool, given, id=f"t{number}{bad}")),
                    user(result(bad, id=f"t{number}{bad}", is_error=number % 2 == 0)),
                )
            ),
            user(image(png()), attachments=(attachment("../../../x.html", mime_type="text/html"), attachment(bad))),
            title=bad,
            project=f"/home/ann/{bad}",
        )
    ]
    talks += [
        conversation(f"trap{number}", user(trap), assistant(trap), title=trap, project=trap)
        for number, trap in enumerate(TRAPS)
        if "\ud800" not in trap
    ]
    return talks


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    workshop = Workshop(tmp_path_factory.mktemp("site"))
    workshop.talk(*trapped())
    workshop.configure()
    workshop.build()
    workshop.build("--offline", "-o", str(workshop.folder / "offline"))
    return workshop


def visit_all(page: Page, address: str) -> set[str]:
    """Opens the home page and every page that a link on the way leads to; unfolds and hovers over everything."""
    waiting, seen = [address], set[str]()
    while waiting:
        url = waiting.pop()
        if url in seen:
            continue
        seen.add(url)
        page.goto(url)
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        assert page.evaluate("window.fired || 0") == 0, url
        links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))")
        waiting += [
            target
            for target in (urljoin(url, link).split("#")[0] for link in links)
            if target.startswith(address.removesuffix("index.html")) and re.search(r"(/|\.html)$", target)
        ]
    return seen


@pytest.mark.parametrize("base", ["/", "/repo/"])
def test_traps_fire_nowhere_and_nothing_is_asked_of_another_origin(
    site: Workshop, open_page: OpenPage, serve_folder: ServeFolder, base: str
) -> None:
    address = serve_folder(site.public, base=base)
    seen = visit_all(open_page(address), address)
    assert len(seen) > len(TRAPS)


def test_site_from_disk_works_and_traps_fire_nowhere(site: Workshop, open_page: OpenPage) -> None:
    home = (site.folder / "offline" / "index.html").as_uri()
    seen = visit_all(open_page(home), home)
    assert len(seen) > len(TRAPS)


def test_site_reads_without_javascript(site: Workshop, open_page: OpenPage, serve_folder: ServeFolder) -> None:
    address = serve_folder(site.public)
    page = open_page(address, java_script_enabled=False)
    page.locator("main a[href*='s/']").first.click()
    assert page.locator("article.message").count() >= 2
    assert page.locator("article.answer .prose").first.is_visible()


def test_wrong_address_gets_the_site_s_own_page_at_any_depth(site: Workshop, chromium: Browser) -> None:
    site.configure(base_url="https://ann.example.org/repo/")
    site.build("-o", str(site.folder / "below"))
    with serving(site.folder / "below", base="/repo/") as address:
        page = chromium.new_page()
        page.goto(f"{address}no/such/page/")
        sheets = page.evaluate("[...document.styleSheets].map((sheet) => sheet.cssRules.length)")
        page.locator("main a").first.click()
        page.wait_for_url(address)
        page.close()
    assert min(sheets) > 10


def test_output_holds_no_control_byte_and_no_unsafe_name(site: Workshop) -> None:
    for path, data in site.tree().items():
        assert re.fullmatch(r"[\w./~-]+", path), path
        if path.endswith((".html", ".md", ".json", ".xml")):
            assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", data), path
            data.decode("utf-8")


def test_check_finds_nothing_wrong_with_a_site_full_of_traps(site: Workshop) -> None:
    site.configure()
    site.build()
    result = site.run("check")
    assert result.exit_code == 0, result.output


def test_downloads_cannot_run_on_the_site(site: Workshop) -> None:
    names = [Path(path).name for path in site.paths() if "/f/" in path]
    assert not [name for name in names if name.endswith((".html", ".svg", ".xml", ".js", ".htm", ".xhtml"))]
