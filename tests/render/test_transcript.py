"""What a reader gets of a conversation: exchanges, runs, notes, states, facts; and what a hostile one can't do."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.model import SOURCES, Block, Json, Show, Usage
from tests.support.sessions import png
from tests.support.strict_html import faults
from tests.support.talks import START, Line, ask, call, message, page, rendered, result, say, shown, talk, think

_IMAGE = Block(
    "image", payload={"source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png()).decode()}}
)


# ---------------------------------------------------------------------------------------------------- structure


def test_an_exchange_is_a_prompt_and_all_that_came_of_it() -> None:
    lines = [ask("Why?"), think("Hm."), call("Read"), result("x"), say("Because."), ask("And?"), say("So.")]
    first, second = rendered(talk(*lines)).exchanges
    assert first.html.startswith('<section class="exchange" id="x-m0"><article class="message prompt" id="m-m0"')
    assert '<h2 class="who"><span class="role">Prompt</span> <a class="at" href="#m-m0">' in first.html
    assert first.html.index('class="run" id="r-m1"') < first.html.index('<article class="message answer" id="m-m4"')
    assert {"m-m0", "r-m1", "t-m1-0", "t-m2-0", "m-m4"} <= set(first.anchors)
    assert (first.messages, second.messages) == (5, 2)
    assert first.outline is not None
    assert (first.outline.anchor, first.outline.text) == ("x-m0", "Why?")


def test_what_comes_before_the_first_prompt_is_an_exchange_without_one() -> None:
    first, second = rendered(talk(say("Hello."), ask("Why?"))).exchanges
    assert first.outline is None
    assert "Hello." in first.html
    assert second.outline is not None


def test_streamed_texts_of_one_request_are_one_answer_with_an_anchor_each() -> None:
    html = shown(ask("q"), say("One.", request_id="r"), say("Two.", request_id="r"), say("Three.", request_id="s"))
    assert html.count("<article") == 3
    assert '<div class="prose" id="m-m2"' in html


def test_only_the_last_answer_of_an_exchange_is_final() -> None:
    html = shown(ask("q"), say("Let me look."), call("Read"), result("x"), say("Done."))
    assert '<article class="message answer interim" id="m-m1"' in html
    assert '<article class="message answer" id="m-m4"' in html


def test_a_run_opens_when_it_is_all_the_answer_there_is() -> None:
    assert '<details class="run" id="r-m1" open>' in shown(ask("q"), call("Read"), result("x"))
    assert '<details class="run" id="r-m1">' in shown(ask("q"), call("Read"), result("x"), say("Done."))


def test_a_failure_is_told_without_unfolding_and_marked() -> None:
    transcript = rendered(
        talk(ask("q"), call("Bash", arguments={"command": "make"}), result("no", failed=True), say("."))
    )
    line = page(transcript).split("<ol", 1)[0]
    assert '<span class="failed">(failed)</span>' in line
    assert [mark.kind for mark in transcript.exchanges[0].marks] == ["prompt", "error", "tool", "answer"]
    assert transcript.facts.errors == 1


def test_times_of_a_run_are_told_and_never_invented() -> None:
    lines = [ask("q"), call("Read"), result("x", created_at=datetime(2026, 1, 2, 14, 5, 15, tzinfo=UTC)), say("a")]
    assert '</span><span class="took"> · 2 min</span></summary>' in shown(*lines)
    backwards = [ask("q"), call("Read"), result("x", created_at=datetime(2025, 1, 1, tzinfo=UTC)), say("a")]
    assert "took" not in shown(*backwards).split("<ol")[1]
    assert "<time" not in shown(ask("q", created_at=None), say("a", created_at=None))


def test_times_are_shown_in_the_zone_of_the_site_with_the_date_where_the_day_changes() -> None:
    late = datetime(2026, 1, 2, 23, 30, tzinfo=UTC)
    html = shown(ask("q"), say("a", created_at=late), timezone="Europe/Berlin")
    assert '<time datetime="2026-01-02T14:03:05Z">2026-01-02 15:03</time>' in html
    assert '<time datetime="2026-01-02T23:30:00Z">2026-01-03 00:30</time>' in html


def test_a_long_prompt_folds_and_a_short_one_does_not() -> None:
    html = shown(ask("\n".join(f"line {n}" for n in range(84))))
    assert '<details class="fold"><summary><span class="lead"' in html
    assert "Show all 84 lines" in html
    assert "fold" not in shown(ask("one\ntwo"))


def test_raw_text_is_at_hand_where_it_is_not_what_is_shown() -> None:
    text = "**Why** <b> \"x\" &amp; \\1 'y'\n\n`z`"
    exchange = rendered(talk(ask(text), say(text))).exchanges[0]
    assert exchange.html.count(f' data-src="{SOURCES}"') == 2
    assert list(json.loads(b"{%b}" % bytes(exchange.sources_file)).values()) == [text, text]
    assert rendered(talk(ask("Why?"))).exchanges[0].sources_file == b""
    assert "data-src" not in shown(ask("Why?"))


def test_hashes_of_what_stands_beside_a_page_are_those_of_its_bytes() -> None:
    transcript = rendered(talk(message("user", Block("text", "q"), _IMAGE), say("a")))
    beside = [(transcript.markdown_file, transcript.json_file), [file.data for file in transcript.files]]
    told = [transcript.export_hashes, [file.sha256 for file in transcript.files]]
    assert len(beside[1]) == 1
    assert [[hashlib.sha256(bytes(data)).hexdigest() for data in each] for each in beside] == list(map(list, told))


def test_models_are_named_where_they_change() -> None:
    html = shown(ask("q"), say("a", model="big"), ask("r"), say("b", model="big"), ask("s"), say("c", model="small"))
    assert html.count('<span class="model">big</span>') == 1
    assert html.count('<span class="model">small</span>') == 1
    assert "model" not in shown(ask("q"), say("a", model="big"))


def test_blank_texts_and_hidden_thinking_leave_no_trace() -> None:
    html = shown(ask("q"), say("  "), think(""), message("assistant", Block("thinking", payload={"redacted": True})))
    assert "answer" not in html
    assert "run" not in html


def test_an_image_and_its_words_that_came_apart_are_one_prompt() -> None:
    transcript = rendered(talk(message("user", _IMAGE), ask("What is it?"), say("A dot.")))
    assert len(transcript.exchanges) == 1
    assert transcript.files[0].name.startswith("i/")
    assert f'<ul class="thumbs"><li><a href="\x00root\x00{transcript.files[0].name}"' in page(transcript)


# -------------------------------------------------------------------------------------------------- calls and results


def test_results_alone_are_no_prompt_and_orphans_are_shown() -> None:
    transcript = rendered(talk(ask("q"), result("lost", "nobody"), say("a")))
    assert transcript.facts.turns == 1
    assert "Got a result without its call" in page(transcript)
    assert "lost" in page(transcript)


def test_a_call_without_a_result_is_shown() -> None:
    assert 'id="t-m1-0"' in shown(ask("q"), call("Bash", arguments={"command": "make"}), say("a"))


def test_a_run_of_hundreds_of_steps_can_be_cut_between_pages() -> None:
    lines: list[Line] = [ask("q")]
    for n in range(400):
        lines += [call("Bash", f"c{n}", arguments={"command": f"make {n}"}), result("x " * 2000, f"c{n}")]
    exchanges = rendered(talk(*lines)).exchanges
    assert len(exchanges) > 1
    assert [exchange.outline is None for exchange in exchanges] == [False] + [True] * (len(exchanges) - 1)
    assert exchanges[1].html.startswith('<section class="exchange continued"')
    assert sum(exchange.messages for exchange in exchanges) == len(lines)
    anchors = [anchor for exchange in exchanges for anchor in (exchange.anchor, *exchange.anchors)]
    assert len(anchors) == len(set(anchors))


def test_a_heavy_detail_goes_to_a_file_of_its_own() -> None:
    transcript = rendered(
        talk(ask("q"), call("Bash", arguments={"command": "make"}), result("word " * 9000), say("a")), heavy_bytes=8000
    )
    (file,) = transcript.files
    assert file.name.startswith("o/")
    assert b"word word" in file.data
    assert f'<p class="heavy"><a href="\x00root\x00{file.name}">' in page(transcript)


def test_the_lead_of_a_long_prompt_has_no_marks_of_line_breaks() -> None:
    html = shown(ask("\\\n".join(f"Line {n}" for n in range(30))), say("a"))
    assert "Line 0\nLine 1\nLine 2" in html[: html.index("</summary>")]


# ------------------------------------------------------------------------------------------------------------- notes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<command-name>/model</command-name><command-args>big</command-args>",
            "</span> <code>/model</code> <code>big</code>",
        ),
        ("<bash-input>ls</bash-input>", '<span class="label">Shell</span> <code>ls</code>'),
        ("[Request interrupted by user]", '<span class="label">Interrupted</span></aside>'),
        ("<local-command-stdout>\x1b[31mred\x1b[0m</local-command-stdout>", "Output</span> red</aside>"),
        ("<local-command-stdout>\x1b[31mred\x1b[0m\nblue</local-command-stdout>", '<pre class="term"'),
        ("This session is being continued from a previous conversation. **Sum**", "<strong>Sum</strong>"),
    ],
)
def test_wrappers_become_labelled_notes(text: str, expected: str) -> None:
    html = shown(ask("q"), say("a"), ask(text))
    assert expected in html
    assert '<aside class="note' in html
    assert "&lt;" not in html


def test_a_command_that_was_answered_is_the_prompt() -> None:
    command = "<command-message>x</command-message><command-name>/review</command-name><command-args>src</command-args>"
    transcript = rendered(talk(ask(command), ask("Review it thoroughly.", is_meta=True), say("Fine.")))
    assert transcript.facts.first_prompt == "/review src"
    assert '<p class="command"><code>/review</code></p>' in page(transcript)
    assert "thoroughly" not in page(transcript)


def test_a_command_that_the_program_answers_is_a_note() -> None:
    html = shown(ask("q"), say("a"), ask("<command-name>/compact</command-name>"), say("Carrying on."))
    assert '<aside class="note command"' in html


def test_a_reminder_among_results_stays_in_the_run() -> None:
    reminder = ask("<system-reminder>Be brief.</system-reminder>")
    html = shown(ask("q"), call("Read", "a"), result("x", "a"), reminder, call("Read", "b"), result("y", "b"), say("."))
    assert html.count('<details class="run"') == 1
    assert '<li class="step note">' in html


def test_what_the_program_says_with_a_prompt_stands_under_it() -> None:
    opened = "<ide_opened_file>The user opened the file /x/a.py in the IDE.</ide_opened_file>"
    exchanges = rendered(talk(ask("q"), say("a"), ask(opened), ask("And this?"), say("b"))).exchanges
    assert "a.py" in exchanges[1].html
    assert "a.py" not in exchanges[0].html


def test_system_rows_and_unknown_blocks_are_told() -> None:
    boundary = message("system", Block("text", "Conversation compacted"), metadata={"subtype": "compact_boundary"})
    unknown = message("assistant", Block("text", payload={"unknown_block": {"type": "hologram"}}))
    html = shown(ask("q"), boundary, unknown)
    assert "The conversation was compacted here" in html
    assert "hologram" in html


def test_an_error_of_the_service_is_a_note_and_counts() -> None:
    transcript = rendered(talk(ask("q"), say("API Error: overloaded", is_api_error=True)))
    assert '<aside class="note error" id="m-m1">' in page(transcript)
    assert transcript.facts.errors == 1


@pytest.mark.parametrize("state", ["paused", "failed", "running"])
def test_a_state_that_is_not_done_is_said_at_the_end(state: str) -> None:
    assert '<aside class="note state">' in page(rendered(talk(ask("q"), say("a"), state=state)))
    assert "note state" not in page(rendered(talk(ask("q"), say("a"), state="complete")))


def test_artifacts_and_thinking_inside_an_answer_come_out_of_it() -> None:
    text = (
        '<antThinking>Hm.</antThinking>Here:\n<antArtifact identifier="a" type="text/html" title="Page">'
        "<p>x</p></antArtifact>\nDone."
    )
    html = shown(
        ask("q"),
        say(text),
    )
    assert "antArtifact" not in html
    assert '<li class="step thinking" id="t-m1-1000">' in html
    assert 'id="t-m1-1002"' in html


# ------------------------------------------------------------------------------------------------- what a share shows


def test_a_share_of_calls_shows_their_lines_only() -> None:
    lines = [ask("q"), think("secret thought"), call("Bash", arguments={"command": "make"}), result("secret"), say("a")]
    transcript = rendered(talk(*lines), show=Show.CALLS)
    for text in (page(transcript), transcript.markdown, transcript.json):
        assert "secret" not in text
    assert '<p class="line">' in page(transcript)
    assert "<pre" not in page(transcript)


def test_a_share_of_the_conversation_shows_neither_calls_nor_what_notes_quote() -> None:
    printed = ask("<local-command-stdout>secret</local-command-stdout>")
    lines = [
        ask("q"),
        printed,
        think("secret"),
        call("Bash", arguments={"command": "secret"}),
        result("secret"),
        say("a"),
    ]
    transcript = rendered(talk(*lines), show=Show.CONVERSATION)
    for text in (page(transcript), transcript.markdown, transcript.json):
        assert "secret" not in text
    assert "run" not in page(transcript)


# ------------------------------------------------------------------------------------------------------------- facts


def test_tokens_are_counted_once_a_request_as_its_last_row_has_them() -> None:
    early, late = Usage(10, 1, 5, 2), Usage(10, 40, 5, 2)
    lines = [
        ask("q"),
        think("t", request_id="r", usage=early),
        say("a", request_id="r", usage=late),
        say("b", request_id="s", usage=Usage(1, 2)),
    ]
    assert rendered(talk(*lines)).facts.usage == Usage(11, 42, 5, 2)
    assert rendered(talk(ask("q"))).facts.usage is None


def test_facts_name_what_was_used() -> None:
    lines = [
        ask("Why?"),
        call("Read", "a", model="big"),
        result("x", "a"),
        call("Bash", "b"),
        call("Read", "c"),
        say("."),
    ]
    facts = rendered(talk(*lines, git_branch="main", hidden=(("thinking", 2),))).facts
    assert facts.tools == (("Read", 2), ("Bash", 1))
    assert (facts.turns, facts.messages, facts.tool_calls, facts.models) == (1, 6, 3, ("big",))
    assert (facts.source, facts.git_branch, facts.hidden) == ("Claude Code", "main", (("thinking", 2),))
    assert (facts.started_at, facts.first_prompt) == (START, "Why?")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A good title", "A good title"),
        (None, "Why?"),
        ("<command-message>init is running…</command-message>", "Why?"),
        ("Caveat: The messages below were generated by the user while running local commands. DO", "Why?"),
        ("<environment_context>", "Why?"),
        ("Nice\u202e title\x00", "Nice⟨U+202E⟩ title␀"),
    ],
)
def test_a_title_is_what_someone_wrote(title: str | None, expected: str) -> None:
    assert rendered(talk(ask("Why?"), title=title)).facts.title == expected


def test_the_owners_title_wins_and_an_empty_conversation_has_one_too() -> None:
    assert rendered(talk(ask("Why?"), title="Own"), title="Given").facts.title == "Given"
    empty = rendered(talk())
    assert (empty.facts.title, empty.exchanges) == ("Untitled conversation", ())


def test_searching_finds_prompts_answers_and_what_was_done() -> None:
    (exchange,) = rendered(
        talk(ask("Why?"), call("Bash", arguments={"command": "make"}), result("out"), say("So."))
    ).exchanges
    assert "Why?" in exchange.search_text
    assert "So." in exchange.search_text
    assert "make" in exchange.search_text


# ----------------------------------------------------------------------------------------------------------- hostile

_HOSTILE = '"><script>alert(1)</script>\x00\x1b]0;x\x07\u202e\ud800'


def test_hostile_names_and_texts_change_nothing_but_themselves() -> None:
    lines = [
        ask(_HOSTILE, labels=(_HOSTILE,)),
        say(_HOSTILE, model=_HOSTILE),
        call(_HOSTILE, _HOSTILE, arguments={_HOSTILE: _HOSTILE}),
        result(_HOSTILE, _HOSTILE),
        say("b", model="other"),
        ask(f"<command-name>{_HOSTILE}</command-name>"),
        ask(f'<teammate-message teammate_id="{_HOSTILE}">{_HOSTILE}</teammate-message>'),
        message("system", Block("text", _HOSTILE), metadata={"subtype": _HOSTILE}),
    ]
    transcript = rendered(talk(*lines, title=_HOSTILE, source=_HOSTILE))
    for exchange in transcript.exchanges:
        assert [fault for fault in faults(exchange.html) if "summary" not in fault] == []
    assert "<script" not in page(transcript)
    transcript.json.encode("utf-8")
    transcript.markdown.encode("utf-8")


_TEXT = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    ["<system-reminder>", "</details>", "```", "<!--", "&#0;", "</section>", "[x](javascript:alert)", "$$"]
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from([ask, say, think, call, result]), _TEXT), max_size=8))
def test_no_text_yields_a_script_or_unbalanced_tags(parts: list[tuple[object, str]]) -> None:
    lines = [make(text) for make, text in parts]  # type: ignore[operator]  # all of them take a text first
    for exchange in rendered(talk(*lines)).exchanges:
        assert [fault for fault in faults(exchange.html) if "summary" not in fault] == []


def test_the_same_conversation_gives_the_same_transcript() -> None:
    lines = [ask("q"), call("Read"), result("x"), say("a")]
    assert rendered(talk(*lines)) == rendered(talk(*lines))


# --------------------------------------------------------------------------------------------------------- workspace


def test_a_pause_point_is_a_card_that_says_what_was_asked_and_decided() -> None:
    point = {
        "question": "Send the **letter**?",
        "options": ["Send", {"label": "Wait"}],
        "decision": "approved",
        "decided_by": "bo",
        "comment": "Go on.",
    }
    html = shown(ask("q"), message("system", metadata={"pause_point": point}), say("Sent."), show=Show.CONVERSATION)
    card = html[html.index('<aside class="note approval"') : html.index("</aside>")]
    for words in ("approved · bo", "<strong>letter</strong>", "Wait", "Go on."):
        assert words in card


def test_canvas_references_and_summaries_are_notes() -> None:
    canvas = message("assistant", Block("text", payload={"canvas": {"title": "Draft", "content": "Dear Bo"}}))
    summary = message("system", Block("text", "We wrote a letter."), metadata={"subtype": "compressed_summary"})
    html = shown(ask("q"), canvas, summary)
    assert '<span class="label">Canvas</span> Draft' in html
    assert "Dear Bo" in html
    assert "Earlier conversation, summarised" in html


@pytest.mark.parametrize(
    ("reference", "shown_as"),
    [
        pytest.param({"content": "- peas\n- beans"}, "<li>peas</li>", id="Markdown"),
        pytest.param(
            {"content": "x = '```'\n", "language": "python"}, '<figure class="code" data-lang="python">', id="code"
        ),
    ],
)
def test_a_canvas_unfolds_to_what_it_holds(reference: dict[str, Json], shown_as: str) -> None:
    block = Block("text", payload={"canvas": {"title": "Beds", **reference}})
    html = shown(ask("q"), message("assistant", block))
    assert '<summary><span class="label">Canvas</span> Beds</summary>' in html
    assert shown_as in html.split("Beds</summary>")[1]


def test_a_persona_is_named_with_the_source() -> None:
    conversation = talk(ask("q"), source="workspace")
    head = replace(conversation.head, metadata={"persona": "Archivist"})
    assert rendered(replace(conversation, head=head)).facts.source == "Workspace · Archivist"


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("## Why is `x` **empty**?\n\nMore.", "Why is x empty?"),
        ("> quoted ~~words~~", "quoted words"),
        ("```python\nx = 1\n```", "```python"),
        ("2 * 3 ** 4 # five", "2 * 3 ** 4 # five"),
    ],
    ids=["heading", "quotation", "fence", "arithmetic"],
)
def test_the_outline_tells_a_prompt_without_marks(prompt: str, told: str) -> None:
    (exchange,) = rendered(talk(ask(prompt), say("."))).exchanges
    assert exchange.outline is not None
    assert exchange.outline.text == told


def test_two_commands_in_one_message_begin_two_exchanges_of_their_own() -> None:
    commands = "<command-name>/a</command-name>\n<command-name>/b</command-name>"
    exchanges = rendered(talk(ask(commands), say("Both done."))).exchanges
    anchors = [exchange.anchor for exchange in exchanges]
    assert len(anchors) == len(set(anchors))
    assert page(exchanges).count('id="x-m0"') == 1
