"""Links: relative from page to page, quoted, and explicit about index.html only on disk."""

from __future__ import annotations

from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.urls import Urls

SITE = "https://ann.example.org/talks/"


@pytest.mark.parametrize(
    ("page", "target", "href"),
    [
        pytest.param("index.html", "index.html", "./", id="home to itself"),
        pytest.param("index.html", "s/a/index.html", "s/a/", id="home to a share"),
        pytest.param("s/a/index.html", "index.html", "../../", id="a share to home"),
        pytest.param("s/a/index.html", "s/a/2/index.html", "2/", id="to the next part"),
        pytest.param("s/a/2/index.html", "s/a/index.html", "../", id="back to the first part"),
        pytest.param("s/a/2/index.html", "s/a/3/index.html", "../3/", id="from part to part"),
        pytest.param("s/a/2/index.html", "s/a/i/x.png", "../i/x.png", id="to a file of the share"),
        pytest.param("p/b/index.html", "assets/site.css", "../../assets/site.css", id="to an asset"),
    ],
)
def test_links_are_relative(page: str, target: str, href: str) -> None:
    assert Urls(SITE).link(page, target) == href


def test_a_link_within_a_page_is_the_anchor_alone() -> None:
    assert Urls(SITE).link("s/a/index.html", "s/a/index.html", anchor="m-1") == "#m-1"


def test_links_on_disk_name_the_file() -> None:
    on_disk = Urls(SITE, offline=True)
    assert on_disk.link("s/a/index.html", "index.html") == "../../index.html"
    assert on_disk.link("index.html", "s/a/2/index.html", anchor="m-1") == "s/a/2/index.html#m-1"


def test_404_links_by_the_base_path() -> None:
    assert Urls(SITE).rooted("assets/a.css") == "/talks/assets/a.css"
    assert Urls(SITE).rooted("index.html") == "/talks/"
    assert Urls(None).rooted("index.html") == "/"


def test_a_canonical_link_needs_a_known_site() -> None:
    assert Urls(SITE).absolute("s/a/index.html") == "https://ann.example.org/talks/s/a/"
    assert Urls(None).absolute("s/a/index.html") is None
    assert Urls(SITE, offline=True).absolute("s/a/index.html") is None


names = st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name not in (".", "..", "index.html")
)


@given(st.lists(names, max_size=3), st.lists(names, min_size=1, max_size=3))
def test_a_link_leads_where_it_should_whatever_the_names(folder: list[str], target: list[str]) -> None:
    """A name that looks like a scheme, a query or a fragment is still a name."""
    page = "/".join([*folder, "index.html"])
    here = "https://x.example/base/" + "/".join(map(quote, folder)) + ("/" if folder else "")
    path = "/".join([*target, "file.bin"])
    there = urlsplit(urljoin(here, Urls(SITE).link(page, path)))
    assert there.netloc == "x.example"
    assert unquote(there.path) == f"/base/{path}"
    assert not there.query
    assert not there.fragment
