"""Finds what a person would call a conversation in what they first asked; leaves out what programs wrote for them."""

from __future__ import annotations

import re
from typing import Final

MAX_TITLE_CHARS: Final = 200

_WRAPPER: Final = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>\s*", re.DOTALL)
_COMMAND_NAME: Final = re.compile(r"<command-name>\s*(/?[^<]*?)\s*</command-name>")
_COMMAND_ARGS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_NOT_A_PROMPT: Final = (
    "Caveat: ",
    "[Request interrupted",
    "This session is being continued from a previous conversation",
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder",
    "<task-notification",
    "<user-memory-input",
    "<ide_",
    "<environment_context",
    "<user_instructions",
    "<permissions instructions",
    "<collaboration_mode",
    "<personality_spec",
    "<subagent_notification",
    "<turn_aborted",
    "<user_shell_command",
    "<skill",
    "# AGENTS.md instructions",
    "# Context from my IDE setup:",
)
# What Codex's editor extensions put between the editor's state and the user's words.
_REQUEST: Final = "## My request for Codex:"


def first_line(text: str) -> str | None:
    """The first line that says something, in one line of at most 200 characters; None when there is none."""
    for line in text.splitlines():
        if cleaned := " ".join(_CONTROLS.sub(" ", line).split()):
            return cleaned[:MAX_TITLE_CHARS].rstrip()
    return None


def title_of_prompt(text: str) -> str | None:
    """A title from a prompt, or None when it is no person's prompt: a wrapper, a caveat, an interruption, a summary."""
    _, marker, request = text.partition(_REQUEST)
    rest = (request if marker else text).strip()
    while found := _WRAPPER.match(rest):
        rest = rest[found.end() :]
    return None if rest.startswith(_NOT_A_PROMPT) else first_line(rest)


def title_of_command(text: str) -> str | None:
    """What a slash command was called with: "/review the parser". The last resort for a session of commands alone."""
    name = _COMMAND_NAME.search(text)
    if name is None or not name[1]:
        return None
    arguments = _COMMAND_ARGS.search(text)
    return first_line(f"{name[1]} {arguments[1] if arguments else ''}")
