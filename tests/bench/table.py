"""Writes rows as a table that reads well on a terminal and in Markdown alike."""

from __future__ import annotations

from collections.abc import Sequence

Row = Sequence[str]


def table(head: Row, rows: Sequence[Row], *, text_columns: int = 1) -> str:
    """A Markdown table with its columns aligned; all but the first ones hold numbers."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    rule = ["-" * width if at < text_columns else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
    return "\n".join(_line(row, widths, text_columns) for row in (head, rule, *rows))


def _line(row: Row, widths: Sequence[int], text_columns: int) -> str:
    cells = [
        cell.ljust(width) if at < text_columns else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(cells)} |"


def seconds(value: float) -> str:
    return f"{value:.2f}"


def megabytes(value: int | None) -> str:
    """10^6 bytes, to three digits or so."""
    if value is None:
        return "–"
    shown = value / 1e6
    return f"{shown:.1f}" if shown < 10 else f"{shown:,.0f}"
