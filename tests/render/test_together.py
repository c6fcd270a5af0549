"""A path that several processes draw is the one that a single process would draw, whoever is quick, wrong or dies."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import Conversation, Transcript
from sitegen.render import Drawn, Fragments, RenderOptions, draw_leg, render
from sitegen.render.drawing import Drawing
from tests.render.test_fragments import CHANGES, LINES, TALKS
from tests.support.talks import Line, ask, call, say, talk

LONG = talk(*(line for n in range(12) for line in (ask(f"And {n}?"), call("Bash"), say(f"**{n}**", model=f"m{n % 3}"))))


@dataclass
class Help:
    """Another process, as far as anyone can tell: it's given bytes and gives what bytes can hold."""

    most: int = 2
    legs: list[bytes] = field(default_factory=list)

    def draw(self, leg: bytes) -> Future[Drawn]:
        self.legs.append(leg)
        future: Future[Drawn] = Future()
        future.set_result(pickle.loads(pickle.dumps(draw_leg(leg))))
        return future


class Dying(Help):
    """Dies after the second leg."""

    def draw(self, leg: bytes) -> Future[Drawn]:
        if len(self.legs) < 2:
            return super().draw(leg)
        self.legs.append(leg)
        future: Future[Drawn] = Future()
        future.set_exception(BrokenExecutor("it died"))
        return future


class Dead(Help):
    """Takes nothing."""

    def draw(self, leg: bytes) -> Future[Drawn]:
        raise BrokenExecutor("it's dead")


def drawn(conversation: Conversation, help: Help | None = None) -> tuple[Transcript, list[str | None]]:
    """The transcript, and the keys of what it was made of."""
    fragments = Fragments()
    transcript = render(conversation, RenderOptions(), fragments=fragments, help=help)
    return transcript, [key for path in fragments.paths for key, _ in path]


@pytest.fixture(autouse=True)
def short_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.render.together._LEG_STEPS", 1)


@pytest.mark.parametrize("kind", [Help, Dying, Dead])
def test_long_path_is_the_same_whoever_draws_it(kind: type[Help]) -> None:
    assert drawn(LONG, kind()) == drawn(LONG)


def test_others_get_what_comes_next_and_leave_something_to_be_drawn_here() -> None:
    help = Help()
    drawn(LONG, help)
    assert b"And 0?" in help.legs[0]
    assert len(help.legs) == 11


def test_what_others_drew_is_found_again_though_packing_shares_its_parts_otherwise() -> None:
    arguments = msgspec.json.decode(b'{"of": ["-", "-"]}')
    assert arguments["of"][0] is not arguments["of"][1]
    conversation = talk(*(line for n in range(4) for line in (ask(f"{n}?"), call("Odd", arguments=arguments))))
    assert drawn(conversation, Help()) == drawn(conversation)


class Busy(Help):
    """Never comes to it."""

    def draw(self, leg: bytes) -> Future[Drawn]:
        self.legs.append(leg)
        return Future()


def test_nobody_is_waited_for() -> None:
    help = Busy()
    assert drawn(LONG, help) == drawn(LONG)
    assert len(help.legs) == help.most


def test_what_was_foretold_wrongly_is_drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Drawing, "pass_over", lambda *_: None)
    assert drawn(LONG, Help()) == drawn(LONG)


def test_what_is_nested_too_deep_to_be_sent_is_drawn_here() -> None:
    deep = json.loads('{"a":' * 600 + "1" + "}" * 600)
    conversation = talk(ask("a"), call("Nest", arguments=deep), ask("b"), say("c"), ask("d"))
    help = Help()
    assert drawn(conversation, help) == drawn(conversation)
    assert help.legs == []


@pytest.mark.parametrize("change", CHANGES)
def test_any_conversation_is_the_same_whoever_draws_it(change: str) -> None:
    for conversation in CHANGES[change]:
        assert drawn(conversation, Help()) == drawn(conversation)


@settings(max_examples=150, deadline=None)
@given(lines=TALKS, kind=st.sampled_from([Help, Dying]))
def test_wild_conversation_is_the_same_whoever_draws_it(lines: list[Line], kind: Callable[[], Help]) -> None:
    conversation = talk(*lines, *LINES[:3], *lines)
    assert drawn(conversation, kind())[0] == drawn(conversation)[0]
