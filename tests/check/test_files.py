"""What a check finds in other files: sheets, pictures, sitemaps, feeds, sizes, names."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.check import check_tree
from sitegen.errors import OutputError
from tests.check.trees import page, plant, sentences

BASE = "https://ann.example/talks/"


@pytest.mark.parametrize(
    ("css", "said"),
    [
        ("@import url(https://fonts.example/x.css);", "loads from another site (fonts.example)"),
        ('@import "//fonts.example/x.css";', "loads from another site"),
        ("a{background:url( 'http://x.example/p.png' )}", "loads from another site"),
        ("a{background:url(gone.png)}", "'gone.png' leads to a file that isn't there"),
        ("a{background:url(/rooted.png)}", "starts from the host's root"),
    ],
)
def test_what_a_style_sheet_loads_must_be_here(tmp_path: Path, css: str, said: str) -> None:
    plant(tmp_path, assets__a_css=f"/* url(https://comment.example) */\n{css}")
    (sentence,) = sentences(tmp_path)
    assert sentence.startswith("assets/a.css:2: ")
    assert said in sentence


@pytest.mark.parametrize(
    "css",
    [
        'a{background:image-set("https://x.example/p.png" 1x)}',
        "a{background:-webkit-image-set('https://x.example/p.png' 1x)}",
        r"a{background:u\72l(https://x.example/p.png)}",
        r"a{background:url(\68ttps://x.example/p.png)}",
        r'a{background:url("\68 ttps://x.example/p.png")}',
        'a{content:"/*";background:url(https://x.example/p.png);quotes:"*/"}',
        "a{content:'\\'/*';background:url(https://x.example/p.png);quotes:'*/'}",
        "@import/**/url(https://x.example/x.css);",
        "@\\69mport 'https://x.example/x.css';",
        "@media print{a{background:src('https://x.example/p.png')}}",
    ],
)
def test_what_a_style_sheet_loads_is_found_however_it_is_written(tmp_path: Path, css: str) -> None:
    plant(tmp_path, assets__a_css=css)
    assert any("loads from another site (x.example)" in sentence for sentence in sentences(tmp_path))


def test_texts_in_a_style_sheet_load_nothing(tmp_path: Path) -> None:
    css = (
        "a::before{content:\"url(https://x.example)\" attr(title)} b{background:image-set(url(a.svg) type('image/x'))}"
    )
    plant(tmp_path, assets__a_css=css, assets__a_svg="<svg/>")
    assert sentences(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.svg", '<?xml-stylesheet href="https://x.example/x.css"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
        ("e.svg", '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>'),
        ("e.svg", "<svg><style>@import &quot;https://x.example/x.css&quot;;</style></svg>"),
        ("e.svg", "<svg><style><![CDATA[*{fill:url(https://x.example/x)}]]></style></svg>"),
        ("e.svg", "<svg><text><![CDATA[<!--]]></text><script>x()</script></svg>"),
        ("e.svg", '<!DOCTYPE svg [<!ENTITY x "<script>x()</script>">]><svg>&x;</svg>'),
        ("e.svg", "<svg><title/><script>x()</script></svg>"),
        ("e.xml", '<?xml-stylesheet type="text/xsl" href="https://x.example/x.xsl"?><a/>'),
        ("e.xml", '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:script>x()</h:script></h:html>'),
        (".sitegen/secrets.toml", "site_secret = 'x'"),
    ],
)
def test_a_file_that_must_not_be_opened_is_found(tmp_path: Path, name: str, text: str) -> None:
    plant(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert any(sentence.startswith(name) for sentence in sentences(tmp_path))


def test_a_picture_with_texts_and_sections_passes(tmp_path: Path) -> None:
    svg = "<svg><!-- <script> --><style><![CDATA[a{fill:red}]]></style><text><![CDATA[<script>]]></text></svg>"
    plant(tmp_path, s__a__i__x_svg=svg)
    assert sentences(tmp_path) == []


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><script>x()</script></svg>",
        '<svg onload="x()"/>',
        '<svg><image href="https://elsewhere.example/x.png"/></svg>',
        '<svg:svg><svg:script href="x.js"/></svg:svg>',
    ],
)
def test_a_picture_that_runs_or_loads_is_found(tmp_path: Path, svg: str) -> None:
    plant(tmp_path, s__a__i__x_svg=svg)
    assert sentences(tmp_path)[0].startswith("s/a/i/x.svg:1: it is a picture")


def test_the_parts_of_a_large_sitemap_tell_where_the_site_stands(tmp_path: Path) -> None:
    plant(
        tmp_path,
        sitemap_xml=f"<sitemapindex><sitemap><loc>{BASE}sitemap-1.xml</loc></sitemap></sitemapindex>",
    )
    (tmp_path / "sitemap-1.xml").write_text(
        f"<urlset><url><loc>{BASE}</loc></url>\n<url><loc>{BASE}s/gone/</loc></url></urlset>"
    )
    assert sentences(tmp_path) == [f"sitemap-1.xml:2: it lists {BASE}s/gone/, and there is no such page"]


def test_a_sitemap_lists_pages_of_this_site_only(tmp_path: Path) -> None:
    locations = [BASE, f"{BASE}s/gone/", "https://other.example/"]
    plant(
        tmp_path,
        sitemap_xml="<urlset>\n" + "\n".join(f"<url><loc>{url}</loc></url>" for url in locations) + "</urlset>",
    )
    assert sentences(tmp_path, base_url=BASE) == [
        f"sitemap.xml:3: it lists {BASE}s/gone/, and there is no such page",
        f"sitemap.xml:4: it lists https://other.example/, which isn't under {BASE}",
    ]


@pytest.mark.parametrize(
    "feed",
    [
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{BASE}s/gone/"/></entry></feed>',
        f"<rss><channel><item><link>{BASE}s/gone/</link></item></channel></rss>",
        "<feed><entry><link href='../../s/gone/'/></entry></feed>",
    ],
    ids=["atom", "rss", "relative"],
)
def test_a_feed_leads_to_pages_that_are_here(tmp_path: Path, feed: str) -> None:
    plant(tmp_path, p__x__feed_xml=feed)
    (sentence,) = sentences(tmp_path, base_url=BASE)
    assert "s/gone/" in sentence


def test_a_feed_may_name_other_sites(tmp_path: Path) -> None:
    plant(tmp_path, p__x__feed_xml="<feed><id>tag:ann.example,2026:x</id><link href='https://other.example/'/></feed>")
    assert sentences(tmp_path, base_url=BASE) == []


def test_sizes_are_warned_of_and_no_errors(tmp_path: Path) -> None:
    plant(tmp_path, index_html=page("x" * 1_500_001), assets__a_js="x" * 25_001, s__a__big_js="x" * 25_001)
    report = check_tree(tmp_path)
    assert report.errors == ()
    assert [finding.path for finding in report.warnings] == ["assets/a.js", "index.html"]


def test_a_site_near_the_limit_of_pages_is_warned_of(tmp_path: Path) -> None:
    plant(tmp_path)
    for number in range(11):
        with (tmp_path / f"{number}.bin").open("wb") as file:
            file.truncate(75_000_000)  # a hole: takes no space
    assert sentences(tmp_path) == ["warning: .: the site has 825.0 MB; GitHub Pages takes 1,000.0 MB"]


def test_a_file_near_the_limit_of_github_is_warned_of(tmp_path: Path) -> None:
    plant(tmp_path)
    with (tmp_path / "a.bin").open("wb") as file:
        file.truncate(80_000_000)
    assert sentences(tmp_path) == ["warning: a.bin: it has 80.0 MB; GitHub refuses files above 100.0 MB"]


@pytest.mark.parametrize("name", ["a:b.txt", "what?.txt", "dot.", 'quote".txt'])
def test_names_that_hosts_refuse_are_warned_of(tmp_path: Path, name: str) -> None:
    plant(tmp_path)
    (tmp_path / name).touch()
    assert sentences(tmp_path) == [
        f"warning: {name}: its name holds characters that some file systems and hosts refuse"
    ]


def test_symbolic_links_are_warned_of_and_not_followed(tmp_path: Path) -> None:
    plant(tmp_path / "site")
    plant(tmp_path / "outside", index_html="<a href=gone>")
    (tmp_path / "site/link").symlink_to(tmp_path / "outside")
    (sentence,) = sentences(tmp_path / "site")
    assert sentence.startswith("warning: link: it is a symbolic link")


def test_a_folder_without_a_home_page_is_told(tmp_path: Path) -> None:
    assert sentences(tmp_path) == ["index.html: there is none; is this the folder that the site was built in?"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="Build the site first"):
        check_tree(tmp_path / "gone")


def test_a_report_counts_what_it_saw(tmp_path: Path) -> None:
    plant(tmp_path, a_html=page(), b_txt="12345")
    report = check_tree(tmp_path)
    assert (report.pages, report.files) == (2, 3)
    assert report.size_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())
