"""What a conversation consists of for a reader: prompts, answers, runs of work, notes and forks, as plain values."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from sitegen.model import Attachment, Block, Message, Show
from sitegen.render.steps import PairedCall
from sitegen.wording.wrappers import Note

QUIET = frozenset({"reminder", "hook", "editor", "context", "changed"})
"""Kinds of notes that may stand among the steps of a run, and go with the prompt that follows them."""


def is_passing(note: Note) -> bool:
    """Whether a note may stand among the steps of a run."""
    return note.kind in QUIET or note.kind == "retried"


class Prompt(Struct, frozen=True):
    """What someone asked, with what they attached. `command` is a slash command's name, its arguments are the text."""

    message: Message
    text: str
    command: str = ""
    images: tuple[Block, ...] = ()
    attachments: tuple[Attachment, ...] = ()

    @property
    def role(self) -> str:
        """What it is called: the key of a sentence."""
        return "prompt_meanwhile" if self.message.metadata.get("subtype") == "queued_command" else "prompt"


class Part(Struct, frozen=True):
    """A piece of an answer: a text, an image or an attached file. `number` is its block's in the message."""

    message: Message
    number: int
    content: Block | Attachment


class Answer(Struct, frozen=True):
    """What the assistant said in one go. `is_interim`: more work and words follow before the next prompt."""

    parts: tuple[Part, ...]
    is_interim: bool = False

    @property
    def message(self) -> Message:
        return self.parts[0].message


class Aside(Struct, frozen=True):
    """Something that neither side said. `number` tells the notes of one message apart."""

    message: Message
    note: Note
    number: int = 0


class Thought(Struct, frozen=True):
    """Thinking. `number` is its block's in the message."""

    message: Message
    number: int
    text: str


class Call(Struct, frozen=True):
    """A tool call with its result."""

    message: Message
    paired: PairedCall


class Run(Struct, frozen=True):
    """Thinking, calls and quiet notes between two things that were said; `began` is when the work on it began."""

    entries: tuple[Thought | Call | Aside, ...]
    began: datetime | None = None

    @property
    def message(self) -> Message:
        return self.entries[0].message


class ForkMark(Struct, frozen=True):
    """Here the path was chosen among alternatives; `message` is its first."""

    message: Message


class Adrift(Struct, frozen=True):
    """The subagents whose calls aren't there. They stand at the end, so `message` is the last; `key` is their scope."""

    message: Message
    key: str


Atom = Prompt | Part | Aside | Thought | Call | ForkMark
Item = Prompt | Answer | Aside | Run | ForkMark | Adrift


class Reading(Struct, frozen=True):
    """How to read one thread: the scope of its anchors, and what is shown of it."""

    scope: str = ""
    """Stands before each message's id in anchors; empty for the conversation itself."""
    show: Show = Show.ALL
    forks: frozenset[str] = frozenset()
    """Ids of the messages that begin an alternative."""
    unanswered: frozenset[str] = frozenset()
    """Ids of prompts that nothing answers."""


def block_attachment(block: Block) -> Attachment:
    """The attachment that a block of that kind describes."""
    payload = block.payload
    name = payload.get("file_name") or payload.get("name") or block.text
    kind, size, text = payload.get("file_type"), payload.get("file_size"), payload.get("extracted_content")
    return Attachment(
        filename=name if isinstance(name, str) else None,
        media_type=kind if isinstance(kind, str) else None,
        size_bytes=size if isinstance(size, int) else None,
        extracted_text=text if isinstance(text, str) else None,
    )
