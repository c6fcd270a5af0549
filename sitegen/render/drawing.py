"""What drawing one path shares: what came before on it, and what was gathered on the way (ids, marks, texts, files)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, count
from typing import Literal

from markupsafe import Markup

from sitegen.model import ROOT, Mark, MarkKind, Message
from sitegen.render.context import Context
from sitegen.render.items import Aside, Call, Thought
from sitegen.render.prose import render_markdown
from sitegen.render.steps import Step
from sitegen.render.tree import Alternative

_FILE = re.compile(f'{ROOT}([if]/[^"<> ]+)')


@dataclass(frozen=True, slots=True)
class Nested:
    """A subagent, drawn: `html` is a `<details>`, `anchors` are the ids in it."""

    html: str
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a piece of a page brings with it: its ids, its marks for the timeline, the texts to search."""

    anchors: tuple[str, ...]
    marks: tuple[Mark, ...]
    texts: tuple[tuple[str, str], ...]
    """The anchor of a message, "" for anything else, and what is said there."""


@dataclass(slots=True)
class Drawing:
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
    steps: dict[str, Step] = field(default_factory=dict)
    """Every step drawn, by its anchor, for what else is told of it: its details are on the page."""
    files: dict[str, list[str]] = field(default_factory=dict)
    """Names of the share's files shown in a message or step, by its anchor."""
    _anchors: list[str] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)
    _texts: list[tuple[str, str]] = field(default_factory=list)
    _has_prompt: bool = False
    _day: str = ""
    _model: str | None = None
    _used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # On a page a heading stands before the first message; in a subagent's thread there is none yet.
        self.ctx = self.ctx.below(self.level + (self.level == 2))

    def heading(self, role: Literal["prompt", "answer"]) -> int:
        """The rank of a message's heading; an answer before any prompt takes a prompt's."""
        self._has_prompt = self._has_prompt or role == "prompt"
        self.ctx.heading_level = min(self.level + 1, 6)
        return min(self.level + (role == "answer" and self._has_prompt), 6)

    def hand_over(self) -> Gathered:
        """What was gathered since the last time."""
        gathered = Gathered(tuple(self._anchors), tuple(self._marks), tuple(self._texts))
        self._anchors, self._marks, self._texts = [], [], []
        return gathered

    def anchor(self, kind: str, message: Message, number: int | None = None) -> str:
        """The id of a message ("m"), a run ("r"), a step ("t", with its block's number), a fork ("v"), …"""
        return f"{kind}-{self.scope}{message.id}" + ("" if number is None else f"-{number}")

    def run_anchor(self, first: Thought | Call | Aside) -> str:
        """The id of the run that begins with this entry; a message's second run has the entry's number in it too."""
        anchor = self.anchor("r", first.message)
        if anchor not in self._used:
            return anchor
        number = first.paired.block_number if isinstance(first, Call) else first.number
        return self.anchor("r", first.message, number)

    def exchange_anchor(self, first: Message) -> str:
        """The id of the exchange that begins with this message; a message's second one has a number."""
        plain = self.anchor("x", first)
        others = (f"{plain}-{number}" for number in count(2))
        anchor = next(each for each in chain((plain,), others) if each not in self._used)
        self._used.add(anchor)
        return anchor

    def identity(self, anchor: str) -> str:
        """The id attribute for an anchor; empty when it stands on the page already."""
        if not anchor or anchor in self._used:
            return ""
        self._used.add(anchor)
        self._anchors.append(anchor)
        return f' id="{anchor}"'

    def mark(self, kind: MarkKind, anchor: str, message: Message, *, weight: int = 1) -> None:
        """Puts a mark on the timeline."""
        self._marks.append(Mark(kind, anchor, message.created_at, weight))

    def fail(self, anchor: str, message: Message) -> None:
        """Counts a failure and marks it."""
        self.failures += 1
        self.mark("error", anchor, message)

    def search(self, text: str, anchor: str = "") -> None:
        """Adds plain text that a reader can search for; `anchor` is the message that says it."""
        if text:
            self._texts.append((anchor, text))

    def embed(self, nested: tuple[Nested, ...]) -> str:
        """The HTML of subagents, whose ids are the page's from now on."""
        for agent in nested:
            self._anchors.extend(agent.anchors)
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
        prose = self.ctx.fragments.prose(
            text,
            (prefix, newlines, level),
            lambda: render_markdown(text, self.ctx, prefix=prefix, newlines=newlines, heading_level=level),
        )
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
