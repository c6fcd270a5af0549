"""Subagents: their messages taken out of the main thread, and each given to the call that started it.

A subagent comes as a conversation of its own or inline, marked only as a side chain; both end in one form.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.model import Conversation, Message
from sitegen.render.calls import call_input
from sitegen.render.pairing import Spot, pair

_AGENT_ID = re.compile(r"\bagentId: ([\w-]+)")
_STARTERS = frozenset({"Task", "Agent", "task", "agent", "spawn_agent"})


class Thread(Struct):
    """The main thread or a subagent: its messages, and the threads that its calls started (by place in the list)."""

    conversation: Conversation
    messages: tuple[Message, ...]
    scope: str = ""
    """Stands before message ids in anchors, for ids are only unique within a conversation."""
    is_inline: bool = False
    """A side chain of another conversation, so that its place among the messages there is known."""
    is_prompt_told: bool = False
    """The call that started it gives the very prompt that it begins with."""
    started: dict[Spot, list[int]] = field(default_factory=dict)
    strays: list[int] = field(default_factory=list)
    """Threads whose call isn't here."""


def threads(conversation: Conversation) -> list[Thread]:
    """The main thread first, every subagent after the one that started it."""
    found = [Thread(conversation, _main_messages(conversation))]
    waiting: list[tuple[int, Thread]] = []
    at = 0
    while at < len(found):
        thread = found[at]
        waiting.extend((at, child) for child in _children(thread))
        waiting = _claim(at, found, waiting)
        at += 1
        if at == len(found) and waiting:
            owner, stray = waiting.pop(0)
            found[owner].strays.append(at)
            found.append(stray)
    return found


def _claim(at: int, found: list[Thread], waiting: list[tuple[int, Thread]]) -> list[tuple[int, Thread]]:
    """Gives a thread's calls the subagents they started and returns the ones that still wait."""
    if not waiting:
        return waiting
    thread = found[at]
    calls = _Calls(thread.messages)
    left = []
    for owner, child in waiting:
        spot = calls.starter_of(child, is_near=owner == at and child.is_inline)
        if spot is None:
            left.append((owner, child))
        else:
            thread.started.setdefault(spot, []).append(len(found))
            found.append(child)
    return left


class _Calls:
    """The calls of a thread that may have started a subagent, by what can tell which one."""

    def __init__(self, messages: Sequence[Message]) -> None:
        results = pair(messages).results
        self._by_agent: dict[str, Spot] = {}
        self._by_prompt: dict[str, list[Spot]] = {}
        self._prompts: dict[Spot, str] = {}
        self._open: list[tuple[int, Spot]] = []
        for message in messages:
            for number, block in enumerate(message.blocks):
                if block.kind != "tool_use":
                    continue
                spot = (message.id, number)
                found = results.get(spot)
                if found is not None and (agent := _agent_of(found.message, found.block.text)):
                    self._by_agent[agent] = spot
                prompt = call_input(block).get("prompt")
                if isinstance(prompt, str) and prompt.strip():
                    self._by_prompt.setdefault(prompt.strip(), []).append(spot)
                    self._prompts[spot] = prompt.strip()
                if block.tool_name in _STARTERS:
                    self._open.append((message.index, spot))

    def starter_of(self, child: Thread, *, is_near: bool) -> Spot | None:
        """The call that started this subagent; `is_near` also takes the last call before it that started anyone."""
        spot = next((self._by_agent[name] for name in agent_names(child.conversation) if name in self._by_agent), None)
        if spot is None and (spots := self._by_prompt.get(_first_prompt(child.conversation))):
            spot = spots.pop(0)
        if spot is None and is_near:
            first = child.messages[0].index
            spot = next((spot for index, spot in reversed(self._open) if index < first), None)
        if spot is not None:
            child.is_prompt_told = self._prompts.get(spot) == _first_prompt(child.conversation)
            self._open = [(index, other) for index, other in self._open if other != spot]
        return spot


def _agent_of(message: Message, text: str | None) -> str | None:
    name = message.tool_detail.get("agentId")
    if isinstance(name, str):
        return name
    match = _AGENT_ID.search(text) if text else None
    return match[1] if match else None


def agent_names(conversation: Conversation) -> Iterable[str]:
    """What a subagent may be called by the call that started it."""
    native = conversation.head.native_id
    yield native
    if "agent-" in native:
        yield native.rsplit("agent-", 1)[1]
    name = conversation.head.metadata.get("agent_id")
    if isinstance(name, str):
        yield name
    if conversation.messages and conversation.messages[0].agent_id:
        yield conversation.messages[0].agent_id


def _first_prompt(conversation: Conversation) -> str:
    for message in conversation.messages[:3]:
        for block in message.blocks:
            if message.role == "user" and block.kind == "text" and block.text:
                return block.text.strip()
    return ""


# --------------------------------------------------------------------------------------------- side chains, inline


def _main_messages(conversation: Conversation) -> tuple[Message, ...]:
    """The messages without side chains; all of them when it's one side chain from end to end."""
    messages = conversation.messages
    if not any(message.is_sidechain for message in messages) or all(message.is_sidechain for message in messages):
        return messages
    return tuple(message for message in messages if not message.is_sidechain)


def _children(thread: Thread) -> list[Thread]:
    conversation = thread.conversation
    children = [Thread(child, _main_messages(child), _scope(child, thread.scope)) for child in conversation.subagents]
    if len(thread.messages) < len(conversation.messages):
        own = {name for child in conversation.subagents for name in agent_names(child)}
        for chain in _chains(message for message in conversation.messages if message.is_sidechain):
            # A side chain that has a conversation of its own as well is shown once.
            if chain[0].agent_id not in own:
                head = replace(conversation.head, native_id=chain[0].agent_id or chain[0].id)
                inline = Conversation(head=head, messages=tuple(chain))
                children.append(Thread(inline, inline.messages, thread.scope, is_inline=True))
    return children


def _scope(child: Conversation, outer: str) -> str:
    return hashlib.sha256(f"{outer}{child.head.key}".encode("utf-8", "replace")).hexdigest()[:8] + "-"


def _chains(messages: Iterable[Message]) -> list[list[Message]]:
    """Side-chain messages by the subagent they belong to: by its id, or by what follows what."""
    chains: list[list[Message]] = []
    place: dict[str, int] = {}
    for message in messages:
        at = place.get(f"agent {message.agent_id}") if message.agent_id else place.get(message.parent_id or "")
        is_opening = message.role == "user" and any(block.kind == "text" for block in message.blocks)
        if at is None and chains and not message.agent_id and not is_opening:
            at = len(chains) - 1
        if at is None:
            at = len(chains)
            chains.append([])
        chains[at].append(message)
        place[message.id] = at
        if message.agent_id:
            place.setdefault(f"agent {message.agent_id}", at)
    return chains
