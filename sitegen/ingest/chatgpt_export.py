"""ChatGPT's export: `conversations.json` (one file or numbered ones) with a tree of messages a conversation, and files.

Knows the tree, who calls which tool and whose result is whose; what a message holds is `chatgpt_blocks`'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from sitegen.ingest.chatgpt_blocks import Content, call_input, read_content
from sitegen.ingest.chatgpt_results import is_drawn, joined, research_report, result_block
from sitegen.ingest.exports import Export, Reading
from sitegen.ingest.fields import (
    Object,
    checked_moment,
    first_text,
    moment_of,
    object_of,
    text_of,
    texts_of,
    without_nothing,
)
from sitegen.ingest.lines import kind_of
from sitegen.ingest.records import BlockRecord, MessageRecord, PassedOver
from sitegen.ingest.trees import in_line
from sitegen.wording import titles

if TYPE_CHECKING:
    from sitegen.model import Json, Role

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_CONTEXTS: Final = frozenset({"user_editable_context", "model_editable_context"})
_EVERYONE: Final = frozenset({"all", "assistant", "user", ""})
_FILE_ID: Final = re.compile(rb"file[-_][A-Za-z0-9]{8,}")
_UNTITLED: Final = frozenset({"New chat", "New conversation", "Untitled"})
_PAINTER: Final = "image_gen"
"""What image generation is called here, whatever passing name it goes by in an export."""


class ChatGPTExport(Export):
    """The adapter for ChatGPT's exports."""

    source_id = "chatgpt_export"
    display_name = "ChatGPT Export"
    version = "2"
    expected = (
        "ChatGPT's export: the zip, the folder it was unpacked to, a conversations.json or one conversation's JSON"
    )
    parts = "mapping"
    keys = ("title", "id", "conversation_id", "create_time", "mapping")

    def conversation_of(self, value: Json) -> Object | None:
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("mapping"), dict):
            return value
        inner = object_of(value.get("conversation"))
        return (
            {"conversation_id": value.get("conversation_id"), **inner}
            if isinstance(inner.get("mapping"), dict)
            else None
        )

    def native_id(self, conversation: Object) -> str | None:
        return first_text(conversation.get("conversation_id"), conversation.get("id"))

    def updated_at(self, conversation: Object) -> datetime | None:
        return moment_of(conversation.get("update_time"))

    def file_ids(self, raw: bytes) -> Iterable[str]:
        return (match.decode() for match in _FILE_ID.findall(raw))

    def describe(self, conversation: Object) -> tuple[str | None, str | None, Object]:
        title = titles.first_line(text_of(conversation.get("title")) or "")
        if title is None or title in _UNTITLED:
            title = _title_of_prompts(conversation) or title
        gizmo = object_of(conversation.get("gizmo"))
        name = first_text(object_of(gizmo.get("display")).get("name"), conversation.get("gizmo_name"))
        project = first_text(conversation.get("project_name"), conversation.get("_project_name"))
        kept = ("gizmo_id", "gizmo_type", "conversation_origin", "voice", "default_model_slug", "is_archived")
        metadata = without_nothing({"persona": name, **{key: conversation.get(key) for key in kept}})
        return title, project, {key: value for key, value in metadata.items() if value is not False}

    def messages(self, conversation: Object, reading: Reading) -> Iterator[MessageRecord | PassedOver]:
        nodes = _nodes(object_of(conversation.get("mapping")), reading.reasons)
        thread = _Thread(nodes, reading)
        leaf = text_of(conversation.get("current_node"))
        for name in in_line(thread.parents, leaf if leaf in nodes else next(reversed(nodes), None)):
            thread.take(name)
        yield from thread.records()


def _nodes(mapping: Object, reasons: list[str]) -> dict[str, Object]:
    """The nodes by id, children in the order that their parents have them in."""
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    for wrong in (node for node in mapping.values() if not isinstance(node, dict)):
        reasons.append(f"a node of its tree is {kind_of(wrong)} where an object was expected")
    listed = [child for node in nodes.values() for child in texts_of(node.get("children")) if child in nodes]
    return {name: nodes[name] for name in dict.fromkeys([*listed, *nodes])}


def _parents(nodes: Mapping[str, Object]) -> dict[str, str | None]:
    by_children = {child: name for name, node in nodes.items() for child in texts_of(node.get("children"))}
    return {name: text_of(node.get("parent")) or by_children.get(name) for name, node in nodes.items()}


class _Call(Struct):
    """A call: which tool, where its first result stands, and whether the tool makes images."""

    tool: str
    first_result: str | None = None
    is_painting: bool = False

    @property
    def shows_pictures(self) -> bool:
        """Whether its images are shown to the user as they come."""
        return self.is_painting or self.tool == "python"

    def is_answered_by(self, tool: str) -> bool:
        """Whether a tool of this name answers it: the same, or a part of it."""
        return tool == self.tool or self.tool.startswith(f"{tool}.") or tool.startswith(f"{self.tool}.")


class _Thread:
    """The messages of one conversation under work, by the ids of their nodes."""

    def __init__(self, nodes: Mapping[str, Object], reading: Reading) -> None:
        self.parents = _parents(nodes)
        self._nodes = nodes
        self._reading = reading
        self._records: dict[str, list[MessageRecord | PassedOver]] = {}
        self._calls: dict[str, _Call] = {}
        self._shown_after: dict[str, str] = {}
        """By node: the message with its pictures or its report, which stands between it and what follows."""

    def records(self) -> Iterator[MessageRecord | PassedOver]:
        """All that was taken, in the order in which it was."""
        for record in (record for found in self._records.values() for record in found):
            picture = self._shown_after.get(record.parent_native_id or "")
            is_after = picture is not None and record.native_id != picture
            yield replace(record, parent_native_id=picture) if is_after else record

    def take(self, name: str) -> None:
        """Takes a node, after its parent."""
        message = object_of(self._nodes[name].get("message"))
        found: list[MessageRecord | PassedOver] = []
        if not _is_hidden(message):
            found = self._read(name, message)
        self._records[name] = found or [PassedOver(name, self.parents[name])]

    def _read(self, name: str, message: Object) -> list[MessageRecord | PassedOver]:
        content = read_content(message, self._reading)
        role = _role(message)
        if role == "tool":
            return self._result(name, message, content)
        recipient = text_of(message.get("recipient")) or "all"
        if role == "assistant" and recipient not in _EVERYONE:
            self._calls[name] = _Call(recipient, is_painting=recipient.startswith((_PAINTER, "dalle")))
            block = BlockRecord(
                "tool_use",
                tool_name=recipient,
                tool_use_id=name,
                payload={"input": call_input(content, message)},
            )
            return [self._message(name, message, content, (block,))]
        blocks = tuple(content.blocks())
        return [self._message(name, message, content, blocks)] if blocks or content.attachments else []

    def _message(self, name: str, message: Object, content: Content, blocks: tuple[BlockRecord, ...]) -> MessageRecord:
        metadata = object_of(message.get("metadata"))
        created_at = checked_moment(message, "create_time", self._reading.reasons)
        self._reading.span(created_at)
        role = _role(message)
        return MessageRecord(
            role=role,
            blocks=blocks,
            native_id=name,
            parent_native_id=self.parents[name],
            model=text_of(metadata.get("model_slug")) if role == "assistant" else None,
            created_at=created_at,
            metadata={**without_nothing({"gizmo_id": metadata.get("gizmo_id")}), **content.metadata},
            attachments=tuple(content.attachments),
        )

    # ------------------------------------------------------------------------------------------------------ results

    def _result(self, name: str, message: Object, content: Content) -> list[MessageRecord | PassedOver]:
        call = self._call_of(name, text_of(object_of(message.get("author")).get("name")) or "")
        self._tell_call(call, message, content)
        made = self._calls.get(call or "")
        answer = self._picture(name, message, content) if made and made.shows_pictures and content.images else []
        if answer:
            content = replace(content, images=[], attachments=[])
        if made and made.first_result and self._goes_on(name, made.first_result):
            self._merge(made.first_result, content)
            return [PassedOver(name, self.parents[name]), *answer]
        if made:
            made.first_result = made.first_result or name
        result = self._message(name, message, content, (result_block(content, call),))
        report = list(research_report(message, name))
        self._shown_after.update((name, record.native_id) for record in report if record.native_id)
        return [result, *answer, *report]

    def _picture(self, name: str, message: Object, content: Content) -> list[MessageRecord | PassedOver]:
        """What someone had drawn or plotted is what they are answered with, not what a tool printed."""
        self._shown_after[name] = f"{name}-image"
        shown = self._message(name, message, content, tuple(content.images))
        return [replace(shown, role="assistant", native_id=self._shown_after[name], parent_native_id=name)]

    def _call_of(self, name: str, tool: str) -> str | None:
        """The nearest call above that this tool answers; the nearest open one when none has its name."""
        nearest: str | None = None
        for above in self._above(name):
            if above in self._calls:
                if self._calls[above].is_answered_by(tool):
                    return above
                nearest = nearest or (None if self._calls[above].first_result else above)
            elif _role(object_of(self._nodes[above].get("message"))) == "user":
                break
        return nearest

    def _above(self, name: str) -> Iterator[str]:
        seen = {name}
        above = self.parents[name]
        while above is not None and above in self._nodes and above not in seen:
            yield above
            seen.add(above)
            above = self.parents[above]

    def _goes_on(self, name: str, first: str) -> bool:
        """Whether only passed-over nodes without siblings stand between a call's first result and this one."""
        for above in self._above(name):
            if len(texts_of(self._nodes[above].get("children"))) > 1:
                return False
            if above == first:
                return True
            if any(isinstance(record, MessageRecord) for record in self._records.get(above, ())):
                return False
        return False

    def _merge(self, first: str, content: Content) -> None:
        record = self._records[first][0]
        if isinstance(record, MessageRecord):
            block = result_block(content, record.blocks[0].tool_use_id)
            merged = replace(record, blocks=(joined(record.blocks[0], block),))
            merged = replace(merged, attachments=(*record.attachments, *content.attachments))
            self._records[first][0] = merged

    def _tell_call(self, call: str | None, message: Object, content: Content) -> None:
        """What only its result says of a call: that it draws, with what prompt; which document it changes."""
        if call is None or not isinstance(record := self._records[call][0], MessageRecord):
            return
        block = record.blocks[0]
        name, given = block.tool_name or "", dict(object_of((block.payload or {}).get("input")))
        metadata = object_of(message.get("metadata"))
        if is_drawn(message) and not name.startswith("dalle"):
            name, self._calls[call].is_painting = _PAINTER, True
            prompt = next((alt for image in content.images if (alt := (image.payload or {}).get("alt"))), None)
            given = {**without_nothing({"prompt": prompt}), **given}
        canvas = object_of(metadata.get("canvas"))
        given = {**without_nothing({key: canvas.get(key) for key in ("title", "textdoc_id")}), **given}
        told = replace(block, tool_name=name, payload={"input": given})
        self._records[call][0] = replace(record, blocks=(told,))


def _is_hidden(message: Object) -> bool:
    """Whether ChatGPT doesn't show it: its own instructions, those of the user, what was asked on their behalf."""
    metadata, content = object_of(message.get("metadata")), object_of(message.get("content"))
    return (
        not message
        or object_of(message.get("author")).get("role") not in _ROLES
        or metadata.get("is_visually_hidden_from_conversation") is True
        or metadata.get("is_user_system_message") is True
        or content.get("content_type") in _CONTEXTS
    )


def _role(message: Object) -> Role:
    return _ROLES.get(str(object_of(message.get("author")).get("role")), "system")


def _title_of_prompts(conversation: Object) -> str | None:
    for node in object_of(conversation.get("mapping")).values():
        message = object_of(object_of(node).get("message"))
        if _role(message) == "user" and not _is_hidden(message):
            for text in texts_of(object_of(message.get("content")).get("parts")):
                if title := titles.prompt_line(text):
                    return title
    return None
