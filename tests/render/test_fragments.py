"""What was drawn before is taken again only where it would be drawn the same: a conversation that went on, was edited,
branched or learned more is what it would be if it were rendered from nothing.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from sitegen.model import Attachment, Block, Conversation, Json, Transcript
from sitegen.output.codec import Blobs, codec_for
from sitegen.render import Fragment, Fragments, RenderOptions, render
from sitegen.render.items import Atom, Item
from sitegen.render.prose import render_markdown
from tests.support.sessions import png
from tests.support.talks import START, Line, ask, call, message, result, say, talk, think

HEAVY = "\n".join(f"line {n}" for n in range(4_000))
REMINDED = "<system-reminder>Mind the heron.</system-reminder>"
PICTURE = Block("image", payload={"source": {"type": "base64", "media_type": "image/png", "data": png().hex()}})
FILE = Attachment("notes.zip", "application/zip", 3, data=b"zip")

START_OF_TALK = (
    ask("Why *does* it fail?"),
    think("Hm. **Perhaps** the parser.\n\nOr not."),
    call("Read", "c1", arguments={"file_path": "src/a.py"}),
    result("1\tdef a():\n2\t    return 1", "c1"),
    say("I see.\n\n```python\nprint(1)\n```"),
    call("Bash", "c2", arguments={"command": "make"}),
    result(HEAVY, "c2", failed=True),
    say("So it is.", model="big"),
    ask("And now?"),
    call("Edit", "c3", arguments={"file_path": "a.py", "old_string": "a", "new_string": "b"}),
)


def drawn(conversation: Conversation, known: Mapping[str, Fragment] | None = None) -> Transcript:
    return render(conversation, RenderOptions(), fragments=Fragments(known or {}, is_off=known is None))


def kept(conversation: Conversation) -> dict[str, Fragment]:
    """The fragments of a conversation as they come back from a store."""
    fragments = Fragments()
    render(conversation, RenderOptions(), fragments=fragments)
    codec, blobs = codec_for(Fragment), Blobs()
    found = [*fragments.nested.items(), *(keyed for path in fragments.paths for keyed in path)]
    packed = {key: codec.encode(fragment, blobs) for key, fragment in found if key is not None}
    return {key: codec.decode(value, blobs) for key, value in packed.items()}


def agent(native_id: str, *lines: Line) -> Conversation:
    found = talk(*lines)
    return replace(found, head=replace(found.head, native_id=f"agent-{native_id}"))


STARTED = (ask("Look"), call("Task", "c1", arguments={"prompt": "Find it"}), result("agentId: a1", "c1"), say("Done."))
FOUND = agent("a1", ask("Find it"), call("Grep", arguments={"pattern": "x"}), result("a.py"), say("There."))
SOUGHT = (ask("Find it"), say("I will."), call("Grep", arguments={"pattern": "x"}), result("a.py"))
NOTED = ask(f"{REMINDED}<command-name>/clear</command-name>")
CHANGES: dict[str, tuple[Conversation, Conversation]] = {
    "it goes on": (talk(*START_OF_TALK), talk(*START_OF_TALK, result("done", "c3"), say("Done."), ask("Good."))),
    "a result arrives late": (talk(*START_OF_TALK, say("x")), talk(*START_OF_TALK, say("x"), result("late", "c3"))),
    "an old message is edited": (talk(*START_OF_TALK), talk(ask("Why?"), *START_OF_TALK[1:])),
    "an old result is edited": (talk(*START_OF_TALK), talk(*START_OF_TALK[:3], result("9", "c1"), *START_OF_TALK[4:])),
    "something was left out": (talk(*START_OF_TALK), talk(*START_OF_TALK[:1], *START_OF_TALK[2:])),
    "its last answer wasn't the last": (talk(*START_OF_TALK[:8]), talk(*START_OF_TALK[:8], say("More.", model="big"))),
    "another model answers": (talk(*START_OF_TALK), talk(*START_OF_TALK, say("Me too.", model="small"))),
    "the day changes before it": (
        talk(ask("a"), say("b"), ask("c"), say("d")),
        talk(ask("a"), say("b", created_at=START.replace(day=9)), ask("c"), say("d")),
    ),
    "another way is taken": (
        talk(ask("a"), say("b"), ask("c"), say("d")),
        talk(ask("a"), say("b"), ask("c"), say("d"), ask("c instead", parent_id="m1"), say("e")),
    ),
    "a subagent comes to an old call": (talk(*STARTED), talk(*STARTED, subagents=(FOUND,))),
    "a subagent goes": (talk(*STARTED, subagents=(FOUND,)), talk(*STARTED)),
    "a subagent goes on": (
        talk(*STARTED, subagents=(agent("a1", *SOUGHT, think("# Plan\n\nFirst this.")),)),
        talk(*STARTED, subagents=(agent("a1", *SOUGHT, think("# Plan\n\nFirst this, then that.")),)),
    ),
    "a stray subagent comes": (talk(*STARTED[:1]), talk(*STARTED[:1], subagents=(FOUND,))),
    "a command turns out to be a prompt": (
        talk(ask("a"), say("b"), ask("<command-name>/review</command-name>")),
        talk(ask("a"), say("b"), ask("<command-name>/review</command-name>"), say("c")),
    ),
    "a file comes with an old prompt": (
        talk(ask("a"), say("b")),
        talk(message("user", Block("text", "a"), attachments=(FILE,)), say("b")),
    ),
    "the state is told": (talk(*START_OF_TALK), talk(*START_OF_TALK, state="failed")),
    "a note leaves a run": (talk(ask("a"), call("Bash"), NOTED), talk(ask("a"), say("b"), NOTED)),
    "a note comes into a run": (talk(ask("a"), say("b"), NOTED), talk(ask("a"), call("Bash"), NOTED)),
    "notes stand beside what was said": (
        talk(ask(REMINDED), ask("a"), say("b")),
        talk(message("user", Block("text", f"a{REMINDED}"), PICTURE), ask("a"), say("b")),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_as_if_rendered_from_nothing(change: str) -> None:
    before, after = CHANGES[change]
    assert drawn(after, kept(before)) == drawn(after)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_the_same_is_as_if_rendered_from_nothing(change: str) -> None:
    for conversation in CHANGES[change]:
        assert drawn(conversation, kept(conversation)) == drawn(conversation)


def test_what_stands_is_not_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = kept(talk(*START_OF_TALK))
    after = drawn(talk(*START_OF_TALK, result("done", "c3"), say("Done.")))
    monkeypatch.setattr("sitegen.render.done.render_call", lambda paired, _: pytest.fail(paired.anchor))
    monkeypatch.setattr("sitegen.render.drawing.render_markdown", lambda text, *_, **__: pytest.fail(text))
    assert drawn(talk(*START_OF_TALK[:8]), known).exchanges[0] == after.exchanges[0]


def test_what_is_nested_deep_is_drawn_every_time() -> None:
    deep = talk(ask("a"), call("Nest", arguments=json.loads('{"a":' * 600 + "1" + "}" * 600)), say("b"))
    assert drawn(deep, kept(deep)) == drawn(deep)


class Words(str):
    """A text that tells when nobody has it any more."""


def test_what_is_drawn_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words("**Why?**")
    is_there, known = [], weakref.ref(words)
    conversations = [talk(ask(words), say("**So.**"), ask("**And now?**"))]
    del words

    def spy(*given: Any, **more: Any) -> Markup:
        is_there.append(known() is not None)
        return render_markdown(*given, **more)

    monkeypatch.setattr("sitegen.render.drawing.render_markdown", spy)
    render(conversations.pop(), RenderOptions())
    assert is_there == [True, True, False]


LINES = (
    *START_OF_TALK,
    result("done", "c3"),
    say("A", request_id="r1"),
    say("B", request_id="r1"),
    ask(REMINDED),
    ask("elsewhere", parent_id="m1"),
    say("and there", parent_id="m2", model="small"),
    message("user", Block("text", f"both {REMINDED}"), PICTURE, attachments=(FILE,)),
    message("assistant", Block("thinking", "t"), Block("text", "x"), Block("tool_use", tool_name="Bash"), PICTURE),
    message("system", Block("text", "said")),
    ask("side", is_sidechain=True, agent_id="a7"),
    say("chain", is_sidechain=True, agent_id="a7"),
    ask("<command-name>/review</command-name>"),
    say("API Error: 529", is_api_error=True),
    say("tomorrow", created_at=START.replace(day=3)),
    say("no time", created_at=None),
)
TALKS = st.lists(st.sampled_from(LINES), min_size=1, max_size=9)


@settings(max_examples=150, deadline=None)
@given(before=TALKS, more=st.lists(st.sampled_from(LINES), max_size=4), at=st.integers(0, 8), edit=st.booleans())
def test_whatever_changes_is_as_if_rendered_from_nothing(
    before: list[Line], more: list[Line], at: int, edit: bool
) -> None:
    after = [*before[:at], *more, *before[at + edit :]]
    if after:
        assert drawn(talk(*after), kept(talk(*before))) == drawn(talk(*after))


@pytest.mark.parametrize("kinds", [get_args(Item), get_args(Atom), (Block, Attachment)])
def test_what_may_stand_in_one_place_differs_by_its_fields(kinds: tuple[type[Struct], ...]) -> None:
    assert len({kind.__struct_fields__ for kind in kinds}) == len(kinds)


@pytest.mark.parametrize("odd", ["\ud83d", 2**70], ids=["half a character", "a huge number"])
def test_what_cannot_be_named_is_drawn_each_time(odd: Json) -> None:
    conversation = talk(ask("a"), call("Odd", arguments={"of": odd}), ask("b"), say("c"))
    assert len(kept(conversation)) == 1
    assert drawn(conversation, kept(conversation)) == drawn(conversation)
