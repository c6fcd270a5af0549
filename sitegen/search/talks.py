"""What can be searched for of a conversation: its prompts and answers, as plain text, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from sitegen.model import Exchange

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~).*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}\)")
_START = re.compile(r"^\s*(?:#{1,6}|>|[-*+])\s+", re.MULTILINE)
_MARK = re.compile(r"\*\*|~~|`+|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Turn(Struct, frozen=True):
    """One message: its anchor, and the part of the conversation it stands in, counted from 1."""

    part: int
    anchor: str
    is_prompt: bool
    text: str


class Talk(Struct, frozen=True):
    """The messages of one conversation, as they are shown."""

    turns: tuple[Turn, ...]


class Found(Struct, frozen=True):
    """A conversation as results tell of it; `hrefs` lead from the site's root to its page and to each of its turns."""

    title: str
    day: str
    href: str
    turns: tuple[Turn, ...]
    hrefs: tuple[str, ...]


def make_talk(parts: Iterable[Sequence[Exchange]]) -> Talk:
    """The talk of a conversation's exchanges, by parts. Tool calls, their output and subagents aren't in it."""
    return Talk(tuple(turn for number, part in enumerate(parts, start=1) for turn in _turns(number, part)))


def _turns(part: int, exchanges: Sequence[Exchange]) -> Iterator[Turn]:
    for exchange in exchanges:
        prompts = {mark.anchor for mark in exchange.marks if mark.kind == "prompt"}
        for anchor, text in exchange.sayings():
            if said := plain(text):
                yield Turn(part, anchor, anchor in prompts, said)


def plain(text: str) -> str:
    """Markdown as one line of words: without fences, marks and addresses, and without what isn't text."""
    text = _LINK.sub(r"\1", _FENCE.sub(" ", text))
    text = _CONTROL.sub(" ", _MARK.sub("", _START.sub("", text)))
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there are any."""
    if len(text) <= limit:
        return text
    cut = text[:limit].rpartition(" ")[0] or text[:limit]
    return f"{cut} …"
