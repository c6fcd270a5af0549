"""Which result goes with which call."""

from __future__ import annotations

import pytest

from sitegen.model import Block, Message
from sitegen.render.pairing import pair


def _messages(*steps: str) -> list[Message]:
    """`call a`, `result a one`, `result - two` (no id): one message each."""
    found = []
    for place, step in enumerate(steps):
        kind, name, *text = step.split(" ", 2)
        call_id = None if name == "-" else name
        block = Block("tool_use" if kind == "call" else "tool_result", " ".join(text) or None, tool_use_id=call_id)
        found.append(Message(f"m{place}", "user", place, (block,)))
    return found


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param(["call a", "result a"], {0: 1}, id="simple"),
        pytest.param(["call a", "call b", "result b", "result a"], {0: 3, 1: 2}, id="parallel, answered out of order"),
        pytest.param(["call a", "result a", "call a", "result a"], {0: 1, 2: 3}, id="an id used twice"),
        pytest.param(["call a", "call a", "result a"], {1: 2}, id="a call stored twice"),
        pytest.param(["call -", "result -"], {0: 1}, id="no ids"),
        pytest.param(["call -", "call -", "result -", "result -"], {0: 2, 1: 3}, id="no ids, in their order"),
        pytest.param(["call a", "result -"], {0: 1}, id="a result without an id, one call open"),
        pytest.param(["call a", "call b", "result -"], {}, id="a result without an id, two calls open"),
        pytest.param(["result a", "call a"], {1: 0}, id="the result came first"),
        pytest.param(["call a", "result b"], {}, id="strangers"),
        pytest.param(["call a"], {}, id="a call alone"),
    ],
)
def test_results_find_their_calls(steps: list[str], expected: dict[int, int]) -> None:
    pairs = pair(_messages(*steps))
    assert {int(spot[0][1:]): found.message.index for spot, found in pairs.results.items()} == expected


def test_a_repeated_result_is_taken_in_silence_but_another_text_is_an_orphan() -> None:
    pairs = pair(_messages("call a", "result a one", "result a one", "result a two"))
    assert pairs.taken == {("m1", 0), ("m2", 0)}


def test_thousands_of_open_calls_and_results_without_calls_are_quickly_done() -> None:
    steps = [f"call c{n}" for n in range(20_000)] + [f"result r{n}" for n in range(20_000)]
    assert pair(_messages(*steps)).results == {}
