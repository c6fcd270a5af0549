"""What a check found."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Level = Literal["error", "warning"]


class Finding(Struct, frozen=True):
    """One fault: the file (relative to the tree), the line where it stands (None: the file as a whole), a sentence."""

    path: str
    sentence: str
    line: int | None = None
    level: Level = "error"

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.sentence}"


class CheckReport(Struct, frozen=True):
    """All findings, by path and line, and how much was looked at."""

    findings: tuple[Finding, ...]
    pages: int
    files: int
    size_bytes: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What is broken or unsafe."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What works and yet should be better."""
        return tuple(finding for finding in self.findings if finding.level == "warning")
