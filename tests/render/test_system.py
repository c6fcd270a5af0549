"""What a program said on its own account reaches the reader as small notes, and what people said as prompts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Attachment, Block, Show
from sitegen.render.items import Aside, Reading
from sitegen.render.turns import read
from tests.support.strict_html import faults
from tests.support.talks import Line, ask, call, message, page, rendered, result, say, shown, talk


def program(text: str, subtype: str, **facts: Any) -> Line:
    return message("system", Block("text", text), metadata={"subtype": subtype, **facts})


def waited(text: str) -> Line:
    return ask(text, metadata={"subtype": "queued_command"})


def attached(name: str, text: str) -> Line:
    return message("user", attachments=(Attachment(name, "text/plain", len(text), extracted_text=text),))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(
            program("529 Overloaded", "api_retry"),
            '<aside class="note retried" id="m-m1"><span class="label">The API failed, tried again</span> '
            "529 Overloaded</aside>",
            id="retried",
        ),
        pytest.param(
            program("529 Overloaded\nConnectionRefused", "api_retry", times=3),
            "The API failed, tried again (3×)</span> 529 Overloaded, ConnectionRefused</aside>",
            id="retried-often",
        ),
        pytest.param(
            program("lint: 3 errors", "hook", title="Stop", failed=True),
            'Hook</span> <span class="failed">failed</span> Stop lint: 3 errors</aside>',
            id="failed-hook",
        ),
        pytest.param(
            message("system", Block("text", "1→x"), metadata={"context": "file_changed", "title": "a.py"}),
            "Changed meanwhile</span> a.py 1→x</aside>",
            id="changed-file",
        ),
        pytest.param(
            program("Go *on*", "unsent"),
            'Said, but never sent</span><div class="prose" dir="auto"><p>Go <em>on</em>',
            id="unsent",
        ),
        pytest.param(
            program("<task-notification><summary>Tests ended</summary></task-notification>", "untold"),
            "Background task, the model wasn&#39;t told</span> Tests ended</aside>",
            id="untold",
        ),
        pytest.param(
            program("<task-notification><summary>Tests ended</summary></task-notification>", "notification"),
            "Background task</span> Tests ended</aside>",
            id="notification",
        ),
        pytest.param(program("Tests *ended*", "notification"), "<p>Tests <em>ended</em>", id="bare-notification"),
        pytest.param(
            program("Done.", "peer", title="bo"), "Message from another agent</span> bo<div", id="another-agent"
        ),
        pytest.param(program("You asked.", "away_summary"), "Recap after a break</span><div", id="recap"),
        pytest.param(
            program("Conversation compacted", "compact_boundary"),
            '<span class="label">The conversation was compacted here</span></aside>',
            id="compaction",
        ),
        pytest.param(
            program("Limit reached", "informational"), "System</span> Limit reached</aside>", id="information"
        ),
        pytest.param(program("All well", "new_thing"), "System</span> new thing All well</aside>", id="unknown"),
        pytest.param(
            program("<local-command-stdout>Set to \x1b[1mbig\x1b[22m</local-command-stdout>", "local_command"),
            "Output</span> Set to big</aside>",
            id="one-line-of-output",
        ),
        pytest.param(
            program("<local-command-stdout>\x1b[1mone\x1b[22m\ntwo</local-command-stdout>", "local_command"),
            '<span class="hint">one</span></summary>',
            id="more-output",
        ),
    ],
)
def test_program_speaks_in_small_notes(line: Line, expected: str) -> None:
    html = shown(ask("q"), line, say("a"))
    assert expected in html
    assert not faults(html)


def test_failed_request_within_a_run_leaves_it_whole() -> None:
    html = shown(ask("q"), call("Read"), program("529", "api_retry"), result("x"), say("a"))
    assert html.count('<details class="run"') == 1
    assert '<li class="step note">' in html


def test_failed_hook_stays_with_the_answer_before_it() -> None:
    stop = program("lint failed", "hook", title="Stop", failed=True)
    first, second = rendered(talk(ask("q"), say("a"), stop, ask("And?"), say("b"))).exchanges
    assert "lint failed" in first.html
    assert "lint failed" not in second.html


def test_program_s_own_command_is_no_prompt_whatever_follows() -> None:
    html = shown(ask("q"), say("a"), program("<command-name>/frobnicate</command-name>", "local_command"), say("b"))
    assert '<aside class="note command"' in html


def test_prompt_that_waited_is_a_prompt_that_says_so() -> None:
    transcript = rendered(talk(ask("q"), call("Bash"), result("x"), waited("Use **make**"), say("a")))
    html = page(transcript)
    assert '<article class="message prompt" id="m-m3"' in html
    assert '<span class="role">Prompt, sent while it worked</span>' in html
    assert transcript.facts.turns == 2
    assert "## Prompt, sent while it worked" in transcript.markdown
    (exchange,) = [item for item in json.loads(transcript.json)["paths"][0]["items"] if item.get("meanwhile")]
    assert exchange["text"] == "Use **make**"


def test_file_put_to_a_prompt_is_part_of_it() -> None:
    hook = program("Be brief", "hook", title="UserPromptSubmit")
    lines = (ask("See @a.py"), hook, attached("a.py", "import re"), attached("b.py", "import os"), say("a"))
    transcript = rendered(talk(*lines))
    (exchange,) = transcript.exchanges
    assert exchange.html.count("<article") == 2
    assert exchange.html.index("a.py</bdi>") < exchange.html.index("b.py</bdi>") < exchange.html.index("message answer")
    assert transcript.facts.turns == 1


def test_file_without_a_prompt_is_named_in_the_outline() -> None:
    exchange = rendered(talk(say("Hello."), attached("a.py", "import re"), say("a"))).exchanges[1]
    assert exchange.outline is not None
    assert exchange.outline.text == "a.py"


@pytest.mark.parametrize("show", [Show.CALLS, Show.CONVERSATION])
def test_share_that_shows_less_keeps_what_people_said(show: Show) -> None:
    lines = (
        ask("q"),
        program("secret", "hook", title="Stop"),
        program("secret", "file_changed", title="a.py"),
        program("<local-command-stdout>secret</local-command-stdout>", "local_command"),
        waited("Go on"),
        program("And on", "unsent"),
        say("a"),
    )
    transcript = rendered(talk(*lines), show=show)
    for text in (page(transcript), transcript.markdown, transcript.json):
        assert "secret" not in text
        assert "Go on" in text
        assert "And on" in text


def test_times_are_counted_in_the_data() -> None:
    transcript = rendered(talk(ask("q"), program("529", "api_retry", times=3), say("a")))
    (note,) = [item for item in json.loads(transcript.json)["paths"][0]["items"] if item["kind"] == "note"]
    assert (note["note"], note["times"], note["text"]) == ("retried", 3, "529")


def test_broken_facts_do_no_harm() -> None:
    lines = (ask("q"), program("x", "api_retry", times="many"), program("y", "hook", title=7, failed="no"), say("a"))
    notes = [item for item in read(talk(*lines).messages, Reading()) if isinstance(item, Aside)]
    assert len(notes) == 2
