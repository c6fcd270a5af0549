"""Finds the title to show: never a command wrapper, a caveat, a compaction notice or another session's summary.

The order: a custom title, an AI's title, the summary of this session, the stored title if it is fit to be seen, the
first real prompt, the first command.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sitegen.model import Conversation, ConversationHead

TITLE_LIMIT: Final = 200
"""Characters; as long as chatstrata's own titles, so that both give the same."""

_TAG: Final = (
    r"(?:command|local-command|bash|system|task|ide|user|environment|session|turn|post-tool-use|new|permissions|"
    r"collaboration|skill|teammate)[-_ ][\w -]*|INSTRUCTIONS|user-prompt-submit-hook"
)
_WRAPPER = re.compile(rf"\s*<({_TAG})>.*?</\1>\s*", re.DOTALL)
_OPEN_WRAPPER = re.compile(rf"\s*</?(?:{_TAG})>")
_COMMAND = re.compile(r"<command-name>\s*/?(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
# Beside control bytes the marks that turn text around: a title stands among other words.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]+")
_HEADING = re.compile(r"^#{1,6} ")
_CODEX_REQUEST: Final = "## My request for Codex:"
_NOTICES: Final = (
    "Caveat:",
    "This session is being continued from a previous conversation",
    "[Request interrupted",
    "[Image",
    "# AGENTS.md instructions",
    "# Context from my IDE setup:",
    "Base directory for this skill:",
)


@dataclass(frozen=True, slots=True)
class TitleEvent:
    """A record of a source that names a title. `leaf` is the id of the message a summary ends with."""

    kind: Literal["custom", "ai", "summary"]
    title: str
    leaf: str | None = None


def is_machine_text(text: str) -> bool:
    """Whether a user's text was written by a program: nothing but wrappers, a caveat, instructions or a notice."""
    return prompt_line(text) is None


def prompt_line(text: str) -> str | None:
    """The first line that the user wrote, fit for a title; None if all of it is a program's."""
    _, found, request = text.partition(_CODEX_REQUEST)
    rest = request if found else text
    while match := _WRAPPER.match(rest):
        rest = rest[match.end() :]
    rest = rest.strip()
    if _OPEN_WRAPPER.match(rest) or rest.startswith(_NOTICES):
        return None
    return _first_line(rest)


def command_line(text: str) -> str | None:
    """The command a wrapper stands for, as it was typed: "/review src"; None when there is none."""
    name = _COMMAND.search(text)
    if name is None or not name[1]:
        return None
    arguments = _ARGUMENTS.search(text)
    return _first_line(f"/{name[1]} {arguments[1] if arguments else ''}")


def choose_title(
    stored: str | None, events: Sequence[TitleEvent], *, own_ids: Container[str], prompts: Iterable[str]
) -> str | None:
    """The title to show; `own_ids` are the ids of the session's records, `prompts` the user's texts in order."""
    if named := _titled_by_event(events, own_ids=own_ids):
        return named
    foreign = {_first_line(event.title) for event in events}
    kept = prompt_line(stored) if stored else None
    if kept is not None and kept not in foreign:
        return kept
    return _title_of_prompts(prompts)


def _titled_by_event(events: Sequence[TitleEvent], *, own_ids: Container[str]) -> str | None:
    """The title that the source's own records give: the last one of the best kind."""
    for kind in ("custom", "ai", "summary"):
        for event in reversed(events):
            line = _first_line(event.title)
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


def _first_line(text: str) -> str | None:
    for line in text.splitlines():
        shown = " ".join(_CONTROLS.sub(" ", line[: 4 * TITLE_LIMIT]).split())
        if shown := _HEADING.sub("", shown)[:TITLE_LIMIT].strip():
            return shown
    return None
