"""The Markdown cases in a real browser: each stays in its place, none acts, none is wider than a phone."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from sitegen.assets import load_assets
from sitegen.model import ROOT
from tests.support.browser import OpenPage
from tests.support.markdown_cases import Case, cases

pytestmark = pytest.mark.browser

STATIC = Path(__file__).parents[2] / "static"
AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNYAAAAogChcQXLQQAAAABJRU5ErkJggg=="
)
POLICY = "default-src 'none'; style-src 'self'; img-src data:"


def section(number: int, case: Case) -> str:
    html = case.render().replace("{ROOT}", ROOT)
    html = html.replace(f'{ROOT}i/d45452713910a92d.png"', f'{DOT}"').replace("{TAB}", "\t")
    html = html.replace('"m-', f'"m{number}-').replace('"#m-', f'"#m{number}-')  # a prefix for each message
    return f'<section class="answer"><h3>{escape(case.id)}</h3><div class="prose" dir="auto">{html}</div></section>'


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    css = load_assets([STATIC]).documents[0]
    (tmp_path / "site.css").write_bytes(bytes(css.data))
    sections = "".join(section(number, case) for number, case in enumerate(cases()))
    file = tmp_path / "cases.html"
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Cases</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="site.css">'
        f'<body><main id="cases"><h1>Cases</h1><h2>All</h2>{sections}</main></body></html>',
        "utf-8",
    )
    return file


def test_every_case_stays_in_its_place(open_page: OpenPage, page_file: Path) -> None:
    page = open_page(page_file.as_uri())

    sections = page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.children.length)")
    assert sections == [2] * len(cases())
    assert page.evaluate("document.querySelectorAll('main > :not(section, h1, h2), body > :not(main)').length") == 0


def test_no_case_brings_a_script_a_handler_or_a_style(open_page: OpenPage, page_file: Path) -> None:
    page = open_page(page_file.as_uri())

    found = page.evaluate(
        """[...document.querySelectorAll('main *')].filter(e => e.matches('script, style, iframe, object, embed, form')
        || [...e.attributes].some(a => a.name.startsWith('on') || a.name == 'style')).map(e => e.outerHTML)"""
    )
    assert found == []


def test_every_link_goes_to_the_web_to_mail_or_to_its_own_message(open_page: OpenPage, page_file: Path) -> None:
    page = open_page(page_file.as_uri())

    links = page.evaluate(
        """[...document.links].filter(a => !a.querySelector('img')
        && !(['http:', 'https:', 'mailto:'].includes(a.protocol)
        || (a.hash && a.closest('section').querySelector('#' + CSS.escape(decodeURI(a.hash.slice(1)))))))
        .map(a => a.outerHTML)"""
    )
    assert links == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_scrolls_sideways_but_in_its_own_block(open_page: OpenPage, page_file: Path, width: int) -> None:
    page = open_page(page_file.as_uri(), width=width)

    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.skipif(not AXE.is_file(), reason="npm install fetches axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_cases(open_page: OpenPage, page_file: Path, scheme: str) -> None:
    page = open_page(page_file.as_uri(), width=360, color_scheme=scheme, bypass_csp=True)
    page.evaluate(AXE.read_text("utf-8"))

    # The cases are made to be odd: levels of headings are skipped on purpose.
    found = page.evaluate(
        """axe.run({preload: false, rules: {'heading-order': {enabled: false}}})
        .then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | ')))"""
    )
    assert found == []
