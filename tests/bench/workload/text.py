"""Draws words, sentences and paragraphs, and fills templates with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.bench.workload import words

_SLOT = re.compile(r"«([^:»]+)(?::(\w+))?»")


class Text:
    """Prose and names out of one stream of random numbers."""

    def __init__(self, random: Random) -> None:
        self.random = random
        choice = random.choice
        self._kinds: dict[str, Callable[[], str]] = {
            "noun": lambda: choice(words.NOUNS),
            "verb": lambda: choice(words.VERBS),
            "adj": lambda: choice(words.ADJECTIVES),
            "thing": lambda: choice(words.THINGS),
            "action": lambda: choice(words.ACTIONS),
            "module": lambda: choice(words.MODULES),
            "suffix": lambda: choice(words.SUFFIXES),
            "error": lambda: choice(words.ERRORS),
            "symbol": lambda: choice(words.SYMBOLS),
            "library": lambda: choice(("json", "os", "re", "hashlib", "asyncio")),
            "base": lambda: choice(("2", "8", "10", "16")),
            "ident": self.identifier,
            "Class": self.class_name,
            "CONST": lambda: self.identifier().upper(),
            "camel": self.camel,
            "path": self.path,
            "py": lambda: self.path("py"),
            "sentence": self.sentence,
        }

    def chance(self, of: float) -> bool:
        return self.random.random() < of

    def number(self, low: int, high: int) -> int:
        """A number, both ends included."""
        return self.random.randint(low, high)

    def fill(self, template: str) -> str:
        """The template with each slot filled: `«noun»` anew each time, `«noun:a»` alike wherever it stands, `«2-97»`
        with a number."""
        known: dict[str, str] = {}

        def draw(slot: re.Match[str]) -> str:
            kind, name = slot.groups()
            if name is None:
                return self._draw(kind)
            key = slot[0]
            if key not in known:
                known[key] = self._draw(kind)
            return known[key]

        return _SLOT.sub(draw, template)

    def _draw(self, kind: str) -> str:
        if kind in self._kinds:
            return self._kinds[kind]()
        low, _, high = kind.partition("-")
        return str(self.number(int(low), int(high)))

    def pick(self, templates: Sequence[str]) -> str:
        """One of the templates, filled."""
        return self.fill(self.random.choice(templates))

    def identifier(self) -> str:
        name = f"{self.random.choice(words.ACTIONS)}_{self.random.choice(words.THINGS)}"
        if self.chance(0.3):
            name += f"_{self.random.choice(words.THINGS)}"
        return f"{name}{self.number(0, 8)}" if self.chance(0.1) else name

    def class_name(self) -> str:
        return "".join(map(str.capitalize, self.identifier().split("_")))

    def camel(self) -> str:
        first, *others = self.identifier().split("_")
        return first + "".join(map(str.capitalize, others))

    def path(self, suffix: str | None = None) -> str:
        folders = "/".join(self.random.sample(words.MODULES, self.number(1, 2)))
        return f"src/{folders}/{self.identifier()}.{suffix or self.random.choice(words.SUFFIXES)}"

    def sentence(self) -> str:
        said = self.pick(words.SENTENCES)
        if self.chance(0.03):
            said += f" {self.random.choice(words.SYMBOLS)}"
        if self.chance(0.01):
            said += f" {self.random.choice(words.FOREIGN)}"
        return said

    def paragraph(self, low: int = 1, high: int = 5) -> str:
        """So many sentences."""
        return " ".join(self.sentence() for _ in range(self.number(low, high)))
