"""A conversation too long to be looked through at once is scrubbed as a short one is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from sitegen.model import Conversation
from sitegen.privacy import Engine, NoEngine, Policy, Scan, apply, find_engine
from tests.privacy.support import SHARE, said, scrubbed
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
def test_what_is_learned_at_the_end_goes_at_the_begin() -> None:
    first = "kestrel works on mallard-3 with the password Tr0ub4dor&3xyz"
    last = "cd /home/kestrel; hostname=mallard-3; PASSWORD='Tr0ub4dor&3xyz'"
    result = scrubbed(said(first, *FILLER, last), masks_hosts=True).conversation
    assert not {word for word in ("kestrel", "mallard", "Tr0ub4dor") if word in repr(result)}


@pytest.mark.usefixtures("in_parts")
def test_scan_of_parts_is_the_scan_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: dict[str, Scan] = {}

    class Memory:
        def recall(self, name: str) -> Scan | None:
            return scans.get(name)

        def keep(self, name: str, scan: Scan) -> None:
            assert name not in scans, "what was remembered wasn't what was asked for"
            scans[name] = scan

    in_parts = apply(long(0), SHARE, Policy(), memory=Memory())
    monkeypatch.setattr("sitegen.privacy.corpus.WHOLE", 10_000_000)
    assert apply(long(0), SHARE, Policy(), memory=Memory()) == in_parts
    assert len(scans) == 1
