"""Draws code, data, diffs and logs of a wanted length in lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tests.bench.workload import snippets
from tests.bench.workload.text import Text

LANGUAGES = {"python": 34, "typescript": 18, "bash": 16, "json": 10, "diff": 8, "sql": 3, "yaml": 3, "": 8}
"""How often a fence is of each language; "" is a log."""
_BY_SUFFIX = {"py": "python", "ts": "typescript", "json": "json", "sh": "bash"}


class Code:
    """Code of each language, out of the same stream as the prose."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._makers: dict[str, Callable[[int], str]] = {
            "python": lambda lines: self._pieces(
                snippets.PYTHON, lines, head=snippets.PYTHON_HEAD, weights=snippets.PYTHON_WEIGHTS
            ),
            "typescript": lambda lines: self._pieces(
                snippets.TYPESCRIPT, lines, head=snippets.TYPESCRIPT_HEAD, weights=snippets.TYPESCRIPT_WEIGHTS
            ),
            "bash": lambda lines: self._pieces(
                snippets.BASH, lines, head=snippets.BASH_HEAD, weights=snippets.BASH_WEIGHTS
            ),
            "sql": lambda lines: self._pieces(snippets.SQL, lines),
            "yaml": lambda lines: self._pieces(snippets.YAML, lines, head=snippets.YAML_HEAD),
            "json": self._json,
            "diff": self._diff,
            "": self.log,
        }

    def of(self, language: str, lines: int) -> str:
        """Code of this language; JSON is whole, so somewhat longer."""
        return self._makers[language](lines)

    def file(self, path: str, lines: int) -> str:
        """What a file of this name holds."""
        return self.of(_BY_SUFFIX[path.rpartition(".")[2]], lines)

    def fence(self, lines: int, language: str | None = None) -> str:
        """A fenced block, by default in some language."""
        if language is None:
            language = self.text.random.choices(list(LANGUAGES), list(LANGUAGES.values()))[0]
        body = self.of(language, lines)
        if language in ("bash", "") and self.text.chance(0.3):
            language = self.text.random.choice(("sh", "console", "text", "shell"))
        return f"```{language}\n{body}\n```"

    def log(self, lines: int, *, is_coloured: bool = False) -> str:
        """What a test runner prints."""
        return "\n".join(self._log_line(100 * line // lines, is_coloured=is_coloured) for line in range(lines))

    def _pieces(self, pieces: Sequence[str], lines: int, *, head: str = "", weights: Sequence[int] = ()) -> str:
        found = self.text.fill(head).split("\n") if head else []
        while len(found) < lines:
            piece = self.text.random.choices(pieces, weights or None)[0]
            found += self.text.fill(piece).split("\n")
        return "\n".join(found[:lines])

    def _json(self, lines: int) -> str:
        parts, count = [], 0
        while count < lines:
            text = self.text
            value = {
                text.identifier(): self._value(3),
                "name": text.identifier(),
                "version": text.fill("«0-9».«0-30».0"),
            }
            shown = json.dumps(value, indent=2, ensure_ascii=False)
            parts.append("  " + shown.replace("\n", "\n  "))
            count += shown.count("\n") + 1
        return "[\n" + ",\n".join(parts) + "\n]"

    def _value(self, depth: int) -> object:
        text = self.text
        if depth == 0 or text.chance(0.25):
            leaves = (text.identifier(), text.number(0, 99_999), text.number(0, 99_999) / 8, True, None, text.path())
            return text.random.choice((*leaves, text.sentence()[:60]))
        if text.chance(0.3):
            return [self._value(depth - 1) for _ in range(text.number(1, 4))]
        return {text.identifier(): self._value(depth - 1) for _ in range(text.number(2, 6))}

    def _diff(self, lines: int) -> str:
        found: list[str] = []
        while len(found) < lines:
            path = self.text.path(self.text.random.choice(("py", "ts")))
            source = self.file(path, self.text.number(12, 40)).split("\n")
            span = f"-«1-300»,{len(source)} +«1-300»,{len(source)}"
            found += [
                f"diff --git a/{path} b/{path}",
                self.text.fill("index «1000000-9999999»..«1000000-9999999» 100644"),
            ]
            found += [f"--- a/{path}", f"+++ b/{path}", self.text.fill(f"@@ {span} @@")]
            for line in source:
                found += self._changed(line)
        return "\n".join(found[:lines])

    def _changed(self, line: str) -> list[str]:
        kind = self.text.random.random()
        if kind < 0.12:
            return [f"-{line}", "+" + line.replace("_", "__", 1)]
        return [f"+{line}" if kind < 0.25 else f" {line}"]

    def _log_line(self, percent: int, *, is_coloured: bool) -> str:
        text = self.text
        kind = text.random.random()
        status = "PASSED" if kind < 0.8 else "FAILED" if kind < 0.9 else "SKIPPED"
        line = text.fill(f"«py»::test_«ident» {status} [{percent:3d}%]")
        if kind > 0.97:
            line = text.fill(
                "E   AssertionError: assert {'«ident»': «0-99»} == <«Class» object at 0x7f«10000000-99999999»> & more"
            )
        return f"\x1b[3{text.number(1, 6)}m{line}\x1b[0m" if is_coloured and kind > 0.5 else line
