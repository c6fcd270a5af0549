"""`conversation.md` and `conversation.json`."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from sitegen.model import Attachment, Block
from sitegen.render.markdown_export import closed, fenced
from tests.support.talks import Line, ask, call, message, rendered, result, say, talk, think


def _json(*lines: Line, **options: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(rendered(talk(*lines), **options).json)
    return value


def test_markdown_reads_from_top_to_bottom() -> None:
    lines = [ask("Why?"), call("Bash", arguments={"command": "make"}), result("out\nput"), say("**So.**", model="big")]
    text = rendered(talk(*lines, title="A title")).markdown
    assert text.startswith(
        "# A title\n\nClaude Code · big · 2026-01-02 14:03\n\n## Prompt · 2026-01-02 14:03\n\nWhy?\n\n**Ran "
    )
    assert "  ```\n  out\n  put\n  ```" in text
    assert text.endswith("### Answer · 2026-01-02 14:03\n\n**So.**\n")


@pytest.mark.parametrize(
    ("text", "fence"),
    [("plain", "```"), ("a ``` b", "````"), ("````\nx\n````", "`````"), ("~~~", "```")],
)
def test_a_fence_is_longer_than_any_in_it(text: str, fence: str) -> None:
    lines = fenced(text).split("\n")
    assert lines[0] == lines[-1] == fence
    assert "\n".join(lines[1:-1]) == text


def test_long_outputs_are_cut_and_say_by_how_much() -> None:
    lines = fenced("\n".join(str(n) for n in range(100))).split("\n")
    assert lines[60:] == ["59", "… (40)", "```"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```python\nx", "a\n```python\nx\n```"),
        ("````\n```\nx\n```", "````\n```\nx\n```\n````"),
        ("```\nx\n```\ny", "```\nx\n```\ny"),
        ("~~~\n```", "~~~\n```\n~~~"),
        ("inline ``` only", "inline ``` only"),
    ],
)
def test_a_fence_left_open_is_closed_so_that_what_follows_is_no_code(text: str, expected: str) -> None:
    assert closed(text) == expected


def test_branches_follow_the_path_that_is_shown() -> None:
    lines = [ask("s"), say("r"), ask("x"), say("old way"), ask("y", parent_id="m1"), say("new way")]
    text = rendered(talk(*lines)).markdown
    assert text.index("new way") < text.index("Another version of this conversation") < text.index("old way")


def test_json_tells_its_format_and_what_the_page_shows() -> None:
    lines = [
        ask("Why?"),
        think("Hm."),
        call("Read", arguments={"file_path": "a.py"}),
        result("x"),
        say("So.", model="big"),
    ]
    value = _json(*lines)
    assert (value["format"], value["version"], value["source"]) == ("sitegen-conversation", 1, "Claude Code")
    (path,) = value["paths"]
    prompt, work, answer = path["items"]
    assert prompt == {"kind": "prompt", "id": "m-m0", "at": "2026-01-02T14:03:05Z", "text": "Why?"}
    assert [step["kind"] for step in work["steps"]] == ["thinking", "call"]
    assert work["steps"][1] | {"at": 0, "finished_at": 0} == {
        "kind": "call",
        "id": "t-m2-0",
        "at": 0,
        "finished_at": 0,
        "tool": "Read",
        "input": {"file_path": "a.py"},
        "output": "x",
    }
    assert (answer["kind"], answer["model"], answer["text"]) == ("answer", "big", "So.")


def test_json_keeps_forks_notes_and_attachments() -> None:
    file = message(
        "user", Block("text", "See this"), attachments=(Attachment("notes.txt", "text/plain", 5),), parent_id="m1"
    )
    lines = [ask("s"), say("r"), ask("x"), say("old"), file, say("new"), ask("[Request interrupted by user]")]
    value = _json(*lines)
    assert [path["name"] for path in value["paths"]] == ["", "b-m2"]
    fork = next(item for item in value["paths"][0]["items"] if item["kind"] == "fork")
    assert fork["alternatives"] == [{"path": "b-m2", "first": "m-m2"}, {"path": "", "first": "m-m4"}]
    prompt = next(item for item in value["paths"][0]["items"] if item.get("text") == "See this")
    assert prompt["attachments"] == [{"name": "notes.txt", "media_type": "text/plain", "size_bytes": 5}]
    assert value["paths"][0]["items"][-1]["note"] == "interrupted"


@pytest.mark.parametrize(
    "value",
    [
        *(
            0.1,
            1e16,
            1e-7,
            -0.0,
            1e300,
            [[{"deep": 2.5e-9}]],
            10**30,
            -(2**63),
            True,
            None,
            {},
            [],
            {"": [None, False]},
        ),
        *('"\\/\b\f\n\r\t', "\x00\x1f", "\u00e9\u2028\U0001f600", {"caf\u00e9": "\u20ac"}, "\ud83d\ude00"),
    ],
)
def test_json_is_written_as_python_writes_it(value: Any) -> None:
    line = next(
        line
        for line in rendered(talk(ask("Why?"), call("X", arguments={"v": value}))).json.split("\n")
        if '"v"' in line
    )
    assert line.removesuffix(",") == json.dumps(json.loads(line.removesuffix(",")), ensure_ascii=False)
    assert re.search(r'"at": "2026-01-02T14:0\d:\d\dZ", "tool": "X"', line)
    assert '"v": ' + json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16") in line


def test_json_holds_any_text_and_can_be_written() -> None:
    transcript = rendered(talk(ask("\x00\x1b\ud800 \x85"), say("ok")))
    transcript.json.encode("utf-8")
    assert json.loads(transcript.json)["paths"][0]["items"][0]["text"].startswith("\x00\x1b\ufffd")


def test_json_of_nothing_is_whole() -> None:
    assert json.loads(rendered(talk()).json)["paths"] == [{"name": "", "items": []}]
