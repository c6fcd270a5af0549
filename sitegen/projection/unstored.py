"""Puts among the messages of a Claude Code session what its records tell and no message does, each at its place.

Projections keep only records of the user's and the assistant's. What the others mean is for `sayings` and `queue`;
here they become messages with ids that a re-ingest keeps, `metadata["subtype"]` telling which kind each is (or
`"context"`, where it was told to the model alone).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitegen.model import Block, JsonObject, Message
from sitegen.picked import RawRecord, pick_detail, usage_of
from sitegen.projection.blocks import blocks_of, word_in
from sitegen.projection.enrich import match
from sitegen.projection.queue import Heard, queued
from sitegen.projection.sayings import Saying, say
from sitegen.values import moment_in, object_in, short_id


def with_unstored(
    messages: Sequence[Message], records: Sequence[RawRecord], *, agents: Collection[str]
) -> list[Message]:
    """The messages, and between them those made of records. `agents` are subagents whose own sessions are there."""
    stored = {message.native_id for message in messages if message.native_id}
    telling = [record for record in records if record.said is not None and record.uuid not in stored]
    if not telling:
        return list(messages)
    session = _Session(messages, _lines(messages, records))
    found = [*_told(telling, session, stored), *_agents_at_work(telling, session, agents)]
    return _merged(session, _each_once(found, {message.id for message in messages}))


class _Session(Struct, frozen=True):
    """The messages that are stored, and the line that each of them, or one before it, stands at: never falling."""

    messages: Sequence[Message]
    lines: Sequence[int]

    @property
    def is_sidechain(self) -> bool:
        return bool(self.messages) and all(message.is_sidechain for message in self.messages)


class _Found(Struct, frozen=True):
    """A message made of a record, and the line it belongs at."""

    line: int
    message: Message


def _lines(messages: Sequence[Message], records: Sequence[RawRecord]) -> list[int]:
    matched = match([(message.id, message.native_id or message.created_at) for message in messages], records)
    lines: list[int] = []
    for message in messages:
        record = matched.get(message.id)
        lines.append(max(record.line if record else -1, lines[-1] if lines else -1))
    return lines


# ------------------------------------------------------------------------------------------------- told by one record


def _told(telling: Sequence[RawRecord], session: _Session, stored: Collection[str]) -> list[_Found]:
    sayings = [(record, saying) for record in telling if (saying := _saying(record, stored)) is not None]
    spoken = [_Found(record.line, _message(record, saying, session)) for record, saying in sayings]
    heard = sorted(_heard(session, spoken), key=lambda each: each.line)
    waited = [_Found(record.line, _message(record, saying, session)) for record, saying in queued(telling, heard)]
    return [*_with_retries_merged(spoken, session.lines), *waited]


def _saying(record: RawRecord, stored: Collection[str]) -> Saying | None:
    said = record.said or {}
    is_stored = word_in(object_in(said, "attachment"), "source_uuid") in stored
    return None if is_stored else say(said)


def _heard(session: _Session, spoken: Iterable[_Found]) -> Iterator[Heard]:
    """What the model was told in the user's stead, by messages and by attachments."""
    places = [*zip(session.lines, session.messages, strict=True), *((each.line, each.message) for each in spoken)]
    for line, message in places:
        if message.role == "user" or message.metadata.get("subtype") in ("notification", "peer"):
            yield from (Heard(line, block.text) for block in message.blocks if block.kind == "text" and block.text)


def _with_retries_merged(spoken: Iterable[_Found], lines: Sequence[int]) -> Iterator[_Found]:
    """Failed requests in a row, nothing said between them, as one message that counts them."""
    last: _Found | None = None
    for each in spoken:
        if last is not None and _is_retry(last, each, lines):
            last = replace(last, line=each.line, message=_counted(last.message, each.message))
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def _is_retry(last: _Found, each: _Found, lines: Sequence[int]) -> bool:
    kinds = {last.message.metadata.get("subtype"), each.message.metadata.get("subtype")}
    return kinds == {"api_retry"} and bisect_left(lines, last.line) == bisect_left(lines, each.line)


def _counted(first: Message, again: Message) -> Message:
    texts = [block.text or "" for block in (*first.blocks, *again.blocks)]
    reasons = dict.fromkeys(reason for text in texts for reason in text.split("\n"))
    before = first.metadata.get("times")
    times = (before if isinstance(before, int) else 1) + 1
    return replace(first, blocks=(Block("text", "\n".join(reasons)),), metadata={**first.metadata, "times": times})


def _message(record: RawRecord, saying: Saying, session: _Session) -> Message:
    said = record.said or {}
    text = "\n".join(block.text or "" for block in saying.blocks)
    name = record.uuid or " ".join((word_in(said, "type"), saying.subtype, word_in(said, "timestamp"), text))
    return Message(
        id=short_id(name),
        role=saying.role,
        index=0,
        blocks=saying.blocks,
        native_id=record.uuid or None,
        created_at=moment_in(said.get("timestamp")),
        is_sidechain=record.is_sidechain or session.is_sidechain,
        agent_id=record.agent_id,
        attachments=saying.attachments,
        metadata={"context" if saying.is_context else "subtype": saying.subtype, **saying.facts},
    )


# ---------------------------------------------------------------------------------------------------------- subagents


def _agents_at_work(telling: Iterable[RawRecord], session: _Session, agents: Collection[str]) -> Iterator[_Found]:
    """Messages of subagents that only reports of their progress hold, as side chains."""
    known = {*agents, *(message.agent_id for message in session.messages if message.agent_id)}
    last: dict[str, str] = {}
    for record in telling:
        said = record.said or {}
        agent, report = word_in(said, "data.agentId"), object_in(said, "data.message")
        if not agent or agent in known:
            continue
        message = _agents_message(agent, report, parent=last.get(agent))
        if message is not None:
            last[agent] = message.id
            yield _Found(record.line, message)


def _agents_message(agent: str, report: JsonObject, *, parent: str | None) -> Message | None:
    body = object_in(report, "message")
    blocks, uuid = blocks_of(body.get("content")), word_in(report, "uuid")
    kind = report.get("type")
    if not blocks or not uuid or (kind != "user" and kind != "assistant"):
        return None
    return Message(
        id=short_id(uuid),
        role="user" if kind == "user" else "assistant",
        index=0,
        blocks=blocks,
        native_id=uuid,
        parent_id=parent,
        model=word_in(body, "model") or None,
        created_at=moment_in(report.get("timestamp")),
        request_id=word_in(report, "requestId") or word_in(body, "id") or None,
        usage=usage_of(body.get("usage")),
        is_sidechain=True,
        agent_id=agent,
        tool_detail=pick_detail(object_in(report, "toolUseResult")),
    )


# --------------------------------------------------------------------------------------------------------- put in place


def _each_once(found: Iterable[_Found], taken: set[str]) -> Iterator[_Found]:
    """In the order of lines; a record that stands there twice counts once."""
    for each in sorted(found, key=lambda one: one.line):
        if each.message.id not in taken:
            taken.add(each.message.id)
            yield each


def _merged(session: _Session, found: Iterable[_Found]) -> list[Message]:
    """Each message made of a record after the last stored one from before its line, whose number it shares."""
    merged: list[Message] = []
    at = 0
    for each in found:
        end = max(at, bisect_left(session.lines, each.line))
        merged += session.messages[at:end]
        at = end
        beside = session.messages[max(at - 1, 0)] if session.messages else None
        merged.append(replace(each.message, index=beside.index if beside else 0))
    return [*merged, *session.messages[at:]]
