"""What a check finds in pages, and what it lets pass."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from tests.check.trees import page, plant, sentences

BASE = "https://ann.example/talks/"
_STRICT = "default-src 'none'; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_a_sound_site_has_no_findings(tmp_path: Path) -> None:
    body = (
        '<a class="skip" href="#main">Skip</a><main id="main"><a href="s/a/">A</a> <a href="s/a/#m-1">1</a>'
        '<a href="s/a/index.html?x=1#m-1">1</a> <a href="https://example.org/x" rel="nofollow">out</a>'
        ' <a href="#top">up</a>'
        '<a href="mailto:bo@example.org">mail</a><img src="data:image/png;base64,AA==">'
        '<img src="s/a/i/1.png" srcset="s/a/i/1.png 2x">'
        "</main>"
    )
    head = (
        '<link rel="canonical" href="https://ann.example/talks/"><link rel="stylesheet" href="assets/a.css">'
        '<script src="assets/a.js"></script>'
    )
    plant(
        tmp_path,
        index_html=page(body, head=head),
        s__a__index_html=page('<p id="m-1">x</p><a href="../../">home</a><a href="./">self</a>'),
        s__a__i__1_png="png",
        assets__a_css="a { background: url(a.svg) } b { background: url('data:image/png;base64,AA==') }",
        assets__a_svg='<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
        assets__a_js="",
        sitemap_xml=f"<urlset><url><loc>{BASE}</loc></url><url><loc>{BASE}s/a/</loc></url></urlset>",
    )
    assert sentences(tmp_path, base_url=BASE) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<a href="s/gone/">x</a>', "'s/gone/' leads to s/gone/index.html, which isn't there"),
        ('<a href="../up.html">x</a>', "leads out of the site"),
        ('<a href="#nowhere">x</a>', "leads to no place in this page"),
        ('<a href="other.html#nowhere">x</a>', "leads to #nowhere in other.html"),
        ('<a href="other.html#m%2d2">x</a>', "leads to #m-2 in other.html"),
        ('<img src="i/gone.png">', "leads to i/gone.png"),
        ('<img src="other.html" srcset="a.png 1x, b.png 2x">', "leads to b.png"),
        ('<video src="other.html" poster="p.png"></video>', "leads to p.png"),
        ('<object data="o.bin"></object>', "leads to o.bin"),
        ('<picture><source srcset="a.webp"></picture>', "leads to a.webp"),
        ("<A HREF=gone.html>x</A>", "leads to gone.html"),
        ("<a title='>' href='gone.html'>x</a>", "leads to gone.html"),
        ('<a href="/rooted.html">x</a>', "starts from the host's root"),
        ('<a href="https://ann.example/talks/other.html">x</a>', "names its own site by its address"),
        ('<p id="a">x</p><p id="a">y</p>', 'the id "a" is there twice'),
    ],
    ids=lambda text: text[:40],
)
def test_broken_links_and_anchors_are_found(tmp_path: Path, body: str, said: str) -> None:
    plant(tmp_path, other_html=page('<p id="m-1">x</p>'), index_html=page("\n" + body))
    found = [sentence for sentence in sentences(tmp_path, base_url=BASE) if sentence.startswith("index.html:4: ")]
    assert any(said in sentence for sentence in found), found


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<img src="https://elsewhere.example/p.gif">', "loads from another site (elsewhere.example)"),
        ('<script src="//cdn.example/x.js"></script>', "loads from another site (cdn.example)"),
        ('<link rel="stylesheet" href="https://fonts.example/x.css">', "loads from another site"),
        ('<link rel="preconnect" href="https://fonts.example">', "loads from another site"),
        ('<link rel="icon" href="http://icons.example/x">', "loads from another site"),
        ('<iframe src="https://video.example/1"></iframe>', "loads from another site"),
        ('<img srcset="a 1x, https://elsewhere.example/2 2x">', "loads from another site"),
        ('<svg><use href="https://elsewhere.example/a.svg#x"></use></svg>', "loads from another site"),
        ('<svg><image xlink:href="https://elsewhere.example/a.png"/></svg>', "loads from another site"),
        ('<a href="#" ping="https://elsewhere.example/">x</a>', "loads from another site"),
        ('<meta http-equiv="refresh" content="0; url=https://elsewhere.example/">', "loads from another site"),
        ("<style>@import 'https://elsewhere.example/x.css';</style>", "loads from another site"),
        (
            '<form action="https://elsewhere.example/"><input name="q"></form>',
            "sends what is typed to elsewhere.example",
        ),
        ('<iframe src="data:text/html,x"></iframe>', "embeds active content"),
    ],
    ids=lambda text: text[:40],
)
def test_what_loads_from_elsewhere_is_found(tmp_path: Path, body: str, said: str) -> None:
    plant(tmp_path, index_html=page(body))
    assert any(said in sentence for sentence in sentences(tmp_path))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript&colon;alert(1)",
        " java\tscript:x",
        "vbscript:x",
        "data:text/html,x",
        "vscode://x",
        "//host/x",
    ],
)
def test_links_that_run_or_lead_to_programs_are_found(tmp_path: Path, url: str) -> None:
    plant(tmp_path, index_html=page(f'<a href="{url}">x</a>'))
    assert len(sentences(tmp_path)) == 1


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (page(policy=None), "has no Content-Security-Policy"),
        (page(policy="default-src 'self'"), "doesn't say base-uri"),
        (page(policy=f"{_STRICT}; script-src 'self' 'unsafe-inline'"), "allows 'unsafe-inline' for script-src"),
        (page(policy=f"{_STRICT}; script-src https://cdn.example"), "allows https://cdn.example"),
        (page(policy=f"{_STRICT}; img-src *"), "allows * for img-src"),
        (page(policy=f"{_STRICT}; script-src data:"), "allows data: for script-src"),
        (page("<script>run()</script>"), "has an inline script"),
        (page("<script type=module>run()</script>"), "has an inline script"),
        (page("<style>a{}</style>"), "has a <style> element"),
        (page('<p style="color:red">x</p>'), "has a style attribute"),
        (page('<span class="k" onclick="x()">x</span>'), "has the inline handler onclick"),
        (page("<p\nONLOAD=x>y</p>"), "has the inline handler onload"),
        (page(head='<base href="/x/">'), "has a <base> element"),
        (page('<img src="index.html">', policy=_STRICT), "its own policy blocks"),
        ('<html><head><script src="x.js"></script>' + page()[6:], "stands before the Content-Security-Policy"),
    ],
)  # fmt: skip
def test_breaches_of_the_policy_are_found(tmp_path: Path, html: str, said: str) -> None:
    plant(tmp_path, index_html=html, x_js="")
    found = sentences(tmp_path)
    assert any(said in sentence for sentence in found), found


ALERT = "<script>alert(1)</script>"
LOADED = "https://elsewhere.example/x"


@pytest.mark.parametrize(
    "body",
    [
        f'<img alt=a"b src={LOADED}>',
        f"<img alt=it's src={LOADED}>",
        f"<img alt= src={LOADED} src={LOADED}>",
        f'<img alt="a"src={LOADED}>',
        f'<img =x" src={LOADED}>',
        f'<img title="unfinished src={LOADED}>',
        f"<!-->{ALERT}-->",
        f"<!--->{ALERT}-->",
        f"<!-- x --!>{ALERT}-->",
        f'<p class="<!--">x</p>{ALERT}<!-- -->',
        f'</p title="<!--">{ALERT}<!-- -->',
        f"<!x <!-- >{ALERT}<!-- -->",
        f"<?x <!-- ?>{ALERT}<!-- -->",
        f"</ <!-- >{ALERT}<!-- -->",
        f"<style-x>{ALERT}</style-x>",
        f"<title>x</title x>{ALERT}",
        f"<svg><title>{ALERT}</title></svg>",
        f"<svg><style>{ALERT}</style></svg>",
        f"<svg class=x><textarea><img src={LOADED}></textarea></svg>",
        f"<math><title><!--</title>{ALERT}--></math>",
        f"<svg></svg x><style><!--</style>{ALERT}<!-- -->",
        f"<svg/><title><!--</title>{ALERT}<!-- -->",
        '<svg><style><a x="</style>" onclick=x></a></svg>',
        "<math><noscript><iframe><a onclick=1>x</a></iframe></noscript></math>",
        f"<svg>{'<style>' * 5000}",
        f"<svg><![CDATA[><!--]]>{ALERT}<!-- -->",
        f"<script type=x><!--<script></script><!--</script>{ALERT}-->",
        f"<noscript><img src={LOADED}></noscript>",
        f'<noscript><p title="</noscript><img src={LOADED}>">',
        '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
        '<svg><a><animate attributeName="href" values="#x;javascript:alert(1)"/></a></svg>',
        f'<svg><filter><feImage href="{LOADED}"/></filter></svg>',
        f'<svg><rect fill="url({LOADED}#a)"/></svg>',
        f'<svg><rect fill="u\\72l({LOADED}#a)"/></svg>',
        f'<svg><rect filter="url(&quot;{LOADED}#a&quot;)"/></svg>',
        '<math href="javascript:alert(1)"><mi>x</mi></math>',
        '<math><mi href="javascript:alert(1)">x</mi></math>',
        f'<link rel="canonical preload" as="image" href="{LOADED}">',
        '<iframe srcdoc="&lt;script&gt;1&lt;/script&gt;"></iframe>',
        f'<table background="{LOADED}"></table>',
        f'<img attributionsrc="{LOADED}">',
    ],
    ids=lambda body: body[:60],
)
def test_what_a_browser_would_see_is_not_hidden_by_odd_markup(tmp_path: Path, body: str) -> None:
    plant(tmp_path, index_html=page(body))
    assert sentences(tmp_path)


def test_drawings_and_formulas_of_our_own_pass(tmp_path: Path) -> None:
    body = (
        '<svg class="x" role="img"><title>Two &lt; three</title><path id="a" d="M0 0"/><use href="#a"/>'
        '<rect fill="url(#a)" stroke="rgb(1 2 3)"/></svg><math><mi>x</mi><mo>&lt;</mo></math>'
        "<!---->\n<!-- x --><title>a < b</title><textarea><a href='gone'></textarea><p>1 < 2 </p><br/>"
    )
    plant(tmp_path, index_html=page(body))
    assert sentences(tmp_path) == []


@pytest.mark.parametrize("name", ["e.HTML", "e.Htm", "e.xhtml", "e.xht"])
def test_a_page_is_one_by_any_name(tmp_path: Path, name: str) -> None:
    plant(tmp_path)
    html = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><script src="x"/><x:script xmlns:x="y">alert(1)</x:script></html>'
    )
    (tmp_path / name).write_text(html)
    assert any(sentence.startswith(f"{name}:1: ") for sentence in sentences(tmp_path))


def test_a_script_in_a_page_of_xml_is_found(tmp_path: Path) -> None:
    plant(tmp_path)
    html = page("<title/><script>alert(1)</script>")
    (tmp_path / "e.xhtml").write_text(html.replace("<!doctype html>", ""))
    assert any("has an inline script" in sentence for sentence in sentences(tmp_path))


def test_inline_code_named_by_its_hash_passes(tmp_path: Path) -> None:
    script, style = "go()", "a{color:red}"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    plant(tmp_path, index_html=page(f"<script>{script}</script><style>{style}</style>", policy=policy))
    assert sentences(tmp_path) == []


def test_an_outside_script_named_by_its_hash_passes(tmp_path: Path) -> None:
    name = _hash("go()").strip("'")
    policy = f"default-src 'none'; script-src '{name}'; base-uri 'none'; form-action 'none'; trusted-types sitegen"
    plant(tmp_path, index_html=page(f'<script src="a.js" integrity="{name}"></script>', policy=policy), a_js="go()")
    assert sentences(tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        '<script type="application/json" id="strings">{"x": "<a href=\'gone\'>"}</script>',
        "<title><a href='gone'></title>",
        "<!-- <a href='gone'> <script>x</script> -->",
        "<textarea><a href='gone'></textarea>",
        "<p>&lt;a href=&quot;gone&quot; onclick=&quot;x&quot;&gt;</p>",
    ],
)
def test_what_is_text_and_not_markup_passes(tmp_path: Path, body: str) -> None:
    plant(tmp_path, index_html=page(body))
    assert sentences(tmp_path) == []


def test_a_link_in_a_conversation_to_the_site_itself_passes(tmp_path: Path) -> None:
    plant(tmp_path, index_html=page(f'<a href="{BASE}s/old/" rel="noopener noreferrer nofollow">x</a>'))
    assert sentences(tmp_path, base_url=BASE) == []


@pytest.mark.parametrize("base_url", [BASE, None], ids=["known base", "unknown base"])
def test_the_not_found_page_may_link_from_the_base_path(tmp_path: Path, base_url: str | None) -> None:
    plant(
        tmp_path,
        **{"404_html": page('<a href="/talks/">home</a><img src="/talks/assets/a.svg">')},
        assets__a_svg="<svg/>",
    )
    assert sentences(tmp_path, base_url=base_url) == []


def test_the_not_found_page_may_not_link_to_nothing(tmp_path: Path) -> None:
    plant(tmp_path, **{"404_html": page('<a href="/talks/gone/">home</a>')})
    assert len(sentences(tmp_path, base_url=BASE)) == 1


def test_a_page_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "a.html").write_bytes(b"one\ntwo \xff")
    assert sentences(tmp_path) == ["a.html:2: it isn't UTF-8, as it says it is"]


def test_an_unclosed_quote_does_not_hang(tmp_path: Path) -> None:
    plant(tmp_path, index_html=page('<a "' * 20_000 + "<p x='" * 20_000))
    sentences(tmp_path)
