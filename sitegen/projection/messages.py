"""Makes conversations of rows: stable message ids, parents by those ids, forks, and what raw records add."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, cast, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.model import Conversation, ConversationHead, Fork, Message, Role, Usage
from sitegen.picked import SOURCE, RawRecord
from sitegen.projection import codex
from sitegen.projection.chunks import Chunk, MessageRow
from sitegen.projection.enrich import final_usages, git_branch, match, parents_by_record
from sitegen.projection.replays import without_replays
from sitegen.projection.unstored import with_unstored
from sitegen.values import moment, parse_object, short_id

_ROLES: Final = frozenset(get_args(Role))
_ROLE_NAMES: Final[Mapping[str, Role]] = {"human": "user", "model": "assistant", "developer": "system"}
_NO_RECORD: Final = RawRecord("")
_NO_MODEL: Final = "<synthetic>"
"""Claude Code's name for messages that no model wrote."""
_STATES: Final = frozenset({"idle", "running", "paused", "complete", "failed"})

Children = Mapping[str, tuple[ConversationHead, ...]]


class Builder(Struct, frozen=True):
    """Builds the conversations of one chunk. Rows leave the chunk as they are used, so that memory falls."""

    chunk: Chunk
    children: Children
    uses: Counter[str]
    """How often each conversation is asked for, by row id: as itself and as somebody's subagent."""
    kept: dict[str, Conversation] = field(default_factory=dict)

    def build(self, head: ConversationHead) -> Conversation:
        """The conversation of `head` with its subagents."""
        self.uses[head.row_id] -= 1
        built = self.kept.pop(head.row_id, None) or self._build(head)
        if self.uses[head.row_id] > 0:
            self.kept[head.row_id] = built
        return built

    def _build(self, head: ConversationHead) -> Conversation:
        rows = self.chunk.messages_of(head.row_id)
        records = self.chunk.records.pop(head.native_id, []) if head.source_id == SOURCE else []
        ids = stable_ids(rows)
        agents = [str(child.metadata.get("agent_id")) for child in self.children.get(head.key, ())]
        folders: dict[str, None] = {}
        messages = _messages(rows, self.chunk, ids=ids, records=records, agents=agents, folders=folders)
        state, branch = head.metadata.get("state"), head.metadata.get("git_branch")
        if head.source_id == "codex_cli":
            messages = codex.with_usage(codex.tidy(messages), head.metadata.get("usage"))
        return Conversation(
            head=head,
            messages=messages,
            subagents=tuple(self.build(child) for child in self.children.get(head.key, ())),
            forks=_forks(self.chunk.forks.get(head.row_id, ()), rows, ids),
            git_branch=git_branch(records) or (branch if isinstance(branch, str) else None),
            state=state if state in _STATES else None,  # type: ignore[arg-type]
            folders=tuple(folders),
        )


def stable_ids(rows: Sequence[MessageRow]) -> list[str]:
    """An id for each row that a re-ingest keeps: of its native id, else its place, with a number where it repeats."""
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        name = f"#{row.index}" if row.native_id is None else row.native_id
        short = short_id(name)
        seen[short] += 1
        ids.append(short if seen[short] == 1 else f"{short}-{seen[short]}")
    return ids


def without_circles(parents: Mapping[str, str | None]) -> dict[str, str | None]:
    """The parents, each circle cut open at the message of it that comes first."""
    mended = dict(parents)
    settled: set[str] = set()
    for start in parents:
        trail: dict[str, None] = {}
        current: str | None = start
        while current is not None and current not in settled and current not in trail:
            trail[current] = None
            current = mended.get(current)
        if current is not None and current in trail:
            circle = list(trail)[list(trail).index(current) :]
            mended[next(name for name in parents if name in circle)] = None
        settled.update(trail)
    return mended


def _messages(
    rows: Sequence[MessageRow],
    chunk: Chunk,
    *,
    ids: Sequence[str],
    records: Sequence[RawRecord],
    agents: Collection[str],
    folders: dict[str, None],
) -> tuple[Message, ...]:
    by_id = list(zip(rows, ids, strict=True))
    by_row = {row.id: short for row, short in by_id}
    matched = match([(short, row.native_id or moment(row.created_us)) for row, short in by_id], records)
    told = _Told(matched, final_usages(matched.values()), folders)
    messages = [_message(row, chunk, told, id=short, parent=by_row.get(row.parent or "")) for row, short in by_id]
    whole = with_unstored(messages, records, agents=agents)
    found = parents_by_record(whole, records)
    parents = without_circles({message.id: found.get(message.id, message.parent_id) for message in whole})
    placed = [
        message if message.parent_id == parents[message.id] else replace(message, parent_id=parents[message.id])
        for message in whole
    ]
    return tuple(without_replays(placed) if records else placed)


class _Told(Struct, frozen=True):
    """What records tell of messages, by their ids; what each request used; and what messages tell of folders."""

    records: Mapping[str, RawRecord]
    usages: Mapping[str, Usage]
    folders: dict[str, None]


def _message(row: MessageRow, chunk: Chunk, told: _Told, *, id: str, parent: str | None) -> Message:
    """The message of a row, with what its record adds; the folder that it was said in goes to the folders."""
    record = told.records.get(id, _NO_RECORD)
    metadata = dict(parse_object(row.metadata))
    request_id, folder = metadata.pop("request_id", None), metadata.pop("cwd", None)
    if isinstance(folder, str):
        told.folders[folder] = None
    if record.subtype:
        metadata.setdefault("subtype", record.subtype)
    model = row.model or record.model
    return Message(
        id=id,
        role=cast("Role", row.role) if row.role in _ROLES else _ROLE_NAMES.get(row.role, "system"),
        index=row.index,
        blocks=chunk.blocks_of(row),
        native_id=row.native_id,
        parent_id=parent,
        model=None if model == _NO_MODEL else model,
        created_at=moment(row.created_us),
        request_id=record.request_id or (request_id if isinstance(request_id, str) else None),
        usage=told.usages.get(record.request_id or "", record.usage),
        is_meta=record.is_meta,
        is_sidechain=record.is_sidechain,
        is_compact_summary=record.is_compact_summary,
        is_api_error=record.is_api_error,
        agent_id=record.agent_id,
        tool_detail=record.tool_detail or {},
        attachments=tuple(chunk.attachments.pop(row.id, ())),
        labels=tuple(chunk.labels.pop(row.id, ())),
        metadata=metadata,
    )


def _forks(pairs: Sequence[tuple[str | None, str]], rows: Sequence[MessageRow], ids: Sequence[str]) -> tuple[Fork, ...]:
    if not pairs:
        return ()
    named = _references(rows, ids)
    order = {short: place for place, short in enumerate(ids)}
    branches: dict[str | None, set[str]] = defaultdict(set)
    for after, branch in pairs:
        if branch in named:
            branches[named.get(after or "")].add(named[branch])
    forks = [Fork(after, tuple(sorted(found, key=order.__getitem__))) for after, found in branches.items()]
    return tuple(sorted(forks, key=lambda fork: -1 if fork.after is None else order[fork.after]))


def _references(rows: Sequence[MessageRow], ids: Sequence[str]) -> Mapping[str, str]:
    """Ids by whatever a fork may name a message with: its native id or its row id."""
    pairs = list(zip(rows, ids, strict=True))
    named = {row.native_id: short for row, short in reversed(pairs) if row.native_id}
    return named | {row.id: short for row, short in pairs}
