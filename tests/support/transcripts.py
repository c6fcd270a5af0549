"""Transcripts as rendering makes them, from short values: for tests of what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from markupsafe import escape
from msgspec.structs import replace

from sitegen.model import (
    ROOT,
    SOURCES,
    ConversationHead,
    Exchange,
    Facts,
    Mark,
    OutlineEntry,
    Project,
    Share,
    ShareFile,
    Transcript,
)

START = datetime(2026, 1, 2, 14, 3, 5, tzinfo=UTC)
PROJECT = Project("mailbox", "mailbox", "Reads mail archives")


def make_exchange(
    mid: str,
    *,
    prompt: str = "Why is the list empty?",
    answer: str = "Because nothing was added.",
    calls: int = 0,
    more: str = "",
    messages: int = 2,
) -> Exchange:
    """A prompt, a run of `calls` failing calls if any, an answer; `more` is HTML put after the answer's text."""
    at = f"{START:%Y-%m-%dT%H:%M:%SZ}"
    html = (
        f'<section class="exchange" id="x-{mid}p">\n'
        f'<article class="message prompt" id="m-{mid}p"><h2 class="who"><span class="role">Prompt</span>'
        f' <a class="at" href="#m-{mid}p"><time datetime="{at}">14:03</time></a></h2>'
        f'<div class="prose" dir="auto"><p>{escape(prompt)}</p></div></article>\n'
        + (_run(mid, calls) if calls else "")
        + f'<article class="message answer" id="m-{mid}a" data-src="{SOURCES}">'
        f'<h3 class="who"><span class="role">Answer</span>'
        f' <a class="at" href="#m-{mid}a"><time datetime="{at}">14:03</time></a></h3>'
        f'<div class="prose" dir="auto"><p>{escape(answer)}</p>{more}</div></article>\n</section>'
    )
    steps = tuple(f"t-{mid}a-{number}" for number in range(calls))
    return Exchange(
        anchor=f"x-{mid}p",
        html_file=html.encode(),
        messages=messages,
        sources_file=f'"m-{mid}a":"Because *nothing* was added."'.encode(),
        anchors=(f"m-{mid}p", *((f"r-{mid}a",) if calls else ()), *steps, f"m-{mid}a"),
        outline=OutlineEntry(f"x-{mid}p", prompt, START),
        marks=(
            Mark("prompt", f"m-{mid}p", START),
            *(Mark("tool", f"r-{mid}a", START, calls) for _ in range(min(calls, 1))),
            *(Mark("error", step, START) for step in steps),
            Mark("answer", f"m-{mid}a", START, len(answer)),
        ),
        search_file=f"{prompt}\n{answer}".encode(),
    )


def _run(mid: str, calls: int) -> str:
    steps = "".join(
        f'<li class="step call"><details id="t-{mid}a-{number}">'
        f"<summary>Ran <code>make {number}</code> · exit 1</summary>"
        f'<div class="detail"><pre class="term" tabindex="0">no rule {number}</pre></div></details></li>'
        for number in range(calls)
    )
    return (
        f'<details class="run" id="r-{mid}a"><summary><span class="did">Ran {calls} commands</span>'
        f' <span class="failed">{calls} failed</span></summary><ol class="steps">{steps}</ol></details>\n'
    )


def make_exchanges(count: int, *, messages: int = 2, **kwargs: Any) -> tuple[Exchange, ...]:
    """`count` exchanges, told apart by their ids and prompts."""
    return tuple(
        make_exchange(f"{number:04d}", prompt=f"Question number {number}", messages=messages, **kwargs)
        for number in range(count)
    )


def make_transcript(exchanges: Iterable[Exchange] | None = None, **changes: Any) -> Transcript:
    """A transcript of the exchanges (one by default); `changes` are fields of Facts or of Transcript."""
    exchanges = tuple(make_exchanges(1) if exchanges is None else exchanges)
    facts = Facts(
        title="An empty list",
        source="Claude Code",
        models=("claude-opus-4-5",),
        started_at=START,
        ended_at=START + timedelta(minutes=75),
        turns=len(exchanges),
        messages=sum(each.messages for each in exchanges),
        first_prompt=exchanges[0].outline.text if exchanges and exchanges[0].outline else "",
    )
    names = set(Facts.__struct_fields__)
    facts = replace(facts, **{name: value for name, value in changes.items() if name in names})
    rest = {name: value for name, value in changes.items() if name not in names}
    return replace(
        Transcript(facts=facts, exchanges=exchanges, markdown_file=b"# An empty list\n", json_file=b"{}"), **rest
    )


def make_share(slug: str = "empty-list", **changes: Any) -> Share:
    """An open, listed share of one conversation."""
    head = ConversationHead(
        row_id=slug,
        source_id="claude_code",
        native_id=slug,
        title="An empty list",
        project="~/code/mailbox",
        started_at=START,
        ended_at=None,
        message_count=2,
        digest="d",
    )
    return replace(Share(slug=slug, head=head, project=PROJECT, origin="a test", listed=True), **changes)


def image(name: str = "i/0123456789abcdef.png") -> tuple[str, ShareFile]:
    """HTML of a picture beside the share, and its file: one white pixel."""
    data = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63f80f000101010018dd8db0"
        "0000000049454e44ae426082"
    )
    shown = f'<img src="{ROOT}{name}" width="1" height="1" alt="A white dot" loading="lazy">'
    return f'<p><a href="{ROOT}{name}">{shown}</a></p>', ShareFile(name, data, "image/png")
