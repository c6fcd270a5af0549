"""Finds words fit for a title in what stands as a user's text: the line that a person wrote, or the command they gave.

The same rules serve the titles that are stored when a session is read in and those that are chosen to be shown.
"""

from __future__ import annotations

import re
from typing import Final

from sitegen.wording.wrappers import Note, Words, split

TITLE_LIMIT: Final = 200
"""Characters; as long as chatstrata's own titles, so that both give the same."""

# Wrappers that `split` doesn't know yet: what programs add is named so, and a title can do without.
_TAG: Final = (
    r"(?:command|local-command|bash|system|task|ide|user|environment|session|turn|post-tool-use|new|permissions|"
    r"collaboration|personality|subagent|skill|teammate)[-_ ][\w -]*|INSTRUCTIONS|skill|user-prompt-submit-hook"
)
_WRAPPER = re.compile(rf"\s*<({_TAG})>.*?</\1>\s*", re.DOTALL)
_OPEN_WRAPPER = re.compile(rf"\s*</?(?:{_TAG})>")
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


def is_machine_text(text: str) -> bool:
    """Whether a user's text was written by a program: nothing but wrappers, a caveat, instructions or a notice."""
    return prompt_line(text) is None


def prompt_line(text: str) -> str | None:
    """The first line that the user wrote, fit for a title; None if all of it is a program's."""
    _, found, request = text.partition(_CODEX_REQUEST)
    pieces = split(request if found else text)
    rest = next((piece.text for piece in pieces if isinstance(piece, Words)), "")
    while match := _WRAPPER.match(rest):
        rest = rest[match.end() :]
    rest = rest.strip()
    if _OPEN_WRAPPER.match(rest) or rest.startswith(_NOTICES):
        return None
    return first_line(rest)


def command_line(text: str) -> str | None:
    """The command a wrapper stands for, as it was typed: "/review src"; None when there is none."""
    for piece in split(text) if "<command-name>" in text else ():
        if isinstance(piece, Note) and piece.kind == "command" and piece.title:
            return first_line(f"/{piece.title.lstrip('/')} {piece.body}")
    return None


def first_line(text: str) -> str | None:
    """The first line that says something, fit for a title: without control bytes, marks of headings, and too much."""
    for line in text.splitlines():
        shown = " ".join(_CONTROLS.sub(" ", line[: 4 * TITLE_LIMIT]).split())
        if shown := _HEADING.sub("", shown)[:TITLE_LIMIT].strip():
            return shown
    return None
