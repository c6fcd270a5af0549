"""What holds for every tool: no input breaks it, nothing of it acts, every word is in the catalogue."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import Json
from sitegen.render.tools import FAMILIES, render_call
from tests.support.calls import call, context, line, step, words
from tests.support.strict_html import faults

LOCALE = Path(__file__).parents[2] / "sitegen/locale"
NAMES = [*sorted(name for family in FAMILIES for name in family.NAMES), "mcp__a__b", "unheard_of", ""]
EDGES = ["apply_patch", "edit", "multiedit", "notebookedit", "write", "todowrite", "taskupdate", *NAMES[-3:]]
ONE_EACH = sorted({*(min(family.NAMES) for family in FAMILIES), *EDGES})
KEYS = [
    *("command", "cmd", "description", "file_path", "path", "content", "old_string", "new_string", "edits", "todos"),
    *("plan", "questions", "question", "options", "answers", "pattern", "query", "url", "prompt", "input", "code"),
    *("subagent_type", "offset", "limit", "updates", "comments", "title", "type", "language", "action", "taskId"),
    *("stdout", "stderr", "structuredPatch", "file", "cells", "results", "oldTodos", "lines", "status", "<b>", "\x00"),
]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            *(
                "<script>alert(1)</script>",
                '"><img onerror=x>',
                "\x1b[31mred",
                "\x00\ud800\u202e",
                "javascript:alert(1)",
            ),
            *("     1→a\n     2→b", "Exit code 1\nx", "*** Begin Patch\n*** Add File: <b>\n+x", "```\nopen", "-a\n+b"),
            *('{"output": 1}', '[{"type":"text"}]', "Links: [", "<status>x</status>", "\n" * 99, "x\n" * 99),
        ]
    ),
)
JSON: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5)


def test_no_two_families_claim_a_tool() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert all(name == name.lower() for name in NAMES)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NAMES), OBJECTS, st.one_of(st.none(), TEXTS), OBJECTS, OBJECTS, st.booleans())
def test_no_input_breaks_a_tool_and_nothing_of_it_acts(
    name: str,
    given_: dict[str, Json],
    result: str | None,
    record: dict[str, Json],
    payload: dict[str, Json],
    failed: bool,
) -> None:
    paired = call(name, given_, result, detail=record, payload=payload, is_error=failed)
    shown = render_call(paired, context(code_lines=5))
    for html in (shown.summary, shown.detail, shown.preview):
        assert faults(str(html)) == []
    assert "<a " not in shown.summary
    assert words(shown.summary).strip()
    assert "\n" not in shown.object


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_huge_input_ends_well(name: str) -> None:
    deep: Json = "end"
    for _ in range(500):
        deep = [deep]
    big = "x = '<b>' # & \n" * 4_000
    given_: dict[str, Json] = dict.fromkeys(
        ("command", "content", "old_string", "prompt", "code", "plan", "todos"), big
    )
    shown = step(call(name, {**given_, "new_string": big[1:], "deep": deep}, big))
    assert faults(str(shown.detail)) == []
    assert len(shown.summary) < 2000
    assert len(shown.object) < 400
    assert len(shown.preview) < 20_000


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_failed_says_so_in_words(name: str) -> None:
    shown = step(call(name, {"command": "x", "plan": "p"}, "It broke.", is_error=True))
    assert shown.failed
    assert '<span class="bad">' in shown.summary
    assert "It broke." in words(shown.detail)


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_speaks_german(name: str) -> None:
    paired = call(name, {"command": "x", "query": "y", "url": "https://example.org"}, "z")
    assert line(paired, language="de") != line(paired)


def keys(language: str) -> dict[str, object]:
    return tomllib.loads((LOCALE / language / "tools.toml").read_text("utf-8"))


def test_both_languages_have_the_same_sentences_and_places() -> None:
    english, german = keys("en"), keys("de")
    assert english.keys() == german.keys()
    for key, text in english.items():
        assert places(text) == places(german[key]), key


def places(text: object) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for name in re.findall(r"\{(\w+)\}", str(form))} - {"n", "count"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_sentences_hold_no_markup(language: str) -> None:
    assert not re.search(r"[<&]", "".join(map(str, keys(language).values())))
