"""Home, project indexes and the sitemap: what is listed, in which order, and what never shows."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from sitegen.model import Card, Gate, Mark, Project
from sitegen.pages import make_card
from sitegen.pages.cards import SHAPE_LENGTH, shape
from tests.support.sites import by_path, make_pages, references, text_of
from tests.support.transcripts import PROJECT, START, make_exchanges, make_share, make_transcript


def _card(slug: str, *, day: int = 0, **changes: Any) -> Card:
    moment = START + timedelta(days=day)
    transcript = make_transcript(title=f"Title of {slug}", started_at=moment, ended_at=moment)
    return replace(make_card(make_share(slug), transcript), **changes)


def _secret(slug: str = "0a1b2c") -> Card:
    return make_card(make_share(slug, gate=Gate.PASSWORD, title="The merger"), make_transcript(title="The merger"))


def _titles(html: str) -> list[str]:
    return re.findall(r'class="title" href="[^"]*"><bdi>(.*?)</bdi>', html)


def _project(cards: list[Card], project: Project = PROJECT) -> dict[str, str]:
    return by_path(make_pages().project(project, cards))


def test_entries_are_newest_first() -> None:
    page = _project([_card("old"), _card("new", day=9), _card("mid", day=3)])["p/mailbox/index.html"]
    assert _titles(page) == ["Title of new", "Title of mid", "Title of old"]


def test_an_entry_without_a_date_stands_after_those_with_one() -> None:
    page = _project([_card("undated", started_at=None, ended_at=None), _card("dated")])["p/mailbox/index.html"]
    assert _titles(page) == ["Title of dated", "Title of undated"]


def test_unlisted_shares_and_other_projects_dont_show() -> None:
    page = _project([_card("a"), _card("b", listed=False), _card("c", project="notes")])["p/mailbox/index.html"]
    assert _titles(page) == ["Title of a"]


def test_the_order_doesnt_depend_on_the_order_given() -> None:
    cards = [_card(slug) for slug in "abc"]
    assert _project(cards) == _project(cards[::-1])


def test_an_entry_has_its_facts_and_its_picture() -> None:
    card = _card("a", tool_calls=1200, turns=1, errors=2, models=("m1", "m2", "m3", "m4"), first_prompt="Why?")
    page = _project([card])["p/mailbox/index.html"]
    for said in (
        "2 Jan 2026",
        "Why?",
        "1 prompt<",
        "1,200 tool calls",
        "m1, m2, m3 +1",
        "2 failed",
        '<svg class="spark"',
    ):
        assert said in page


@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("Why is the list…", "Why is the list empty?"),
        ("Why is the list empty? And the next?", "Why is the list empty?"),
        ("why is the `list` empty", "Why  is the **list** empty?"),
    ],
)
def test_a_title_that_is_the_first_prompt_isnt_said_twice(title: str, prompt: str) -> None:
    page = _project([_card("a", title=title, first_prompt=prompt)])["p/mailbox/index.html"]
    assert '<p class="prompt">' not in page


def test_a_protected_entry_is_a_lock_and_two_words() -> None:
    page = _project([_secret(), _card("a")])["p/mailbox/index.html"]
    entry = page[page.index('<li class="entry protected">') :]
    assert re.sub(r"<[^>]+>", "", entry[: entry.index("</li>")]).strip() == "Protected page"
    assert "merger" not in page


def test_a_protected_entrys_place_tells_no_date() -> None:
    page = _project([_secret("zz"), _card("a"), _secret("aa")])["p/mailbox/index.html"]
    assert re.findall(r'class="title" href="../../s/([^/]+)/"', page) == ["a", "aa", "zz"]


def test_a_gated_share_leaves_nothing_in_its_card() -> None:
    assert _secret() == Card(slug="0a1b2c", title="", is_protected=True, project="mailbox", listed=True)


def test_a_subagent_is_a_link_under_its_parent() -> None:
    page = _project([_card("parent"), _card("child", parent_slug="parent")])["p/mailbox/index.html"]
    assert _titles(page) == ["Title of parent"]
    assert "../../s/child/" in references(page)


def test_a_subagent_whose_parent_isnt_listed_stands_for_itself() -> None:
    page = _project([_card("child", parent_slug="parent")])["p/mailbox/index.html"]
    assert _titles(page) == ["Title of child"]


def test_an_index_is_cut_at_a_hundred() -> None:
    pages = _project([_card(f"s{number:03}", day=number) for number in range(205)])
    htmls = [path for path in pages if path.endswith(".html")]
    assert htmls == ["p/mailbox/index.html", "p/mailbox/2/index.html", "p/mailbox/3/index.html"]
    assert [len(_titles(pages[path])) for path in htmls] == [100, 100, 5]
    assert {"../", "../3/"} <= set(references(pages["p/mailbox/2/index.html"]))


def test_an_index_of_very_many_pages_links_to_few_of_them() -> None:
    pages = _project([_card(f"s{number:04}", day=number % 900) for number in range(2_950)])
    middle = pages["p/mailbox/15/index.html"]
    pager = middle[middle.index('<nav class="pager"') :].partition("</nav>")[0]
    assert re.findall(r">(\d+|…)</", pager) == ["1", "…", "13", "14", "15", "16", "17", "…", "30"]
    assert 'aria-current="page" href="./">15<' in pager
    few = _project([_card(f"s{number:04}") for number in range(1_000)])["p/mailbox/10/index.html"]
    assert "<span>…</span>" not in few


def test_the_data_of_the_search_box_stays_small() -> None:
    pages = _project([_card(f"s{number:04}", day=number) for number in range(4_100)])
    rows = json.loads(pages["p/mailbox/entries.json"])
    assert (len(rows), rows[0][1]) == (4_000, "Title of s4099")


def test_the_search_box_knows_the_entries_of_all_pages() -> None:
    pages = _project([_secret(), *(_card(f"s{number:03}", day=number) for number in range(105))])
    rows = json.loads(pages["p/mailbox/entries.json"])
    assert len(rows) == 105
    assert rows[0] == ["../../s/s104/", "Title of s104", "Question number 0", "16 Apr 2026"]
    assert 'data-entries="../entries.json"' in pages["p/mailbox/2/index.html"]


def test_an_empty_project_has_a_sentence_and_a_way_on() -> None:
    page = _project([])["p/mailbox/index.html"]
    assert "No conversation of this project is listed." in page
    assert "../../" in references(page)


def test_a_project_shows_what_was_used() -> None:
    page = _project([_card("a", tools=(("Bash", 30),)), _card("b", tools=(("Bash", 12), ("Read", 2)))])
    text = re.sub(r"<[^>]+>", " ", page["p/mailbox/index.html"])
    assert re.search(r"Tools\s+Bash\s+42\s+Read\s+2", text)
    assert re.search(r"Models\s+claude-opus-4-5\s+2", text)


def _home(projects: list[Project], cards: list[Card]) -> str:
    return text_of(make_pages().home(projects, cards)[0])


def test_home_lists_projects_by_last_activity() -> None:
    notes = Project("notes", "notes")
    html = _home([PROJECT, notes], [_card("a"), _card("b", day=5, project="notes")])
    assert _titles(html) == ["notes", "mailbox", "Title of b", "Title of a"]


def test_home_leaves_out_projects_with_nothing_listed_and_protected_ones() -> None:
    secret = Project("merger", "merger", gate=Gate.PASSWORD)
    html = _home([PROJECT, secret], [_secret(), replace(_secret("ff"), project="merger")])
    assert _titles(html) == ["mailbox"]
    assert "merger" not in html


def test_home_lists_what_has_no_project() -> None:
    html = _home([], [_card("a", project=None)])
    assert "Without a project" in html
    assert "s/a/" in references(html)


def test_home_takes_several_pages_for_very_many_projects_or_conversations() -> None:
    projects = [Project(f"p{number:03}", f"p{number:03}") for number in range(101)]
    cards = [_card(f"s{number:03}", project=f"p{number:03}", day=number) for number in range(101)]
    cards += [_card(f"loose{number:03}", project=None, day=number) for number in range(205)]
    pages = by_path(make_pages().home(projects, cards))
    assert list(pages) == ["index.html", "more/2/index.html", "more/3/index.html"]
    assert [len(_titles(html)) for html in pages.values()] == [100 + 12 + 100, 1 + 100, 5]
    assert {"../../p/p000/", "../../s/loose000/", "../../", "../3/"} <= {
        href for html in list(pages.values())[1:] for href in references(html)
    }
    assert 'name="robots" content="noindex' in pages["more/2/index.html"]
    assert all("<h2>Newest" not in html for path, html in pages.items() if path != "index.html")


def test_an_empty_home_says_that_links_still_work() -> None:
    assert "Nothing is listed here" in _home([PROJECT], [_card("a", listed=False)])


def test_home_shows_the_year_that_ends_with_the_newest() -> None:
    html = _home([PROJECT], [_card("a"), _card("b", day=1), _card("c", day=-7), _card("old", day=-800)])
    assert re.findall(r"<title>(Week.*?)</title>", html) == [
        "Week of 22 Dec 2025: 1 conversation",
        "Week of 29 Dec 2025: 2 conversations",
    ]


def test_404_works_at_any_depth() -> None:
    assert "/talks/" in references(text_of(make_pages().not_found()))


def test_the_sitemap_has_open_listed_pages_only() -> None:
    cards = [_card("a"), _card("b", listed=False), _secret()]
    sitemap = by_path(make_pages().extras([PROJECT, Project("empty", "empty")], cards))["sitemap.xml"]
    assert re.findall(r"<loc>(.*?)</loc>", sitemap) == [
        "https://ann.example.org/talks/",
        "https://ann.example.org/talks/p/mailbox/",
        "https://ann.example.org/talks/s/a/",
    ]
    assert "<lastmod>2026-01-02</lastmod>" in sitemap


def test_the_sitemap_of_a_very_large_site_is_an_index_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.pages.feeds._LARGEST_SITEMAP", 50)
    cards = [_card(f"s{number:03}") for number in range(120)]
    files = by_path(make_pages().extras([PROJECT], cards))
    parts = re.findall(r"<loc>https://ann.example.org/talks/(sitemap-\d+.xml)</loc>", files["sitemap.xml"])
    assert len(parts) == 8
    assert all(ElementTree.fromstring(files[part]).tag.endswith("}urlset") for part in parts)
    pages = [loc for part in parts for loc in re.findall(r"<loc>(.*?)</loc>", files[part])]
    assert len(pages) == len(set(pages)) == 122
    assert max(files[part].count("<loc>") for part in parts) <= 50
    more = by_path(make_pages().extras([PROJECT], [*cards, _card("one-more")]))
    assert sum(more[part] != files[part] for part in parts) == 1


def test_without_a_base_url_there_is_no_sitemap() -> None:
    paths = [document.path for document in make_pages(base_url=None).extras([PROJECT], [_card("a")])]
    assert "sitemap.xml" not in paths
    assert ".nojekyll" in paths


def test_a_projects_feed_has_its_open_pages_newest_first() -> None:
    cards = [
        _card("a"),
        _card("b", day=1, title="<b> & c"),
        _card("undated", started_at=None, ended_at=None),
        _secret(),
    ]
    pages = _project(cards)
    feed = ElementTree.fromstring(pages["p/mailbox/feed.xml"])
    atom = "{http://www.w3.org/2005/Atom}"
    assert [entry.findtext(f"{atom}title") for entry in feed.iter(f"{atom}entry")] == ["<b> & c", "Title of a"]
    assert feed.findtext(f"{atom}updated") == "2026-01-03T14:03:05Z"
    assert "feed.xml" in references(pages["p/mailbox/index.html"])


@pytest.mark.parametrize(
    "project",
    [pytest.param(PROJECT, id="nothing open"), pytest.param(replace(PROJECT, gate=Gate.PASSWORD), id="gated")],
)
def test_a_project_with_nothing_open_has_no_feed(project: Project) -> None:
    assert "p/mailbox/feed.xml" not in _project([_secret()], project)


@pytest.mark.parametrize("count", [1, 5, 24, 400])
def test_a_sparkline_has_24_values_and_a_peak(count: int) -> None:
    values = shape([Mark("answer", "m", None, weight) for weight in range(1, count + 1)])
    assert len(values) == SHAPE_LENGTH
    assert max(values) == 9
    assert min(values) >= 0


def test_nothing_has_no_shape() -> None:
    assert shape([]) == ()
    assert make_card(make_share(), make_transcript(make_exchanges(3))).shape != ()
