"""JSON is parsed by a quick library; it means what it means to the standard one, which has the last word."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.picked import Picker, RawRecord, pick, unpack_records
from sitegen.values import parse

_TOKENS = st.sampled_from(
    [
        *("{", "}", "[", "]", ",", ":", " ", "\n", "null", "true", "fals", "NaN", "-Infinity", '"a"', '"', "\\"),
        *("0", "-0", "01", "1.5", "1e5", "1E-400", "1e999", "-1e999", "1.", ".5", "9" * 30, "9" * 5000, "1_0", "0x1"),
        *('"\\ud800"', '"\\ude00\\ud83d"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\x"', '"\t"', '"é"', "\ufeff"),
        *('{"a":1,"a":2}', '{"a":1,"b":0,"a":[]}', "[1,]", '{"a":1,}', "\x00", "\xa0", "'a'", "/**/"),
    ]
)
_FLOATS = st.floats(allow_nan=True, allow_infinity=True)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | _FLOATS | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
_TEXTS = st.lists(_TOKENS, max_size=8).map("".join) | st.builds(json.dumps, _VALUES)


def _expected(text: str) -> Any:
    """What the standard library makes of it, without what can't be written again."""
    try:
        value = json.loads(
            text.strip(" \t\r\n"),
            parse_constant=lambda _: None,
            parse_float=lambda digits: found if isfinite(found := float(digits)) else None,
        )
        whole = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return json.loads(whole)
    except (ValueError, RecursionError):
        return None


@given(_TEXTS)
def test_any_text_is_parsed_as_by_the_standard_library(text: str) -> None:
    found, expected = parse(text), _expected(text)
    assert (found, repr(found)) == (expected, repr(expected))  # 1 isn't true, nor 1.0, and keys keep their order


def _read(payload: str) -> list[RawRecord]:
    record = pick(1, payload.encode())
    return [] if record is None else [record]


_WORDS = st.sampled_from(["user", "system", "queued_command", "agent_progress", "a", ""])
_PARTS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("type", "uuid", "parentUuid", "requestId", "subtype"), _WORDS | _VALUES),
        **dict.fromkeys(("message", "attachment", "data"), st.dictionaries(st.just("type"), _WORDS) | _VALUES),
        "isMeta": st.booleans() | _VALUES,
        "message": st.fixed_dictionaries({}, optional={"id": _WORDS, "model": _VALUES, "usage": _VALUES}) | _VALUES,
        "toolUseResult": st.fixed_dictionaries(
            {"originalFile": _VALUES},
            optional={"stdout": _VALUES, "file": st.dictionaries(st.just("numLines"), _VALUES) | _VALUES},
        )
        | _VALUES,
    },
)


@given(_PARTS)
def test_what_is_picked_of_a_record_does_not_depend_on_how_it_must_be_parsed(parts: dict[str, Any]) -> None:
    sound = json.loads(json.dumps(parts), parse_constant=lambda _: None)
    quickly, slowly = _read(json.dumps(sound)), _read(json.dumps({**sound, "nobodyAsks": float("nan")}))
    assert repr(quickly) == repr(slowly)


@given(st.lists(_PARTS, max_size=5))
def test_what_is_kept_of_records_is_what_is_picked_of_them(records: list[dict[str, Any]]) -> None:
    texts = [json.dumps(record) for record in records]
    for is_parsed in (False, True):
        picker = Picker()
        for line, text in enumerate(texts):
            picker.add(line, text, parse(text) if is_parsed else None)  # type: ignore[arg-type]
        _check(picker, texts)


def _check(picker: Picker, texts: list[str]) -> None:
    pack = picker.pack()
    if pack is not None:  # a number may be too large
        picked = [found for line, text in enumerate(texts) if (found := pick(line, text.encode())) is not None]
        assert repr(unpack_records(part for _, part in pack.records)) == repr(picked)
    assert picker.pack() is None


@pytest.mark.parametrize("payload", ["", "null", "[]", '"user"', "{", '{"type": "user"'])
def test_what_is_no_record_is_none(payload: str) -> None:
    assert not _read(payload)


@pytest.mark.parametrize("digits", [309, 4_300])
@pytest.mark.parametrize("name", ["message", "attachment", "data", "toolUseResult", "requestId"])
def test_a_number_beyond_all_others_costs_itself_alone(name: str, digits: int) -> None:
    parts = {"type": "user", "uuid": "a", "isMeta": True, "toolUseResult": {"stdout": "all"}}
    (record,) = _read(json.dumps(parts | {name: 10**digits - 1}))
    assert (record.uuid, record.is_meta) == ("a", True)
    assert record.tool_detail == ({} if name == "toolUseResult" else {"stdout": "all"})


def test_a_number_beyond_all_others_within_a_result_costs_no_other_part() -> None:
    (record,) = _read(f'{{"type": "user", "uuid": "a", "toolUseResult": {{"code": {"9" * 400}, "stdout": "all"}}}}')
    assert record.tool_detail is not None
    assert record.tool_detail["stdout"] == "all"
