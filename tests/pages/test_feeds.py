"""Feeds and the sitemap as their readers take them: by a parser and by schemas, and never longer for more shares."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import feedparser
import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.model import Card, Gate, Project
from sitegen.pages import make_card
from tests.support.sites import by_path, make_pages, references, text_of
from tests.support.transcripts import PROJECT, START, make_share, make_transcript

FIXTURES = Path(__file__).parent.parent / "fixtures"
ATOM = xmlschema.XMLSchema(FIXTURES / "atom.xsd")
SITEMAP = xmlschema.XMLSchema(FIXTURES / "sitemap.xsd")


def card(slug: str, *, day: int = 0, **changes: Any) -> Card:
    moment = START + timedelta(days=day)
    transcript = make_transcript(title=f"Title of {slug}", started_at=moment, ended_at=moment)
    return replace(make_card(make_share(slug), transcript), **changes)


def protected(slug: str = "0a1b2c") -> Card:
    return make_card(make_share(slug, gate=Gate.PASSWORD, title="The merger"), make_transcript(title="The merger"))


def extras(cards: list[Card], **site: Any) -> dict[str, str]:
    return by_path(make_pages(**site).extras([PROJECT], cards))


def read(text: str) -> Any:
    """A feed, as a reader has it. Fails where the reader would have to guess."""
    parsed = feedparser.parse(text.encode())
    assert not parsed.bozo, parsed.get("bozo_exception")
    assert parsed.version == "atom10"
    ATOM.validate(text)
    return parsed


def test_sites_feed_has_open_listed_shares_of_all_projects_newest_first() -> None:
    cards = [card("a"), card("b", day=3, project="other"), card("c", listed=False), protected()]
    parsed = read(extras(cards)["feed.xml"])
    assert [entry.title for entry in parsed.entries] == ["Title of b", "Title of a"]
    assert [entry.link for entry in parsed.entries] == [
        "https://ann.example.org/talks/s/b/",
        "https://ann.example.org/talks/s/a/",
    ]
    assert parsed.feed.title == "Notes"
    assert (parsed.feed.id, parsed.feed.updated) == ("https://ann.example.org/talks/", "2026-01-05T14:03:05Z")
    assert {link.rel: link.href for link in parsed.feed.links} == {
        "self": "https://ann.example.org/talks/feed.xml",
        "alternate": "https://ann.example.org/talks/",
    }


def test_home_page_tells_readers_of_the_feed() -> None:
    html = text_of(make_pages().home([PROJECT], [card("a")])[0])
    assert '<link rel="alternate" type="application/atom+xml" href="feed.xml">' in html


@pytest.mark.parametrize(
    ("cards", "site"),
    [
        pytest.param([protected(), card("b", listed=False)], {}, id="nothing for everyone"),
        pytest.param([card("a", started_at=None, ended_at=None)], {}, id="no date"),
        pytest.param([card("a")], {"base_url": None}, id="no address"),
        pytest.param([card("a")], {"offline": True}, id="from disk"),
    ],
)
def test_without_anything_to_tell_or_an_address_there_is_no_feed(cards: list[Card], site: dict[str, Any]) -> None:
    assert "feed.xml" not in extras(cards, **site)
    assert "feed.xml" not in references(text_of(make_pages(**site).home([PROJECT], cards)[0]))


def test_projects_feed_is_read_too() -> None:
    parsed = read(by_path(make_pages().project(PROJECT, [card("a")]))["p/mailbox/feed.xml"])
    assert parsed.feed.title == "mailbox · Notes"
    assert parsed.entries[0].summary == "Question number 0"


def test_feeds_hold_the_newest_fifty_however_many_there_are() -> None:
    many = [card(f"s{number:04}", day=number) for number in range(300)]
    assert len(read(extras(many)["feed.xml"]).entries) == 50
    few = extras(many[-50:])["feed.xml"]
    assert extras(many)["feed.xml"] == few


@settings(max_examples=40)
@given(st.text(min_size=1).filter(str.strip), st.text())
def test_any_title_and_prompt_make_a_feed_that_can_be_read(title: str, prompt: str) -> None:
    cards = [card("a", title=title + "x", first_prompt=prompt)]
    text = extras(cards)["feed.xml"]
    ATOM.validate(text)
    assert len(feedparser.parse(text.encode()).entries) == 1


def test_sitemap_is_valid_with_the_days_on_which_conversations_went_on() -> None:
    cards = [card("a"), card("b", day=40), card("undated", started_at=None, ended_at=None), protected()]
    text = extras(cards)["sitemap.xml"]
    SITEMAP.validate(text)
    assert "s/b/</loc><lastmod>2026-02-11</lastmod>" in text
    assert "s/undated/</loc></url>" in text
    assert "0a1b2c" not in text


def test_sitemap_names_what_a_url_must_quote() -> None:
    text = extras([card("ärø & co")])["sitemap.xml"]
    SITEMAP.validate(text)
    assert "s/%C3%A4r%C3%B8%20%26%20co/" in text


def test_sitemap_grows_no_longer_than_its_readers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.pages.feeds._LARGEST_SITEMAP", 10)
    files = extras([card(f"s{number:04}", day=number) for number in range(30)])
    parts = [text for path, text in files.items() if path.startswith("sitemap-")]
    for text in parts:
        SITEMAP.validate(text)
    assert max(text.count("<loc>") for text in parts) <= 10
    assert all(any(f"s/s{number:04}/" in text for text in parts) for number in range(30))


def test_protected_project_is_in_neither() -> None:
    project = Project("merger", "merger", gate=Gate.PASSWORD)
    documents = by_path(make_pages().extras([project], [replace(protected(), project="merger")]))
    assert "merger" not in documents["sitemap.xml"]
    assert "feed.xml" not in documents
