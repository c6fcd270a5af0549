"""What was put into Claude Code's queue and stands nowhere else.

A prompt typed while the assistant works waits in a queue. Usually a message or an attachment shows what became of it.
Older versions told the model without a record of it; and what still waits when a session ends was never sent. What was
taken back into the input line is nobody's business but its author's, like any other draft.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from sitegen.model import JsonObject
from sitegen.picked import RawRecord
from sitegen.projection.blocks import text_of, word_in
from sitegen.projection.sayings import Saying, note, prompt
from sitegen.wording.wrappers import Note, split

_NEAR: Final = 50
"""Within how many texts after it a queued one can be part of a longer one."""

Told = tuple[RawRecord, Saying]


class Heard(Struct, frozen=True):
    """A text of the user's that the model was given, and the line it stands at."""

    line: int
    text: str


def queued(records: Iterable[RawRecord], heard: Sequence[Heard]) -> Iterator[Told]:
    """What the queue alone tells, each with the record at whose place it belongs. `heard` comes in order of lines."""
    queue = _Queue(_Texts(heard))
    for record in records:
        if record.said is not None and record.said.get("type") == "queue-operation":
            yield from queue.follow(record, record.said)
    yield from queue.left()


class _Waiting(Struct):
    record: RawRecord
    text: str
    is_known: bool
    """The model was given it, as a message or an attachment shows."""

    @property
    def is_machine(self) -> bool:
        return self.text.startswith("<task-notification")


class _Queue(Struct):
    """The queue as its operations leave it."""

    texts: _Texts
    waiting: list[_Waiting] = field(default_factory=list)

    def follow(self, record: RawRecord, said: JsonObject) -> Iterator[Told]:
        text = text_of(said.get("content")).strip()
        match word_in(said, "operation"):
            case "enqueue" if text:
                self.waiting.append(_Waiting(record, text, self.texts.take(text, after=record.line)))
            case "popAll":
                self.waiting = [each for each in self.waiting if each.is_machine or text not in ("", each.text)]
            case "dequeue":
                self._leave(text)
            case "remove":
                left = self._leave(text)
                if left is not None and not left.is_known and (saying := _said_at_work(left)):
                    yield record, saying

    def left(self) -> Iterator[Told]:
        """What waits for ever."""
        for each in self.waiting:
            saying = None if each.is_known else note("untold" if each.is_machine else "unsent", each.text)
            if saying is not None:
                yield each.record, saying

    def _leave(self, text: str) -> _Waiting | None:
        """Takes out what an operation means: the text it names, else what is known to have left, else the oldest."""
        chosen = min(self.waiting, key=lambda each: (each.text != text, not each.is_known), default=None)
        self.waiting = [each for each in self.waiting if each is not chosen]
        return chosen


def _said_at_work(left: _Waiting) -> Saying | None:
    if left.is_machine:
        return note("notification", left.text)
    # The program answers a command itself; nothing was said to the model.
    return None if left.text.startswith("/") else prompt(left.text)


class _Texts:
    """What the model was given, searched for what was queued: a whole text, or lines of several sent at once."""

    def __init__(self, heard: Sequence[Heard]) -> None:
        self._heard = [(each.line, _typed(each.text)) for each in heard]
        self._whole = Counter(text for _, text in self._heard)

    def take(self, text: str, *, after: int) -> bool:
        """Whether it was given after that line. What was given once is found once."""
        wanted = _even(text)
        later = [known for line, known in self._heard if line > after]
        if wanted in later and self._whole[wanted] > 0:
            self._whole[wanted] -= 1
            return True
        return any(f"\n{wanted}\n" in f"\n{known}\n" for known in later[:_NEAR] if known != wanted)


def _typed(text: str) -> str:
    """A text as it was typed, were it a command."""
    for piece in split(text) if text.lstrip().startswith("<") else ():
        if isinstance(piece, Note) and piece.kind in ("command", "shell") and piece.title:
            return _even(f"{piece.title} {piece.body}")
    return _even(text)


def _even(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))
