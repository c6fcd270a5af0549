"""Whatever a conversation holds, its pages are whole: no code of its own, no unbalanced tag, no heading that skips."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.model import Conversation, Show
from tests.support.sites import by_path, make_pages
from tests.support.strict_page import page_faults, ranks
from tests.support.talks import Line, ask, call, message, rendered, result, say, talk, think
from tests.support.transcripts import make_share

PIECES = [
    *(
        "# A\n\n",
        "### B\n\n",
        "###### C\n\n",
        "> # D\n\n",
        "- ## E\n",
        "[^1]",
        "\n\n[^1]: # F\n\n    G\n",
        "word ",
        "\n",
        "`",
    ),
    *(
        "```\n",
        "**",
        "| a | b |\n|---|---|\n",
        "$$x$$",
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</div>",
    ),
    *(
        "</article></section>",
        "<!--end-->",
        '<div class="group">',
        "-->",
        "</title>",
        "&lt;",
        "&#0;",
        "\x00",
        "\x1b[31m",
        "\ud800",
    ),
    *(
        "[x](javascript:alert(1))",
        "https://example.org/",
        "\u202e",
        ' data-src="x"',
        "<command-name>/a</command-name>",
        "{{ 7 }}",
    ),
    *("<system-reminder>", "</system-reminder>", "<task-notification>", "\r", "שלום", "👩‍👩‍👧"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
NAMES = st.sampled_from(
    ["Bash", "Read", "Edit", "Write", "Task", "TodoWrite", "ExitPlanMode", "WebFetch", "mcp__a__b", "<b>"]
)
IDS = st.sampled_from(["c1", "c2", None])
PARENTS = st.sampled_from([None, None, None, "", "m0", "m1", "m2", "gone"])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """A message of any kind, which follows any other."""
    text, parent = draw(TEXTS), draw(PARENTS)
    match draw(st.sampled_from(["ask", "say", "think", "call", "result", "system"])):
        case "ask":
            return ask(text, parent_id=parent, labels=(text,))
        case "say":
            return say(text, parent_id=parent, model=draw(st.sampled_from(["a", "b", text])))
        case "think":
            return think(text, parent_id=parent)
        case "call":
            given_ = dict.fromkeys(("command", "file_path", "prompt", "plan", "content"), text)
            return call(draw(NAMES), draw(IDS), arguments=dict(given_), parent_id=parent)
        case "result":
            return result(text, draw(IDS), failed=draw(st.booleans()), parent_id=parent)
        case _:
            return message("system", parent_id=parent)


@st.composite
def conversations(draw: st.DrawFn, *, depth: int = 2) -> Conversation:
    """A conversation with subagents in it, as deep as told."""
    inner = draw(st.lists(conversations(depth=depth - 1), max_size=2)) if depth else []
    agents = tuple(
        replace(each, head=replace(each.head, native_id=f"agent-{depth}-{number}")) for number, each in enumerate(inner)
    )
    starts = [line for agent in agents for line in _launch(agent.head.native_id, draw(TEXTS))]
    told = draw(st.lists(lines(), min_size=1, max_size=8))
    return talk(*told, *starts, title=draw(st.one_of(st.none(), TEXTS)), subagents=agents)


def _launch(agent: str, text: str) -> tuple[Line, Line]:
    return call("Task", agent, arguments={"prompt": text}), result(text, agent, tool_detail={"agentId": agent})


@settings(max_examples=60)
@given(conversations(), st.sampled_from(Show), st.integers(1, 3_000))
def test_any_conversation_gives_whole_pages_without_code_of_its_own(
    conversation: Conversation, show: Show, heavy_bytes: int
) -> None:
    transcript = rendered(conversation, show=show, heavy_bytes=heavy_bytes)
    documents = by_path(make_pages(offline=True).share(replace(make_share(), show=show), transcript))
    for path, text in documents.items():
        if path.endswith(".html"):
            assert page_faults(text) == [], path
            assert ranks(text)[0] == 1
        elif path.endswith(".json"):
            json.loads(text)
