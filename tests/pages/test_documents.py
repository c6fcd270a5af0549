"""What every page promises: nothing foreign, nothing inline, nothing private, the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitegen.errors import ConfigError
from sitegen.model import Card, Document, Gate, ShareFile, Show, Usage
from sitegen.pages import make_card
from tests.support.sites import Elements, by_path, make_pages, references, text_of, write
from tests.support.transcripts import PROJECT, START, image, make_exchange, make_exchanges, make_share, make_transcript

HOSTILE = "\"><script>canary()</script><img src=x onerror=canary()>' <!-- </title></script> \u202e{{ 7*7 }}"


def _everything(hostile: str = "A title") -> list[Document]:
    """Every kind of page there is, with `hostile` wherever text comes from outside."""
    pages = make_pages(title=hostile)
    picture, file = image()
    exchanges = [make_exchange("0", prompt=hostile, answer=hostile, calls=2, more=picture), *make_exchanges(120)]
    output = ShareFile("o/0123456789abcdef.html", b"<pre>heavy</pre>", "text/html")
    transcript = make_transcript(
        exchanges,
        title=hostile,
        source=hostile,
        models=(hostile, hostile + "2"),
        tools=((hostile, 3),),
        tool_calls=3,
        git_branch=hostile,
        usage=Usage(1, 2, 3, 4),
        hidden=(("tool results", 3),),
        files=(file, output),
    )
    project = replace(PROJECT, name=hostile, description=hostile)
    share = make_share(project=project)
    card = make_card(share, transcript)
    child = replace(card, slug="child", parent_slug=share.slug)
    cards = [card, child, _protected()]
    return [
        *pages.share(share, transcript, is_project_listed=True, parent=child, children=[child]),
        pages.tombstone(make_share("gone", title=hostile)),
        *pages.project(project, cards),
        *pages.home([project], cards),
        pages.not_found(),
        *pages.extras([project], cards),
    ]


def _protected() -> Card:
    return make_card(make_share("0a1b2c", gate=Gate.PASSWORD, title="The merger"), make_transcript())


def _html(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    for path, text in by_path(documents).items():
        if path.endswith(".html"):
            yield path, text


def test_no_page_refers_to_another_origin_or_by_an_absolute_path() -> None:
    """But for the canonical link, and 404.html, which is served at any depth and goes by the base path."""
    for path, text in _html(_everything()):
        allowed = ("/talks/",) if path == "404.html" else ("https://ann.example.org/talks/",)
        absolute = [href for href in references(text) if re.match(r"[a-z]+:|/", href, re.IGNORECASE)]
        assert all(href.startswith(allowed) for href in absolute)


def test_every_reference_leads_to_a_page_that_is_there(tmp_path: Path) -> None:
    documents = _everything()
    write(tmp_path, documents)
    (tmp_path / "s/child").mkdir()
    (tmp_path / "s/child/index.html").touch()
    (tmp_path / "s/0a1b2c").mkdir()
    (tmp_path / "s/0a1b2c/index.html").touch()
    for path, text in _html(documents):
        for href in references(text):
            if path != "404.html" and not href.startswith(("#", "https:")):
                target = (tmp_path / path).parent / href.split("#")[0]
                assert target.exists(), f"{path} → {href}"


def test_every_anchor_a_page_links_to_is_in_it() -> None:
    for _, text in _html(_everything()):
        ids = {attrs["id"] for _, attrs in Elements(text) if "id" in attrs}
        assert {href[1:] for href in references(text) if href.startswith("#")} <= ids


def test_ids_are_given_once() -> None:
    for _, text in _html(_everything()):
        ids = [attrs["id"] for _, attrs in Elements(text) if "id" in attrs]
        assert len(ids) == len(set(ids))


def test_every_page_has_the_strict_policy_and_sends_no_referrer() -> None:
    for _, text in _html(_everything()):
        metas = {
            attrs.get("http-equiv") or attrs.get("name"): attrs.get("content")
            for tag, attrs in Elements(text)
            if tag == "meta"
        }
        assert metas["Content-Security-Policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'"
        )
        assert metas["referrer"] == "no-referrer"


def test_nothing_is_inline() -> None:
    for _, text in _html(_everything()):
        for tag, attrs in Elements(text):
            assert tag not in ("style", "iframe", "object", "embed", "base")
            assert "style" not in attrs
            assert not any(name.startswith("on") for name in attrs)
            assert tag != "script" or "src" in attrs or attrs["type"] == "application/json"


def test_hostile_text_stays_text() -> None:
    """Titles, projects, models, tools, branches: whatever they hold, the page's elements are the same."""
    plain, hostile = dict(_html(_everything())), dict(_html(_everything(HOSTILE)))
    for path, text in hostile.items():
        assert [tag for tag, _ in Elements(text)] == [tag for tag, _ in Elements(plain[path])]
        assert "<script>canary" not in text
        assert text.count("7*7") == text.count("{{ 7*7 }}")


def test_the_same_input_gives_the_same_bytes() -> None:
    assert _everything() == _everything()


def test_no_page_holds_a_nul() -> None:
    assert not any(b"\x00" in document.data for document in _everything() if document.path.endswith(".html"))


def _robots(**changes: Any) -> list[bool]:
    documents = make_pages().share(make_share(**changes), make_transcript(make_exchanges(150)))
    return ["noindex" in text for _, text in _html(documents)]


def test_listed_open_shares_may_be_indexed() -> None:
    assert not any(_robots())


@pytest.mark.parametrize(
    "changes", [pytest.param({"listed": False}, id="unlisted"), pytest.param({"gate": Gate.PASSWORD}, id="gated")]
)
def test_unlisted_and_gated_shares_may_not(changes: dict[str, Any]) -> None:
    assert all(_robots(**changes))


def test_a_gated_share_has_no_exports() -> None:
    paths = by_path(make_pages().share(make_share(gate=Gate.PASSWORD), make_transcript()))
    assert "s/empty-list/index.html" in paths
    assert not [path for path in paths if "conversation" in path]


def test_an_open_share_has_its_exports_beside_it() -> None:
    documents = by_path(
        make_pages().share(make_share(), make_transcript(markdown_file=b"# Hi", json_file=b'{"version":1}'))
    )
    assert documents["s/empty-list/conversation.md"] == "# Hi"
    assert documents["s/empty-list/conversation.json"] == '{"version":1}'
    assert "conversation.md" in references(documents["s/empty-list/index.html"])


def test_the_header_says_what_this_is() -> None:
    transcript = make_transcript(
        make_exchanges(2, calls=1),
        tool_calls=1234,
        tools=(("Bash", 1200), ("Read", 34)),
        errors=2,
        usage=Usage(1000, 45000, 1200000, 30000),
        git_branch="fix/lists",
        ended_at=START + timedelta(days=2),
    )
    page = by_path(make_pages().share(make_share(), transcript))["s/empty-list/index.html"]
    for said in (
        "mailbox", "Claude Code", "claude-opus-4-5", "2–4 Jan 2026", "2 prompts", "1,234 (Bash 1,200, Read 34)",
        "45,000 written, 1,231,000 read (1,200,000 of them from cache)", "2 Jan 2026, 14:03 UTC", "2 days", "fix/lists",
    ):  # fmt: skip
        assert said in page


def test_times_are_in_the_sites_zone_and_language() -> None:
    pages = make_pages(language="de", timezone="Asia/Tokyo")
    page = by_path(pages.share(make_share(), make_transcript(started_at=START.replace(hour=20))))[
        "s/empty-list/index.html"
    ]
    assert '<html lang="de" dir="ltr">' in page
    assert "3. Jan. 2026, 05:03 JST" in page
    assert "Einzelheiten" in page


def test_an_unknown_time_is_never_invented() -> None:
    page = by_path(make_pages().share(make_share(), make_transcript(started_at=None, ended_at=None)))
    assert "Began" not in page["s/empty-list/index.html"]


def test_what_was_left_out_is_said() -> None:
    transcript = make_transcript(hidden=(("tool results", 3), ("messages", 1), ("whatever", 2)))
    page = by_path(make_pages().share(make_share(), transcript))["s/empty-list/index.html"]
    assert "Not shown here: 3 tool results, 1 message, 2 other pieces." in page


@pytest.mark.parametrize(
    ("show", "views"),
    [
        (Show.ALL, ["conversation", "calls", "everything"]),
        (Show.CALLS, ["conversation", "calls"]),
        (Show.CONVERSATION, []),
    ],
)
def test_chips_offer_only_what_there_is(show: Show, views: list[str]) -> None:
    page = by_path(make_pages().share(make_share(show=show), make_transcript()))["s/empty-list/index.html"]
    assert [attrs["data-show"] for _, attrs in Elements(page) if "data-show" in attrs] == views


def test_a_heavy_output_is_a_page_that_leads_back() -> None:
    output = ShareFile("o/0123456789abcdef.html", b'<pre>much</pre><a href="\x00root\x00i/x.png">x</a>', "text/html")
    page = by_path(make_pages().share(make_share(), make_transcript(files=(output,))))[
        "s/empty-list/o/0123456789abcdef.html"
    ]
    assert "<pre>much</pre>" in page
    assert {"../", "../i/x.png"} <= set(references(page))
    assert "noindex" in page


def test_a_tombstone_holds_no_word_of_the_conversation() -> None:
    document = make_pages().tombstone(make_share("gone", title="The merger"))
    text = text_of(document)
    assert document.path == "s/gone/index.html"
    assert "This page has expired" in text
    assert "merger" not in text
    assert "mailbox" not in text
    assert "noindex" in text


def test_a_subagents_page_names_its_parent() -> None:
    parent = make_card(make_share("parent", title="The whole task"), make_transcript())
    page = by_path(make_pages().share(make_share(), make_transcript(), parent=parent))["s/empty-list/index.html"]
    assert "The whole task" in page
    assert "../parent/" in references(page)


def test_the_timeline_links_every_mark() -> None:
    page = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(2, calls=1))))[
        "s/empty-list/index.html"
    ]
    picture = page[page.index('<svg class="timeline"') : page.index("</svg>")]
    assert references(picture) == ["#x-0000p", "#t-0000a-0", "#x-0001p", "#t-0001a-0"]
    assert "<title>Question number 0</title>" in picture


@pytest.mark.parametrize("count", [41, 400, 3_000])
def test_a_dense_timeline_keeps_few_places_and_no_fence_of_ticks(count: int) -> None:
    page = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(count))))["s/empty-list/index.html"]
    picture = page[page.index('<svg class="timeline"') : page.index("</svg>")]
    places = [href for href in references(picture) if "x-" in href]
    assert min(count, 60) <= len(places) <= 120
    assert places[0] == "#x-0000p"
    assert "2V46" not in picture


def test_places_that_share_a_link_still_show_their_failures() -> None:
    exchanges = [*make_exchanges(300), make_exchange("fail", calls=3)]
    page = by_path(make_pages().share(make_share(), make_transcript(exchanges)))["s/empty-list/index.html"]
    picture = page[page.index('<svg class="timeline"') : page.index("</svg>")]
    assert [href for href in references(picture) if "t-" in href] == ["4/#t-faila-0"]


def test_an_output_of_its_own_says_what_conversation_it_is_of_and_skips_no_heading() -> None:
    output = ShareFile("o/ab.html", b'<div class="prose"><h5>Plan</h5><h6 id="h6">Step</h6></div>', "text/html")
    page = by_path(make_pages().share(make_share(), make_transcript(files=(output,))))["s/empty-list/o/ab.html"]
    assert re.findall(r"<(h\d)", page) == ["h1", "h2", "h3", "h4"]
    assert '<a href="../">An empty list</a></h1>' in page
    assert '<h4 id="h6">Step</h4>' in page


def test_a_users_template_replaces_ours_block_by_block(tmp_path: Path) -> None:
    (tmp_path / "404.html").write_text('{% extends "sitegen/404.html" %}{% block main %}Gone fishing{% endblock %}')
    page = text_of(make_pages(templates=[tmp_path]).not_found())
    assert "Gone fishing" in page
    assert "Content-Security-Policy" in page


def test_a_template_cant_switch_escaping_off(tmp_path: Path) -> None:
    (tmp_path / "404.html").write_text("{{ site.title|safe }}")
    with pytest.raises(ConfigError, match=r"404\.html:1: .*safe"):
        make_pages(templates=[tmp_path]).not_found()


def test_a_templates_typing_error_is_no_empty_place(tmp_path: Path) -> None:
    (tmp_path / "404.html").write_text("{{ sight }}")
    with pytest.raises(ConfigError, match=r"404\.html:1: .*'sight' is undefined"):
        make_pages(templates=[tmp_path]).not_found()
