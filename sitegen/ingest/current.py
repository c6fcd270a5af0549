"""The conversation that is being read: what its later records need of its earlier ones."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from sitegen.ingest.records import BlockRecord, Change, Handle, LineProblem, Stored
from sitegen.picked import Picker


class Task(Struct, frozen=True):
    """A conversation to write, under the native id that was found for it."""

    handle: Handle
    native_id: str
    change: Change
    stored: Stored | None = None


class Current(Struct):
    """What is known so far of a conversation that is being read."""

    row_id: str
    task: Task
    has_row: bool
    kept_messages: int = 0
    kept_lines: int = 0
    picked_lines: int = 0
    picker: Picker = field(default_factory=Picker)
    count: int = 0
    ids: dict[str, str] = field(default_factory=dict)
    """Message ids by native id; the first of each, when one repeats."""
    taken: set[str] = field(default_factory=set)
    """Message ids, all of them."""
    passed_over: dict[str, str | None] = field(default_factory=dict)
    orphans: list[tuple[str, str]] = field(default_factory=list)
    """Messages whose parent hasn't been read, with its native id."""
    calls: int = 0
    results: int = 0
    images: int = 0
    problem_count: int = 0
    problems: list[LineProblem] = field(default_factory=list)

    def count_blocks(self, blocks: Sequence[BlockRecord]) -> None:
        """Counts what they are."""
        for block in blocks:
            self.images += block.images
            if block.kind == "tool_use":
                self.calls += 1
            elif block.kind == "tool_result":
                self.results += 1

    def message_of(self, native_id: str | None) -> str | None:
        """The message that a record is or, for one that is none, that it stands after."""
        seen: set[str] = set()
        while native_id is not None and native_id not in seen:
            if native_id in self.ids:
                return self.ids[native_id]
            seen.add(native_id)
            native_id = self.passed_over.get(native_id)
        return None
