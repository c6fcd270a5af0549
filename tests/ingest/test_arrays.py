"""A JSON array of any length is taken apart in the memory of one element; damage costs the element it hits."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.ingest.arrays import Element, split_array
from sitegen.model import Json


def is_talk(value: Json) -> bool:
    return isinstance(value, dict) and "talk" in value


def split(data: bytes, *, max_chars: int = 1 << 20, chunk: int = 0) -> list[Element]:
    stream = io.BytesIO(data) if not chunk else Drip(data, chunk)
    return list(split_array(stream, is_element=is_talk, keys=("talk",), max_chars=max_chars))


class Drip(io.BytesIO):
    """Gives a few bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._size)


def talks(count: int) -> list[dict[str, Json]]:
    return [{"talk": n, "text": f'Tä{n} \U0001f600 [{{\\" ,'} for n in range(count)]


FORMS = [
    pytest.param(json.dumps(talks(3)).encode(), id="array"),
    pytest.param(json.dumps(talks(3), indent=2, ensure_ascii=False).encode(), id="indented"),
    pytest.param("".join(json.dumps(talk) + "\n" for talk in talks(3)).encode(), id="one a line"),
    pytest.param(b"\xef\xbb\xbf" + json.dumps(talks(3)).encode(), id="after a byte order mark"),
    pytest.param(json.dumps(talks(3)).replace("}, {", "},,\n{").encode(), id="a comma too many"),
]


@pytest.mark.parametrize("chunk", [0, 1, 7])
@pytest.mark.parametrize("data", FORMS)
def test_elements_come_with_their_places(data: bytes, chunk: int) -> None:
    found = split(data, chunk=chunk)
    assert [element.value for element in found] == talks(3)
    assert [element.number for element in found] == [1, 2, 3]
    for element in found:
        assert data[element.offset : element.offset + len(element.raw)] == element.raw
        assert json.loads(element.raw) == element.value


@pytest.mark.parametrize("data", [b"", b" \n ", b"[]", b"[ ]"], ids=["nothing", "blanks", "empty", "blank"])
def test_empty_file_has_no_elements(data: bytes) -> None:
    assert split(data) == []


DAMAGE = [
    pytest.param('{"talk": 1, "text": "x}', "it isn't JSON: expecting", id="open text"),
    pytest.param('{"talk": 1, "text": }', "it isn't JSON: expecting value", id="no value"),
    pytest.param('{"talk": 1 "text": 2}', "it isn't JSON: expecting ',' delimiter", id="no comma"),
    pytest.param('"talk": 1}', "", id="no opening"),
    pytest.param('{"talk": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is nested too deeply", id="bottomless"),
]


@pytest.mark.parametrize("chunk", [0, 5])
@pytest.mark.parametrize(("broken", "reason"), DAMAGE)
def test_broken_element_costs_itself_only(broken: str, reason: str, chunk: int) -> None:
    if len(broken) > 1000 and chunk:
        pytest.skip("too slow drop by drop")
    good = [json.dumps(talk) for talk in talks(4)]
    found = split(f"[{good[0]}, {good[1]}, {broken}, {good[2]}, {good[3]}]".encode(), chunk=chunk)
    assert [element.value for element in found if is_talk(element.value)] == talks(4)
    problems = [element.problem for element in found if element.problem]
    assert not reason or problems[0].startswith(reason)


def test_file_cut_short_keeps_what_is_whole() -> None:
    data = json.dumps(talks(3)).encode()
    *whole, last = split(data[:-20])
    assert [element.value for element in whole[:2]] == talks(2)
    assert [element.problem for element in (*whole[2:], last)] == [
        "the file ends in the middle of it",
        "the file ends before its list does",
    ]


def test_element_that_is_too_large_is_passed_over() -> None:
    huge = {"talk": 0, "text": "x" * 5_000_000}
    found = split(json.dumps([talks(1)[0], huge, talks(2)[1]]).encode(), max_chars=2 << 20)
    assert [element.value for element in found if element.problem is None] == talks(2)
    assert [element.problem for element in found if element.problem] == ["it is larger than 2 MB"]


def test_memory_of_one_element_is_enough() -> None:
    element = json.dumps({"talk": 1, "text": "x" * 50_000}).encode()
    stream = Repeated(b"[" + element, b"," + element, times=800)
    tracemalloc.start()
    try:
        count = sum(1 for _ in split_array(stream, is_element=is_talk, keys=("talk",)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (count, stream.given > 40_000_000, peak < 12_000_000) == (801, True, True)


class Repeated(io.BytesIO):
    """An array of many equal elements, made as it is read."""

    def __init__(self, first: bytes, more: bytes, *, times: int) -> None:
        super().__init__()
        self._next = first
        self._more = more
        self._times = times
        self.given = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data, self._next = self._next, self._more if self._times > 0 else b"]" if self._times == 0 else b""
        self._times -= 1
        self.given += len(data)
        return data


def test_bytes_that_are_not_utf8_stay_what_they_are() -> None:
    data = b'[{"talk": "caf\xe9"}, {"talk": 2}]'
    assert [element.raw for element in split(data)] == [b'{"talk": "caf\xe9"}', b'{"talk": 2}']


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_damage_never_fails_and_leaves_what_it_did_not_touch(data: Any) -> None:
    text = json.dumps(talks(5)).encode()
    start = data.draw(st.integers(0, len(text) - 1))
    end = min(len(text), start + data.draw(st.integers(0, 30)))
    damaged = text[:start] + data.draw(st.binary(max_size=30)) + text[end:]
    found = split(damaged)
    assert split(damaged) == found
    values = [element.value for element in found]
    for talk in talks(5):
        at = text.index(json.dumps(talk).encode())
        is_touched = start <= at + len(json.dumps(talk)) + 1 and end >= at - 1
        # What is put in front can open a text that swallows all that follows; what stands before is safe.
        assert is_touched or at > start or talk in values
