"""ChatGPT's exports are read whole: every branch, the current path last, tools, images, sources, voices, research."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.ingest import IngestReport, ingest
from sitegen.ingest.chatgpt_export import ChatGPTExport
from tests.ingest.reading import blocks, everything, merged_payloads, one, parents, payloads, query, texts, title
from tests.support.exports import (
    CONVERSATION_ID,
    Contents,
    Fields,
    chat,
    code,
    node,
    picture,
    printed,
    reference,
    write_folder,
    write_zip,
)
from tests.support.sessions import png

DRAWN = "file-Drawn12345"


def read(folder: Path, *talks: Mapping[str, object], others: Contents | None = None) -> tuple[Path, IngestReport]:
    contents: Contents = {"conversations.json": list(talks), "user.json": {"id": "u"}, **(others or {})}
    place = write_zip(folder / "export.zip", contents)
    return folder / "a.duckdb", ingest("chatgpt-export", place, folder / "a.duckdb")


def rows(db: Path) -> list[tuple[Any, ...]]:
    """Native id, role, kind and text of all blocks, in order."""
    return query(
        db,
        """SELECT m.source_native_id, m.role, b.type, b.text FROM messages m
        JOIN content_blocks b ON b.message_id = m.id ORDER BY m.sequence_index, b.block_index""",
    )


TALK = chat(node("q", "user", "Why?"), node("a", "assistant", "Because."))
FORMS: list[Any] = [
    pytest.param({"conversations.json": [TALK]}, "", id="folder"),
    pytest.param({"conversations.json": [TALK]}, "conversations.json", id="file"),
    pytest.param(
        {"conversations-000.json": [TALK], "conversations-001.json": [chat(conversation_id="x")]}, "", id="split"
    ),
    pytest.param({"talk.json": TALK}, "talk.json", id="one conversation"),
    pytest.param({"a.json": TALK, "b.json": {"settings": 1}}, "", id="one among other files"),
    pytest.param({"talk.json": {"conversation_id": CONVERSATION_ID, "conversation": TALK}}, "talk.json", id="wrapped"),
]


@pytest.mark.parametrize(("contents", "place"), FORMS)
def test_export_is_read_in_any_form(tmp_path: Path, contents: Contents, place: str) -> None:
    write_folder(tmp_path / "e", contents)
    report = ingest("chatgpt-export", tmp_path / "e" / place, tmp_path / "a.duckdb")
    assert texts(tmp_path / "a.duckdb", CONVERSATION_ID) == ["Why?", "Because."]
    assert (report.problems, report.unreadable) == ((), ())


def test_conversation_is_known_by_its_id_and_kept_raw(tmp_path: Path) -> None:
    db, report = read(tmp_path, TALK)
    assert query(db, "SELECT source_id, source_native_id, title FROM conversations") == [
        ("chatgpt_export", CONVERSATION_ID, "A talk")
    ]
    assert merged_payloads(db) == [TALK]
    assert (report.files, report.tally.messages) == (1, 2)
    before = everything(db)
    assert (read(tmp_path, TALK)[1].unchanged, everything(db)) == (1, before)


def test_interrupted_ingest_keeps_what_was_written_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = [{**TALK, "conversation_id": f"c{n}"} for n in range(6)]
    messages = ChatGPTExport.messages

    def interrupted(self: ChatGPTExport, conversation: Any, reading: Any) -> Any:
        if conversation["conversation_id"] == "c3":
            raise KeyboardInterrupt
        return messages(self, conversation, reading)

    monkeypatch.setattr("sitegen.ingest.plan._BATCH_TASKS", 2)
    with monkeypatch.context() as patch:
        patch.setattr(ChatGPTExport, "messages", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read(tmp_path, *talks)
    db = tmp_path / "a.duckdb"
    assert query(db, "SELECT source_native_id, message_count FROM conversations ORDER BY 1") == [("c0", 2), ("c1", 2)]
    _, report = read(tmp_path, *talks)
    assert (report.new, report.unchanged) == (4, 2)
    read(again := tmp_path / "again", *talks)
    assert rows(again / "a.duckdb") == rows(db)


def test_copy_of_a_conversation_is_read_once_and_the_latest(tmp_path: Path) -> None:
    later = chat(node("q", "user", "Later"), update_time=1_800_000_000)
    contents = {"conversations-000.json": [TALK], "conversations-001.json": [later, TALK]}
    report = ingest("chatgpt-export", write_zip(tmp_path / "e.zip", contents), tmp_path / "a.duckdb")
    assert (report.files, texts(tmp_path / "a.duckdb")) == (1, ["Later"])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({"title": "Named"}, "Named"), ({"title": None}, "Why?"), ({"title": "New chat"}, "Why?")],
)
def test_conversation_without_a_title_has_that_of_its_prompt(tmp_path: Path, fields: Fields, expected: str) -> None:
    db, _ = read(tmp_path, {**TALK, **fields})
    assert title(db) == expected


def test_custom_gpt_and_project_are_told(tmp_path: Path) -> None:
    gizmo = {"display": {"name": "Cat Helper"}}
    db, _ = read(tmp_path, {**TALK, "gizmo": gizmo, "gizmo_id": "g-1", "project_name": "Cats"})
    (row,) = query(db, "SELECT project, metadata->>'persona', metadata->>'gizmo_id' FROM conversations")
    assert row == ("Cats", "Cat Helper", "g-1")


# ---------------------------------------------------------------------------------------------------------- the tree


def forked(**fields: object) -> Fields:
    return chat(
        node("q", "user", "Why?"),
        node("a1", "assistant", "First"),
        node("q1", "user", "More", parent="a1"),
        node("a2", "assistant", "Second", parent="q"),
        **fields,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("current", "order"),
    [("a2", ["q", "a1", "q1", "a2"]), ("q1", ["q", "a2", "a1", "q1"]), ("a1", ["q", "a2", "a1", "q1"])],
)
def test_every_branch_is_read_and_the_current_one_comes_last(tmp_path: Path, current: str, order: list[str]) -> None:
    db, _ = read(tmp_path, forked(current=current))
    assert list(parents(db)) == order
    assert parents(db) == {"q": None, "a1": "q", "q1": "a1", "a2": "q"}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"is_visually_hidden_from_conversation": True}, id="hidden"),
        pytest.param({"is_user_system_message": True}, id="the user's instructions"),
        pytest.param({"content": {"content_type": "model_editable_context", "x": 1}}, id="the model's notes"),
        pytest.param({"content": {"content_type": "text", "parts": [""]}}, id="empty"),
    ],
)
def test_what_was_not_shown_is_passed_over_and_kept_raw(tmp_path: Path, fields: Any) -> None:
    db, _ = read(
        tmp_path,
        chat(
            node("s", "system", "You are ChatGPT"),
            node("q", "user", "Why?"),
            node("h", "user", **{"content": {"content_type": "text", "parts": ["psst"]}, **fields}),
            node("a", "assistant", "Because."),
        ),
    )
    assert parents(db) == {"q": None, "a": "q"}
    assert "You are ChatGPT" in json.dumps(payloads(db))


def test_models_are_told_where_they_answered(tmp_path: Path) -> None:
    db, _ = read(tmp_path, chat(node("q", "user", "Hi"), node("a", "assistant", "Hi", model="o3")))
    assert query(db, "SELECT model FROM messages ORDER BY sequence_index") == [(None,), ("o3",)]


# ------------------------------------------------------------------------------------------------------------- tools


def test_code_and_its_output_belong_together(tmp_path: Path) -> None:
    failed = {"status": "failed_with_in_kernel_exception"}
    db, report = read(
        tmp_path,
        chat(
            node("q", "user", "Count"),
            node("c", "assistant", content=code("print(1)"), recipient="python"),
            node("r", "tool", content=printed("1"), name="python"),
            node("c2", "assistant", content=code("1/0"), recipient="python"),
            node("r2", "tool", content=printed("ZeroDivisionError"), name="python", aggregate_result=failed),
        ),
    )
    assert blocks(db)[1:] == [
        ("tool_use", None, "python", "c", {"input": {"code": "print(1)"}}),
        ("tool_result", "1", None, "c", {"is_error": False}),
        ("tool_use", None, "python", "c2", {"input": {"code": "1/0"}}),
        ("tool_result", "ZeroDivisionError", None, "c2", {"is_error": True}),
    ]
    assert (report.tally.calls, report.tally.results) == (2, 2)


def test_several_results_of_one_call_are_one(tmp_path: Path) -> None:
    def found(host: str) -> list[Fields]:
        return [{"domain": host, "entries": [{"url": f"https://{host}/", "title": host}]}]

    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Search"),
            node("c", "assistant", content=code('{"search_query":[{"q":"tea"}]}'), recipient="web.run"),
            node("r1", "tool", "One", name="web.run", search_result_groups=found("a.example.org")),
            node("r2", "tool", "Two", name="web.run", search_result_groups=found("b.example.org")),
            node("a", "assistant", "Tea."),
        ),
    )
    assert blocks(db)[1][4] == {"input": {"search_query": [{"q": "tea"}]}}
    assert blocks(db)[2][1] == "One\n\nTwo"
    assert [link["url"] for link in blocks(db)[2][4]["results"]] == ["https://a.example.org/", "https://b.example.org/"]
    assert parents(db) == {"q": None, "c": "q", "r1": "c", "a": "r1"}


def test_results_on_two_branches_stay_apart(tmp_path: Path) -> None:
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Search"),
            node("c", "assistant", "x", recipient="browser"),
            node("r1", "tool", "One", name="browser"),
            node("r2", "tool", "Two", name="browser", parent="c"),
        ),
    )
    assert [text for _, _, kind, text in rows(db) if kind == "tool_result"] == ["One", "Two"]


def test_old_browsing_names_its_pages(tmp_path: Path) -> None:
    pages = {"metadata_list": [{"type": "webpage", "title": "Tea", "url": "https://tea.example.org/"}]}
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Search"),
            node("c", "assistant", content=code('search("tea")'), recipient="browser"),
            node(
                "r",
                "tool",
                content={"content_type": "tether_browsing_display", "result": "# 0 Tea"},
                name="browser",
                _cite_metadata=pages,
            ),
            node(
                "r2",
                "tool",
                content={"content_type": "tether_quote", "url": "https://x.example.org", "text": "T"},
                name="browser",
            ),
        ),
    )
    assert blocks(db)[1][4] == {"input": {"input": 'search("tea")'}}
    assert [link["url"] for link in blocks(db)[2][4]["results"]] == [
        "https://tea.example.org/",
        "https://x.example.org",
    ]


def test_canvas_call_knows_its_document(tmp_path: Path) -> None:
    update = '{"updates":[{"pattern":"a","replacement":"b"}]}'
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Write"),
            node("c", "assistant", content=code(update), recipient="canmore.update_textdoc"),
            node("r", "tool", "ok", name="canmore.update_textdoc", canvas={"title": "Cats", "textdoc_id": "t1"}),
        ),
    )
    assert blocks(db)[1][4]["input"] == {"title": "Cats", "textdoc_id": "t1", **json.loads(update)}


def test_result_without_a_call_stays(tmp_path: Path) -> None:
    db, _ = read(tmp_path, chat(node("q", "user", "Look"), node("r", "tool", "A file", name="file_search")))
    assert blocks(db)[1][:4] == ("tool_result", "A file", None, None)


@pytest.mark.parametrize(
    ("content", "thought"),
    [
        ({"content_type": "thoughts", "thoughts": [{"summary": "Look", "content": "I look."}]}, "**Look**\n\nI look."),
        ({"content_type": "reasoning_recap", "content": "Thought for 14s"}, "Thought for 14s"),
    ],
    ids=["thoughts", "recap"],
)
def test_thinking_is_read(tmp_path: Path, content: Fields, thought: str) -> None:
    db, _ = read(tmp_path, chat(node("q", "user", "Why?"), node("t", "assistant", content=content)))
    assert rows(db)[1][2:] == ("thinking", thought)


def test_report_of_a_deep_research_is_an_answer(tmp_path: Path) -> None:
    report = {"report_message": {"content": {"content_type": "text", "parts": ["# All about tea"]}}}
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Research tea"),
            node("c", "assistant", "{}", recipient="api_tool.call_tool"),
            node("r", "tool", "", name="api_tool.call_tool", chatgpt_sdk={"widget_state": json.dumps(report)}),
        ),
    )
    assert rows(db)[-1] == ("r-report", "assistant", "text", "# All about tea")


# ------------------------------------------------------------------------------------------------- images and files


def files(db: Path) -> list[tuple[Any, ...]]:
    return query(
        db, "SELECT filename, storage_path IS NOT NULL, metadata->>'missing' FROM attachments ORDER BY filename"
    )


def test_attached_files_are_copied_or_told(tmp_path: Path) -> None:
    attached = [
        {"id": "file-Photo12345", "name": "photo.png", "mime_type": "image/png"},
        {"id": "file-Notes12345", "name": "notes.txt", "mime_type": "text/plain", "size": 5},
        {"id": "file-Gone123456", "name": "gone.pdf", "size": 9},
    ]
    talk = chat(node("q", "user", "Look", picture("file-Photo12345"), attachments=attached))
    stored = {"file-Photo12345-photo.png": png(), "file-Notes12345-notes.txt": "Hello"}
    db, report = read(tmp_path, talk, others=stored)
    assert files(db) == [
        ("file-Photo12345-photo.png", True, None),
        ("gone.pdf", False, "the export doesn't hold it"),
        ("notes.txt", True, None),
    ]
    assert blocks(db)[1][4]["filename"] == "file-Photo12345-photo.png"
    assert blocks(db)[1][4]["alt"] == "photo.png"
    assert (report.tally.images, sum(path.is_file() for path in (tmp_path / "a.duckdb.files").rglob("*"))) == (1, 2)


@pytest.mark.parametrize(
    ("scheme", "id", "stored"),
    [
        ("file-service", DRAWN, f"{DRAWN}.webp"),
        ("file-service", DRAWN, f"dalle-generations/{DRAWN}-5d2f.webp"),
        ("sediment", "file_00000000ab12", "file_00000000ab12-sanitized.png"),
        ("sediment", "file_00000000ab12#file_x#p_0.png", "user-x/file_00000000ab12-5d2f.dat"),
    ],
)
def test_drawn_image_is_an_answer_with_its_prompt(tmp_path: Path, scheme: str, id: str, stored: str) -> None:
    drawn = picture(id, scheme=scheme, dalle={"prompt": "A cat, soft light"})
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Draw a cat"),
            node("c", "assistant", '{"prompt":"A cat"}', recipient="dalle.text2im"),
            node("r", "tool", drawn, name="dalle.text2im"),
            node("a", "assistant", "Here."),
        ),
        others={stored: png()},
    )
    assert [row[:3] for row in rows(db)[1:]] == [
        ("c", "assistant", "tool_use"),
        ("r", "tool", "tool_result"),
        ("r-image", "assistant", "image"),
        ("a", "assistant", "text"),
    ]
    assert parents(db) == {"q": None, "c": "q", "r": "c", "r-image": "r", "a": "r-image"}
    assert blocks(db)[3][4]["alt"] == "A cat, soft light"
    assert files(db)[0][1]


def test_drawing_under_a_passing_name_is_known_for_what_it_is(tmp_path: Path) -> None:
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Draw"),
            node("c", "assistant", '{"size":"1024"}', recipient="t2uay3k.sj1i4kz"),
            node("r", "tool", picture("file_0000000012", generation={"gen_id": "g"}), name="t2uay3k.sj1i4kz"),
            node("r2", "tool", "Don't say more.", name="t2uay3k.sj1i4kz", recipient="assistant"),
        ),
    )
    assert [(block[0], block[2], block[3]) for block in blocks(db)[1:]] == [
        ("tool_use", "image_gen", "c"),
        ("tool_result", None, "c"),
        ("image", None, None),
    ]
    assert blocks(db)[3][4]["missing"] == "the export doesn't hold it"


def test_plot_is_an_answer_too(tmp_path: Path) -> None:
    run = {"status": "success", "messages": [{"message_type": "image", "image_url": "file-service://file-Plot12345"}]}
    db, _ = read(
        tmp_path,
        chat(
            node("q", "user", "Plot"),
            node("c", "assistant", content=code("plot()"), recipient="python"),
            node("r", "tool", content=printed("3\n<<ImageDisplayed>>"), name="python", aggregate_result=run),
            node("a", "assistant", "There."),
        ),
        others={"file-Plot12345.png": png()},
    )
    assert [row[2:] for row in rows(db)[2:]] == [("tool_result", "3"), ("image", None), ("text", "There.")]


def test_voice_is_read_as_it_was_written_down(tmp_path: Path) -> None:
    said: Fields = {"content_type": "audio_transcription", "text": "What do cats eat?", "direction": "in"}
    sound: Fields = {
        "content_type": "audio_asset_pointer",
        "asset_pointer": "sediment://file_0000voice1",
        "format": "wav",
    }
    video: Fields = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": sound}
    db, _ = read(tmp_path, chat(node("q", "user", said, sound), node("q2", "user", said, video)))
    assert texts(db) == ["What do cats eat?"] * 2
    assert one(db, "SELECT count(*) FROM messages WHERE metadata->>'sound' = 'the export doesn''t hold it'") == 2
    db, _ = read(tmp_path, chat(node("q", "user", said, sound)), others={"x/audio/file_0000voice1-ab.wav": b"RIFF"})
    assert files(db) == [("file_0000voice1-ab.wav", True, None)]


# ------------------------------------------------------------------------------------------------- sources of a text

CITE = "\ue200cite\ue202turn0search1\ue201"
MANY = "\ue200cite\ue202turn0search1\ue202turn0search2\ue201"
MARKED = [
    pytest.param(
        f"Tea is hot.{CITE} Yes.",
        {"content_references": [reference(CITE, ("https://www.tea.example.org/a?x=1", "Tea"))]},
        "Tea is hot. ([tea.example.org](https://www.tea.example.org/a?x=1)) Yes.",
        id="a source",
    ),
    pytest.param(
        f"Hot {MANY}.",
        {"content_references": [reference(MANY, ("https://a.example.org/", ""), ("https://b.example.org/(x)", ""))]},
        "Hot ([a.example.org](https://a.example.org/), [b.example.org](https://b.example.org/%28x%29)).",
        id="two sources",
    ),
    pytest.param(f"Hot{CITE}.", {}, "Hot.", id="nothing known"),
    pytest.param(f"Hot {CITE}.", {}, "Hot.", id="nothing known, a blank before"),
    pytest.param('See \ue200entity\ue202["city","Paris","in France"]\ue201.', {}, "See Paris.", id="a name"),
    pytest.param("\ue200url\ue202Tea page\ue202turn0search1\ue201", {}, "Tea page", id="a link's words"),
    pytest.param(
        "In \ue200filecite\ue202turn0file0\ue201",
        {
            "content_references": [
                {"matched_text": "\ue200filecite\ue202turn0file0\ue201", "type": "file", "name": "a.pdf"}
            ]
        },
        "In (a.pdf)",
        id="a file",
    ),
    pytest.param(
        f"Hot{CITE}",
        {"content_references": [reference(CITE, ("javascript:alert(1)", "x"), kind="webpage")]},
        "Hot",
        id="no address for a page",
    ),
    pytest.param(
        "Mice【12†source】 and birds【13†B】.",
        {
            "citations": [
                {"start_ix": 4, "end_ix": 15, "metadata": {"url": "https://mice.example.org/", "title": "Mice"}},
                {"start_ix": 25, "end_ix": 31, "metadata": {"url": "https://birds.example.org/"}},
            ]
        },
        "Mice ([mice.example.org](https://mice.example.org/)) and birds"
        " ([birds.example.org](https://birds.example.org/)).",
        id="brackets at their places",
    ),
    pytest.param(
        "Mice【12†source】.",
        {"citations": [{"start_ix": 99, "end_ix": 110, "metadata": {"url": "https://mice.example.org/"}}]},
        "Mice ([mice.example.org](https://mice.example.org/)).",
        id="brackets in their order",
    ),
    pytest.param("Mice【12†source】.", {}, "Mice【12†source】.", id="brackets without sources"),
]


@pytest.mark.parametrize(("text", "metadata", "expected"), MARKED)
def test_markers_become_links(tmp_path: Path, text: str, metadata: Fields, expected: str) -> None:
    db, _ = read(tmp_path, chat(node("q", "user", "Why?"), node("a", "assistant", text, **metadata)))  # type: ignore[arg-type]
    assert texts(db)[1] == expected


# ------------------------------------------------------------------------------------------------------------- damage


def test_broken_conversation_costs_itself_only(tmp_path: Path) -> None:
    good = [json.dumps({**TALK, "conversation_id": f"c{n}"}) for n in range(3)]
    write_folder(tmp_path / "e", {"conversations.json": f'[{good[0]}, {good[1][:-90]}, {good[2]}, {{"title": "x"}}]'})
    report = ingest("chatgpt-export", tmp_path / "e", tmp_path / "a.duckdb")
    assert query(tmp_path / "a.duckdb", "SELECT source_native_id FROM conversations ORDER BY 1") == [("c0",), ("c2",)]
    assert [(problem.line, problem.is_kept) for problem in report.problems] == [(2, False), (4, False)]


def test_halves_of_characters_are_mended_everywhere(tmp_path: Path) -> None:
    broken = chat(node("q\ud83d", "user", "Why \ud83d?"), title="T\udc00", conversation_id="c\ud83d")
    write_folder(tmp_path / "e", {"conversations.json": json.dumps([broken, TALK])})
    for expected in ((2, 0), (0, 2)):
        report = ingest("chatgpt-export", tmp_path / "e", tmp_path / "a.duckdb")
        assert (report.new, report.unchanged) == expected
    assert texts(tmp_path / "a.duckdb", "c\ufffd") == ["Why \ufffd?"]


ids = st.sampled_from(["a", "b", "c", "d", "root"])
anything: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just("\ue200cite\ue202x\ue201【1†s】"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content_type", "asset_pointer", "text", "url", "parts", "id", "type", "items"]), inner
        )
    ),
    max_leaves=6,
)
kinds = st.sampled_from(
    ["text", "multimodal_text", "code", "execution_output", "thoughts", "tether_quote", "computer_output", "new_kind"]
)
contents = st.builds(
    lambda kind, fields: {"content_type": kind, **fields},
    kinds,
    st.dictionaries(st.sampled_from(["parts", "text", "thoughts", "screenshot", "language"]), anything, max_size=3),
)
keys = st.sampled_from(
    [
        "content_references",
        "citations",
        "attachments",
        "aggregate_result",
        "search_result_groups",
        "canvas",
        "model_slug",
    ]
)
messages = st.builds(
    lambda role, content, recipient, metadata: {
        "author": {"role": role, "name": recipient},
        "content": content,
        "recipient": recipient,
        "metadata": metadata,
    },
    st.sampled_from(["user", "assistant", "tool", "system", None, 5]),
    contents | anything,
    st.sampled_from(["all", "python", "dalle.text2im", "web", None, 5]),
    st.dictionaries(keys, anything, max_size=3) | anything,
)
nodes = st.builds(
    lambda message, parent, children: {"message": message, "parent": parent, "children": children},
    messages | anything,
    ids | st.just("gone") | st.none(),
    st.lists(ids, max_size=3) | anything,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(ids, nodes | anything, max_size=5), ids | st.none())
def test_random_trees_cost_nothing_else(mapping: Fields, current: str | None) -> None:
    with TemporaryDirectory() as name:
        wild = {"title": "Wild", "conversation_id": "wild", "mapping": mapping, "current_node": current}
        sound = {**TALK, "conversation_id": "sound"}
        db, _ = read(Path(name), wild, sound)
        assert texts(db, "sound") == ["Why?", "Because."]
        assert json.loads(json.dumps(wild)) in merged_payloads(db)
        before = everything(db)
        assert read(Path(name), wild, sound)[1].unchanged == 2
        assert everything(db) == before
        again = Path(name) / "again"
        again.mkdir()
        other, _ = read(again, wild, sound)
        assert rows(other) == rows(db)
