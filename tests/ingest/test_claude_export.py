"""claude.ai's exports are read whole: branches, tools, artifacts, files, citations, whatever the year of the export."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.ingest import IngestReport, ingest
from tests.ingest.reading import blocks, everything, merged_payloads, one, parents, query, texts, title
from tests.support.exports import Contents, Fields, answer, claude, human, write_folder, write_zip
from tests.support.sessions import png

ROOT = "00000000-0000-4000-8000-000000000000"
FILE = "aaaaaaaa-1111-4111-8111-111111111111"


def read(folder: Path, *talks: Fields, form: str = "zip", others: Contents | None = None) -> tuple[Path, IngestReport]:
    contents: Contents = {"conversations.json": list(talks), "users.json": [], **(others or {})}
    place = write_zip(folder / "e.zip", contents) if form == "zip" else write_folder(folder / "export", contents)
    place = place / "conversations.json" if form == "file" else place
    return folder / "a.duckdb", ingest("claude-export", place, folder / "a.duckdb")


def tool_use(name: str, given: Fields, **fields: object) -> Fields:
    return {"type": "tool_use", "name": name, "input": given, **fields}


def tool_result(name: str, content: object = None, **fields: object) -> Fields:
    return {"type": "tool_result", "name": name, "content": content, **fields}


@pytest.mark.parametrize("form", ["zip", "folder", "file"])
def test_export_is_read_in_any_form(tmp_path: Path, form: str) -> None:
    talk = claude(human("m1", "Why?"), answer("m2", {"type": "thinking", "thinking": "Hm"}, "Because."))
    db, report = read(tmp_path, talk, form=form)
    assert texts(db) == ["Why?", "Hm", "Because."]
    assert query(db, "SELECT source_id, source_native_id, title FROM conversations") == [
        ("claude_export", talk["uuid"], "A talk")
    ]
    assert (report.files, report.new, report.tally.messages, report.problems) == (1, 1, 2, ())
    assert merged_payloads(db) == [talk]


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_second_ingest_changes_nothing(tmp_path: Path, form: str) -> None:
    talks = [claude(human("m1", "Why?"), uuid=f"c{n}") for n in range(5)]
    db, _ = read(tmp_path, *talks, form=form)
    before = everything(db)
    _, report = read(tmp_path, *talks, form=form)
    assert (report.unchanged, everything(db)) == (5, before)


def test_later_export_brings_what_is_new_and_an_older_one_nothing(tmp_path: Path) -> None:
    older = claude(human("m1", "Why?"))
    newer = claude(human("m1", "Why?"), answer("m2", "Because."), updated_at="2026-02-01T00:00:00Z")
    for talk, expected in ((older, (1, 0, 0)), (newer, (0, 1, 0)), (older, (0, 0, 1))):
        db, report = read(tmp_path, talk)
        assert (report.new, report.updated, report.unchanged) == expected
    assert texts(db) == ["Why?", "Because."]


# ------------------------------------------------------------------------------------------------------- old exports


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"content": []}, id="empty content"),
        pytest.param({"content": [{"type": "text", "text": ""}]}, id="empty text in it"),
        pytest.param({"content": None}, id="no content"),
    ],
)
def test_text_beside_an_empty_content_is_read(tmp_path: Path, fields: Fields) -> None:
    db, _ = read(tmp_path, claude(human("m1", text="Why?", **fields)))
    assert texts(db) == ["Why?"]


def test_empty_text_beside_content_does_not_matter(tmp_path: Path) -> None:
    db, _ = read(tmp_path, claude(human("m1", "Why?", text="")))
    assert texts(db) == ["Why?"]


def test_messages_without_parents_follow_one_another(tmp_path: Path) -> None:
    db, _ = read(tmp_path, claude(human("m1", "1"), answer("m2", "2"), human("m3", "3")))
    assert parents(db) == {"m1": None, "m2": "m1", "m3": "m2"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": "Named"}, "Named"),
        ({"name": ""}, "Why?"),
        ({"name": None}, "Why?"),
    ],
)
def test_conversation_without_a_name_is_titled_by_its_prompt(tmp_path: Path, fields: Fields, expected: str) -> None:
    db, _ = read(tmp_path, claude(answer("m0", "Hello"), human("m1", "Why?\nTell me."), **fields))
    assert title(db) == expected


# ---------------------------------------------------------------------------------------------------------- branches


def branched(**fields: object) -> Fields:
    return claude(
        human("q", "Why?", parent_message_uuid=ROOT),
        answer("a1", "First", parent_message_uuid="q"),
        human("more", "More", parent_message_uuid="a1"),
        answer("a2", "Second", parent_message_uuid="q"),
        **fields,
    )


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        pytest.param({}, ["q", "a1", "more", "a2"], id="the newest is shown"),
        pytest.param({"current_leaf_message_uuid": "more"}, ["q", "a2", "a1", "more"], id="the current one is shown"),
        pytest.param({"current_leaf_message_uuid": "gone"}, ["q", "a1", "more", "a2"], id="the current one is gone"),
    ],
)
def test_branches_stay_and_the_current_one_comes_last(tmp_path: Path, fields: Fields, order: list[str]) -> None:
    db, _ = read(tmp_path, branched(**fields))
    assert list(parents(db)) == order
    assert parents(db) == {"q": None, "a1": "q", "more": "a1", "a2": "q"}


def test_message_without_content_is_passed_over_in_the_chain(tmp_path: Path) -> None:
    talk = claude(
        human("q", "Why?", parent_message_uuid=ROOT),
        answer("empty", parent_message_uuid="q"),
        human("q2", "And?", parent_message_uuid="empty"),
    )
    db, _ = read(tmp_path, talk)
    assert parents(db) == {"q": None, "q2": "q"}


# ------------------------------------------------------------------------------------------------- tools and artifacts


def test_result_without_an_id_belongs_to_the_call_before_it(tmp_path: Path) -> None:
    talk = claude(
        answer(
            "m",
            tool_use("artifacts", {"id": "a", "command": "create"}),
            tool_use("web_search", {"query": "tea"}),
            tool_result("web_search", [{"type": "text", "text": "found"}]),
            tool_use("repl", {"code": "1"}),
            tool_result("repl", message="broken"),
        )
    )
    db, report = read(tmp_path, talk)
    pairs = [(kind, name, call_id, text) for kind, text, name, call_id, _ in blocks(db)]
    assert pairs == [
        ("tool_use", "artifacts", "m-0", None),
        ("tool_use", "web_search", "m-1", None),
        ("tool_result", None, "m-1", "found"),
        ("tool_use", "repl", "m-3", None),
        ("tool_result", None, "m-3", "broken"),
    ]
    assert (report.tally.calls, report.tally.results) == (3, 2)


def test_ids_that_are_there_stay(tmp_path: Path) -> None:
    talk = claude(answer("m", tool_use("a", {}, id="t1"), tool_use("b", {}), tool_result("a", "x", tool_use_id="t1")))
    db, _ = read(tmp_path, talk)
    assert [block[3] for block in blocks(db)] == ["t1", "m-1", "t1"]


def test_later_version_of_an_artifact_keeps_its_kind(tmp_path: Path) -> None:
    made: Fields = {"id": "tea", "command": "create", "type": "text/html", "title": "Tea", "content": "<p>Hot"}
    changed: Fields = {"id": "tea", "command": "rewrite", "content": "<p>Cold"}
    talk = claude(answer("m1", tool_use("artifacts", made)), answer("m2", tool_use("artifacts", changed)))
    db, _ = read(tmp_path, talk)
    assert [block[4]["input"] for block in blocks(db)] == [made, {"type": "text/html", "title": "Tea", **changed}]


def test_blocks_that_only_steer_the_program_are_left_out(tmp_path: Path) -> None:
    db, _ = read(tmp_path, claude(answer("m", {"type": "token_budget"}, "Hi", {"type": "flag", "flag": "x"})))
    assert texts(db) == ["Hi"]


def test_block_of_a_later_year_is_kept_as_it_is(tmp_path: Path) -> None:
    db, _ = read(tmp_path, claude(answer("m", {"type": "hologram", "data": 7})))
    assert blocks(db)[0][4] == {"unknown_block": {"type": "hologram", "data": 7}}


def test_citations_become_links_behind_what_they_are_for(tmp_path: Path) -> None:
    citations = [
        {"start_index": 0, "end_index": 9, "details": {"type": "web", "url": "https://tea.example.org/a"}},
        {"start_index": 0, "end_index": 9, "details": {"url": "https://tea.example.org/a"}},
        {"start_index": 9, "end_index": 12, "url": "https://www.example.com/b_(c)"},
        {"start_index": 9, "end_index": 12, "url": "javascript:alert(1)"},
    ]
    db, _ = read(tmp_path, claude(answer("m", {"type": "text", "text": "Tea is hot. Yes.", "citations": citations})))
    assert texts(db) == [
        "Tea is hot ([tea.example.org](https://tea.example.org/a))."
        " ([example.com](https://www.example.com/b_%28c%29)) Yes."
    ]


# ------------------------------------------------------------------------------------------------- projects and files


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        pytest.param({"project_uuid": "p1"}, {"projects.json": [{"uuid": "p1", "name": "Tea"}]}, id="beside"),
        pytest.param({"project_uuid": "p1"}, {"projects/p1.json": {"uuid": "p1", "name": "Tea"}}, id="one a file"),
        pytest.param({"project": {"uuid": "p1", "name": "Tea"}}, {}, id="within"),
    ],
)
def test_project_has_its_name(tmp_path: Path, fields: Fields, others: Fields) -> None:
    db, _ = read(tmp_path, claude(human("m", "Hi"), **fields), others=others)
    assert one(db, "SELECT project FROM conversations") == "Tea"


def test_attachment_keeps_its_text(tmp_path: Path) -> None:
    pasted = {"file_name": "paste.txt", "file_size": 5, "file_type": "txt", "extracted_content": "Hello"}
    db, _ = read(tmp_path, claude(human("m", "Look", attachments=[pasted])))
    assert blocks(db)[1][:2] == ("attachment", "paste.txt")
    assert blocks(db)[1][4] == pasted


def files(db: Path) -> list[tuple[Any, ...]]:
    return query(db, "SELECT filename, storage_path, content_hash, metadata->>'missing' FROM attachments ORDER BY id")


def test_file_of_the_export_is_copied_beside_the_projection(tmp_path: Path) -> None:
    talk = claude(human("m", "Look", files=[{"file_name": "leaf.png", "file_uuid": FILE}]))
    db, _ = read(tmp_path, talk, others={f"files/{FILE}.png": png()})
    digest = hashlib.sha256(png()).hexdigest()
    assert files(db) == [("leaf.png", f"a.duckdb.files/{digest[:2]}/{digest}", digest, None)]
    assert (tmp_path / f"a.duckdb.files/{digest[:2]}/{digest}").read_bytes() == png()


def test_file_that_is_not_in_the_export_is_told(tmp_path: Path) -> None:
    db, _ = read(tmp_path, claude(human("m", "Look", files=[{"file_name": "gone.png", "file_uuid": FILE}])))
    assert files(db) == [("gone.png", None, None, "the export doesn't hold it")]


def test_files_that_come_later_are_taken_and_stay_when_they_are_gone(tmp_path: Path) -> None:
    talk = claude(human("m", "Look", files=[{"file_name": "leaf.png", "file_uuid": FILE}]))
    updated = [read(tmp_path, talk)[1].updated, read(tmp_path, talk, others={f"{FILE}.png": png()})[1].updated]
    db, report = read(tmp_path, talk)
    assert (updated, report.unchanged) == ([0, 1], 1)
    assert files(db)[0][1] is not None


def test_foreign_file_in_the_folder_is_not_taken_for_an_attachment(tmp_path: Path) -> None:
    talk = claude(human("m", "Look", files=[{"file_name": "taxes.pdf"}]))
    db, _ = read(tmp_path, talk, form="folder", others={"taxes.pdf": b"private"})
    assert files(db)[0][1] is None
    assert not (tmp_path / "a.duckdb.files").exists()


# ------------------------------------------------------------------------------------------------------------- damage


def test_wrong_parts_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    talk = claude(human("m1", "Why?"), answer("m2", {"type": "text", "text": 7}, created_at="yesterday"))
    talk["chat_messages"] = [*(talk["chat_messages"] or []), "no message", 5]  # type: ignore[misc]
    db, report = read(tmp_path, {"uuid": "x"}, talk, [1])  # type: ignore[arg-type]
    assert texts(db) == ["Why?", None]
    assert [(problem.line, problem.reason) for problem in report.problems] == [
        (1, "it is no conversation with an id"),
        (3, "it holds a list where a conversation was expected"),
        (2, "a block's text is a number where text was expected"),
        (2, "its created_at is no time"),
    ]


anything: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "name", "id", "input", "citations"]), inner)
    ),
    max_leaves=6,
)
wild = st.builds(
    lambda uuid, parent, content, fields: {"uuid": uuid, "parent_message_uuid": parent, "content": content, **fields},
    st.sampled_from(["a", "b", "c", None, 5]),
    st.sampled_from(["a", "b", "c", ROOT, None, 5]),
    anything,
    st.dictionaries(st.sampled_from(["sender", "files", "attachments", "text", "created_at"]), anything, max_size=3),
)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(wild, max_size=5))
def test_wild_messages_cost_nothing_else(messages: list[Fields]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        talks = (claude(*messages, uuid="wild"), claude(human("m", "Sound"), uuid="sound"))
        db, _ = read(folder, *talks, form="file")
        assert texts(db, "sound") == ["Sound"]
        assert json.loads(json.dumps(talks[0])) in merged_payloads(db)
        before = everything(db)
        assert read(folder, *talks, form="file")[1].unchanged == 2
        assert everything(db) == before
