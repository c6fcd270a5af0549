"""Subagents: inside the step that started them, to any depth, never in the main thread, never lost."""

from __future__ import annotations

import json
import re

from msgspec.structs import replace

from sitegen.model import SOURCES, Conversation, Json
from tests.support.strict_html import faults
from tests.support.talks import Line, ask, call, page, rendered, result, say, talk

_TASK: dict[str, Json] = {"description": "Look", "prompt": "Look for it."}


def _agent(name: str, *lines: Line, subagents: tuple[Conversation, ...] = ()) -> Conversation:
    conversation = talk(*lines, subagents=subagents)
    return replace(conversation, head=replace(conversation.head, native_id=f"agent-{name}"))


def _launch(agent: str) -> tuple[Line, Line]:
    return call("Task", agent, arguments=_TASK), result("found", agent, tool_detail={"agentId": agent})


def test_a_subagent_stands_inside_the_step_that_started_it() -> None:
    agent = _agent("a1", ask("Look for it."), call("Read", "r"), result("x", "r"), say("It is here."))
    html = page(rendered(talk(ask("q"), *_launch("a1"), say("Found."), subagents=(agent,))))
    step = html[html.index('id="t-m1-0"') : html.index("Found.")]
    assert '<details class="agent" id="a-' in step
    assert '<span class="label">Subagent</span> <span class="did">Read' in step
    assert "1 step" in step
    assert "It is here." in step
    assert faults(html) == [fault for fault in faults(html) if "summary" in fault]


def test_the_prompt_that_the_call_gives_is_not_told_again() -> None:
    told = _agent("a1", ask("Look for it."), say("Here."))
    other = _agent("a1", ask("Something else."), say("Here."))
    for agent, count in ((told, 1), (other, 2)):
        html = page(rendered(talk(ask("q"), *_launch("a1"), say("."), subagents=(agent,))))
        assert html.count('class="message prompt"') == count


def test_a_call_is_found_by_its_prompt_when_no_id_is_known() -> None:
    agent = _agent("unknown", ask("Look for it."), say("It is here."))
    lines = [ask("q"), call("Task", "c", arguments=_TASK), result("found", "c"), say("a")]
    html = page(rendered(talk(*lines, subagents=(agent,))))
    assert html.index('id="t-m1-0"') < html.index("It is here.") < html.index('id="m-m3"')


def test_headings_go_down_by_one_with_each_subagent() -> None:
    inner = _agent("a2", ask("Anything else?"), say("# Deep"))
    outer = _agent("a1", ask("Something else."), say("# Outer"), *_launch("a2"), say("."), subagents=(inner,))
    html = page(rendered(talk(ask("# q"), *_launch("a1"), say("# a\n\n### b"), subagents=(outer,))))
    assert re.findall(r"<(h\d)[ >]", html) == [
        *("h2", "h3"),  # the prompt, and the heading in it
        *("h3", "h4", "h5"),  # the subagent's prompt, its answer, and the heading in that
        *("h4", "h5", "h6", "h4"),  # the inner subagent's; the outer one's last answer
        *("h3", "h4", "h5"),
    ]


def test_subagents_of_subagents_nest_and_ids_stay_apart() -> None:
    inner = _agent("a2", ask("Look for it."), say("Deep inside."))
    outer = _agent("a1", ask("Look for it."), *_launch("a2"), say("Passed on."), subagents=(inner,))
    transcript = rendered(talk(ask("q"), *_launch("a1"), say("a"), subagents=(outer,)))
    html = page(transcript)
    assert html.index('class="agent"') < html.index("Deep inside.") < html.index("Passed on.")
    anchors = transcript.exchanges[0].anchors
    assert len(anchors) == len(set(anchors)) == html.count(' id="') - 1
    assert ">   > Deep inside." in transcript.markdown


def test_a_hundred_levels_end_well() -> None:
    agent = _agent("a100", ask("Look for it."), say("The bottom."))
    for level in range(99, 0, -1):
        agent = _agent(f"a{level}", ask("Look for it."), *_launch(f"a{level + 1}"), say("."), subagents=(agent,))
    html = page(rendered(talk(ask("q"), *_launch("a1"), say("a"), subagents=(agent,))))
    assert html.count('class="agent"') == 100
    assert "The bottom." in html


def test_a_subagent_without_a_call_stands_at_the_end() -> None:
    agent = _agent("a9", ask("Something else."), say("Alone."))
    transcript = rendered(talk(ask("q"), say("a"), subagents=(agent,)))
    assert "A subagent whose call isn&#39;t here" in page(transcript)
    assert "Alone." in page(transcript)
    assert "Alone." in transcript.markdown
    assert json.loads(transcript.json)["subagents"][0]["items"][-1]["text"] == "Alone."


def test_side_chains_leave_the_main_thread_for_their_call() -> None:
    side = {"is_sidechain": True}
    lines = [
        ask("q"),
        call("Task", "c", arguments=_TASK),
        ask("Look for it.", parent_id="", **side),
        call("Read", "r", parent_id="m2", **side),
        result("x", "r", parent_id="m3", **side),
        say("Seen.", parent_id="m4", **side),
        result("found", "c", parent_id="m1"),
        say("a"),
    ]
    transcript = rendered(talk(*lines))
    html = page(transcript)
    assert '<span class="label">Subagent</span> <span class="did">Read' in html
    assert transcript.facts.turns == 1
    assert html.index('id="t-m1-0"') < html.index("Seen.") < html.index('id="m-m7"')
    assert html.count('class="run"') == 2


def test_a_conversation_that_is_one_side_chain_is_shown_as_itself() -> None:
    lines = [ask("Look for it.", is_sidechain=True), say("Here.", is_sidechain=True)]
    assert rendered(talk(*lines)).facts.turns == 1


def test_raw_texts_of_subagents_are_at_hand_with_those_around_them_in_the_order_of_the_page() -> None:
    inner = _agent("a2", ask("Anything else?"), say("# Deep"))
    outer = _agent("a1", ask("Something *else*."), *_launch("a2"), say("# Outer"), subagents=(inner,))
    (exchange,) = rendered(talk(ask("`q`"), *_launch("a1"), say("# a"), subagents=(outer,))).exchanges
    texts = json.loads(b"{%b}" % bytes(exchange.sources_file))
    assert list(texts.values()) == ["`q`", "Something *else*.", "# Deep", "# Outer", "# a"]
    assert re.findall(f'id="([^"]+)" data-src="{SOURCES}"', exchange.html) == list(texts)
