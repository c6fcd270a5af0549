"""Tools around the work: the web, task lists, subagents, questions, plans, documents, everything unknown."""

from __future__ import annotations

import json

import pytest

from sitegen.model import Block, Json
from tests.support.calls import call, detail, line, step, words
from tests.support.strict_html import faults

# ------------------------------------------------------------------------------------------------------------ the web


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        pytest.param("WebFetch", {"url": "https://www.example.org/a"}, "Opened example.org", id="Claude Code"),
        pytest.param("web_fetch", {"url": "https://example.org"}, "Opened example.org", id="claude.ai"),
        pytest.param("browser", {"input": 'open_url("https://example.org/a")'}, "Opened example.org", id="ChatGPT"),
        pytest.param("WebFetch", {"url": "http://[broken"}, "Opened http://[broken", id="no address"),
        pytest.param("WebFetch", {"url": ["x"]}, "Opened a page", id="no text"),
        pytest.param("WebSearch", {"query": "owls"}, "Searched the web for “owls”", id="a search"),
        pytest.param("web_search", {"action": {"query": "owls"}}, "Searched the web for “owls”", id="Codex"),
        pytest.param("browser.search", {"query": "owls"}, "Searched the web for “owls”", id="older ChatGPT"),
        pytest.param("browser", {"input": "search('owls')"}, "Searched the web for “owls”", id="ChatGPT's call"),
        pytest.param(
            "web.run", {"search_query": [{"q": "owls"}, {"q": "bats"}]}, "Searched the web for “owls; bats”", id="two"
        ),
        pytest.param("web_search", {}, "Searched the web", id="for what isn't said"),
    ],
)
def test_the_web_is_named(name: str, given: dict[str, Json], shown: str) -> None:
    assert line(call(name, given, "words")) == shown


LISTED = """Web search results for query: "owls"

Links: [{"title":"Owls [1]","url":"https://example.org/a?b&c"}]

In short: owls.
"""


def test_links_of_a_search_are_listed_and_lead_out() -> None:
    shown = step(call("WebSearch", {"query": "owls"}, LISTED))
    assert words(shown.summary) == "Searched the web for “owls” · 1 result"
    link = '<a href="https://example.org/a?b&amp;c" rel="noopener noreferrer nofollow">Owls [1]</a>'
    assert link in shown.detail
    assert "In short: owls." in shown.detail
    assert "Links:" not in shown.detail
    assert "Web search results" not in shown.detail


def test_links_are_taken_from_the_record_or_the_blocks_once() -> None:
    page: Json = {"type": "knowledge", "title": "Owls", "url": "https://example.org/"}
    paired = call(
        "web_search",
        {"query": "owls"},
        None or "",
        detail={"results": [{"content": [page]}, "text"]},
        payload={"raw_content": [page, {"type": "text", "text": "x"}]},
    )
    assert step(paired).detail.count("<a href") == 1


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//example.org", "file:///etc/passwd"])
def test_an_address_that_is_not_of_the_web_is_no_link(url: str) -> None:
    listed = json.dumps([{"title": "t", "url": url}])
    for paired in (call("WebFetch", {"url": url}, "x"), call("WebSearch", {"query": "q"}, f"Links: {listed}")):
        assert "href" not in step(paired).detail
        assert faults(step(paired).detail) == []


def test_a_page_that_was_not_there_is_said() -> None:
    paired = call("WebFetch", {"url": "https://example.org"}, "x", detail={"code": 404})
    assert "The server answered with status 404." in detail(paired)


# --------------------------------------------------------------------------------------------------------- task lists

TODOS: Json = [
    {"content": "Read", "status": "completed"},
    {"content": "Write", "status": "in_progress"},
    {"content": "Test", "status": "pending"},
]


def test_a_task_list_is_a_checklist_in_words() -> None:
    paired = call("TodoWrite", {"todos": TODOS}, "Todos have been modified")
    assert line(paired) == "Updated the task list · 1 of 3 done: Write"
    assert detail(paired) == "done Readin progress Writeto do Test"
    assert step(paired).kind == "todo"


def test_what_changed_is_marked() -> None:
    old: Json = [
        {"content": "Read", "status": "in_progress"},
        {"content": "Test", "status": "pending"},
        {"content": "Go", "status": "pending"},
    ]
    shown = detail(call("TodoWrite", {"todos": TODOS}, "ok", detail={"oldTodos": old}))
    assert shown == "done Read changedin progress Write newto do Testdropped Go"


def test_codex_plan_is_a_task_list() -> None:
    plan: Json = [{"step": "Design", "status": "completed"}, {"step": "Build", "status": "pending"}]
    paired = call("update_plan", {"plan": plan, "explanation": "Started."}, "Plan updated")
    assert line(paired) == "Updated the task list · 1 of 2 done"
    assert detail(paired).startswith("Started.")


@pytest.mark.parametrize(
    ("name", "given", "result", "shown"),
    [
        pytest.param(
            "TaskCreate",
            {"subject": "Write tests"},
            "Task #3 created successfully",
            "Added a task: Write tests",
            id="a new one",
        ),
        pytest.param(
            "TaskUpdate", {"taskId": "3", "status": "completed"}, "Updated task #3", "Marked task 3 as done", id="done"
        ),
        pytest.param(
            "TaskUpdate",
            {"taskId": 3, "subject": "x", "status": "odd"},
            "",
            "Marked task 3 as odd: x",
            id="an unknown state",
        ),
        pytest.param("TaskUpdate", {"taskId": "3", "addBlockedBy": ["1"]}, "", "Changed task 3", id="something else"),
        pytest.param("TaskList", {}, "#1 [pending] x", "Read the task list", id="the list"),
        pytest.param("TaskGet", {"taskId": "1"}, "x", "Read task 1", id="one"),
    ],
)
def test_single_tasks_are_told(name: str, given: dict[str, Json], result: str, shown: str) -> None:
    assert line(call(name, given, result)) == shown


# ---------------------------------------------------------------------------------------------------------- subagents


def test_a_subagent_is_told_with_its_task_its_calls_and_its_answer() -> None:
    given: dict[str, Json] = {
        "description": "Find the parser",
        "prompt": "Look *everywhere*.",
        "subagent_type": "Explore",
    }
    result = "It is in `src`.\n\nagentId: a1b2 (for resuming)\n<usage>tool_uses: 9</usage>"
    paired = call("Task", given, result, detail={"totalToolUseCount": 9, "totalDurationMs": 2500})
    assert line(paired) == "Gave the subagent Explore a task: Find the parser · 9 calls"
    shown = step(paired)
    assert (shown.kind, shown.duration_s) == ("agent", 2.5)
    assert "<em>everywhere</em>" in shown.detail
    assert "<code>src</code>" in shown.detail
    assert "agentId" not in shown.detail


def test_a_prompt_that_the_subagents_conversation_shows_is_not_repeated() -> None:
    paired = call("Agent", {"description": "d", "prompt": "Look around."}, "Found.", has_subagent=True)
    assert "Look around." not in detail(paired)
    assert "Found." in detail(paired)


@pytest.mark.parametrize(
    "answer",
    [
        "Async agent launched successfully.\nagentId: a1 (internal ID - do not mention to user.)\noutput_file: /tmp/a1",
        "Spawned successfully.\nagent_id: a1\nThe agent is now running.",
    ],
    ids=["agent", "teammate"],
)
def test_orders_to_the_model_about_a_launched_agent_stay_out(answer: str) -> None:
    paired = call("Task", {"description": "d", "prompt": "Write a poem"}, answer)
    assert "Write a poem" in detail(paired)
    assert "a1" not in detail(paired)


def test_a_subagent_in_the_background_says_so() -> None:
    paired = call("Task", {"description": "d", "prompt": "p"}, "Async agent launched successfully.\nagentId: a1")
    assert line(paired) == "Gave a subagent a task: d · in the background"


# ---------------------------------------------------------------------------------------------- questions and plans

QUESTIONS: Json = [
    {
        "question": "Which one?",
        "header": "Kind",
        "options": [{"label": "A", "description": "The first"}, {"label": "B"}],
    },
    {"question": "Where?", "options": [{"label": "Here"}], "multiSelect": True},
]


@pytest.mark.parametrize(
    ("result", "record"),
    [
        pytest.param("ok", {"answers": {"Which one?": "B", "Where?": "in the cellar"}}, id="in the record"),
        pytest.param('User has answered: "Which one?"="B", "Where?"="in the cellar". Go on.', {}, id="in words"),
        pytest.param('{"answers": {"Which one?": "B", "Where?": {"answers": ["in the cellar"]}}}', {}, id="in JSON"),
    ],
)
def test_a_question_has_its_options_and_the_answer(result: str, record: dict[str, Json]) -> None:
    paired = call("AskUserQuestion", {"questions": QUESTIONS}, result, detail=record)
    assert line(paired) == "Asked: Which one? and 1 more · answered “B”"
    html = str(step(paired).detail)
    assert '<li dir="auto" class="chosen"><b>B</b> <span class="state">chosen</span></li>' in html
    assert '<li dir="auto">A <span class="hint">The first</span></li>' in html
    assert "Answered: in the cellar" in words(html)


def test_an_unanswered_question_stands_open() -> None:
    paired = call("AskUserQuestion", {"question": "Which?", "options": ["a", "b"]}, None)
    assert line(paired) == "Asked: Which? · no answer"
    assert step(paired).is_open


@pytest.mark.parametrize(
    ("result", "is_error", "end"),
    [
        pytest.param("User has approved your plan. You can now start coding.", False, " · approved", id="approved"),
        pytest.param(
            "The user doesn't want to proceed with this tool use.", True, " · not approved", id="not approved"
        ),
        pytest.param("something", False, "", id="not told"),
    ],
)
def test_a_plan_is_markdown_with_its_fate(result: str, is_error: bool, end: str) -> None:
    paired = call("ExitPlanMode", {"plan": "## Steps\n\n1. Read"}, result, is_error=is_error)
    assert line(paired) == f"Made a plan{end}"
    assert "Steps</h" in step(paired).detail
    assert step(paired).is_open


def test_a_plan_that_only_the_result_holds_is_found() -> None:
    result = "User has approved your plan.\n\n## Approved Plan:\nDo it well."
    assert "Do it well." in detail(call("ExitPlanMode", {}, result))


def test_planning_begins() -> None:
    assert line(call("EnterPlanMode", {}, "ok")) == "Began to plan"


# ---------------------------------------------------------------------------------------------- skills, servers, others


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        pytest.param("Skill", {"skill": "pdf", "args": "x"}, "Used the skill pdf", id="a skill"),
        pytest.param("SlashCommand", {"command": "/review 12"}, "Gave the command /review 12", id="a command"),
        pytest.param("ToolSearch", {"query": "browser"}, "Looked for tools: browser", id="tools"),
        pytest.param(
            "mcp__git-hub__list__all", {"owner": "ann"}, "Used list__all of git-hub: ann", id="a server's tool"
        ),
        pytest.param("mcp__x", {}, "Used mcp__x", id="not quite a server's"),
        pytest.param("Frobnicate", {"n": 3, "note": "gently"}, "Used Frobnicate: gently", id="unknown"),
        pytest.param("<script>", {}, "Used <script>", id="a hostile name"),
        pytest.param("", {}, "A result whose call isn't here", id="an orphan"),
    ],
)
def test_other_tools_are_named(name: str, given: dict[str, Json], shown: str) -> None:
    assert line(call(name, given, "done")) == shown


def test_an_unknown_tool_has_its_keys_values_and_json() -> None:
    given: dict[str, Json] = {"a": "one\ntwo", "b": [1, 2], "c": {"d": None, "e": {"f": {"g": [{}]}}}, "h": True}
    html = str(step(call("Frobnicate", given, '{"ok": true}')).detail)
    assert "<dt>a</dt>" in html
    assert "<li>1</li><li>2</li>" in html
    assert "<summary>As JSON</summary>" in html
    assert "<dt>d</dt><dd><code>null</code></dd>" in html
    assert faults(html) == []


def test_json_that_came_back_is_set_out() -> None:
    assert '"ok": true' in detail(call("mcp__a__b", {}, '{"ok":true}'))
    assert '{"type":' not in detail(call("mcp__a__b", {}, '[{"type":"x"}]'))


def test_text_blocks_that_only_the_payload_holds_are_shown() -> None:
    paired = call("mcp__a__b", {}, None or "", payload={"raw_content": [{"type": "text", "text": "deep words"}]})
    assert "deep words" in detail(paired)


# ----------------------------------------------------------------------------------------------------------- documents


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        pytest.param("artifacts", {"command": "create", "title": "T.jsx", "content": "x"}, "Made “T.jsx”", id="made"),
        pytest.param("artifacts", {"command": "rewrite", "title": "T", "content": "x"}, "Rewrote “T”", id="rewritten"),
        pytest.param(
            "artifacts",
            {"command": "update", "id": "t", "old_str": "a", "new_str": "b"},
            "Changed “t” +1 −1",
            id="changed",
        ),
        pytest.param("create_artifact", {"title": "T", "content": "x"}, "Made “T”", id="an older name"),
        pytest.param(
            "canmore.create_textdoc",
            {"input": '{"name":"Essay","type":"document","content":"*x*"}'},
            "Made “Essay”",
            id="canvas",
        ),
        pytest.param(
            "canmore.update_textdoc",
            {"updates": [{"pattern": ".*", "replacement": "new"}]},
            "Changed “untitled” +1",
            id="canvas changed",
        ),
        pytest.param(
            "canmore.comment_textdoc",
            {"comments": [{"pattern": "x", "comment": "Why?"}]},
            "Commented on “untitled”",
            id="canvas commented",
        ),
    ],
)
def test_a_document_is_told_by_its_version(name: str, given: dict[str, Json], shown: str) -> None:
    assert line(call(name, given, None)) == shown
    assert step(call(name, given, None)).kind == "create"


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        pytest.param("text/markdown", "<em>x</em>", id="Markdown"),
        pytest.param("application/vnd.ant.react", 'data-lang="jsx"', id="a component"),
        pytest.param("image/svg+xml", 'data-lang="xml"', id="a drawing is its source"),
        pytest.param("code/python", 'data-lang="python"', id="canvas code"),
    ],
)
def test_a_document_is_shown_by_its_kind(kind: str, mark: str) -> None:
    html = str(step(call("artifacts", {"title": "T", "type": kind, "content": "*x*"}, None)).detail)
    assert mark in html
    assert faults(html) == []


def test_a_missing_image_of_a_result_is_named() -> None:
    image = Block("image", payload={"source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
    assert faults(str(step(call("mcp__a__b", {}, "x", images=(image,))).detail)) == []
