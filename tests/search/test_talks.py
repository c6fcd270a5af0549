"""What can be searched for: what was said, as plain words, with its place; and never too much at once."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.search import Found, Turn, make_talk
from sitegen.search.disk import SHARD_BYTES, make_index
from sitegen.search.talks import plain
from tests.support.sites import text_of
from tests.support.talks import ask, call, rendered, result, say, talk, think


def found(number: int, *prompts: str) -> Found:
    turns = tuple(Turn(1, f"m-{number}-{at}", at % 2 == 0, text) for at, text in enumerate(prompts))
    hrefs = tuple(f"s/{number}/index.html#{turn.anchor}" for turn in turns)
    return Found(f"Talk {number}", "2 Jan 2026", f"s/{number}/index.html", turns, hrefs)


def rows(found_: list[Found]) -> list[list[object]]:
    """All rows of an index, after a look at how its scripts call each other."""
    documents = list(make_index("search/index/", found_))
    rows: list[list[object]] = []
    for number, document in enumerate(documents):
        assert document.path == f"search/index/{number}.js"
        call = re.fullmatch(r"sitegenIndex\((\d+),(true|false),(.*)\)\n", text_of(document), re.DOTALL)
        assert call is not None
        assert (int(call[1]), call[2] == "true") == (number, number == len(documents) - 1)
        rows += json.loads(call[3])
    return rows


def test_prompts_and_answers_are_found_at_their_messages_and_nothing_else_is() -> None:
    transcript = rendered(
        talk(
            ask("Why **not**?"),
            think("Hmm, secretly."),
            call("Bash", arguments={"command": "make estuary"}),
            result("no rule to make target"),
            say("Because of the `reed`."),
        )
    )
    turns = make_talk([transcript.exchanges]).turns
    assert [(turn.anchor, turn.is_prompt, turn.text) for turn in turns] == [
        ("m-m0", True, "Why not?"),
        ("m-m4", False, "Because of the reed."),
    ]


def test_exchange_in_which_nothing_is_said_has_no_turn() -> None:
    transcript = rendered(talk(call("Bash", arguments={"command": "make"}), result("done")))
    assert make_talk([(replace(transcript.exchanges[0], search_file=b"", said=()),)]).turns == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("See [the *tide*](https://example.org/a).", "See the *tide*.", id="link"),
        pytest.param("```python\nprint(1)\n```\nDone.", "print(1) Done.", id="fence"),
        pytest.param("# Head\n\n> quote\n- item", "Head quote item", id="marks at the start"),
        pytest.param(
            "snake_case and __init__ stay, _this_ leans", "snake_case and init stay, this leans", id="underscores"
        ),
        pytest.param("a\x00b\x1bc \ud800", "a b c ?", id="what isn't text"),
    ],
)
def test_markdown_becomes_plain_words(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize("piece", ["[", "![", "[](", "**", "```", "_", "# ", "[a](b"])
def test_wild_markdown_comes_to_an_end(piece: str) -> None:
    assert len(plain(piece * 40_000)) <= len(piece) * 40_000


@given(st.text())
def test_any_text_becomes_a_line_that_can_be_written(text: str) -> None:
    line = plain(text)
    assert "\n" not in line
    line.encode("utf-8")


def test_index_on_disk_has_titles_and_prompts() -> None:
    assert rows([found(1, "Why?", "Because."), found(2)]) == [
        ["Talk 1", "2 Jan 2026", "s/1/index.html", [["s/1/index.html#m-1-0", "Why?"]]],
        ["Talk 2", "2 Jan 2026", "s/2/index.html", []],
    ]


def test_large_index_comes_in_pieces_and_loses_nothing() -> None:
    many = [found(number, *(f"question {at} of many" for at in range(101))) for number in range(100)]
    documents = list(make_index("search/index/", many))
    assert len(documents) > 1
    assert max(len(each.data) for each in documents) < 1.2 * SHARD_BYTES
    assert sum(len(row[3]) for row in rows(many) if isinstance(row[3], list)) == 51 * 100


def test_conversation_of_very_many_prompts_takes_several_rows() -> None:
    one = [found(1, *("word " * 80 for _ in range(2_000)))]
    assert max(len(each.data) for each in make_index("search/index/", one)) < 1.5 * SHARD_BYTES
    assert {row[0] for row in rows(one)} == {"Talk 1"}


@given(st.text(max_size=50))
def test_any_title_stays_within_its_script(title: str) -> None:
    one = Found(title, "", "s/1/index.html", (), ())
    (row,) = rows([one])
    assert row[0] == title.encode("utf-8", "replace").decode()
