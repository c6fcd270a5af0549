"""Claude Code: one JSON Lines file a session, its subagents' in files of their own beside or below it.

Knows where sessions stand and what their records mean; leaves damaged lines to `lines` and rows to the writer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from sitegen.ingest.claude_blocks import read_blocks
from sitegen.ingest.fields import checked_moment, checked_text, text_of
from sitegen.ingest.lines import Line, LineReader, compare_file, kind_of
from sitegen.ingest.records import (
    Change,
    ConversationRecord,
    Handle,
    LineProblem,
    MessageRecord,
    PassedOver,
    RawEvent,
    Record,
    Stored,
)
from sitegen.ingest.session_files import find_files, handle_of, path_of, shown
from sitegen.wording import titles

if TYPE_CHECKING:
    from sitegen.model import Json, JsonObject, Role

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_SUBAGENTS: Final = "subagents"
_AGENT_PREFIX: Final = "agent-"


class ClaudeCode:
    """The adapter for Claude Code's sessions."""

    source_id = "claude_code"
    display_name = "Claude Code"
    version = "2"

    def discover(self, location: str) -> Iterable[Handle]:
        """The sessions at a file, a project's folder or the folder of all projects, with their subagents."""
        files = find_files(
            location,
            _session_files,
            expected="SESSION.jsonl or PROJECT/SESSION.jsonl in it",
            named="a session (.jsonl), a project's folder or ~/.claude/projects",
        )
        return [_handle(file) for file in files]

    def compare(self, handle: Handle, stored: Stored) -> Change:
        """By the file's bytes."""
        return compare_file(path_of(handle), stored)

    def parse(self, handle: Handle) -> Iterator[Record]:
        """The records of one session file, line by line."""
        session = _Session(handle)
        reader = LineReader(path_of(handle))
        for line in reader:
            yield from session.read(line)
        yield session.conclude(reader)


# ------------------------------------------------------------------------------------------------------- where they are


def _session_files(path: Path) -> set[Path]:
    if path.is_file():
        return {path, *(path.with_suffix("") / _SUBAGENTS).rglob("*.jsonl")}
    if path.name == ".claude" and (path / "projects").is_dir():
        path = path / "projects"
    patterns = ("*.jsonl", "*/*.jsonl", f"*/{_SUBAGENTS}/**/*.jsonl", f"*/*/{_SUBAGENTS}/**/*.jsonl")
    return {file for pattern in patterns for file in path.glob(pattern) if file.is_file()}


def _handle(file: Path) -> Handle:
    parent = _parent_session(file)
    return handle_of(file, native_id=shown(file.stem), qualifier=shown(parent.name if parent else file.parent.name))


def _parent_session(file: Path) -> Path | None:
    """The folder `<session>` of `<session>/subagents/**/agent-x.jsonl`; None for any other file."""
    if _SUBAGENTS not in file.parts[:-1]:
        return None
    return [folder for folder in file.parents if folder.name == _SUBAGENTS][-1].parent


def _decode_folder(name: str) -> str:
    """The path a project's folder is named for, as well as it can be told: `-` stands there for `/`, `.` and `_`."""
    return "/" + name[1:].replace("-", "/") if name.startswith("-") else name


# ---------------------------------------------------------------------------------------------------- what they hold


class _Titles(Struct):
    """The names a session could go by, best first; the last one given wins where its program or owner may rename."""

    custom: str | None = None
    ai: str | None = None
    summaries: dict[str, str] = field(default_factory=dict)
    """By the uuid of the last record of the session they are about, which needn't be this one."""
    prompt: str | None = None
    sidechain_prompt: str | None = None
    command: str | None = None

    def best(self, uuids: set[str]) -> str | None:
        own = [title for leaf, title in self.summaries.items() if leaf in uuids]
        ranked = (self.custom, self.ai, own[-1] if own else None, self.prompt, self.sidechain_prompt, self.command)
        return next((title for title in ranked if title), None)

    def note(self, record: JsonObject) -> None:
        """Takes the title that a record of its own kind gives."""
        match record:
            case {"type": "custom-title", "customTitle": str(title)}:
                self.custom = titles.first_line(title)
            case {"type": "ai-title", "aiTitle": str(title)}:
                self.ai = titles.first_line(title)
            case {"type": "summary", "summary": str(title), "leafUuid": str(leaf)}:
                if line := titles.first_line(title):
                    self.summaries[leaf] = line

    def note_prompt(self, record: JsonObject, message: MessageRecord) -> None:
        """Takes a title from the first message that a person wrote."""
        if self.prompt or record.get("isMeta") or record.get("isCompactSummary"):
            return
        for block in message.blocks:
            if block.kind != "text" or not block.text:
                continue
            self.command = self.command or titles.command_line(block.text)
            if title := titles.prompt_line(block.text):
                if record.get("isSidechain"):
                    self.sidechain_prompt = self.sidechain_prompt or title
                else:
                    self.prompt = title
                return


class _Session:
    """Reads the records of one file in order and gathers what belongs to the whole."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._titles = _Titles()
        self._uuids: set[str] = set()
        self._cwd: str | None = None
        self._session_id: str | None = None
        self._first: datetime | None = None
        self._last: datetime | None = None

    def read(self, line: Line) -> Iterator[Record]:
        """The records that one line gives: its raw event, and a message or what stands in its place."""
        yield RawEvent(line.number, line.payload, None if line.problem else line.record)
        reasons = [line.problem] if line.problem else []
        message = self._understand(line.record, reasons) if line.record is not None else None
        if message is not None:
            yield message
        if reasons:
            is_kept = isinstance(message, MessageRecord) or (line.record is not None and reasons == [line.problem])
            yield LineProblem(self._handle.location, line.number, "; ".join(reasons), is_kept)

    def conclude(self, reader: LineReader) -> ConversationRecord:
        """What is known of the session now that its last line is read."""
        return ConversationRecord(
            content_hash=reader.content_hash,
            source_bytes=reader.bytes_read,
            source_lines=reader.line_count,
            event_count=reader.record_count,
            title=self._titles.best(self._uuids),
            project=self._cwd or self._project_of_folder(),
            started_at=self._first,
            ended_at=self._last,
            metadata=self._subagent_metadata(),
        )

    def _understand(self, record: dict[str, Json], reasons: list[str]) -> MessageRecord | PassedOver | None:
        self._cwd = self._cwd or text_of(record.get("cwd"))
        self._session_id = self._session_id or text_of(record.get("sessionId"))
        self._titles.note(record)
        native_id, parent = text_of(record.get("uuid")), _parent_id(record)
        if native_id:
            self._uuids.add(native_id)
        message = self._message(record, reasons, parent)
        if message is None:
            return PassedOver(native_id, parent) if native_id else None
        self._span(message.created_at)
        if message.role == "user":
            self._titles.note_prompt(record, message)
        return message

    def _message(self, record: dict[str, Json], reasons: list[str], parent: str | None) -> MessageRecord | None:
        kind = record.get("type")
        role = _ROLES.get(kind) if isinstance(kind, str) else None
        if role is None:
            return None
        body = record.get("message")
        if not isinstance(body, dict):
            if body is not None:
                reasons.append(f"its message is {kind_of(body)} where an object was expected")
            return None
        blocks, attachments = read_blocks(body.get("content"), reasons)
        if not blocks:
            return None
        return MessageRecord(
            role=role,
            blocks=blocks,
            native_id=checked_text(record, "uuid", reasons),
            parent_native_id=parent,
            model=checked_text(body, "model", reasons),
            created_at=checked_moment(record, "timestamp", reasons),
            metadata={"request_id": text_of(record.get("requestId")), "cwd": text_of(record.get("cwd"))},
            attachments=attachments,
        )

    def _span(self, at: datetime | None) -> None:
        if at is not None:
            self._first = min(self._first or at, at)
            self._last = max(self._last or at, at)

    def _project_of_folder(self) -> str | None:
        file = path_of(self._handle)
        parent = _parent_session(file)
        name = shown(parent.parent.name if parent else file.parent.name)
        return _decode_folder(name) or None

    def _subagent_metadata(self) -> JsonObject:
        parent = _parent_session(path_of(self._handle))
        if parent is None and not self._handle.native_id.startswith(_AGENT_PREFIX):
            return {}
        # Older versions put a subagent's file beside its session's: only its records tell whose it is.
        parent_id = shown(parent.name) if parent else self._session_id
        agent_id = self._handle.native_id.removeprefix(_AGENT_PREFIX)
        return {"subagent": True, "agent_id": agent_id, "parent_native_id": parent_id}


def _parent_id(record: JsonObject) -> str | None:
    """What a record follows. The notice of a compaction starts anew and tells only so what it follows in truth."""
    return text_of(record.get("parentUuid")) or text_of(record.get("logicalParentUuid"))
