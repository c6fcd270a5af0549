"""Conversations come whole, in the order asked for, with ids that a re-ingest keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen import duck
from sitegen.errors import ProjectionError
from sitegen.model import Conversation, Fork, Message, SharedView
from sitegen.projection import chunks
from sitegen.projection.messages import without_circles
from tests.projection.reading import heads, observed, opened, read_all, read_one, writing_process
from tests.support.projections import (
    FIRST_MOMENT,
    BlockRow,
    ConversationRow,
    RawJson,
    Value,
    assistant,
    call,
    conversation,
    image,
    label,
    make_projection,
    message,
    result,
    text,
    thinking,
    user,
)


def short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def said(talk: Conversation) -> list[str | None]:
    return [block.text for message in talk.messages for block in message.blocks]


# --------------------------------------------------------------------------------------------------- whole and in order


def test_file_is_free_once_the_last_is_read(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [conversation("s1", user("Hello"))])
    with opened(path) as projection:
        (head,) = projection.heads()
        stream = projection.read([head.row_id])
        assert said(next(stream)) == ["Hello"]
        with writing_process(path, ["UPDATE content_blocks SET text = 'Goodbye'"]):
            assert next(stream, None) is None
        assert [said(talk) for talk in projection.read([head.row_id])] == [["Goodbye"]]


def test_conversation_is_read_whole(tmp_path: Path) -> None:
    talk = read_one(
        tmp_path,
        conversation(
            "s1",
            user("Why?", at="2026-01-02T03:04:05.678Z"),
            assistant(thinking("Hm."), text("Because."), call("Bash", {"command": "ls"}, id="t9"), at=None),
            project="/home/ann/code/talks",
            metadata={"state": "paused", "persona": "critic"},
        ),
    )
    first, second = talk.messages
    assert (talk.head.key, talk.head.title, talk.head.project) == (
        "claude_code:s1",
        "A conversation",
        "/home/ann/code/talks",
    )
    assert (talk.head.message_count, talk.head.started_at, talk.state) == (2, FIRST_MOMENT, "paused")
    assert talk.head.metadata["persona"] == "critic"
    assert (first.id, first.role, first.index, first.native_id) == (short("m0"), "user", 0, "m0")
    assert first.created_at is not None
    assert first.created_at.isoformat() == "2026-01-02T03:04:05.678000+00:00"
    assert (second.parent_id, second.model, second.created_at) == (first.id, "claude-test-1", None)
    assert [block.kind for block in second.blocks] == ["thinking", "text", "tool_use"]
    assert (second.blocks[2].tool_name, second.blocks[2].tool_use_id) == ("Bash", "t9")
    assert second.blocks[2].payload == {"input": {"command": "ls"}}


def test_folders_that_messages_were_said_in_are_told_once(tmp_path: Path) -> None:
    home, other = {"cwd": "/home/ann/code", "request_id": "r"}, {"cwd": "/home/ann", "note": "kept"}
    talk = read_one(
        tmp_path,
        conversation("s1", user("Why?", metadata=home), assistant("So.", metadata=other), user("Ah.", metadata=home)),
    )
    assert talk.folders == ("/home/ann/code", "/home/ann")
    assert [each.metadata for each in talk.messages] == [{}, {"note": "kept"}, {}]


def test_messages_follow_their_index_not_their_time(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        user("third", index=30),
        user("first", index=5, at="2031-01-01T00:00:00Z"),
        user("second", index=7, at=None),
    )
    assert said(read_one(tmp_path, talk)) == ["first", "second", "third"]


def test_conversations_come_in_the_order_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_CONVERSATIONS", 3)
    talks = [conversation(f"s{n:02}", user(f"from {n}")) for n in range(10)]
    with opened(make_projection(tmp_path / "p.duckdb", talks)) as projection:
        rows = {head.native_id: head.row_id for head in projection.heads()}
        order = [f"s{n:02}" for n in (7, 2, 9, 2, 0, 5, 1, 8)]
        read = list(projection.read([rows[name] for name in order]))
    assert [talk.head.native_id for talk in read] == order
    assert [said(talk) for talk in read] == [[f"from {int(name[1:])}"] for name in order]


def test_conversations_come_as_they_lie_when_any_order_will_do(tmp_path: Path) -> None:
    talks = [conversation(name, user(f"from {name}")) for name in ("b", "a", "d", "c")]
    with opened(make_projection(tmp_path / "p.duckdb", talks)) as projection:
        rows = {head.native_id: head.row_id for head in projection.heads()}
        read = list(projection.read([rows[name] for name in "abcd"], in_any_order=True))
    assert [talk.head.native_id for talk in read] == ["b", "a", "d", "c"]
    assert [said(talk) for talk in read] == [["from b"], ["from a"], ["from d"], ["from c"]]


@pytest.mark.parametrize(("size", "times"), [(10, 0), (50_000, 2)], ids=["small", "large"])
def test_a_projection_that_is_read_again_soon_stays_open_unless_memory_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, times: int
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10_000)
    with opened(make_projection(tmp_path / "p.duckdb", [conversation("a", user("x" * size))])) as projection:
        (head,) = projection.heads()
        connect = Mock(wraps=duck.connect)
        monkeypatch.setattr(duck, "connect", connect)
        for _ in range(3):
            assert [said(talk) for talk in projection.read([head.row_id], goes_on=True)] == [["x" * size]]
    assert connect.call_count == times


def _scattered(table: str) -> list[str]:
    """Statements that put the rows of a table into an order of no meaning."""
    copy = f"CREATE TABLE scattered AS SELECT * FROM {table} ORDER BY hash(id)"
    return [copy, f"DELETE FROM {table}", f"INSERT INTO {table} SELECT * FROM scattered", "DROP TABLE scattered"]


@pytest.mark.parametrize("tables", [(), ("content_blocks",), ("content_blocks", "raw_events")])
@pytest.mark.parametrize("most", [0, 1_000], ids=["large", "small"])
def test_batches_that_follow_each_other_are_read_as_if_each_were_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tables: Sequence[str], most: int
) -> None:
    monkeypatch.setattr("sitegen.projection.places._MOST_MESSAGES", most)
    talks = [
        conversation(f"s{n}", *(user(f"{n}.{at}", raw={"gitBranch": f"b{n}"}) for at in range(n * 2))) for n in range(5)
    ]
    scattering = [statement for table in tables for statement in _scattered(table)]
    with opened(make_projection(tmp_path / "p.duckdb", talks, then=scattering)) as projection:
        heads = projection.heads()
        alone = [talk for head in heads for talk in projection.read([head.row_id])]
        following = [talk for head in heads for talk in projection.read([head.row_id], goes_on=True)]
    assert following == alone
    assert [said(talk) for talk in following] == [[f"{n}.{at}" for at in range(n * 2)] for n in range(5)]
    assert [talk.git_branch for talk in following] == [None, "b1", "b2", "b3", "b4"]


def test_rows_that_moved_while_a_projection_rested_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10_000)
    talks = [conversation("large", user("x" * 50_000)), conversation("a", user("A")), conversation("b", user("B"))]
    with opened(make_projection(tmp_path / "p.duckdb", talks)) as projection:
        rows = {head.native_id: head.row_id for head in projection.heads()}
        next(projection.read([rows["large"]], goes_on=True))
        with duckdb.connect(str(tmp_path / "p.duckdb")) as db:
            for statement in _scattered("content_blocks"):
                db.execute(statement)
        read = [said(talk) for name in "ab" for talk in projection.read([rows[name]], goes_on=True)]
    assert read == [["A"], ["B"]]


def test_chunks_are_bounded_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10_000)
    talks = [conversation(f"s{n}", user("x" * size)) for n, size in enumerate([10, 50_000, 4_000, 4_000, 4_000])]
    with opened(make_projection(tmp_path / "p.duckdb", talks)) as projection:
        known = projection.heads()
        planned = [[unit[0].native_id for unit in chunk] for chunk in chunks.plan([[head] for head in known])]
        assert planned == [["s0"], ["s1"], ["s2", "s3"], ["s4"]]
        assert [len(said(talk)[0] or "") for talk in projection.read([head.row_id for head in known])] == [
            10,
            50_000,
            4_000,
            4_000,
            4_000,
        ]


def test_heads_of_an_earlier_opening_serve(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [conversation("s1", user("x")), conversation("s2", user("y"))])
    with opened(path) as projection:
        known = projection.heads()
    with opened(path) as projection:
        read = list(projection.read([known[1].row_id], heads=known))
    assert [talk.head for talk in read] == [known[1]]
    assert said(read[0]) == ["y"]


def test_unknown_id_is_refused(tmp_path: Path) -> None:
    with (
        opened(make_projection(tmp_path / "p.duckdb", [])) as projection,
        pytest.raises(ProjectionError, match="holds no conversation gone"),
    ):
        list(projection.read(["gone"]))


def test_large_conversation_is_read_in_little_memory(tmp_path: Path) -> None:
    body = "0123456789abcdef" * 4_000
    turns = [user(body + str(n), raw={"toolUseResult": {"stdout": str(n), "originalFile": body}}) for n in range(300)]
    path = make_projection(tmp_path / "p.duckdb", [conversation("s1", *turns), conversation("s2", user("y"))])
    with opened(path, memory_limit_mb=48) as projection:
        big, small = projection.read([head.row_id for head in projection.heads()])
    assert [one.tool_detail["stdout"] for one in big.messages] == [str(n) for n in range(300)]
    assert said(small) == ["y"]


# ----------------------------------------------------------------------------------------------------------- stable ids


def test_ids_come_from_native_ids_and_else_from_the_place(tmp_path: Path) -> None:
    talk = read_one(
        tmp_path,
        conversation(
            "s1",
            user("a", native_id="x"),
            user("b", native_id=None),
            user("c", native_id="x"),
            user("d", native_id="x"),
        ),
    )
    assert [one.id for one in talk.messages] == [short("x"), short("#1"), f"{short('x')}-2", f"{short('x')}-3"]
    assert [one.parent_id for one in talk.messages] == [None, short("x"), short("#1"), f"{short('x')}-2"]


@pytest.mark.parametrize("parent", ["nowhere", None], ids=["missing", "none"])
def test_parent_that_is_not_there_is_none(tmp_path: Path, parent: str | None) -> None:
    talk = read_one(tmp_path, conversation("s1", user("a"), user("b", parent=parent)))
    assert talk.messages[1].parent_id is None


def test_parent_in_another_conversation_is_none(tmp_path: Path) -> None:
    other = conversation("s2", user("elsewhere"))
    path = make_projection(tmp_path / "p.duckdb", [other, conversation("s1", user("a"))])
    with opened(path) as projection:
        foreign = projection._database.query("SELECT id FROM p.main.messages WHERE source_native_id = 'm0'")[0][0]
    talk = conversation("s1", user("a", native_id="n0"), user("b", native_id="n1", parent=foreign))
    assert read_one(tmp_path, talk, other).messages[1].parent_id is None


def test_circle_of_parents_is_cut(tmp_path: Path) -> None:
    talk = conversation("s1", user("a", parent="m2"), user("b"), user("c"), user("d", parent="m3"))
    parents = [one.parent_id for one in read_one(tmp_path, talk).messages]
    assert parents == [None, short("m0"), short("m1"), None]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([*"abcdefghz", None])))
def test_cut_circles_leave_no_circle_and_all_else(parents: dict[str, str | None]) -> None:
    mended = without_circles(parents)
    for name in parents:
        seen = set()
        above: str | None = name
        while above is not None:
            assert above not in seen
            seen.add(above)
            above = mended.get(above)
    cut = [name for name in parents if mended[name] != parents[name]]
    assert all(mended[name] is None for name in cut)
    assert without_circles(mended) == mended


# ------------------------------------------------------------------------------------------------------------ subagents


def agent(native_id: str, parent: str) -> ConversationRow:
    facts = {"subagent": True, "agent_id": native_id, "parent_native_id": parent}
    return conversation(native_id, user(f"I am {native_id}"), metadata=facts)


def test_subagents_hang_below_their_parents_and_stand_alone_too(tmp_path: Path) -> None:
    family = [
        conversation("s1", user("Go")),
        agent("b", "s1"),
        agent("a", "s1"),
        agent("c", "a"),
        agent("lost", "gone"),
    ]
    read = read_all(make_projection(tmp_path / "p.duckdb", family))
    assert [below.head.native_id for below in read["s1"].subagents] == ["a", "b"]
    assert [below.head.native_id for below in read["s1"].subagents[0].subagents] == ["c"]
    assert read["a"].head.parent_key == "claude_code:s1"
    assert said(read["a"].subagents[0]) == ["I am c"]
    assert said(read["c"]) == ["I am c"]
    assert read["lost"].head.parent_key is None


def test_circle_of_subagents_stands_apart(tmp_path: Path) -> None:
    talks = [agent("a", "b"), agent("b", "a"), agent("self", "self"), conversation("s1", user("x"))]
    read = read_all(make_projection(tmp_path / "p.duckdb", talks))
    assert {name: talk.head.parent_key for name, talk in read.items()} == dict.fromkeys(["a", "b", "self", "s1"])
    assert all(not talk.subagents for talk in read.values())


def test_endless_line_of_subagents_ends(tmp_path: Path) -> None:
    line = [conversation("a000", user("x")), *(agent(f"a{n:03}", f"a{n - 1:03}") for n in range(1, 200))]
    read = read_all(make_projection(tmp_path / "p.duckdb", line))
    depth, below = 0, read["a000"]
    while below.subagents:
        depth, below = depth + 1, below.subagents[0]
    assert 10 < depth < 100
    assert read["a199"].head.parent_key is None


def test_line_of_subagents_that_is_there_twice_is_read_once(tmp_path: Path) -> None:
    line = [conversation("a000", user("x")), *(agent(f"a{n:03}", f"a{n - 1:03}") for n in range(1, 25))]
    # A table without keys, and sources without a name: every conversation is there twice under one key.
    then = [
        "CREATE TABLE plain AS SELECT * REPLACE (NULL::VARCHAR AS source_id) FROM conversations",
        "INSERT INTO plain SELECT * REPLACE (id || 'b' AS id) FROM plain",
        *(f"DROP TABLE {name}" for name in ("attachments", "message_embeddings")),
        *(f"CREATE TABLE plain_{name} AS FROM {name}" for name in ("content_blocks", "messages")),
        "DROP VIEW tool_calls",
        *(f"DROP TABLE {name}" for name in ("content_blocks", "messages", "conversations")),
        *(f"ALTER TABLE plain_{name} RENAME TO {name}" for name in ("content_blocks", "messages")),
        "ALTER TABLE plain RENAME TO conversations",
    ]
    path = make_projection(tmp_path / "p.duckdb", line, then=then)
    with opened(path) as projection:
        heads = projection.heads()
        assert len(heads) == 2 * len(line)
        talks = list(projection.read([head.row_id for head in heads if head.native_id == "a000"]))
    for talk in talks:
        names, below = [talk.head.native_id], talk
        while below.subagents:
            (below,) = below.subagents
            names.append(below.head.native_id)
        assert names == [row.native_id for row in line]


# -------------------------------------------------------------------------------------------------- blocks and payloads


def test_result_leaves_out_what_its_text_repeats(tmp_path: Path) -> None:
    picture: Value = {"type": "image", "source": {"type": "base64", "data": "eA=="}}
    long: Value = [{"type": "text", "text": "found"}, picture]
    talk = conversation(
        "s1",
        user(result("plain", is_error=True)),
        user(result("found", raw_content=long)),
        user(result("found", raw_content=[{"type": "text", "text": "found"}])),
        user(result(None, raw_content=[picture])),
    )
    payloads = [one.blocks[0].payload for one in read_one(tmp_path, talk).messages]
    assert payloads == [
        {"is_error": True},
        {"is_error": False, "raw_content": [picture]},
        {"is_error": False},
        {"is_error": False, "raw_content": [picture]},
    ]


def test_other_sources_payloads_of_results_stay(tmp_path: Path) -> None:
    block = BlockRow("tool_result", "done", None, "t1", {"status": "completed"})
    talk = read_one(tmp_path, conversation("s1", message("tool", block), source="opencode"))
    assert talk.messages[0].blocks[0].payload == {"status": "completed"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        pytest.param(None, {}, id="null"),
        pytest.param(RawJson("null"), {}, id="json-null"),
        pytest.param({"a": "x\0y"}, {"a": "x\0y"}, id="nul"),
        pytest.param({"smile": "\N{GRINNING FACE}"}, {"smile": "\N{GRINNING FACE}"}, id="pair-of-surrogates"),
        pytest.param(RawJson("[1, 2]"), {"unparsed": "[1, 2]"}, id="list"),
        pytest.param(RawJson('{"a": 1, "a": 2}'), {"a": 2}, id="doubled-key"),
        pytest.param(RawJson('{"n": 1e400}'), {"n": None}, id="huge-number"),
    ],
)
def test_payloads_are_parsed_whatever_they_hold(tmp_path: Path, payload: Value, expected: object) -> None:
    talk = read_one(tmp_path, conversation("s1", user(BlockRow("text", None, payload=payload))))
    assert talk.messages[0].blocks[0].payload == expected


DEEP = '["\\ud800", ' + "[" * 5_000 + "]" * 5_000 + "]"
BROKEN = [
    pytest.param('{"a": ', {"unparsed": '{"a": '}, id="cut"),
    pytest.param("nonsense", {"unparsed": "nonsense"}, id="nonsense"),
    pytest.param('\n{"a": 1}\t', {"a": 1}, id="blanks-around"),
    pytest.param('{"a": 1} {}', {"unparsed": '{"a": 1} {}'}, id="two"),
    pytest.param(DEEP, {"unparsed": DEEP}, id="deep-with-half-a-pair"),
    pytest.param(
        '{"a": "\\ud800x", "\\udc00": ["\\ud83d\\ude00"]}', {"a": "\ufffdx", "\ufffd": ["\U0001f600"]}, id="lone"
    ),
    pytest.param('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, id="no-numbers"),
    pytest.param('{"a": 1e400, "b": [-1e999, 1.5]}', {"a": None, "b": [None, 1.5]}, id="too-large-numbers"),
    pytest.param("[" * 100_000, {"unparsed": "[" * 100_000}, id="deep"),
    pytest.param('{"a": ' + "9" * 5_000 + "}", {"unparsed": '{"a": ' + "9" * 5_000 + "}"}, id="endless-number"),
]


@pytest.mark.parametrize(("payload", "expected"), BROKEN)
def test_broken_json_costs_itself_only(tmp_path: Path, payload: str, expected: object) -> None:
    """DuckDB checks JSON, but a column of plain text can hold anything."""
    then = ["DROP VIEW tool_calls"]
    for table in ("content_blocks", "raw_events"):
        then.append(f"CREATE TABLE plain AS SELECT * REPLACE (payload::VARCHAR AS payload) FROM {table}")
        then += [f"DROP TABLE {table}", f"ALTER TABLE plain RENAME TO {table}"]
    quoted = payload.replace("'", "''")
    then.append(f"UPDATE content_blocks SET payload = '{quoted}' WHERE text IN ('done', 'x')")
    then.append(f"UPDATE raw_events SET payload = '{quoted}' WHERE line_number = 0")
    talk = conversation(
        "s1", user(result("done"), raw={}), user(text("x")), user("fine", raw={"isMeta": True}), title=None
    )
    read = read_all(make_projection(tmp_path / "p.duckdb", [talk], then=then))["s1"]
    assert said(read) == ["done", "x", "fine"]
    assert read.messages[1].blocks[0].payload == expected
    assert [one.is_meta for one in read.messages] == [False, False, True]


def test_unknown_roles_and_kinds_are_kept(tmp_path: Path) -> None:
    talk = conversation(
        "s1", message("human", "a"), message("developer", "b"), message("ghost", BlockRow("hologram", "c"))
    )
    read = read_one(tmp_path, talk)
    assert [one.role for one in read.messages] == ["user", "system", "system"]
    assert read.messages[2].blocks[0].kind == "text"
    assert said(read) == ["a", "b", "c"]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=6))
def test_any_text_survives(tmp_path: Path, texts: list[str]) -> None:
    talk = conversation("s1", *(user(text(body, payload={"same": body})) for body in texts))
    read = read_one(tmp_path, talk)
    assert said(read) == texts
    assert [one.blocks[0].payload["same"] for one in read.messages] == texts


def test_message_without_blocks_is_there(tmp_path: Path) -> None:
    empty, _ = read_one(tmp_path, conversation("s1", user(), user(image(b"x")))).messages
    assert empty.blocks == ()


# ------------------------------------------------------------------------------------------ forks, labels, shared views


def test_divergences_are_forks(tmp_path: Path) -> None:
    talk = conversation(
        "s1",
        *(user(name) for name in "abcde"),
        divergences=(("m1", "m4"), ("m1", "m2"), (None, "m3"), ("m0", "gone")),
    )
    assert read_one(tmp_path, talk).forks == (
        Fork(None, (short("m3"),)),
        Fork(short("m1"), (short("m2"), short("m4"))),
    )


def labels_of(messages: tuple[Message, ...]) -> list[tuple[str, ...]]:
    return [one.labels for one in messages]


def test_a_conversation_with_a_tombstone_is_not_there(tmp_path: Path) -> None:
    talks = [conversation(name, user("Hi")) for name in ("gone", "kept")]
    then = (observed("gone", "append", "tombstone"), observed("kept", "append", device="e"))
    path = make_projection(tmp_path / "a.duckdb", talks, then=then)
    assert list(heads(path)) == ["kept"]


def test_a_tombstone_outlasts_what_was_observed_later(tmp_path: Path) -> None:
    then = (observed("gone", "tombstone"), observed("gone", "append", device="e"))
    path = make_projection(tmp_path / "a.duckdb", [conversation("gone", user("Hi"))], then=then)
    assert heads(path) == {}


@pytest.mark.parametrize("has_parent", [True, False], ids=["parent-there", "parent-removed"])
def test_subagents_go_with_the_conversation_that_started_them(tmp_path: Path, has_parent: bool) -> None:
    talks = [
        *([conversation("gone", user("Hi"))] if has_parent else []),
        conversation("a1", user("Go"), metadata={"subagent": True, "parent_native_id": "gone"}),
        conversation("a2", user("On"), metadata={"subagent": True, "parent_native_id": "a1"}),
        conversation("kept", user("Hi")),
    ]
    path = make_projection(tmp_path / "a.duckdb", talks, then=[observed("gone", "tombstone")])
    assert list(heads(path)) == ["kept"]


def test_labels_come_only_when_asked_for(tmp_path: Path) -> None:
    notes = (label("tone", "kind", "warm"), label("risk", "harm", value=0.25, block=1))
    talk = conversation("s1", assistant("x", call("Bash", {}), labels=notes), assistant("y"))
    assert labels_of(read_one(tmp_path, talk).messages) == [(), ()]
    shown = read_one(tmp_path, talk, labels=True)
    assert labels_of(shown.messages) == [("tone/kind: warm",), ()]
    assert [block.labels for message in shown.messages for block in message.blocks] == [(), ("risk/harm: 0.25",), ()]


def test_shared_views_are_read(tmp_path: Path) -> None:
    views = [
        SharedView("b", "c1", "password", "env:X", FIRST_MOMENT, 5),
        SharedView("a", "c2", None, None, None, None),
    ]
    with opened(make_projection(tmp_path / "p.duckdb", [], shared_views=views)) as projection:
        assert projection.shared_views() == views[::-1]


@pytest.mark.parametrize(
    ("expires_at", "found"),
    [
        ("0001-01-01T00:00:00Z", "1970-01-02"),
        ("5000-01-01 (BC) 00:00:00+00", "1970-01-02"),
        ("-infinity", "1970-01-02"),
        ("1969-07-20T20:17:40Z", "1970-01-02"),
        ("2026-01-02T00:00:00Z", "2026-01-02"),
        ("9999-12-31T23:59:59Z", "9998-12-31"),
        ("200000-01-01T00:00:00Z", "9998-12-31"),
        ("infinity", None),
    ],
)
def test_a_view_that_is_over_never_counts_as_one_without_an_end(
    tmp_path: Path, expires_at: str, found: str | None
) -> None:
    views = [SharedView("a", "c1", None, None, FIRST_MOMENT, None)]
    then = [f"UPDATE shared_views SET expires_at = '{expires_at}'"]
    with opened(make_projection(tmp_path / "p.duckdb", [], shared_views=views, then=then)) as projection:
        (view,) = projection.shared_views()
    assert view.expires_at == (datetime.fromisoformat(f"{found}T00:00:00Z") if found else None)


@pytest.mark.parametrize("kind", ["TIMESTAMP", "DATE", "TIMESTAMP_S"])
def test_expiry_of_a_kindred_type_is_read(tmp_path: Path, kind: str) -> None:
    views = [SharedView("a", "c1", None, None, FIRST_MOMENT, None)]
    then = [f"ALTER TABLE shared_views ALTER expires_at TYPE {kind}", "UPDATE shared_views SET expires_at='2026-01-02'"]
    with opened(make_projection(tmp_path / "p.duckdb", [], shared_views=views, then=then)) as projection:
        assert [view.expires_at for view in projection.shared_views()] == [datetime(2026, 1, 2, tzinfo=UTC)]


def test_head_counts_messages_itself(tmp_path: Path) -> None:
    talk = replace(conversation("s1", user("a"), user("b")), message_count=77)
    assert heads(make_projection(tmp_path / "p.duckdb", [talk]))["s1"].message_count == 2
