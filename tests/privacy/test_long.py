"""A conversation too long to be looked through at once is scrubbed as a short one is."""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from msgspec.structs import replace

from sitegen.model import Block, Conversation, Show
from sitegen.privacy import Engine, Match, NoEngine, Policy, Scan, apply, find_engine
from tests.privacy.support import SHARE, message, said, scrubbed
from tests.support.helping import Busy, Dead, Dying, Ready
from tests.support.plants import all_secrets, private_key

KEY = private_key()
LINES = KEY.splitlines()
FILLER = [f"{n}. " + "Words that say nothing, again and again. " * 20 for n in range(40)]
TEXTS = [
    *(plant.text for plant in all_secrets()),
    KEY,
    "ann@mallard:~/code$ ls",
    "Files of /home/kestrel/code/app and of kestrel",
    "uid=1000(kestrel) on mallard-3: hostname=mallard-3",
    "so kestrel went to mallard-3 by ann.kestrel@mail.example.net at 10.0.0.7",
    *(f"{n}\t{line}" for n, line in enumerate(LINES)),
    "Ä 🦉 " * 50,
]
STRICT: dict[str, Any] = {"masks_hosts": True, "masks_ips": True, "hide": ("words",)}


@pytest.fixture(params=["library", "own rules"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return find_engine() if request.param == "library" else NoEngine()


def base64_lines(text: str) -> str:
    return encodebytes(f"Notes on the server, plain words only.\n{text}And so on with more words.\n".encode()).decode()


def long(seed: int) -> Conversation:
    texts = [*TEXTS, *FILLER]
    Random(seed).shuffle(texts)
    return said(*texts, *(f"and {line}" for line in LINES))


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a few pages were too long already; what comes again is still longer than any key."""
    monkeypatch.setattr("sitegen.privacy.corpus.WHOLE", 1)
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 3_000)
    monkeypatch.setattr("sitegen.privacy.corpus.OVERLAP", 17_000)


@pytest.mark.parametrize("seed", range(5))
def test_parts_lose_nothing_and_take_nothing_more(engine: Engine, seed: int, request: pytest.FixtureRequest) -> None:
    at_once = scrubbed(long(seed), engine=engine, **STRICT)
    request.getfixturevalue("in_parts")
    assert scrubbed(long(seed), engine=engine, **STRICT) == at_once


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("kind", [Ready, Dying, Dead, Busy])
def test_others_find_the_same(engine: Engine, kind: type[Ready]) -> None:
    memory, policy, help = Memory(), Policy(**STRICT), kind()
    alone = apply(long(0), SHARE, policy, engine=engine)
    assert apply(long(0), SHARE, policy, engine=engine, memory=memory, help=help) == alone
    assert help.asked or kind is Dead
    help.asked = 0
    assert apply(long(0), SHARE, policy, engine=engine, memory=memory, help=help) == alone
    assert not help.asked


@pytest.mark.usefixtures("in_parts")
def test_what_is_learned_at_the_end_goes_at_the_begin() -> None:
    first = "kestrel works on mallard-3 with the password Tr0ub4dor&3xyz"
    last = "cd /home/kestrel; hostname=mallard-3; PASSWORD='Tr0ub4dor&3xyz'"
    result = scrubbed(said(first, *FILLER, last), masks_hosts=True).conversation
    assert not {word for word in ("kestrel", "mallard", "Tr0ub4dor") if word in repr(result)}


class Memory:
    """Remembers, and knows how often it was told anything."""

    def __init__(self) -> None:
        self.scans: dict[str, Scan] = {}
        self.kept = 0

    def recall(self, name: str) -> Scan | None:
        return self.scans.get(name)

    def keep(self, name: str, scan: Scan) -> None:
        self.scans[name] = scan
        self.kept += 1


class Counting:
    """The library, and the bytes that it was asked about."""

    def __init__(self) -> None:
        self._inner = find_engine()
        self.name = self._inner.name
        self.asked = 0

    def scan(self, data: bytes) -> list[Match]:
        self.asked += len(data)
        return self._inner.scan(data)


@pytest.mark.usefixtures("in_parts")
def test_what_is_remembered_of_parts_is_what_would_be_found(engine: Engine) -> None:
    memory, policy = Memory(), Policy(**STRICT)
    first = apply(long(0), SHARE, policy, engine=engine, memory=memory)
    assert apply(long(0), SHARE, policy, engine=engine, memory=memory) == first
    assert memory.kept == 1


@pytest.mark.parametrize("seed", range(3))
def test_conversation_that_goes_on_is_scrubbed_as_if_it_was_never_seen(
    engine: Engine, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 2_000)
    monkeypatch.setattr("sitegen.privacy.corpus.OVERLAP", 5_000)
    random, memory = Random(seed), Memory()
    texts = [*TEXTS, *FILLER]
    random.shuffle(texts)
    end = 0
    while end < len(texts):
        end += random.choice((1, 2, 10, 20))
        if random.random() < 0.1:
            texts[random.randrange(min(end, len(texts)))] = random.choice(TEXTS)
        policy = Policy(**(STRICT if random.random() < 0.8 else {"secrets": random.choice(("allow", "redact"))}))
        now = said(*texts[:end])
        assert apply(now, SHARE, policy, engine=engine, memory=memory) == apply(now, SHARE, policy, engine=engine)
    assert not [plant.name for plant in all_secrets() if plant.value in repr(memory.scans)]


def test_what_is_new_is_looked_through_and_little_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 2_000)
    monkeypatch.setattr("sitegen.privacy.corpus.OVERLAP", 100)
    engine, memory = Counting(), Memory()
    texts = [*FILLER, *(plant.text for plant in all_secrets()), *(f"Again: {text}" for text in FILLER)]
    apply(said(*texts), SHARE, Policy(), engine=engine, memory=memory)
    whole, engine.asked = engine.asked, 0
    apply(said(*texts, "And so on."), SHARE, Policy(), engine=engine, memory=memory)
    assert 0 < engine.asked < whole / 5


def test_what_isn_t_shown_stays_known_when_what_is_shown_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 2_000)
    engine, memory, share = Counting(), Memory(), replace(SHARE, show=Show.CONVERSATION)
    secrets = [plant.text for plant in all_secrets()]

    def with_results(*texts: str) -> Conversation:
        hidden = (message(1_000 + n, "assistant", Block("tool_result", text)) for n, text in enumerate(secrets * 9))
        talk = said(*texts)
        return replace(talk, messages=(*hidden, *talk.messages))

    apply(with_results(*FILLER), share, Policy(), engine=engine, memory=memory)
    whole, engine.asked = engine.asked, 0
    now = apply(with_results(*FILLER, "And so on."), share, Policy(), engine=engine, memory=memory)
    assert engine.asked < whole / 5
    assert now == apply(with_results(*FILLER, "And so on."), share, Policy(), engine=engine)


@pytest.mark.parametrize("form", [base64_lines, partial(quote, safe="")])
def test_what_is_said_in_another_form_goes_however_long_the_conversation(
    form: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 2_000)
    said_so = form(f"heroku: {UUID(int=Random('heroku').getrandbits(128), version=4)}\n")
    short = (f"See\n{said_so}\nthere.", next(plant.text for plant in all_secrets() if plant.name == "github"))
    engine, memory = find_engine(), Memory()
    for texts in (short, (*short, *FILLER), short):
        now = apply(said(*texts), SHARE, Policy(), engine=engine, memory=memory)
        assert now == apply(said(*texts), SHARE, Policy(), engine=engine)
        assert said_so.strip() not in str(now.conversation.messages[0].blocks[0].text)
