"""Numbers with their nouns, for messages to the site's owner."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 message", "1,200 messages"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
