"""Codex: one JSON Lines file a session, `rollout-<time>-<id>.jsonl`, in its form of today or in that of spring 2025.

Today's sessions say most things twice, as an item of the conversation and as an event for the screen: here once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sitegen.ingest.codex_items import ITEM_TYPES, Item, images_of_event, read_item, thoughts_of
from sitegen.ingest.echoes import Echoes
from sitegen.ingest.fields import Object, checked_moment, number_of, object_of, text_of, without_nothing
from sitegen.ingest.lines import Line, LineReader, compare_file, kind_of
from sitegen.ingest.records import (
    BlockRecord,
    Change,
    ConversationRecord,
    Handle,
    LineProblem,
    MessageRecord,
    RawEvent,
    Record,
    Stored,
)
from sitegen.ingest.session_files import find_files, handle_of, path_of, shown
from sitegen.wording import titles

if TYPE_CHECKING:
    from sitegen.model import JsonObject

_FOLDERS: Final = ("sessions", "archived_sessions")
_PREFIX: Final = "rollout-"
_UUID_PARTS: Final = 5
_NOTES: Final = ("<turn_aborted>", "<user_shell_command>")
"""What Codex writes as if the user had said it, and what is worth a note in its place."""


class Codex:
    """The adapter for Codex's sessions."""

    source_id = "codex_cli"
    display_name = "Codex CLI"
    version = "1"

    def discover(self, location: str) -> Iterable[Handle]:
        """The sessions at a file or anywhere below a folder."""
        files = find_files(
            location,
            _session_files,
            expected="rollout-….jsonl in it or below",
            named="a session (rollout-….jsonl) or ~/.codex/sessions",
        )
        return [
            handle_of(file, native_id=_session_id(shown(file.stem)), qualifier=shown(file.parent.name))
            for file in files
        ]

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """By the file's bytes. What a later line repeats can change what an earlier one is, so all is read again."""
        change = compare_file(path_of(handle), stored)
        return Change.CHANGED if change is Change.APPENDED else change

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one session file, line by line."""
        session = _Session(handle)
        reader = LineReader(path_of(handle))
        for line in reader:
            yield from session.read(line)
        yield from session.conclude(reader)


# ------------------------------------------------------------------------------------------------------- where they are


def _session_files(path: Path) -> set[Path]:
    if path.is_file():
        return {path}
    roots = [path / name for name in _FOLDERS if path.name == ".codex" and (path / name).is_dir()] or [path]
    return {file for root in roots for file in root.rglob(f"{_PREFIX}*.jsonl") if file.is_file()}


def _session_id(stem: str) -> str:
    """The id at the end of a session's name; the whole of a name that isn't made like one."""
    if not stem.startswith(_PREFIX):
        return stem
    return "-".join(stem.removeprefix(_PREFIX).split("-")[-_UUID_PARTS:])


# ---------------------------------------------------------------------------------------------------- what they hold


class _Session:
    """Reads the records of one file in order and gathers what belongs to the whole."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._prompts, self._answers, self._thoughts = Echoes(), Echoes(), Echoes()
        self._meta: Object = {}
        self._cwd: str | None = None
        self._model: str | None = None
        self._name: str | None = None
        self._title: str | None = None
        self._usage: Object = {}
        self._is_abort_told = False
        self._at: datetime | None = None
        self._first: datetime | None = None
        self._last: datetime | None = None

    def read(self, line: Line) -> Iterator[Record]:
        """The records that one line gives: its raw event, and the messages that are complete with it."""
        yield RawEvent(line.number, line.payload)
        reasons = [line.problem] if line.problem else []
        if line.record is not None:
            yield from self._understand(line.record, reasons)
        if reasons:
            is_kept = line.record is not None and reasons == [line.problem]
            yield LineProblem(self._handle.location, line.number, "; ".join(reasons), is_kept)

    def conclude(self, reader: LineReader) -> Iterator[Record]:
        """The messages still kept back, and what is known of the session now that its last line is read."""
        yield from self._release_all()
        yield ConversationRecord(
            content_hash=reader.content_hash,
            source_bytes=reader.bytes_read,
            source_lines=reader.line_count,
            event_count=reader.record_count,
            title=self._name or self._title,
            project=self._cwd,
            started_at=self._first,
            ended_at=self._last,
            metadata=self._metadata(),
        )

    def _understand(self, record: Object, reasons: list[str]) -> Iterator[MessageRecord]:
        kind, payload = _envelope(record, reasons)
        self._at = checked_moment(record, "timestamp", reasons)
        if self._at is not None:
            self._first = min(self._first or self._at, self._at)
            self._last = max(self._last or self._at, self._at)
        match kind:
            case "session_meta" | "turn_context":
                self._note_context(kind, payload)
            case "response_item":
                yield from self._item(payload, reasons)
            case "event_msg":
                yield from self._event(payload)
            case "compacted":
                yield from self._release_all()
                summary = text_of(payload.get("message"))
                subtype = "compaction" if summary else "compact_boundary"
                yield self._message(
                    "system", (BlockRecord("text", summary or "Context compacted"),), metadata={"subtype": subtype}
                )

    # ------------------------------------------------------------------------------------------ items and events

    def _item(self, payload: Object, reasons: list[str]) -> Iterator[MessageRecord]:
        item = read_item(payload, reasons)
        if item is None:
            return
        if item.role == "user":
            yield from self._user_item(item)
            return
        yield from self._prompts.release()
        if payload.get("type") == "message":
            if not self._answers.is_new_item(item.text):
                return
        elif payload.get("type") == "reasoning":
            heard = [self._thoughts.is_new_item(text) for text in thoughts_of(payload)]
            if heard and not any(heard):
                return
        yield self._message(
            item.role, item.blocks, native_id=item.native_id, metadata=without_nothing({"phase": payload.get("phase")})
        )

    def _user_item(self, item: Item) -> Iterator[MessageRecord]:
        if item.text.lstrip().startswith(_NOTES):
            self._is_abort_told = self._is_abort_told or "<turn_aborted>" in item.text
            yield self._message("system", item.blocks, native_id=item.native_id)
            return
        if self._prompts.is_new_item(item.text):
            yield from self._answers.release()
            yield self._prompt(item.text, item.blocks, native_id=item.native_id)

    def _event(self, event: Object) -> Iterator[MessageRecord]:
        text = text_of(event.get("message")) or ""
        match event.get("type"):
            case "user_message":
                yield from self._release_all()
                blocks = ((BlockRecord("text", text),) if text.strip() else ()) + tuple(images_of_event(event))
                if blocks:
                    self._prompts.hear(text, self._prompt(text, blocks))
            case "agent_message":
                yield from self._prompts.release()
                self._answers.hear(text, self._message("assistant", (BlockRecord("text", text),)))
            case "agent_reasoning":
                yield from self._prompts.release()
                thought = text_of(event.get("text")) or ""
                self._thoughts.hear(thought, self._message("assistant", (BlockRecord("thinking", thought),)))
            case "turn_aborted" if not self._is_abort_told:
                yield from self._release_all()
                yield self._message("system", (BlockRecord("text", "<turn_aborted></turn_aborted>"),))
            case "error" if text:
                yield from self._release_all()
                yield self._message("system", (BlockRecord("text", text),), metadata={"subtype": "api_error"})
            case "task_complete" | "turn_complete":
                yield from self._release_all()
            case "token_count":
                self._usage = object_of(object_of(event.get("info")).get("total_token_usage")) or self._usage
            case "thread_name_updated":
                self._name = titles.first_line(text_of(event.get("thread_name")) or "") or self._name

    def _release_all(self) -> Iterator[MessageRecord]:
        for channel in (self._prompts, self._thoughts, self._answers):
            yield from channel.release()

    def _prompt(self, text: str, blocks: tuple[BlockRecord, ...], native_id: str | None = None) -> MessageRecord:
        title = titles.prompt_line(text)
        self._title = self._title or title
        has_images = any(block.kind == "image" for block in blocks)
        self._is_abort_told = False
        mark = "is_prompt" if title or has_images else "is_meta"
        return self._message("user", blocks, native_id=native_id, metadata={mark: True})

    def _message(
        self,
        role: str,
        blocks: tuple[BlockRecord, ...],
        *,
        native_id: str | None = None,
        metadata: JsonObject | None = None,
    ) -> MessageRecord:
        return MessageRecord(
            role=role,  # type: ignore[arg-type]  # only roles are given
            blocks=blocks,
            native_id=native_id,
            model=self._model if role == "assistant" else None,
            created_at=self._at,
            metadata=metadata or {},
        )

    # -------------------------------------------------------------------------------------------------- the whole

    def _note_context(self, kind: str, payload: Object) -> None:
        self._cwd = self._cwd or text_of(payload.get("cwd"))
        if kind == "turn_context":
            self._model = text_of(payload.get("model")) or self._model
        elif not self._meta:
            self._meta = payload

    def _metadata(self) -> Object:
        git, spawn = object_of(self._meta.get("git")), _spawn(self._meta)
        parent = text_of(spawn.get("parent_thread_id"))
        subagent: Object = {"subagent": True, "agent_id": self._handle.native_id, "parent_native_id": parent}
        return without_nothing(
            {
                "git_branch": git.get("branch"),
                "git_commit": git.get("commit_hash"),
                "cli_version": self._meta.get("cli_version"),
                "originator": self._meta.get("originator"),
                "forked_from": self._meta.get("forked_from_id"),
                "usage": {key: count for key, value in self._usage.items() if (count := number_of(value)) is not None},
                **(subagent if parent else {}),
            }
        )


def _envelope(record: Object, reasons: list[str]) -> tuple[str | None, Object]:
    """What a record is and what it says. Before summer 2025 an item was a record, and the first one the header."""
    kind, payload = text_of(record.get("type")), record.get("payload")
    if isinstance(payload, dict):
        return kind, payload
    if payload is not None:
        reasons.append(f"its payload is {kind_of(payload)} where an object was expected")
        return None, {}
    if kind in ITEM_TYPES:
        return "response_item", record
    return ("session_meta", record) if kind is None and "id" in record else (None, {})


def _spawn(meta: Object) -> Object:
    """What the header of a subagent's session says of who started it."""
    source = object_of(object_of(meta.get("source")).get("subagent"))
    return object_of(source.get("thread_spawn"))
