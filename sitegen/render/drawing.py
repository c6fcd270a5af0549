"""What drawing one path shares: what came before on it, and what was gathered on the way (ids, marks, texts, files)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, count
from typing import Literal

import msgspec
from markupsafe import Markup
from msgspec import Struct, field

from sitegen.model import ROOT, SOURCES, Exchange, Mark, MarkKind, Message
from sitegen.render.activity import tell
from sitegen.render.context import Context
from sitegen.render.fragments import Fragment, Piece, Said, State, Written
from sitegen.render.items import Adrift, Answer, Aside, Call, Item, Prompt, Run, Thought
from sitegen.render.prose import render_markdown
from sitegen.render.steps import Deed, Step
from sitegen.render.tree import Alternative

_FILE = re.compile(f'{ROOT}([if]/[^"<> ]+)')


class Nested(Struct, frozen=True):
    """A subagent, drawn and written: `html` is a `<details>`, `anchors` are the ids in it."""

    html: str
    anchors: tuple[str, ...]
    markdown: str
    sources: bytes = b""
    """As an exchange's."""

    @property
    def digest(self) -> str:
        """Names all of it."""
        found = hashlib.blake2b(self.html.encode("utf-8", "surrogatepass"), digest_size=16)
        found.update(self.markdown.encode("utf-8", "surrogatepass") + self.sources)
        return found.hexdigest()


class Drawing(Struct):
    """Drawing of one path or one subagent's thread.

    `level` is the heading of a prompt. What comes of it stands one below: answers, and texts in steps and notes.
    """

    ctx: Context
    scope: str = ""
    """Stands before each message's id in anchors."""
    level: int = 2
    choices: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)
    """The alternatives that stand beside a message, by its id."""
    nested: Mapping[str, tuple[Nested, ...]] = field(default_factory=dict)
    """Subagents by the anchor of the step that started them, or by the scope that they're astray in."""
    shows_models: bool = False
    failures: int = 0
    deeds: list[Deed] = field(default_factory=list)
    """What every step did."""
    steps: dict[str, Step] = field(default_factory=dict)
    """The steps of the item under work, by their anchors."""
    has_clashed: bool = False
    """Whether an id in what is under work stands on the page already: it would be something else without that."""
    files: dict[str, list[str]] = field(default_factory=dict)
    """Names of the share's files shown in a message or step, by its anchor."""
    _anchors: list[str] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _texts: list[Said] = field(default_factory=list)
    _sources: list[bytes] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    """What the exports say of each fragment."""
    _written: dict[int, Written] = field(default_factory=dict)
    """Likewise of each item under work, by identity, for they aren't drawn in their order."""
    _told: tuple[list[Step], Markup] | None = None
    """The steps that were told last, and the sentence for them."""
    _failed: int = 0
    """Failures in what is under work, and what its steps did."""
    _did: list[Deed] = field(default_factory=list)
    _has_prompt: bool = False
    _day: str = ""
    _model: str | None = None
    _used: set[str] = field(default_factory=set)
    _own: set[str] = field(default_factory=set)
    """Those of the ids that what is under work brought."""

    def __post_init__(self) -> None:
        # On a page a heading stands before the first message; in a subagent's thread there is none yet.
        self.ctx = self.ctx.below(self.level + (self.level == 2))

    def anew(self) -> Drawing:
        """The same of nothing yet."""
        return Drawing(self.ctx, self.scope, self.level, self.choices, self.nested, self.shows_models)

    def heading(self, role: Literal["prompt", "answer"]) -> int:
        """The rank of a message's heading; an answer before any prompt takes a prompt's."""
        self._has_prompt = self._has_prompt or role == "prompt"
        self.ctx.heading_level = min(self.level + 1, 6)
        return min(self.level + (role == "answer" and self._has_prompt), 6)

    @property
    def terms(self) -> tuple[object, ...]:
        """What holds for all that is drawn here."""
        return self.scope, self.level, self.shows_models

    @property
    def state(self) -> State:
        """What came before, as far as the next item shows it."""
        return State(self._has_prompt, self.ctx.heading_level, self._day, self._model)

    @state.setter
    def state(self, state: State) -> None:
        self._has_prompt, self._day, self._model = state.has_prompt, state.day, state.model
        self.ctx.heading_level = state.heading_level

    def pass_over(self, item: Item) -> None:
        """Leaves behind what drawing an item would, as far as what comes next shows it."""
        if isinstance(item, Prompt | Answer):
            self.heading("prompt" if isinstance(item, Prompt) else "answer")
            self.time(item.message.created_at)
        if isinstance(item, Answer):
            self.new_model(item.message)

    def begin(self) -> None:
        """Begins a fragment."""
        self._own.clear()
        self.has_clashed, self._failed, self._did = False, 0, []

    def note(self, item: Item, written: Written) -> None:
        """What the exports say of an item that was just drawn."""
        self._written[id(item)] = written
        self._did += [step.deed for step in self.steps.values()]

    def end(self, items: Iterable[Item], exchanges: Sequence[Exchange], begins: Iterable[str]) -> Fragment:
        """What became of these items; exports have them in this order."""
        written = Written.together([self._written.pop(id(item)) for item in items])
        return Fragment(
            exchanges=tuple(exchanges),
            begins=tuple(begins),
            written=written,
            after=self.state,
            deeds=tuple(self._did),
            failures=self._failed,
            files=self.ctx.hand_over(),
        )

    def takes(self, fragment: Fragment) -> bool:
        """Goes on as if a fragment had been drawn here; False when an id in it stands on the page already."""
        if not self._used.isdisjoint(fragment.anchors):
            return False
        self._used.update(fragment.anchors)
        self.state = fragment.after
        self.ctx.take_back(fragment.files)
        return True

    def add(self, fragment: Fragment) -> None:
        """Counts a fragment, and puts it into the exports."""
        self.failures += fragment.failures
        self.deeds += fragment.deeds
        self.written.append(fragment.written)

    def piece(self, message: Message, html: str) -> Piece:
        """Some HTML, with what was gathered since the last time."""
        gathered = tuple(self._anchors), tuple(self._marks), tuple(self._texts), tuple(self._sources)
        self._anchors, self._marks, self._texts, self._sources = [], [], [], []
        return Piece(message.id, html.encode("utf-8", "surrogatepass"), len(html), *gathered)

    def anchor(self, kind: str, message: Message, number: int | None = None) -> str:
        """The id of a message ("m"), a run ("r"), a step ("t", with its block's number), a fork ("v"), …"""
        return f"{kind}-{self.scope}{message.id}" + ("" if number is None else f"-{number}")

    def run_anchor(self, first: Thought | Call | Aside) -> str:
        """The id of the run that begins with this entry; a message's second run has the entry's number in it too."""
        anchor = self.anchor("r", first.message)
        if not self._stands(anchor):
            return anchor
        number = first.paired.block_number if isinstance(first, Call) else first.number
        return self.anchor("r", first.message, number)

    def exchange_anchor(self, message_id: str) -> str:
        """The id of the exchange that begins with this message; a message's second one has a number."""
        plain = f"x-{self.scope}{message_id}"
        others = (f"{plain}-{number}" for number in count(2))
        anchor = next(each for each in chain((plain,), others) if not self._stands(each))
        self._used.add(anchor)
        self._own.add(anchor)
        return anchor

    def identity(self, anchor: str) -> str:
        """The id attribute for an anchor; empty when it stands on the page already."""
        if not anchor or self._stands(anchor):
            return ""
        self._used.add(anchor)
        self._own.add(anchor)
        self._anchors.append(anchor)
        return f' id="{anchor}"'

    def _stands(self, anchor: str) -> bool:
        """Whether an id stands on the page already."""
        self.has_clashed = self.has_clashed or (anchor in self._used and anchor not in self._own)
        return anchor in self._used

    def mark(self, kind: MarkKind, anchor: str, message: Message, *, weight: int = 1) -> None:
        """Puts a mark on the timeline."""
        self._marks.append(Mark(kind, anchor, message.created_at, weight))

    def tell(self, steps: list[Step]) -> Markup:
        """The sentence for some steps. The page and `conversation.md` tell the same ones, one after the other."""
        if self._told is None or self._told[0] != steps:
            self._told = steps, tell(steps, self.ctx.t)
        return self._told[1]

    def fail(self, anchor: str, message: Message) -> None:
        """Counts a failure and marks it."""
        self._failed += 1
        self.mark("error", anchor, message)

    def search(self, text: str, anchor: str = "") -> None:
        """Adds plain text that a reader can search for; `anchor` is the message that says it."""
        if text:
            self._texts.append(Said(anchor, text))

    def set_aside(self, text: str, anchor: str) -> str:
        """Keeps the text of a message as it was written; what stands in its place."""
        self._sources.append(_member(anchor, text))
        return SOURCES

    def within(self, item: Item) -> dict[str, tuple[Nested, ...]]:
        """The subagents that stand in an item."""
        keys: Iterable[str] = ()
        if isinstance(item, Adrift):
            keys = (item.key,)
        elif isinstance(item, Run) and self.nested:
            keys = (entry.paired.anchor for entry in item.entries if isinstance(entry, Call))
        return {key: self.nested[key] for key in keys if key in self.nested}

    def embed(self, nested: tuple[Nested, ...]) -> str:
        """The HTML of subagents, whose ids are the page's from now on."""
        for agent in nested:
            self.has_clashed = self.has_clashed or not self._used.isdisjoint(agent.anchors)
            self._used.update(agent.anchors)
            self._anchors.extend(agent.anchors)
            self._sources += [agent.sources] if agent.sources else []
        return "".join(agent.html for agent in nested)

    def note_files(self, anchor: str, *fragments: Markup) -> None:
        """Remembers which files of the share a message or step shows."""
        names = [name for fragment in fragments if ROOT in fragment for name in _FILE.findall(fragment)]
        if names:
            self.files.setdefault(anchor, []).extend(dict.fromkeys(names))

    def prose(self, text: str, message: Message, number: int, identity: str = "", *, below: int | None = None) -> str:
        """The text of block `number` as prose, its headings below that rank; a person's text keeps each line break."""
        prefix = f"{self.scope}{message.id}-{number}-"
        newlines: Literal["typed", "flow"] = "typed" if message.role == "user" else "flow"
        level = self.ctx.heading_level if below is None else min(below + 1, 6)
        prose = render_markdown(text, self.ctx, prefix=prefix, newlines=newlines, heading_level=level)
        return f'<div class="prose"{identity} dir="auto">{prose}</div>'

    def new_model(self, message: Message) -> str:
        """The model of a message where it differs from the one before; empty in a conversation with only one."""
        if not self.shows_models or not message.model or message.model == self._model:
            return ""
        self._model = message.model
        return message.model

    def time(self, moment: datetime | None) -> str:
        """The time of day, with the date where the day changes; a sign where it isn't known."""
        if moment is None:
            return "#"
        local = self.ctx.local(moment).isoformat(" ")
        day, time = local[:10], local[11:16]
        shown = time if day == self._day else f"{day} {time}"
        self._day = day
        return f'<time datetime="{moment.astimezone(UTC).isoformat()[:19]}Z">{shown}</time>'


def _member(name: str, text: str) -> bytes:
    """A member of a JSON object."""
    try:
        return msgspec.json.encode({name: text})[1:-1]
    except UnicodeEncodeError:  # half of a surrogate pair, which becomes a question mark
        return json.dumps({name: text}, ensure_ascii=False, separators=(",", ":"))[1:-1].encode("utf-8", "replace")
