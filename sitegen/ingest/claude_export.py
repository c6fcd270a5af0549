"""claude.ai's export: `conversations.json` with all conversations, beside it the projects and sometimes files.

Blocks have the shape of the Messages API; what differs there, and what older exports lack, is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from sitegen.errors import IngestError
from sitegen.ingest.archive import Entry
from sitegen.ingest.arrays import split_array
from sitegen.ingest.citations import Citation, cite
from sitegen.ingest.claude_blocks import read_blocks
from sitegen.ingest.exports import Export, Reading
from sitegen.ingest.fields import (
    Object,
    checked_moment,
    first_text,
    moment_of,
    number_of,
    object_of,
    objects_of,
    text_of,
    without_nothing,
)
from sitegen.ingest.records import AttachmentRecord, BlockRecord, MessageRecord, PassedOver
from sitegen.ingest.trees import in_line
from sitegen.wording import titles

if TYPE_CHECKING:
    from sitegen.model import Json

_ROOT: Final = "00000000-0000-4000-8000-000000000000"
"""What the first message names as its parent."""
_PROJECTS: Final = re.compile(r"(?:.*/)?(?:projects\.json|projects/[^/]+\.json)", re.IGNORECASE)
_UUID: Final = re.compile(rb'"file_uuid"\s*:\s*"([^"\\]{8,64})"')
_NOTHING: Final = frozenset({"token_budget", "flag", "starting"})
"""Blocks that steer the program and say nothing."""


class ClaudeExport(Export):
    """The adapter for claude.ai's exports."""

    source_id = "claude_export"
    display_name = "Claude Export"
    version = "1"
    expected = "claude.ai's export: the zip, the folder it was unpacked to, or its conversations.json"
    parts = "chat_messages"
    keys = ("uuid", "name", "chat_messages", "created_at")

    def __init__(self) -> None:
        super().__init__()
        self._projects: dict[str, str] = {}

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Reads the names of projects."""
        for entry in entries:
            if _PROJECTS.fullmatch(entry.name):
                self._projects.update(_project_names(entry))

    def conversation_of(self, value: Json) -> Object | None:
        return value if isinstance(value, dict) and isinstance(value.get("chat_messages"), list) else None

    def native_id(self, conversation: Object) -> str | None:
        return text_of(conversation.get("uuid"))

    def updated_at(self, conversation: Object) -> datetime | None:
        return moment_of(conversation.get("updated_at"))

    def file_ids(self, raw: bytes) -> Iterable[str]:
        return (match.decode(errors="replace") for match in _UUID.findall(raw))

    def describe(self, conversation: Object) -> tuple[str | None, str | None, Object]:
        project = object_of(conversation.get("project"))
        uuid = first_text(conversation.get("project_uuid"), project.get("uuid"))
        name = first_text(project.get("name"), self._projects.get(uuid or ""))
        title = titles.first_line(text_of(conversation.get("name")) or "") or _title_of_prompts(conversation)
        metadata = without_nothing(
            {
                "message_count": len(objects_of(conversation.get("chat_messages"))),
                "project_uuid": uuid,
                "summary": conversation.get("summary"),
                "model": conversation.get("model"),
            }
        )
        return title, name, metadata

    def messages(self, conversation: Object, reading: Reading) -> Iterator[MessageRecord | PassedOver]:
        messages = {
            text_of(message.get("uuid")) or f"#{n}": message
            for n, message in enumerate(objects_of(conversation.get("chat_messages")))
        }
        parents = _parents(messages)
        leaf = text_of(conversation.get("current_leaf_message_uuid"))
        is_branching = len(set(parents.values())) < len(parents)
        documents: dict[str, Object] = {}
        for name in in_line(parents, leaf if leaf in parents and is_branching else next(reversed(parents), None)):
            message = _message(messages[name], name, parents[name], reading=reading)
            message = message and _with_documents(message, documents)
            model = text_of(conversation.get("model")) if message and message.role == "assistant" else None
            yield PassedOver(name, parents[name]) if message is None else replace(message, model=message.model or model)


def _parents(messages: dict[str, Object]) -> dict[str, str | None]:
    """By id: the message before, which older exports don't name; there, messages stand in order."""
    parents: dict[str, str | None] = {}
    before: str | None = None
    for name, message in messages.items():
        named = text_of(message.get("parent_message_uuid"))
        parents[name] = before if named is None else None if named == _ROOT else named
        before = name
    return parents


def _message(message: Object, name: str, parent: str | None, *, reading: Reading) -> MessageRecord | None:
    blocks = _blocks(message, name, reading)
    attachments = tuple(_files(message, reading))
    if not blocks and not attachments:
        return None
    created_at = checked_moment(message, "created_at", reading.reasons)
    reading.span(created_at)
    sender = text_of(message.get("sender"))
    return MessageRecord(
        role="user" if sender in ("human", "user", None) else "assistant",
        blocks=tuple(blocks),
        native_id=name,
        parent_native_id=parent,
        model=text_of(message.get("model")),
        created_at=created_at,
        metadata=without_nothing({"sender": sender, "stop_reason": message.get("stop_reason")}),
        attachments=attachments,
    )


# ------------------------------------------------------------------------------------------------------------ blocks


def _blocks(message: Object, name: str, reading: Reading) -> list[BlockRecord]:
    content = message.get("content")
    said = _paired(
        [_block(item, reading) for item in content if not _is_nothing(item)] if isinstance(content, list) else [], name
    )
    if not any(block.text or block.kind != "text" or block.payload for block in said):
        # Old exports have the text only beside an empty content.
        whole = text_of(message.get("text"))
        said = [BlockRecord("text", whole)] if whole else []
    named = (*objects_of(message.get("attachments")), *objects_of(message.get("files")))
    return said + [_attachment_block(item) for item in named]


def _is_nothing(item: Json) -> bool:
    return isinstance(item, dict) and text_of(item.get("type")) in _NOTHING


def _block(item: Json, reading: Reading) -> BlockRecord:
    match item:
        case {"type": "text", "text": str(text), "citations": list(citations)} if citations:
            return BlockRecord("text", cite(text, _citations(objects_of(citations))), payload={"citations": citations})
        case {"type": "voice_note", "text": str(text)}:
            return BlockRecord("text", text, payload={"voice_note": object_of(item)})
        case {"type": "tool_result"} if object_of(item).get("content") in (None, [], ""):
            result = object_of(item)
            told = first_text(result.get("message"), result.get("text"))
            return replace(_plain(item, reading), text=told, tool_name=text_of(result.get("name")))
        case {"type": "tool_result"}:
            return replace(_plain(item, reading), tool_name=text_of(object_of(item).get("name")))
        case _:
            return _plain(item, reading)


def _plain(item: Json, reading: Reading) -> BlockRecord:
    (block,), _ = read_blocks([item], reading.reasons)
    return block


def _citations(citations: Sequence[Object]) -> Iterator[Citation]:
    for citation in citations:
        details = object_of(citation.get("details"))
        url = first_text(citation.get("url"), details.get("url"))
        end = number_of(citation.get("end_index"))
        if url is not None and end is not None:
            yield Citation(end, url, first_text(citation.get("title"), details.get("title")) or "")


def _paired(blocks: Sequence[BlockRecord], name: str) -> list[BlockRecord]:
    """Calls without an id get one, and a result that names no call that of the last open call before it."""
    paired: list[BlockRecord] = []
    waiting: list[BlockRecord] = []
    for number, block in enumerate(blocks):
        if block.kind == "tool_use":
            block = replace(block, tool_use_id=block.tool_use_id or f"{name}-{number}")
            waiting.append(block)
        elif block.kind == "tool_result":
            call = _call_of(block, waiting)
            if call is not None:
                waiting.remove(call)
                block = replace(block, tool_use_id=call.tool_use_id)
        paired.append(replace(block, tool_name=None) if block.kind == "tool_result" else block)
    return paired


def _call_of(result: BlockRecord, waiting: Sequence[BlockRecord]) -> BlockRecord | None:
    latest = list(reversed(waiting))
    if result.tool_use_id is not None:
        return next((call for call in latest if call.tool_use_id == result.tool_use_id), None)
    return next((call for call in latest if call.tool_name == result.tool_name), next(iter(latest), None))


def _with_documents(message: MessageRecord, known: dict[str, Object]) -> MessageRecord:
    """The message with what later versions of an artifact leave out: its kind, language and title."""
    blocks = []
    for block in message.blocks:
        given = object_of((block.payload or {}).get("input"))
        name = text_of(given.get("id"))
        if block.kind == "tool_use" and block.tool_name == "artifacts" and name:
            given = {**known.get(name, {}), **without_nothing(given)}
            known[name] = {key: given[key] for key in ("type", "language", "title") if key in given}
            block = replace(block, payload={"input": given})
        blocks.append(block)
    return replace(message, blocks=tuple(blocks))


# ------------------------------------------------------------------------------------------------------------- files


def _attachment_block(item: Object) -> BlockRecord:
    name = text_of(item.get("file_name"))
    kept = ("file_name", "file_size", "file_type", "extracted_content", "file_uuid", "file_kind")
    return BlockRecord("attachment", name, payload=without_nothing({key: item.get(key) for key in kept}))


def _files(message: Object, reading: Reading) -> Iterator[AttachmentRecord]:
    """The files of a message: their bytes are in the export, or nowhere. An attachment's text travels in its block."""
    for item in objects_of(message.get("files")):
        name, uuid = text_of(item.get("file_name")), text_of(item.get("file_uuid"))
        entry = reading.files.by_id(uuid) if uuid else None
        yield replace(
            reading.attachment(entry or (reading.files.by_name(name) if name else None), name=name), filename=name
        )


def _project_names(entry: Entry) -> Iterator[tuple[str, str]]:
    try:
        with entry.open() as stream:
            for element in split_array(stream, is_element=lambda value: isinstance(value, dict), keys=("uuid", "name")):
                project = object_of(element.value)
                uuid, name = text_of(project.get("uuid")), text_of(project.get("name"))
                if uuid and name:
                    yield uuid, name
    except OSError as error:
        raise IngestError(f"{entry.location} can't be read: {error.strerror or error}.") from error


def _title_of_prompts(conversation: Object) -> str | None:
    for message in objects_of(conversation.get("chat_messages")):
        if message.get("sender") == "human":
            said = (text_of(part.get("text")) for part in objects_of(message.get("content")))
            text = first_text(*said, message.get("text"))
            if title := titles.prompt_line(text or ""):
                return title
    return None
