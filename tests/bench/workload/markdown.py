"""Draws the Markdown of prompts and answers: paragraphs, lists, tables, quotes, fences in all their nestings."""

from __future__ import annotations

from typing import Literal

from tests.bench.workload.code import Code
from tests.bench.workload.text import Text

Size = Literal["small", "medium", "large"]
"""About 0.3, 1.5 and 8 kB."""

_CELLS = ("`«ident»`", "«0-9999»", "**«adj»**", "«noun»", "«symbol» «adj»", "[«thing»](#«thing»)")
_RULES = ("---", ":---", "---:", ":-:")
_FENCE_LINES = {"medium": (3, 5, 8, 12, 20), "large": (5, 10, 20, 40, 80, 120)}
_BLOCKS = {
    "paragraph": 25,
    "section": 13,
    "bullets": 17,
    "table": 8,
    "quote": 4,
    "steps": 3,
    "nested": 2,
    "rule": 1,
    "fence": 27,
}


class Markdown:
    """Answers as models write them."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.text: Text = code.text

    def answer(self, size: Size | None = None) -> str:
        """One answer; by default mostly small."""
        size = size or self.text.random.choices(("small", "medium", "large"), (55, 33, 12))[0]
        if size == "small":
            return self.text.paragraph(1, 3)
        blocks = [self.text.paragraph(1, 3)]
        for _ in range(self.text.number(1, 3) if size == "medium" else self.text.number(7, 16)):
            kind = self.text.random.choices(list(_BLOCKS), list(_BLOCKS.values()))[0]
            blocks.append(self._block(kind, size))
        return "\n\n".join([*blocks, self.text.paragraph(1, 2)])

    def bullets(self, depth: int = 0) -> str:
        """A list: plain, numbered or of tasks, with some lists in it."""
        kind = self.text.random.random()
        items = [
            "  " * depth + self._item(number, kind, depth=depth) for number in range(1, self.text.number(2, 6) + 1)
        ]
        return "\n".join(items)

    def _block(self, kind: str, size: Size) -> str:
        match kind:
            case "paragraph":
                return self.text.paragraph(1, 4)
            case "section":
                name = self.text.fill("«noun»").capitalize() + (
                    self.text.fill(" `«ident»`") if self.text.chance(0.3) else ""
                )
                return f"{'#' * self.text.number(2, 4)} {name}\n\n{self.text.paragraph(1, 2)}"
            case "bullets":
                return self.bullets()
            case "table":
                return self._table()
            case "quote":
                return f"> {self.text.paragraph(1, 2)}\n>\n> {self.text.sentence()}"
            case "steps":
                return self._steps()
            case "nested":
                return self._nested_fence()
            case "rule":
                return "---"
            case _:
                return self.code.fence(self.text.random.choice(_FENCE_LINES[size]))

    def _item(self, number: int, kind: float, *, depth: int) -> str:
        mark = f"{number}. " if kind < 0.35 else f"- [{self.text.random.choice('x ')}] " if kind < 0.45 else "- "
        lead = f"**{self.text.fill('«noun»').capitalize()}**: " if self.text.chance(0.5) else ""
        item = f"{mark}{lead}{self.text.sentence()}"
        if depth < 2 and self.text.chance(0.2):
            indent = " " if kind < 0.35 else ""
            item += "".join(f"\n{indent}{line}" for line in self.bullets(depth + 1).split("\n"))
        return item

    def _table(self) -> str:
        columns = range(self.text.number(2, 5))
        rows = [
            [self.text.fill("«noun»").capitalize() for _ in columns],
            [self.text.random.choice(_RULES) for _ in columns],
        ]
        rows += [[self.text.pick(_CELLS) for _ in columns] for _ in range(self.text.number(2, 9))]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def _steps(self) -> str:
        fence = self.code.fence(self.text.number(3, 8)).replace("\n", "\n   ")
        return self.text.fill(f"1. «sentence»\n\n   {fence}\n\n2. «sentence»\n   - «sentence»\n   - «sentence»")

    def _nested_fence(self) -> str:
        title, fence = self.text.fill("«noun»").capitalize(), self.code.fence(self.text.number(4, 12))
        return f"````markdown\n# {title}\n\n{self.text.paragraph(1, 2)}\n\n{fence}\n\n{self.bullets()}\n````"
