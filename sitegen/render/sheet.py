"""What is known while one message's Markdown is written: the text so far, its links, headings and footnotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec import Struct

from sitegen.render.context import Context
from sitegen.render.text import clean

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"(?:[\x00-\u058f]++|[^{_LETTERS}])*+[{_LETTERS}]")
"""Matches a text up to its first letter that runs to the left. What most characters are is passed over quickly."""


class Note(Struct):
    """A footnote: its number, how often the text refers to it, its body."""

    number: int
    references: int = 0
    body: str = ""


@dataclass(eq=False, repr=False, slots=True)
class Sheet:
    """The writing of one message. `prefix` begins all its ids; `out` is what is written so far."""

    ctx: Context
    prefix: str
    source: str
    has_typed_breaks: bool
    """Whether each newline of a paragraph is one that a person typed."""
    heading_level: int
    """The rank of the highest heading in use."""
    out: list[str] = field(default_factory=list)
    direction: str = field(init=False)
    """The attribute that lets a block find its own direction; empty where all text runs from left to right."""
    heading_tags: dict[int, str] = field(default_factory=dict)
    """What each heading is written as, by its place among the tokens."""
    heading_ids: dict[str, str] = field(default_factory=dict)
    """Ids by slug, of the headings that this message itself links to."""
    anchors: dict[int, str] = field(default_factory=dict)
    """The same ids by the heading's place among the tokens."""
    notes: dict[str, Note] = field(default_factory=dict)
    links: list[str | None] = field(default_factory=list)
    """For each open link None, or the target that can't be linked."""
    emphasis: int = 0
    """How many are open."""
    newline: str = "\n"
    """What a newline in the paragraph being written becomes."""
    in_cell: bool = False
    task_box: str = ""
    """The box of a task whose paragraph hasn't begun."""
    set_aside: list[tuple[str, list[str]]] = field(default_factory=list)
    """The labels of the footnotes that are being written, each with the text around it."""
    _may_hide_control: bool = field(init=False)

    def __post_init__(self) -> None:
        runs_left = not self.source.isascii() and _RIGHT_TO_LEFT.match(self.source) is not None
        self.direction = ' dir="auto"' if runs_left else ""
        self._may_hide_control = "&#" in self.source

    def clean(self, text: str) -> str:
        """`text` without the control bytes that an entity (`&#12;`) brings in after the source was cleaned."""
        return clean(text) if self._may_hide_control else text

    def take_task_box(self) -> str:
        """The box of the task whose text is about to be written; "" when it's no task."""
        box, self.task_box = self.task_box, ""
        return box

    def note(self, label: str) -> Note:
        """The footnote of that label, numbered when it's first met."""
        if label not in self.notes:
            self.notes[label] = Note(len(self.notes) + 1)
        return self.notes[label]
