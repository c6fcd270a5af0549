"""Text for a terminal: what conversations hold must not steer it, and columns must stand."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime

from sitegen.wording.counts import counted as counted

_JOINERS = "\u200c\u200d"  # needed by some scripts and by emoji, and harmless


def safe(text: str, *, limit: int = 0) -> str:
    """Text in one line without control, bidi and other invisible characters; cut to `limit` characters when given."""
    line = " ".join("".join(_safe_character(char) for char in text).split())
    return line if not limit or len(line) <= limit else f"{line[: limit - 1]}…"


def safe_lines(text: str) -> str:
    """Like `safe`, with its lines kept."""
    return "\n".join(safe(line) for line in text.splitlines())


def _safe_character(char: str) -> str:
    if char.isspace():
        return " "
    # Cc, Cf, Cs, Co, Cn: controls, bidi marks, half characters, private and unassigned ones.
    return "\ufffd" if unicodedata.category(char)[0] == "C" and char not in _JOINERS else char


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as aligned columns; the last column isn't padded, so titles of any script may stand there."""
    cells = [tuple(row) for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(_padded(cell, size) for cell, size in zip(row[:-1], widths, strict=False)) + f"  {row[-1]}".rstrip()
        for row in cells
    )


def width(text: str) -> int:
    """The columns that text takes: wide characters two, combining ones none."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def _padded(cell: str, size: int) -> str:
    return cell + " " * (size - width(cell))


def day(moment: datetime | None) -> str:
    """A date as 2026-01-31, or a dash when there is none."""
    return moment.date().isoformat() if moment else "–"
