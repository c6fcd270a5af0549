"""Which subagents belong to what is left of a conversation: those whose call, and what it returned, is all there.

What a subagent said is part of what its call returned. Where it isn't sure which call started one, it is left out.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from sitegen.model import Block, Conversation, Json, Message

_AGENT_ID = re.compile(r"\bagentId: ([\w-]+)")


def started_by(conversation: Conversation, kept: Sequence[Message]) -> tuple[Conversation, ...]:
    """The subagents of a conversation that calls among the `kept` of its messages started."""
    if not conversation.subagents:
        return ()
    calls = _Calls.of(conversation.messages)
    left = {_place(message, block) for message in kept for block in message.blocks}
    return tuple(each for each in conversation.subagents if calls.are_all_in(left, each))


def names_of_agent(conversation: Conversation) -> set[str]:
    """What a subagent may be called by the call that started it."""
    native, told = conversation.head.native_id, conversation.head.metadata.get("agent_id")
    first = conversation.messages[0].agent_id if conversation.messages else None
    names = {native, native.rpartition("agent-")[2], first, told if isinstance(told, str) else None}
    return {name for name in names if name}


Place = tuple[str, str, str | None]
"""A call or a result: its message, its kind, its id."""


class _Calls(Struct):
    """Calls and results of a whole conversation, by what tells which subagent they belong to."""

    by_agent: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))
    by_prompt: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))
    of_call: dict[str | None, set[Place]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, messages: Iterable[Message]) -> _Calls:
        calls = cls()
        for message in messages:
            for block in message.blocks:
                if block.kind in ("tool_use", "tool_result"):
                    calls._add(message, block)
        return calls

    def _add(self, message: Message, block: Block) -> None:
        place = _place(message, block)
        self.of_call[block.tool_use_id].add(place)
        for name in _agents_in(message, block) if block.kind == "tool_result" else ():
            self.by_agent[name].add(place)
        if block.kind == "tool_use" and (prompt := _prompt_in(block)):
            self.by_prompt[prompt].add(place)

    def are_all_in(self, left: set[Place], agent: Conversation) -> bool:
        """Whether all that may have started an agent or returned what it said is left; False when nothing is known."""
        found = {place for name in names_of_agent(agent) for place in self.by_agent.get(name, ())}
        found = found or self.by_prompt.get(_first_prompt(agent), set())
        whole = {other for place in found for other in (place, *self.of_call[place[2]])}
        return bool(whole) and whole <= left


def _place(message: Message, block: Block) -> Place:
    return message.id, block.kind, block.tool_use_id


def _agents_in(message: Message, block: Block) -> Iterator[str]:
    for name in ("agentId", "agent_id"):
        if isinstance(told := message.tool_detail.get(name), str):
            yield told
    yield from _AGENT_ID.findall(block.text or "")


def _prompt_in(block: Block) -> str:
    for name in ("input", "arguments"):
        given = _object(block.payload.get(name))
        prompt = given.get("prompt") if given else None
        if isinstance(prompt, str) and prompt.strip():
            return prompt.strip()
    return ""


def _object(value: Json) -> dict[str, Json] | None:
    """An object, or the one that a text writes down."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _first_prompt(agent: Conversation) -> str:
    for message in agent.messages[:3]:
        for block in message.blocks:
            if message.role == "user" and block.kind == "text" and block.text:
                return block.text.strip()
    return ""
