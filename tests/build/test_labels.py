"""Labels that a classifier gave stand as small tags at what they are about, and only when they are asked for."""

from __future__ import annotations

import json
import re

import pytest

from tests.support.projections import assistant, call, conversation, label, result, text, user
from tests.support.workshop import Workshop, share

TALK = conversation(
    "s1",
    user("Clean up", labels=(label("tone", "kind", "warm"),)),
    assistant(
        text("On it."),
        call("Bash", {"command": "rm -r build"}, id="t1"),
        call("Read", {"file_path": "a.py"}, id="t2"),
        labels=(label("risk", "harm", value=0.25, block=1), label("risk", "<b>kind", "delete", block=1)),
    ),
    user(result("gone", id="t1"), result("x = 1", id="t2")),
    assistant("Done."),
)
LISTED = share("s1", "s", "listed = true")


def page(workshop: Workshop, settings: str) -> str:
    workshop.talk(TALK)
    workshop.configure(settings + LISTED)
    workshop.build()
    return (workshop.public / "s" / "s" / "index.html").read_text("utf-8")


def test_labels_stand_at_the_message_and_at_the_call_they_are_about(workshop: Workshop) -> None:
    html = page(workshop, "[pages]\nlabels = true\n\n")
    lists = re.findall(r'<ul class="labels">(.*?)</ul>', html)
    assert lists == ["<li>tone/kind: warm</li>", "<li>risk/&lt;b&gt;kind: delete</li><li>risk/harm: 0.25</li>"]
    steps = re.findall(r'<li class="step call.*?(?=<li class="step|</ol>)', html, re.DOTALL)
    assert [("rm -r build" in step, "risk/harm" in step) for step in steps] == [(True, True), (False, False)]


def test_labels_of_calls_are_in_the_download(workshop: Workshop) -> None:
    page(workshop, "[pages]\nlabels = true\n\n")
    whole = json.loads((workshop.public / "s" / "s" / "conversation.json").read_text("utf-8"))
    (work,) = (item for item in whole["paths"][0]["items"] if item["kind"] == "work")
    assert [step.get("labels") for step in work["steps"]] == [["risk/<b>kind: delete", "risk/harm: 0.25"], None]


@pytest.mark.parametrize("settings", ["", "[pages]\nlabels = false\n\n"], ids=["not-said", "off"])
def test_labels_are_not_shown_unasked(workshop: Workshop, settings: str) -> None:
    html = page(workshop, settings)
    assert ("labels" in html, "tone/kind" in html, "risk/harm" in html) == (False, False, False)
