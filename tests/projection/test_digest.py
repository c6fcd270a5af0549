"""A head's digest changes with anything a page could show, and with nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen import duck
from sitegen.model import ConversationHead
from sitegen.projection import Known
from tests.projection.reading import heads, opened, read_all
from tests.support.projections import (
    ConversationRow,
    assistant,
    attachment,
    call,
    conversation,
    label,
    make_projection,
    result,
    text,
    user,
)

FILE = attachment("notes.txt", storage_path="notes.txt", mime_type="text/plain", size_bytes=3, content_hash="x")
TALK = conversation(
    "s1",
    user("Why does it fail?", attachments=(FILE,), raw={"isMeta": False}),
    assistant(text("Let me look."), call("Read", {"file_path": "a.py"}), labels=(label("tone", "kind", "warm"),)),
    user(result("import re")),
    assistant("An expression is wrong.", parent="m1"),
    metadata={"event_count": 4},
    divergences=(("m1", "m3"),),
)
OTHER = conversation("s2", user("Something else"))


def digest(folder: Path, *talks: ConversationRow, of: str = "s1", labels: bool = False, salt: str = "a") -> str:
    path = make_projection(folder / "p.duckdb", talks, row_salt=salt)
    return heads(path, labels=labels)[of].digest


def with_message(number: int, **changes: object) -> ConversationRow:
    messages = list(TALK.messages)
    messages[number] = replace(messages[number], **changes)  # type: ignore[arg-type]
    return replace(TALK, messages=tuple(messages))


CHANGES = {
    "title": replace(TALK, title="Another"),
    "project": replace(TALK, project="/srv/x"),
    "start": replace(TALK, started_at="2025-01-01T00:00:00Z"),
    "end": replace(TALK, ended_at=None),
    "metadata": replace(TALK, metadata={"event_count": 4, "state": "paused"}),
    "text": with_message(3, blocks=(text("An expression is right."),)),
    "call": with_message(1, blocks=(text("Let me look."), call("Read", {"file_path": "b.py"}))),
    "tool-name": with_message(1, blocks=(text("Let me look."), call("View", {"file_path": "a.py"}))),
    "call-id": with_message(1, blocks=(text("Let me look."), call("Read", {"file_path": "a.py"}, id="t2"))),
    "order-of-blocks": with_message(1, blocks=TALK.messages[1].blocks[::-1]),
    "error": with_message(2, blocks=(result("import re", is_error=True),)),
    "role": with_message(3, role="system"),
    "model": with_message(3, model="claude-test-2"),
    "time": with_message(3, at=None),
    "native-id": with_message(3, native_id=None, parent=None),
    "parent": with_message(3, parent="m0"),
    "no-parent": with_message(3, parent=None),
    "message-metadata": with_message(3, metadata={"request_id": "r1"}),
    "attachment": with_message(0, attachments=(replace(FILE, filename="other.txt"),)),
    "no-attachment": with_message(0, attachments=()),
    "raw-event": with_message(0, raw={"isMeta": True}),
    "message-gone": replace(TALK, messages=TALK.messages[:3], divergences=()),
    "message-added": replace(TALK, messages=(*TALK.messages, user("Thanks"))),
    "fork": replace(TALK, divergences=(("m0", "m3"),)),
}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ConversationHead]:
    return heads(make_projection(tmp_path_factory.mktemp("before") / "p.duckdb", [TALK, OTHER]))


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES.keys())
def test_digest_changes_with_what_is_shown_and_no_other(
    tmp_path: Path, changed: ConversationRow, before: dict[str, ConversationHead]
) -> None:
    after = heads(make_projection(tmp_path / "p.duckdb", [changed, OTHER]))
    assert after["s1"].digest != before["s1"].digest
    assert after["s2"].digest == before["s2"].digest


def swapped(talk: ConversationRow) -> ConversationRow:
    first, second, *rest = talk.messages
    bodies = replace(first, blocks=second.blocks), replace(second, blocks=first.blocks)
    return replace(talk, messages=(*bodies, *rest))


def test_digest_changes_when_two_messages_swap_what_they_say(tmp_path: Path) -> None:
    talk = conversation("s1", user("one"), user("two"))
    assert digest(tmp_path, swapped(talk)) != digest(tmp_path, talk)


SAME: dict[str, Callable[[Path], str]] = {
    "row-ids": lambda folder: digest(folder, TALK, OTHER, salt="b"),
    "raw-path": lambda folder: digest(folder, replace(TALK, raw_path="/elsewhere/s1.jsonl"), OTHER),
    "order-on-disk": lambda folder: digest(folder, OTHER, TALK),
    "another-conversation": lambda folder: digest(folder, TALK, conversation("s3", user("New"))),
    "stored-count": lambda folder: digest(folder, replace(TALK, message_count=99), OTHER),
    "labels-not-asked-for": lambda folder: digest(folder, with_message(1, labels=()), OTHER),
}


@pytest.mark.parametrize("same", SAME.values(), ids=SAME.keys())
def test_digest_stays_with_what_is_not_shown(
    tmp_path: Path, same: Callable[[Path], str], before: dict[str, ConversationHead]
) -> None:
    assert same(tmp_path) == before["s1"].digest


def test_reingest_and_later_ingest_times_keep_heads_and_messages(tmp_path: Path) -> None:
    first = make_projection(tmp_path / "a.duckdb", [TALK, OTHER], row_salt="a")
    later = ["UPDATE raw_events SET ingested_at = '2031-01-01'", "UPDATE sources SET last_ingested = '2031-01-01'"]
    again = make_projection(tmp_path / "b.duckdb", [OTHER, TALK], row_salt="b", then=later)
    assert [(head.key, head.digest, head.title) for head in heads(first).values()] == [
        (head.key, head.digest, head.title) for head in heads(again).values()
    ]
    assert read_all(first)["s1"].messages == read_all(again)["s1"].messages
    assert read_all(first)["s1"].forks == read_all(again)["s1"].forks


def test_labels_count_when_they_are_asked_for(tmp_path: Path) -> None:
    talks = (TALK, with_message(1, labels=(label("tone", "kind", "cold"),)), with_message(1, labels=()))
    assert len({digest(tmp_path, talk, labels=True) for talk in talks}) == 3
    calls = with_message(1, labels=(label("tone", "kind", "warm", block=1),))
    assert digest(tmp_path, calls, labels=True) != digest(tmp_path, TALK, labels=True)


def test_stored_file_counts(tmp_path: Path) -> None:
    without = digest(tmp_path, TALK)
    (tmp_path / "notes.txt").write_text("abc")
    with_file = digest(tmp_path, TALK)
    (tmp_path / "notes.txt").write_text("abcd")
    assert len({without, with_file, digest(tmp_path, TALK)}) == 3


def subagent(native_id: str, parent: str, said: str = "Found it") -> ConversationRow:
    facts = {"subagent": True, "agent_id": native_id, "parent_native_id": parent}
    return conversation(native_id, user("Search"), assistant(said), title=None, metadata=facts)


def test_digest_of_a_parent_covers_its_subagents(tmp_path: Path) -> None:
    family = (TALK, subagent("a1", "s1"), subagent("a2", "a1"))
    assert digest(tmp_path, *family) != digest(tmp_path, TALK)
    grandchild = (TALK, subagent("a1", "s1"), subagent("a2", "a1", "Found nothing"))
    assert digest(tmp_path, *grandchild) != digest(tmp_path, *family)
    assert digest(tmp_path, *grandchild, of="a1") != digest(tmp_path, *family, of="a1")
    assert digest(tmp_path, *family, salt="b") == digest(tmp_path, *family)


def test_heads_in_little_memory_are_the_same(tmp_path: Path) -> None:
    talks = [conversation(f"s{n}", user("x" * 200_000), assistant("y" * 200_000)) for n in range(60)]
    path = make_projection(tmp_path / "p.duckdb", talks)
    with opened(path) as roomy, opened(path, memory_limit_mb=24) as tight:
        assert tight.heads() == roomy.heads()


def test_heads_are_ordered_by_key(tmp_path: Path) -> None:
    talks = [conversation(name, user("x"), source=source) for name in "bca" for source in ("z", "codex_cli")]
    with opened(make_projection(tmp_path / "p.duckdb", talks)) as projection:
        keys = [head.key for head in projection.heads()]
    assert keys == sorted(keys)
    assert len(keys) == 6


def test_times_beyond_the_calendar_are_unknown(tmp_path: Path) -> None:
    odd = conversation("s1", user("x", at="infinity"), started_at="-infinity", ended_at="250000-01-01T00:00:00+00")
    path = make_projection(tmp_path / "p.duckdb", [odd])
    head = heads(path)["s1"]
    assert (head.started_at, head.ended_at) == (None, None)
    assert read_all(path)["s1"].messages[0].created_at is None


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_times_that_stand_for_none_are_unknown(tmp_path: Path, time: str) -> None:
    raw = (
        {"type": "system", "subtype": "local_command", "uuid": "x1", "timestamp": time, "content": "<bash-input>ls"},
    )
    path = make_projection(
        tmp_path / "p.duckdb", [conversation("s1", user("x", at=time), started_at=time, ended_at=time, raw_events=raw)]
    )
    (talk,) = read_all(path).values()
    assert (talk.head.started_at, talk.head.ended_at) == (None, None)
    assert {message.created_at for message in talk.messages} == {None}


def test_digest_depends_on_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(tmp_path, TALK)
    monkeypatch.setattr(duck, "__version__", "99.0.0")
    assert digest(tmp_path, TALK) != before


def test_looking_at_some_conversations_finds_of_them_what_looking_at_all_does(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK, OTHER, conversation("s3", user("A third one"))])
    with opened(path, labels=True) as projection:
        whole = projection.heads(), projection.listing()
    changed = frozenset(head.row_id for head in whole[0] if head.native_id in ("s1", "s3"))
    with opened(path, labels=True, known=Known(whole[1], changed)) as projection:
        assert (projection.heads(), projection.listing()) == whole
