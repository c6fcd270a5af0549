"""No protected word goes unseen, however a file writes it."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.check import find_canaries
from tests.check.trees import plant

TITLE = 'Why Ann\'s "plan" & Bo’s <budget> differ'
MANY = {f"Fixing the parser, part {number}": f"title {number}" for number in range(500)}


@pytest.mark.parametrize("others", [{}, MANY], ids=["alone", "among many"])
@pytest.mark.parametrize(
    "written",
    [TITLE, escape(TITLE), escape(TITLE, quote=False), escape(TITLE, quote=False).replace("&gt;", ">"),
     escape(TITLE).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
     json.dumps(TITLE), json.dumps(TITLE, ensure_ascii=False), quote(TITLE)],
    ids=["as it is", "html", "html text", "html between tags", "html by number", "json ascii", "json", "url"],
)  # fmt: skip
def test_a_canary_is_found_in_every_writing(tmp_path: Path, written: str, others: dict[str, str]) -> None:
    plant(tmp_path, s__x_bin=f"\0\1before{written}after")
    (finding,) = find_canaries(tmp_path, {TITLE: "the title of share x", **others})
    assert finding.path == "s/x.bin"
    assert "the title of share x" in finding.sentence
    assert "budget" not in str(finding)


def test_a_canary_in_a_name_is_found(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "quarterly-plan.txt").touch()
    assert [finding.path for finding in find_canaries(tmp_path, {"quarterly-plan": "a file name"})] == [
        "quarterly-plan.txt"
    ]


def test_a_tree_without_them_is_clean(tmp_path: Path) -> None:
    plant(tmp_path, a_html="Fixing the parser, part of a whole" * 100)
    assert find_canaries(tmp_path, MANY) == []


def test_only_the_given_files_are_searched(tmp_path: Path) -> None:
    plant(tmp_path, a_html="secret words", b_html="secret words")
    assert [finding.path for finding in find_canaries(tmp_path, {"secret words": "x"}, paths=["b.html"])] == ["b.html"]


def test_texts_too_short_to_mean_anything_are_passed_over(tmp_path: Path) -> None:
    plant(tmp_path, a_html="abc")
    assert find_canaries(tmp_path, {"": "x", "abc": "y"}) == []


@settings(deadline=None, max_examples=150)
@given(data=st.data())
@pytest.mark.parametrize(
    "pieces",
    ["abcd", ["a", "b", "-", "%20", "abbaab", " abbaab", "-baab-", "1.abcdabcdabcdabcd", "1."]],
    ids=["one", "words"],
)
def test_many_are_found_exactly_as_one_by_one(
    data: st.DataObject, pieces: str | list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def texts(shortest: int, longest: int) -> st.SearchStrategy[str]:
        return st.lists(st.sampled_from(pieces), min_size=shortest, max_size=longest).map("".join)

    canaries = data.draw(st.lists(texts(4, 9), min_size=49, max_size=70, unique=True))
    text = data.draw(texts(0, 60))
    root = tmp_path_factory.mktemp("tree")
    (root / "x").write_text(text)
    told = {
        finding.sentence.removeprefix("it holds “").partition("”")[0]
        for finding in find_canaries(root, {word: f"“{word}”" for word in canaries})
    }
    assert told == {word for word in canaries if word in text}
