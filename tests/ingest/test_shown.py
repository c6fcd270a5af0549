"""What is ingested reads right on a page: tools as steps, pictures in their place, branches, sources as links."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from sitegen.ingest import ingest
from sitegen.model import Transcript
from sitegen.projection import open_all
from sitegen.render import render
from sitegen.render.context import RenderOptions
from tests.support.exports import answer, chat, claude, code, human, node, picture, printed, reference, write_zip
from tests.support.rollouts import NAME, call, event, item, output, prompt, said, session_meta, write_rollout
from tests.support.sessions import png


def shown(source: str, place: Path) -> Transcript:
    """The transcript of the only conversation at a place."""
    db = place.parent / "a.duckdb"
    report = ingest(source, place, db)
    assert (report.problems, report.unreadable) == ((), ())
    with open_all([db], temp_folder=place.parent / "temp") as projections:
        (head,) = projections.heads()
        (conversation,) = projections.read([head.row_id])
    return render(conversation, RenderOptions())


def words(transcript: Transcript) -> str:
    """What the active path says, without tags."""
    html = "".join(exchange.html for exchange in transcript.exchanges)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def in_order(text: str, *parts: str) -> None:
    position = 0
    for part in parts:
        assert part in text[position:], f"{part!r} isn't in {text[position:][:2000]!r}"
        position = text.index(part, position) + len(part)


@pytest.fixture
def codex(tmp_path: Path) -> Transcript:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    path = write_rollout(
        tmp_path / NAME,
        session_meta(git={"branch": "fix"}),
        said("user", "<environment_context>\n<cwd>/home/ann</cwd>\n</environment_context>"),
        *prompt("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nRaise x\n"),
        item("reasoning", summary=[{"type": "summary_text", "text": "**Looking**"}], encrypted_content="gAAA"),
        call("shell", {"command": ["bash", "-lc", "cat src/a.py"]}),
        output({"output": "x = 1\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        item("custom_tool_call", name="apply_patch", input=patch, call_id="call_2"),
        output("Success.", id="call_2", custom=True),
        item("web_search_call", id="ws", status="completed", action={"type": "search", "query": "python ints"}),
        said("assistant", "It is two now."),
        event("token_count", info={"total_token_usage": {"input_tokens": 9, "output_tokens": 4}}),
        event("turn_aborted", reason="interrupted"),
    )
    return shown("codex", path)


def test_codex_session_reads_as_it_was_held(codex: Transcript) -> None:
    text = words(codex)
    in_order(text, "Raise x", "Ran", "cat src/a.py", "Edited a.py", "Searched the web", "It is two now.", "nterrupted")
    assert text.count("Raise x") == 1
    assert "/home/ann" not in text
    assert "no result" not in text


def test_codex_session_has_its_facts(codex: Transcript) -> None:
    assert codex.facts.title == "Raise x"
    assert (codex.facts.git_branch, codex.facts.source) == ("fix", "Codex")
    assert codex.facts.usage is not None
    assert (codex.facts.usage.input_tokens, codex.facts.usage.output_tokens) == (9, 4)


CITE = "\ue200cite\ue202turn0search1\ue201"


@pytest.fixture
def chatgpt(tmp_path: Path) -> Transcript:
    run = {"status": "success", "messages": [{"message_type": "image", "image_url": "file-service://file-Plot12345"}]}
    talk = chat(
        node("s", "system", "You are ChatGPT"),
        node("q", "user", "What is this?", picture("file-Photo12345"), attachments=[{"id": "file-Photo12345"}]),
        node("a", "assistant", "A square."),
        node("q2", "user", "Draw and plot"),
        node("old", "assistant", "An older answer"),
        node("c", "assistant", '{"prompt":"A cat"}', recipient="dalle.text2im", parent="q2"),
        node("r", "tool", picture("file-Drawn12345", dalle={"prompt": "A soft cat"}), name="dalle.text2im"),
        node("c2", "assistant", content=code("plot()"), recipient="python"),
        node("r2", "tool", content=printed("<<ImageDisplayed>>"), name="python", aggregate_result=run),
        node(
            "new",
            "assistant",
            f"Cats are soft{CITE}.",
            content_references=[reference(CITE, ("https://cats.example.org/", "Cats"))],
        ),
    )
    colours = {"Photo": (1, 2, 3), "Drawn": (4, 5, 6), "Plot": (7, 8, 9)}
    files = {f"file-{name}12345.png": png(colour=colour) for name, colour in colours.items()}
    return shown("chatgpt-export", write_zip(tmp_path / "e.zip", {"conversations.json": [talk], **files}))


def test_chatgpt_conversation_shows_its_current_path(chatgpt: Transcript) -> None:
    text = words(chatgpt)
    in_order(
        text, "What is this?", "A square.", "Draw and plot", "Version 2 of 2", "Made an image", "Ran", "Cats are soft"
    )
    assert "You are ChatGPT" not in text
    assert "An older answer" not in text
    (branch,) = chatgpt.branches
    assert "An older answer" in "".join(exchange.html for exchange in branch.exchanges)
    assert 'href="https://cats.example.org/"' in chatgpt.exchanges[1].html


def test_chatgpt_answer_generated_again_from_its_middle_is_a_version(tmp_path: Path) -> None:
    talk = chat(
        node("q", "user", "How many?"),
        node("a", "assistant", "Let me count."),
        node("old", "assistant", "Three."),
        node("more", "user", "Sure?"),
        node("yes", "assistant", "No."),
        node("new", "assistant", "Four.", parent="a"),
    )
    transcript = shown("chatgpt-export", write_zip(tmp_path / "e.zip", {"conversations.json": [talk]}))
    in_order(words(transcript), "How many?", "Let me count.", "Version 2 of 2", "Four.")
    assert "Three." not in words(transcript)
    (branch,) = transcript.branches
    html = "".join(exchange.html for exchange in branch.exchanges)
    assert ["Three." in html, "Sure?" in html, "Four." in html] == [True, True, False]


def test_chatgpt_talk_goes_on_after_a_deep_research(tmp_path: Path) -> None:
    report = {"report_message": {"content": {"content_type": "text", "parts": ["All about tea"]}}}
    talk = chat(
        node("q", "user", "Research tea"),
        node("c", "assistant", "{}", recipient="api_tool.call_tool"),
        node("r", "tool", "", name="api_tool.call_tool", chatgpt_sdk={"widget_state": json.dumps(report)}),
        node("m", "user", "Shorter"),
        node("s", "assistant", "Tea is wet."),
    )
    transcript = shown("chatgpt-export", write_zip(tmp_path / "e.zip", {"conversations.json": [talk]}))
    in_order(words(transcript), "Research tea", "All about tea", "Shorter", "Tea is wet.")
    assert transcript.branches == ()


def test_each_picture_of_chatgpt_is_shown_once(chatgpt: Transcript) -> None:
    html = "".join(exchange.html for exchange in chatgpt.exchanges)
    assert html.count("<img ") == len(set(re.findall(r'<img src="([^"]+)"', html))) == 3
    assert 'alt="A soft cat"' in html


def test_claude_conversation_reads_as_it_was_held(tmp_path: Path) -> None:
    made = {"id": "tea", "command": "create", "type": "text/html", "title": "Tea page", "content": "<p>Hot"}
    talk = claude(
        human("q", "A page about tea", files=[{"file_name": "gone.png"}]),
        answer(
            "a",
            {"type": "thinking", "thinking": "Look it up."},
            {"type": "tool_use", "name": "artifacts", "input": made},
            {"type": "tool_use", "name": "web_search", "input": {"query": "tea"}},
            {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "Tea is hot"}]},
            {"type": "text", "text": "Done.", "citations": [{"end_index": 4, "url": "https://tea.example.org/"}]},
        ),
    )
    transcript = shown("claude-export", write_zip(tmp_path / "e.zip", {"conversations.json": [talk]}))
    in_order(
        words(transcript),
        "A page about tea",
        "gone.png (the export doesn't hold it)",
        "Made “Tea page”",
        "Searched the web for “tea”",
        "Tea is hot",
        "Done ( tea.example.org ).",
    )
