"""What one record of Claude Code tells a reader although it never became a message.

Prompts that waited while the assistant worked, files put to a prompt, what commands of the program printed, failed
hooks, failed requests, other agents' messages. Most records tell nothing: reminders to the model, counts, progress.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.model import Attachment, Block, Json, JsonObject, Role
from sitegen.projection.blocks import blocks_of, joined, text_of, word_in
from sitegen.values import object_in

_SILENT: Final = frozenset(
    {
        *("api_metrics", "bridge_status", "file_snapshot", "memory_saved"),
        *("microcompact_boundary", "snip_boundary", "thinking", "turn_duration"),
    }
)
"""Kinds of system records for the program's own use, whatever text they carry."""
_HOOK_LINE: Final = re.compile(
    r"(?:Running )?((?:Pre|Post)ToolUse|UserPromptSubmit|SessionStart|SessionEnd|(?:Subagent)?Stop|PreCompact)\b"
)
_MARKS: Final = re.compile(r'["<>\n]')
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")


class Saying(Struct, frozen=True):
    """What becomes a message: whose it is, of what kind, and its words."""

    role: Role
    subtype: str
    blocks: tuple[Block, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    facts: JsonObject = field(default_factory=dict)
    """What else a note needs: `title`, and `failed`."""
    is_context: bool = False
    """Told to the model alone: whoever worked with it never saw it."""


def say(record: JsonObject) -> Saying | None:
    """What the record tells; None when that's nothing."""
    match record.get("type"):
        case "system":
            return _of_system(record)
        case "attachment":
            attachment = object_in(record, "attachment")
            teller = _ATTACHMENTS.get(word_in(attachment, "type"))
            return teller(attachment) if teller else None
        case _:
            return None


def prompt(text: str) -> Saying:
    """What somebody typed while the assistant worked, and the model was told."""
    return Saying("user", "queued_command", (Block("text", text),))


def note(subtype: str, text: str, **facts: Json) -> Saying | None:
    """What a program said; None without words."""
    return Saying("system", subtype, (Block("text", text),), facts=facts) if text.strip() else None


def context(subtype: str, text: str, *, title: str) -> Saying | None:
    """What a program said to the model alone; None without words."""
    said = note(subtype, text, title=title)
    return said and replace(said, is_context=True)


# ---------------------------------------------------------------------------------------------------- system records


def _of_system(record: JsonObject) -> Saying | None:
    subtype, content = word_in(record, "subtype"), word_in(record, "content")
    match subtype:
        case "api_error":
            return note("api_retry", _failure(record) or "API error")
        case "compact_boundary":
            return note("compact_boundary", content or "Conversation compacted")
        case "stop_hook_summary":
            words = joined(record.get("hookErrors")) or word_in(record, "stopReason")
            is_stopped = record.get("preventedContinuation") is True
            return note("hook", words or "Stop", title="Stop", failed=True) if words or is_stopped else None
        case _ if subtype in _SILENT:
            return None
        case _:
            return _informed(subtype or "informational", _ESCAPES.sub("", content), word_in(record, "level"))


def _informed(subtype: str, text: str, level: str) -> Saying | None:
    if found := _HOOK_LINE.match(text):
        is_failure = level in ("warning", "error") or "failed" in text
        return note("hook", text, title=found[1], failed=True) if is_failure else None
    return note(subtype, text)


def _failure(record: JsonObject) -> str:
    """Why a request failed, in few words: "529 Overloaded", "ConnectionRefused"."""
    error = object_in(record, "error")
    inner = object_in(error, "error")
    cause = object_in(error, "cause") or object_in(record, "cause")
    status = error.get("status")
    words = word_in(object_in(inner, "error"), "message") or word_in(inner, "message") or word_in(error, "message")
    parts = [str(status) if isinstance(status, int) else "", words or word_in(cause, "code")]
    return " ".join(part for part in parts if part)


# ------------------------------------------------------------------------------------------------------- attachments


def _queued(attachment: JsonObject) -> Saying | None:
    """A prompt that waited, by who sent it."""
    content, mode = attachment.get("prompt"), word_in(attachment, "commandMode")
    origin = object_in(attachment, "origin")
    sender = word_in(origin, "kind") or "human"
    text = text_of(content)
    if mode == "task-notification" or text.lstrip().startswith("<task-notification"):
        return note("notification", text)
    if sender == "auto-continuation":
        return None
    if sender != "human" or attachment.get("isMeta") is True:
        return note("peer", text, title=word_in(origin, "name", "from", "server"))
    if mode == "bash":
        return prompt(f"<bash-input>{text}</bash-input>") if text else None
    blocks = blocks_of(content)
    return Saying("user", "queued_command", blocks) if blocks else None


def _file(attachment: JsonObject) -> Saying | None:
    """A file that the user mentioned, as it was put to the prompt."""
    name = word_in(attachment, "displayPath", "filename")
    content = object_in(attachment, "content")
    file = object_in(content, "file")
    data = word_in(file, "base64")
    match content.get("type"):
        case "text":
            return _attached(name, word_in(file, "content"))
        case "image" if data:
            source: JsonObject = {"type": "base64", "media_type": file.get("type"), "data": data}
            return Saying("user", "attached", (Block("image", payload={"source": dict(source)}),))
        case "pdf" if data:
            return _attached(name, data=_decoded(data), media_type="application/pdf")
        case _:
            return None


def _folder(attachment: JsonObject) -> Saying | None:
    return _attached(word_in(attachment, "displayPath", "path") + "/", word_in(attachment, "content"))


def _resource(attachment: JsonObject) -> Saying | None:
    contents = object_in(attachment, "content").get("contents")
    parts = [word_in(part, "text") for part in contents if isinstance(part, dict)] if isinstance(contents, list) else []
    return _attached(word_in(attachment, "name", "uri"), "\n".join(parts))


def _attached(name: str, text: str = "", *, data: bytes | None = None, media_type: str = "text/plain") -> Saying | None:
    if not text and data is None:
        return None
    size = len(data) if data is not None else len(text.encode("utf-8", "replace"))
    file = Attachment(name or None, media_type, size, extracted_text=text or None, data=data)
    return Saying("user", "attached", attachments=(file,))


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _edited(attachment: JsonObject) -> Saying | None:
    name = re.split(r"[/\\]", word_in(attachment, "displayPath", "filename"))[-1]
    return context("file_changed", word_in(attachment, "snippet"), title=name)


def _opened(attachment: JsonObject) -> Saying | None:
    name = word_in(attachment, "filename")
    return note("editor", f"<ide_opened_file>The user opened the file {name} in the IDE.</ide_opened_file>")


def _selected(attachment: JsonObject) -> Saying | None:
    first, last = attachment.get("lineStart"), attachment.get("lineEnd")
    where = f"lines {first} to {last} from {word_in(attachment, 'filename')}"
    return note(
        "editor", f"<ide_selection>The user selected the {where}:\n{word_in(attachment, 'content')}</ide_selection>"
    )


def _mail(attachment: JsonObject) -> Saying | None:
    letters = attachment.get("messages")
    parts = [
        f'<teammate-message teammate_id="{_MARKS.sub("", word_in(letter, "from"))}">\n{text}\n</teammate-message>'
        for letter in (letters if isinstance(letters, list) else ())
        if isinstance(letter, dict) and (text := word_in(letter, "text"))
    ]
    return note("peer", "\n".join(parts))


def _hook(*names: str, failed: bool = True) -> Callable[[JsonObject], Saying | None]:
    """Tells of a hook by the first of these fields that has words."""

    def tell(attachment: JsonObject) -> Saying | None:
        words = next((text for name in names if (text := joined(attachment.get(name)))), "")
        return note("hook", words, title=_hook_name(attachment), failed=failed)

    return tell


def _hook_context(attachment: JsonObject) -> Saying | None:
    return context("hook", joined(attachment.get("content")), title=_hook_name(attachment))


def _hook_name(attachment: JsonObject) -> str:
    return word_in(attachment, "hookName", "hookEvent")


def _blocked(attachment: JsonObject) -> Saying | None:
    """A hook that stopped the work. Before a tool's use, the result of the call says so."""
    if word_in(attachment, "hookEvent") == "PreToolUse":
        return None
    words = word_in(object_in(attachment, "blockingError"), "blockingError")
    return note("hook", words, title=word_in(attachment, "hookName"), failed=True)


_ATTACHMENTS: Final[Mapping[str, Callable[[JsonObject], Saying | None]]] = {
    "queued_command": _queued,
    "file": _file,
    "directory": _folder,
    "mcp_resource": _resource,
    "edited_text_file": _edited,
    "opened_file_in_ide": _opened,
    "selected_lines_in_ide": _selected,
    "teammate_mailbox": _mail,
    "hook_additional_context": _hook_context,
    "hook_system_message": _hook("content", failed=False),
    "hook_blocking_error": _blocked,
    "hook_non_blocking_error": _hook("stderr", "stdout"),
    "hook_error_during_execution": _hook("content"),
    "hook_stopped_continuation": _hook("message"),
}
