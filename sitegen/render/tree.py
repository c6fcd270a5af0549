"""The paths through a conversation: the active one (to the newest leaf) and every alternative, each message in one.

Reads `parent_id` and the recorded forks. What only looks like a fork (streamed blocks, parallel results, guessed
parents) is put in line by its place. Loops only, so a chain may be as long as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from sitegen.model import Fork, Message

_TREE_SOURCES = ("chatgpt", "claude_export", "workspace")
"""Sources whose messages without a parent really start the conversation. Others are logs: the row before is meant."""

_GUESSED = "guessed"
_CARRIED_ON = "carried on"


class Alternative(Struct, frozen=True):
    """One way on from a fork: its first message, and the name of the path that it's on ("" for the active one)."""

    first: str
    path: str


class Path(Struct, frozen=True):
    """The messages of one path in the projection's order; an alternative starts where it leaves another path."""

    name: str
    """ "" for the active path, else `b-` and the id of its first message."""
    messages: tuple[Message, ...]


class Tree(Struct, frozen=True):
    """All paths, the active one first, and at the first message of each alternative all that stand beside it."""

    paths: tuple[Path, ...]
    choices: dict[str, tuple[Alternative, ...]] = field(default_factory=dict)
    unanswered: frozenset[str] = frozenset()
    """Prompts that were taken back or passed over: they stand in their place, but nothing after them answers them."""


def grow(
    messages: Sequence[Message], *, forks: Iterable[Fork], source_id: str, is_prompt: Callable[[Message], bool]
) -> Tree:
    """The tree of `messages`, which come in the projection's order. `is_prompt` tells a message that someone wrote."""
    if not messages:
        return Tree((Path("", ()),))
    is_tree = source_id.startswith(_TREE_SOURCES)
    parents = _parents(messages, forks, is_tree=is_tree)
    children = _children(parents)
    if not any(len(places) > 1 for places in children.values()):
        return Tree((Path("", tuple(messages)),))
    shape = _Shape(messages, parents, children, _explicit(messages, forks), is_prompt, is_tree=is_tree)
    return shape.tree()


class _Link(Struct, frozen=True):
    """A message's parent by place; `is_guess` when the source didn't name it."""

    parent: int | None
    is_guess: bool


def _explicit(messages: Sequence[Message], forks: Iterable[Fork]) -> frozenset[int]:
    places = {message.id: place for place, message in enumerate(messages)}
    return frozenset(places[branch] for fork in forks for branch in fork.branches if branch in places)


def _parents(messages: Sequence[Message], forks: Iterable[Fork], *, is_tree: bool) -> list[_Link]:
    """The parent of each message: always one before it, so that no cycle is left; None for a root."""
    places = {message.id: place for place, message in enumerate(messages)}
    recorded = {branch: fork.after for fork in forks for branch in fork.branches}
    is_linked = any(message.parent_id in places for message in messages)
    seen_ids: set[str] = set()
    links = []
    for place, message in enumerate(messages):
        before = place - 1 if place else None
        is_repeat = message.native_id is not None and message.native_id in seen_ids
        seen_ids.add(message.native_id or "")
        named = places.get(message.parent_id) if message.parent_id is not None else None
        if message.id in recorded:
            after = recorded[message.id]
            named = places.get(after) if after is not None else None
            links.append(_Link(named if named is None or named < place else before, is_guess=False))
        elif named is not None and named < place and not is_repeat:
            links.append(_Link(named, is_guess=False))
        elif is_tree and is_linked and message.parent_id is None and message.role != "system":
            links.append(_Link(None, is_guess=False))
        else:
            links.append(_Link(before, is_guess=True))
    return links


def _children(links: Sequence[_Link]) -> dict[int | None, list[int]]:
    children: dict[int | None, list[int]] = {}
    for place, link in enumerate(links):
        children.setdefault(link.parent, []).append(place)
    return children


class _Shape:
    """The tree under work: what each message weighs, which children are real alternatives, which path each is on."""

    def __init__(
        self,
        messages: Sequence[Message],
        links: Sequence[_Link],
        children: dict[int | None, list[int]],
        explicit: frozenset[int],
        is_prompt: Callable[[Message], bool],
        *,
        is_tree: bool,
    ) -> None:
        self._is_tree = is_tree
        self._messages = messages
        self._links = links
        self._children = children
        self._explicit = explicit
        self._prompts = [is_prompt(message) for message in messages]
        self._newest, self._is_answered = self._weigh()

    def tree(self) -> Tree:
        """The finished paths. Parents come before their children, so one pass in order names every path."""
        names = [""] * len(self._messages)
        starts: dict[int, str] = {}
        forks, unanswered = self._forks()
        for fork in forks:
            active = max(fork, key=self._newest_of)
            for group in fork:
                if group is not active:
                    starts.update(dict.fromkeys(group, f"b-{self._messages[group[0]].id}"))
        for place, link in enumerate(self._links):
            names[place] = starts.get(place) or ("" if link.parent is None else names[link.parent])
        return Tree(self._paths(names), self._choices(forks, names), frozenset(unanswered))

    def _weigh(self) -> tuple[list[int], list[bool]]:
        """By place: the newest message from there on, and whether the assistant says or does anything there."""
        newest = list(range(len(self._messages)))
        is_answered = [
            message.role == "assistant" and not message.is_api_error and bool(message.blocks)
            for message in self._messages
        ]
        for place in range(len(self._messages) - 1, -1, -1):
            parent = self._links[place].parent
            if parent is not None:
                newest[parent] = max(newest[parent], newest[place])
                is_answered[parent] = is_answered[parent] or is_answered[place]
        return newest, is_answered

    def _newest_of(self, group: Sequence[int]) -> int:
        return max(self._newest[place] for place in group)

    def _forks(self) -> tuple[list[list[list[int]]], set[str]]:
        """The real forks, each as its alternatives, each as the children that start it; and unanswered prompts."""
        forks: list[list[list[int]]] = []
        unanswered: set[str] = set()
        for parent, places in self._children.items():
            if len(places) < 2:
                continue
            groups = self._alternatives(parent, places)
            real = [group for group in groups if any(self._is_answered[place] for place in group)]
            if len(real) > 1:
                forks.append(real)
            kept = real or [max(groups, key=self._newest_of)] if groups else []
            passed = (place for group in groups if group not in kept for place in group if self._prompts[place])
            unanswered.update(self._messages[place].id for place in passed)
        return forks, unanswered

    def _alternatives(self, parent: int | None, places: Sequence[int]) -> list[list[int]]:
        groups: dict[str, list[int]] = {}
        for place in places:
            groups.setdefault(self._group(parent, place), []).append(place)
        groups.pop(_GUESSED, None)
        return sorted(groups.values())

    def _group(self, parent: int | None, place: int) -> str:
        """Children with one name belong together; those that only carry on what the parent began are one group."""
        message = self._messages[place]
        if self._links[place].is_guess:
            return _GUESSED
        if place in self._explicit or self._prompts[place]:
            return message.id
        if self._is_tree and self._is_answered[place]:
            # Such a source puts siblings there only for what was generated again, were it in the middle of an answer.
            return message.id
        follows_assistant = parent is not None and self._messages[parent].role == "assistant"
        if message.role != "assistant" or message.is_api_error or follows_assistant:
            return _CARRIED_ON
        return message.id if message.request_id is None else f"request {message.request_id}"

    def _paths(self, names: Sequence[str]) -> tuple[Path, ...]:
        found: dict[str, list[Message]] = {"": []}
        for name, message in zip(names, self._messages, strict=True):
            found.setdefault(name, []).append(message)
        return tuple(Path(name, tuple(messages)) for name, messages in found.items())

    def _choices(self, forks: Iterable[list[list[int]]], names: Sequence[str]) -> dict[str, tuple[Alternative, ...]]:
        choices = {}
        for fork in forks:
            alternatives = tuple(Alternative(self._messages[group[0]].id, names[group[0]]) for group in fork)
            choices.update({alternative.first: alternatives for alternative in alternatives})
        return choices
