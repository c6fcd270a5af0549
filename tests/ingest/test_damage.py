"""A damaged line costs that line and no other, is told with file, line and reason, and is kept as it stood."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.ingest import IngestReport, ingest
from sitegen.ingest.lines import parse_line
from tests.ingest.reading import blocks, one, payloads, query, texts
from tests.support.sessions import Fields, assistant, user, write_session


def ingested(folder: Path, *lines: Fields | str | bytes) -> tuple[Path, IngestReport]:
    """A projection of one session with a sound line before and after the given ones, and its report."""
    write_session(folder / "p" / "s1.jsonl", user("Before"), *lines, assistant("After"))
    return folder / "a.duckdb", ingest("claude-code", folder / "p", folder / "a.duckdb")


LOST = [
    pytest.param(b"this is no JSON", "it isn't JSON: expecting value at character 1", id="not JSON"),
    pytest.param(b'{"type":"user","message":{"con', "it isn't JSON: unterminated string", id="half-written"),
    pytest.param(b'{"type":"user"} {"type":"user"}', "it isn't JSON: extra data", id="two records"),
    pytest.param(b"[1, 2]", "it holds a list where a JSON object was expected", id="list"),
    pytest.param(b'"text"', "it holds text where a JSON object was expected", id="text"),
    pytest.param(b"null", "it holds null where a JSON object was expected", id="null"),
    pytest.param(b"true", "it holds true or false where a JSON object was expected", id="boolean"),
    pytest.param(b"17", "it holds a number where a JSON object was expected", id="number"),
    pytest.param(b'{"a": NaN}', "it isn't JSON: NaN is no JSON number", id="NaN"),
    pytest.param(b'{"a": 1e999}', "it isn't JSON: a number in it is too large", id="infinite"),
    pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "it isn't JSON: ", id="endless number"),
    pytest.param(b"\xff\xfe\x00\x01", "it isn't JSON: ", id="binary"),
    pytest.param(b"\0" * 100, "it holds nothing but NUL bytes", id="NUL bytes alone"),
    pytest.param(b'{"a":' * 300 + b"1" + b"}" * 300, "it is nested 301 levels deep", id="deep"),
    pytest.param(b"[" * 100_000, "it is nested too deeply", id="bottomless"),
    pytest.param(b'{"type":"user","message":"error"}', "its message is text where an object", id="message"),
    pytest.param(b'{"type":"user","message":{"content":7}}', "its content is a number where text", id="content"),
]


@pytest.mark.parametrize(("line", "reason"), LOST)
def test_line_that_holds_no_message_costs_only_itself(tmp_path: Path, line: bytes, reason: str) -> None:
    db, report = ingested(tmp_path, line)
    assert texts(db) == ["Before", "After"]
    (problem,) = report.problems
    assert problem.reason.startswith(reason)
    assert (problem.location, problem.line) == (str(tmp_path / "p" / "s1.jsonl"), 2)
    assert not problem.is_kept
    assert one(db, "SELECT count(*) FROM raw_events") == 3


@pytest.mark.parametrize("line", ["no JSON", '{"half', "[1]", "\ufeff", 'a "quoted" \\ line \x07'])
def test_unreadable_line_is_kept_as_it_stood(tmp_path: Path, line: str) -> None:
    db, _ = ingested(tmp_path, line)
    assert payloads(db)[1] == {"unparsed": line}


def test_unreadable_bytes_are_kept_as_they_stood(tmp_path: Path) -> None:
    db, _ = ingested(tmp_path, b"\xff\x00{")
    assert base64.b64decode(payloads(db)[1]["unparsed"]["base64"]) == b"\xff\x00{"


SOUND = '{"type":"user","message":{"content":"Hi %s"}}'
MENDED = [
    pytest.param(SOUND.encode() % b"caf\xe9", "Hi caf\ufffd", "byte 44 isn't UTF-8", id="bad UTF-8"),
    pytest.param(b"\xef\xbb\xbf" + SOUND.encode() % b"you", "Hi you", "it begins with a byte order mark", id="BOM"),
    pytest.param((SOUND % "\\ud83d!").encode(), "Hi \ufffd!", "it holds half of a surrogate pair", id="high half"),
    pytest.param((SOUND % "\\uDE00").encode(), "Hi \ufffd", "it holds half of a surrogate pair", id="low half"),
    pytest.param((SOUND % "a\0b").encode(), "Hi a\0b", "a text in it holds control characters", id="NUL in text"),
    pytest.param(b"\0\0" + SOUND.encode() % b"you", "Hi you", "it begins or ends with NUL bytes", id="NUL before"),
]


@pytest.mark.parametrize(("line", "text", "reason"), MENDED)
def test_line_that_can_be_mended_is_read_and_told(tmp_path: Path, line: bytes, text: str, reason: str) -> None:
    db, report = ingested(tmp_path, line)
    assert texts(db) == ["Before", text, "After"]
    (problem,) = report.problems
    assert problem.reason.startswith(reason)
    assert problem.is_kept
    source = payloads(db)[1]["source_line"]
    assert (source.encode() if isinstance(source, str) else base64.b64decode(source["base64"])) == line


@pytest.mark.parametrize(
    "text",
    ["\\ud83d\\ude00", "\\u0000", "\\\\ud83d", "\u2028", "\ufffd", "\x7f"],
    ids=["pair", "NUL escape", "escaped backslash", "line separator", "replacement", "delete"],
)
def test_line_that_only_looks_odd_is_no_problem(tmp_path: Path, text: str) -> None:
    db, report = ingested(tmp_path, SOUND % text)
    assert report.problems == ()
    assert texts(db)[1] == json.loads(SOUND % text)["message"]["content"]
    assert query(db, "SELECT payload FROM raw_events WHERE line_number = 2") == [(SOUND % text,)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (user("Hi", uuid=7), "its uuid is a number where text was expected"),
        (user("Hi", timestamp=[]), "its timestamp is a list where text was expected"),
        (user("Hi", timestamp="yesterday"), "its timestamp is no time"),
        (user("Hi", timestamp="0001-01-01T00:00:00+14:00"), "its timestamp is no time"),
        (assistant("Hi", model={}), "its model is an object where text was expected"),  # type: ignore[arg-type]
        (user({"type": "text", "text": 5}, "Hi"), "a block's text is a number where text was expected"),
        (user({"type": "thinking"}, "Hi"), "a block's thinking is null where text was expected"),
        (user({"type": "tool_use", "name": []}, "Hi"), "a block's name is a list where text was expected"),
        (user({"type": "tool_result", "tool_use_id": 1}, "Hi"), "a block's tool_use_id is a number where"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_value_of_a_wrong_type_costs_only_itself(tmp_path: Path, line: Fields, reason: str) -> None:
    db, report = ingested(tmp_path, line)
    assert "Hi" in texts(db)
    assert [problem.reason[: len(reason)] for problem in report.problems] == [reason]
    assert report.problems[0].is_kept


def test_block_that_is_no_object_is_kept(tmp_path: Path) -> None:
    line = '{"type":"user","message":{"content":["bare text", 7, {"type":"text","text":"Hi"}]}}'
    db, report = ingested(tmp_path, line)
    assert [(text, payload) for _, text, _, _, payload in blocks(db)][1:4] == [
        ("bare text", None),
        (None, {"unknown_block": 7}),
        ("Hi", None),
    ]
    assert report.tally.problem_count == 1


def test_problems_are_counted_beyond_those_that_are_listed(tmp_path: Path) -> None:
    _, report = ingested(tmp_path, *["{"] * 1500)
    assert (len(report.problems), report.tally.problem_count) == (1000, 1500)


def test_lines_may_end_as_they_do_on_windows(tmp_path: Path) -> None:
    db, report = ingested(tmp_path, SOUND % "you" + "\r", " ", "\t")
    assert (texts(db), report.problems) == (["Before", "Hi you", "After"], ())


# ---------------------------------------------------------------------------------------------------- any damage at all

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["text", "tool_use"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "x"]), inner),
    max_leaves=8,
)
KEYS = ("type", "message", "uuid", "parentUuid", "timestamp", "cwd", "sessionId", "requestId", "isMeta", "summary")
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES) | st.builds(
    lambda kind, content, **more: {**more, "type": kind, "message": {"content": content}},
    st.sampled_from(["user", "assistant", "system"]),
    VALUES | st.lists(VALUES, max_size=3),
    uuid=VALUES,
    parentUuid=VALUES,
)


@given(st.dictionaries(st.text(max_size=3), VALUES))
def test_a_line_without_a_problem_says_what_the_standard_library_reads_there(record: dict[str, object]) -> None:
    line = parse_line(json.dumps(record).encode(), 1)
    assert line.problem is not None or repr(line.record) == repr(json.loads(line.payload))


LINES = RECORDS.map(lambda record: json.dumps(record).encode()) | st.binary(max_size=40)
CUTS = st.tuples(LINES, st.integers(0, 60), st.binary(max_size=3))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CUTS, min_size=1, max_size=8))
def test_no_damage_costs_a_sound_line(cuts: list[tuple[bytes, int, bytes]]) -> None:
    damaged = [(line[:at] + put + line[at:]).replace(b"\n", b" ").replace(b"Sound", b"") for line, at, put in cuts]
    sound = [user(f"Sound {n}") for n in range(len(damaged))]
    with TemporaryDirectory() as name:
        folder = Path(name)
        lines = [line for pair in zip(damaged, sound, strict=True) for line in pair]
        db, report = ingested(folder, *lines)
        kept = [text for text in texts(db) if text and text.startswith("Sound")]
        assert kept == [f"Sound {n}" for n in range(len(sound))]
        assert one(db, "SELECT count(*) FROM raw_events") == 2 + len(sound) + sum(
            bool(line.strip(b" \t\r")) for line in damaged
        )
        assert all(isinstance(payload, dict) for payload in payloads(db))
        again = ingest("claude-code", folder / "p", folder / "a.duckdb")
        assert (again.unchanged, report.new) == (1, 1)
