"""Chooses the title to show: never a command wrapper, a caveat, a compaction notice or another session's summary.

The order: a custom title, an AI's title, the summary of this session, the stored title if it is fit to be seen, the
first real prompt, the first command; for a session without any, its first call, or else its day.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from sitegen.model import Conversation, ConversationHead, JsonObject
from sitegen.values import parse_object
from sitegen.wording.titles import command_line, first_line, prompt_line

_PATHS: Final = ("file_path", "path", "filePath", "notebook_path", "filename")
_SUBJECTS: Final = ("command", "cmd", "query", "pattern", "url", "description", "prompt", "title", "name", "input")
_SUBJECT_LIMIT: Final = 60
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SERVER: Final = re.compile(r"mcp__.+?__(?=.)")


class TitleEvent(Struct, frozen=True):
    """A record of a source that names a title. `leaf` is the id of the message a summary ends with."""

    kind: Literal["custom", "ai", "summary"]
    title: str
    leaf: str | None = None


def choose_title(
    stored: str | None, events: Sequence[TitleEvent], *, own_ids: Container[str], prompts: Iterable[str]
) -> str | None:
    """The title to show; `own_ids` are the ids of the session's records, `prompts` the user's texts in order."""
    if named := _titled_by_event(events, own_ids=own_ids):
        return named
    foreign = {first_line(event.title) for event in events}
    kept = prompt_line(stored) if stored else None
    if kept is not None and kept not in foreign:
        return kept
    return _title_of_prompts(prompts)


def title_of_call(tool_name: str, payload: JsonObject) -> str:
    """What a session without a prompt is called for its first call: "Read image.png"."""
    given = next((found for key in ("input", "arguments") if (found := _given(payload.get(key)))), {})
    path = next((value for key in _PATHS if isinstance(value := given.get(key), str) and value.strip()), "")
    subject = path.strip().replace("\\", "/").rstrip("/").rpartition("/")[2] or next(
        (value for key in _SUBJECTS if isinstance(value := given.get(key), str) and value.strip()), ""
    )
    line = (first_line(subject) or "")[:_SUBJECT_LIMIT].rstrip()
    return first_line(f"{_SERVER.sub('', tool_name)} {line}") or tool_name


def _given(value: object) -> JsonObject:
    if isinstance(value, str):
        return parse_object(value) if value.lstrip().startswith("{") else {"input": value}
    return value if isinstance(value, dict) else {}


def title_of_day(started_at: datetime | None, native_id: str) -> str:
    """What a session that says nothing is called: "Session of 29 Nov 2025", or by its id when it has no time."""
    if started_at is None:
        return f"Session {native_id[:8]}"
    return f"Session of {started_at.day} {_MONTHS[started_at.month - 1]} {started_at.year}"


def _titled_by_event(events: Sequence[TitleEvent], *, own_ids: Container[str]) -> str | None:
    """The title that the source's own records give: the last one of the best kind."""
    for kind in ("custom", "ai", "summary"):
        for event in reversed(events):
            line = first_line(event.title)
            if event.kind == kind and line and (kind != "summary" or event.leaf in own_ids):
                return line
    return None


def display_title(head: ConversationHead, conversation: Conversation | None = None) -> str | None:
    """The title to show for a head; with its conversation, the first prompt stands in for a title that is missing."""
    if head.title or conversation is None:
        return head.title
    return _title_of_prompts(
        block.text
        for message in conversation.messages
        for block in message.blocks
        if message.role == "user" and not message.is_meta and block.kind == "text" and block.text
    )


def _title_of_prompts(prompts: Iterable[str]) -> str | None:
    command = None
    for text in prompts:
        if line := prompt_line(text):
            return line
        command = command or command_line(text)
    return command
