"""Long conversations: cut at prompts from the start, so that what was published stays where it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.model import ROOT, BranchPage, Exchange
from sitegen.pages.parts import cut, groups
from tests.support.sites import by_path, make_pages, references
from tests.support.transcripts import make_exchange, make_exchanges, make_share, make_transcript

sizes = st.lists(st.tuples(st.integers(0, 400_000), st.integers(1, 120)), max_size=40)


def _exchanges(shape: list[tuple[int, int]]) -> list[Exchange]:
    return [Exchange(f"x-{index}", b"x" * size, messages) for index, (size, messages) in enumerate(shape)]


@given(sizes, st.integers(0, 40))
def test_appending_changes_only_the_last_part(shape: list[tuple[int, int]], kept: int) -> None:
    before, after = cut(_exchanges(shape[:kept])), cut(_exchanges(shape))
    assert after[: len(before) - 1] == before[:-1]
    assert after[len(before) - 1][: len(before[-1])] == before[-1]


@given(sizes)
def test_a_growing_exchange_stays_in_its_part(shape: list[tuple[int, int]]) -> None:
    """A permalink to it names its part for ever."""
    grown = [*shape[:-1], (900_000, 700)] if shape else []
    assert len(cut(_exchanges(shape))) == len(cut(_exchanges(grown)))


@given(sizes)
def test_nothing_is_lost_or_moved(shape: list[tuple[int, int]]) -> None:
    exchanges = _exchanges(shape)
    assert [each for part in cut(exchanges) for each in part] == exchanges
    assert [each for group in groups(exchanges) for each in group] == exchanges


def test_an_ordinary_conversation_is_one_page() -> None:
    assert list(_pages(60)) == ["s/empty-list/index.html"]


def test_a_part_holds_some_two_hundred_messages() -> None:
    assert list(_pages(250)) == ["s/empty-list/index.html", "s/empty-list/2/index.html", "s/empty-list/3/index.html"]


def _pages(count: int) -> dict[str, str]:
    documents = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(count))))
    return {path: text for path, text in documents.items() if path.endswith("index.html")}


def test_the_pages_between_stay_byte_for_byte() -> None:
    before, after = _pages(350), _pages(390)
    between = [path for path in before if path.split("/")[2] in ("2", "3")]
    assert len(between) == 2
    assert [before[path] for path in between] == [after[path] for path in between]


def test_parts_link_to_each_other_and_to_the_start() -> None:
    part = _pages(250)["s/empty-list/2/index.html"]
    assert {"../", "../3/"} <= set(references(part))
    assert '<link rel="prev" href="../">' in part
    assert '<link rel="next" href="../3/">' in part


def test_the_first_page_leads_to_every_prompt() -> None:
    links = references(_pages(250)["s/empty-list/index.html"])
    assert "#x-0000p" in links
    assert "2/#x-0100p" in links
    assert "3/#x-0249p" in links


def test_the_map_names_the_page_of_every_anchor() -> None:
    documents = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(250, calls=1))))
    pages = json.loads(documents["s/empty-list/map.json"])["pages"]
    assert [page["href"] for page in pages] == ["", "2/", "3/"]
    assert "t-0100a-0" in pages[1]["anchors"].split()
    assert pages[2]["outline"][0] == ["x-0200p", "Question number 200"]


def test_the_search_index_holds_the_prose_of_all_parts() -> None:
    documents = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(250))))
    index = json.loads(documents["s/empty-list/search.json"])
    assert len(index) == 250
    assert index[249] == ["3/", "x-0249p", "Question number 249\nBecause nothing was added."]


def test_a_short_conversation_has_only_its_sources_beside_it() -> None:
    documents = by_path(make_pages().share(make_share(), make_transcript()))
    assert sorted(documents) == [
        "s/empty-list/conversation.json",
        "s/empty-list/conversation.md",
        "s/empty-list/index.html",
        "s/empty-list/source.json",
    ]


def test_a_message_names_the_file_that_holds_its_text_as_it_was_written() -> None:
    documents = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(150))))
    page = documents["s/empty-list/2/index.html"]
    assert 'id="m-0100a" data-src="source-2.json"' in page
    assert "Because *nothing*" not in page
    assert json.loads(documents["s/empty-list/source-2.json"])["m-0100a"] == "Because *nothing* was added."
    assert "m-0099a" not in json.loads(documents["s/empty-list/source-2.json"])


def test_a_conversation_shown_as_it_was_written_has_no_sources() -> None:
    exchange = replace(make_exchange("0000"), sources_file=b"")
    documents = by_path(make_pages().share(make_share(), make_transcript([exchange])))
    assert "s/empty-list/source.json" not in documents


def test_the_map_draws_the_whole_conversation_for_its_further_parts() -> None:
    documents = by_path(make_pages().share(make_share(), make_transcript(make_exchanges(250))))
    picture = json.loads(documents["s/empty-list/map.json"])["timeline"]
    assert picture in documents["s/empty-list/index.html"]
    assert 'href="#x-0000p"' in picture
    assert 'href="3/#x-0249p"' in picture or 'href="3/#x-0248p"' in picture


def test_messages_stand_in_groups_of_about_twenty() -> None:
    page = _pages(60)["s/empty-list/index.html"]
    assert page.count('<div class="group">') == 6


@pytest.mark.parametrize(
    ("reference", "href"),
    [
        pytest.param("i/a.png", "../i/a.png", id="a file"),
        pytest.param("b-1/", "../b-1/", id="a branch"),
        pytest.param("b-1/#m-branchp", "../b-1/#m-branchp", id="a message of a branch"),
        pytest.param("#m-0000p", "../#m-0000p", id="a message of another part"),
        pytest.param("#m-0149p", "#m-0149p", id="a message of this part"),
        pytest.param("#m-nowhere", "../#m-nowhere", id="a message that is nowhere"),
    ],
)
def test_references_of_fragments_lead_there_from_any_part(reference: str, href: str) -> None:
    exchanges = list(make_exchanges(150))
    exchanges[140] = make_exchange("0140", more=f'<a class="probe" href="{ROOT}{reference}">there</a>')
    transcript = make_transcript(exchanges, branches=(BranchPage("b-1", (make_exchange("branch"),)),))
    documents = by_path(make_pages().share(make_share(), transcript))
    assert f'class="probe" href="{href}"' in documents["s/empty-list/2/index.html"]
    assert not any("\x00" in text for text in documents.values())


def test_a_branch_page_leads_back_and_a_long_one_is_cut_too() -> None:
    branch = BranchPage("b-1", make_exchanges(150))
    documents = by_path(make_pages().share(make_share(), make_transcript(branches=(branch,))))
    assert "Another path through the conversation" in documents["s/empty-list/b-1/index.html"]
    assert "../" in references(documents["s/empty-list/b-1/index.html"])
    assert "../../" in references(documents["s/empty-list/b-1/2/index.html"])


def test_on_disk_every_late_file_has_a_script_that_hands_it_over() -> None:
    documents = by_path(make_pages(offline=True).share(make_share(), make_transcript(make_exchanges(150))))
    for name in ("2/index.html", "map.json", "search.json"):
        script = documents[f"s/empty-list/{name}.js"]
        assert script.startswith("sitegenLate(")
        assert json.loads(script[len("sitegenLate(") : -2]) == documents[f"s/empty-list/{name}"]


def test_an_empty_conversation_says_so() -> None:
    page = by_path(make_pages().share(make_share(), replace(make_transcript(()), exchanges=())))
    assert "This share shows no message" in page["s/empty-list/index.html"]
