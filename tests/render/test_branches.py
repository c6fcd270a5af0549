"""The paths through a conversation: what is a fork, what only looks like one, and that nothing is lost or mixed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.model import Block, Fork, Message
from sitegen.render.tree import Tree, grow
from sitegen.render.turns import is_prompt
from tests.support.talks import Line, ask, call, page, rendered, result, say, talk


def _tree(*lines: Line, source: str = "claude_code", forks: Sequence[Fork] = ()) -> Tree:
    messages = talk(*lines).messages
    return grow(messages, forks=forks, source_id=source, is_prompt=is_prompt)


def _paths(tree: Tree) -> dict[str, list[str]]:
    return {path.name: [message.id for message in path.messages] for path in tree.paths}


def test_a_rewound_prompt_is_a_fork_and_the_newest_leaf_is_shown() -> None:
    tree = _tree(
        ask("start"), say("ready"), ask("first"), say("one"), ask("second", parent_id="m1"), say("two"), ask("go on")
    )
    assert _paths(tree) == {"": ["m0", "m1", "m4", "m5", "m6"], "b-m2": ["m2", "m3"]}
    assert [(other.first, other.path) for other in tree.choices["m4"]] == [("m2", "b-m2"), ("m4", "")]


def test_an_answer_generated_again_is_a_fork() -> None:
    tree = _tree(ask("q"), say("one"), say("two", parent_id="m0"), source="chatgpt_export")
    assert _paths(tree) == {"": ["m0", "m2"], "b-m1": ["m1"]}


def test_a_part_of_an_answer_generated_again_is_a_fork_in_a_source_that_keeps_a_tree() -> None:
    lines = [ask("q"), say("thinking"), say("one"), ask("more"), say("a"), say("two", parent_id="m1")]
    assert _paths(_tree(*lines, source="claude_export")) == {"": ["m0", "m1", "m5"], "b-m2": ["m2", "m3", "m4"]}
    assert list(_paths(_tree(*lines))) == [""]


def test_a_result_with_another_way_on_is_a_fork_in_a_source_that_keeps_a_tree() -> None:
    lines = [
        ask("q"), call("python", "a"), result("1", "a"), say("one"), result("2", "a", parent_id="m1"), say("two"),
    ]  # fmt: skip
    assert _paths(_tree(*lines, source="chatgpt_export")) == {"": ["m0", "m1", "m4", "m5"], "b-m2": ["m2", "m3"]}


def test_results_of_parallel_calls_are_no_fork_even_there() -> None:
    lines = [
        ask("q"), call("python", "a"), result("1", "a", parent_id="m1"), result("2", "b", parent_id="m1"), say("done"),
    ]  # fmt: skip
    assert list(_paths(_tree(*lines, source="chatgpt_export"))) == [""]


def test_two_first_prompts_are_a_fork_in_a_source_that_keeps_a_tree() -> None:
    lines = [ask("one"), say("a"), ask("two", parent_id=""), say("b")]
    assert _paths(_tree(*lines, source="chatgpt_export")) == {"": ["m2", "m3"], "b-m0": ["m0", "m1"]}
    assert _paths(_tree(*lines)) == {"": ["m0", "m1", "m2", "m3"]}


def test_forks_within_forks_each_have_a_path() -> None:
    tree = _tree(
        ask("a"), say("1"), ask("b"), say("2"), ask("c"), say("3"), ask("d", parent_id="m3"), say("4"),
        ask("e", parent_id="m1"), say("5"),
    )  # fmt: skip
    assert _paths(tree) == {"": ["m0", "m1", "m8", "m9"], "b-m2": ["m2", "m3", "m6", "m7"], "b-m4": ["m4", "m5"]}


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            [
                ask("q"),
                call("Read", "a", request_id="r1"),
                call("Read", "b", request_id="r1"),
                result("1", "a", parent_id="m1"),
                result("2", "b", parent_id="m2"),
                say("done"),
            ],
            id="parallel calls, their results beside the next call",
        ),
        pytest.param(
            [ask("q"), say("part", request_id="r1"), say("rest", request_id="r1", parent_id="m0")], id="streamed blocks"
        ),
        pytest.param([ask("q"), say("one"), ask("lost parent", parent_id="gone"), say("two")], id="a missing parent"),
        pytest.param([ask("q", parent_id="m2"), say("one", parent_id="m0"), say("x", parent_id="m1")], id="a cycle"),
        pytest.param([ask("q", parent_id="m0"), say("one", parent_id="m1")], id="its own parent"),
        pytest.param(
            [ask("q"), say("a"), ask("taken back", parent_id="m1"), ask("asked", parent_id="m1"), say("b")],
            id="a prompt taken back before any answer",
        ),
        pytest.param(
            [ask("q"), say("one", is_api_error=True), say("two", parent_id="m0")], id="an answer after an error"
        ),
        pytest.param([ask("q"), say("a"), ask("q", native_id="m0", parent_id="m1"), say("b")], id="an id stored twice"),
    ],
)
def test_what_only_looks_like_a_fork_stays_in_line(lines: list[Line]) -> None:
    assert list(_paths(_tree(*lines))) == [""]


def test_a_prompt_taken_back_is_a_note_that_nothing_answers() -> None:
    lines = [ask("q"), say("a"), ask("taken back", parent_id="m1"), ask("asked", parent_id="m1"), say("b")]
    transcript = rendered(talk(*lines))
    assert transcript.facts.turns == 2
    assert '<aside class="note queued" id="m-m2">' in page(transcript)
    assert "taken back" in page(transcript)


def test_a_fork_that_the_projection_records_is_one() -> None:
    tree = _tree(ask("q"), say("a"), say("b"), say("c"), forks=[Fork("m0", ("m2",))])
    assert _paths(tree) == {"": ["m0", "m2", "m3"], "b-m1": ["m1"]}


def test_a_chain_of_five_thousand_ends_well() -> None:
    lines = [ask(f"q{n}") if n % 2 == 0 else say(f"a{n}") for n in range(5000)]
    assert [len(path.messages) for path in _tree(*lines).paths] == [5000]


def test_each_alternative_links_to_the_others_from_its_own_page() -> None:
    transcript = rendered(talk(ask("s"), say("r"), ask("x"), say("1"), ask("y", parent_id="m1"), say("2")))
    (branch,) = transcript.branches
    assert branch.name == "b-m2"
    assert 'id="v-m4"' in page(transcript)
    assert 'href="\x00root\x00b-m2/#v-m2"' in page(transcript)
    assert "Version 2 of 2" in page(transcript)
    assert 'id="v-m2"' in page(branch.exchanges)
    assert 'href="\x00root\x00#v-m4"' in page(branch.exchanges)
    assert "v-m2" in branch.exchanges[0].anchors


@st.composite
def _messages(draw: st.DrawFn) -> list[Message]:
    count = draw(st.integers(min_value=1, max_value=24))
    found = []
    for place in range(count):
        parent = draw(st.none() | st.integers(min_value=0, max_value=count).map(lambda n: f"m{n}"))
        text = Block("text", f"words{place}.")
        use = Block("tool_use", tool_name="Read", tool_use_id=draw(st.sampled_from(["a", "b"])), payload={"input": {}})
        back = Block("tool_result", f"words{place}.", tool_use_id=draw(st.sampled_from(["a", "b", None])))
        role, blocks = draw(
            st.sampled_from(
                [
                    ("user", (text,)),
                    ("assistant", (text,)),
                    ("assistant", (use,)),
                    ("user", (back,)),
                    ("system", (text,)),
                ]
            )
        )
        found.append(
            Message(
                f"m{place}",
                role,  # type: ignore[arg-type]  # the pairs above are roles
                place,
                blocks,
                native_id=f"m{place}",
                parent_id=parent,
                request_id=draw(st.none() | st.sampled_from(["r1", "r2"])),
            )
        )
    return found


@given(_messages(), st.sampled_from(["claude_code", "chatgpt_export"]))
def test_every_message_is_on_exactly_one_path_in_its_order(messages: list[Message], source: str) -> None:
    tree = grow(messages, forks=(), source_id=source, is_prompt=is_prompt)
    found = [message.index for path in tree.paths for message in path.messages]
    assert sorted(found) == list(range(len(messages)))
    for path in tree.paths:
        places = [message.index for message in path.messages]
        assert places == sorted(places)


@given(_messages(), st.sampled_from(["claude_code", "chatgpt_export"]))
def test_every_alternative_begins_where_its_fork_says(messages: list[Message], source: str) -> None:
    tree = grow(messages, forks=(), source_id=source, is_prompt=is_prompt)
    homes = {message.id: path.name for path in tree.paths for message in path.messages}
    for first, alternatives in tree.choices.items():
        assert first in [other.first for other in alternatives]
        assert len({other.path for other in alternatives}) == len(alternatives) > 1
        assert all(homes[other.first] == other.path for other in alternatives)
    for path in tree.paths[1:]:
        assert path.name == f"b-{path.messages[0].id}"
        assert path.messages[0].id in tree.choices


@given(_messages())
def test_whatever_the_tree_every_word_is_on_a_page_once(messages: list[Message]) -> None:
    conversation = talk(*[lambda _, message=message: message for message in messages])
    transcript = rendered(conversation)
    html = page(transcript) + "".join(page(branch.exchanges) for branch in transcript.branches)
    for message in messages:
        if message.blocks[0].kind == "text":
            assert html.count(f">words{message.index}.") + html.count(f" words{message.index}.") == 1
    counted = sum(exchange.messages for exchange in transcript.exchanges)
    counted += sum(exchange.messages for branch in transcript.branches for exchange in branch.exchanges)
    assert counted <= len(messages)
