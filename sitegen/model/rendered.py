"""What rendering makes of a conversation, and what the output is made of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from msgspec import Struct

from sitegen.bulk import Bulky
from sitegen.model.conversation import Usage

ROOT = "\x00root\x00"
"""Stands in fragments for the way from a page to its share's own folder ("" or "../"). No page text can hold a NUL."""

SOURCES = "\x00sources\x00"
"""Stands in fragments for the name of the file that holds texts as they were written."""


class OutlineEntry(Struct, frozen=True):
    """One prompt in the outline: the anchor it leads to and its first line as plain text."""

    anchor: str
    text: str
    created_at: datetime | None = None


MarkKind = Literal["prompt", "answer", "tool", "error"]


class Mark(Struct, frozen=True):
    """One mark of the timeline picture."""

    kind: MarkKind
    anchor: str
    at: datetime | None
    weight: int = 1
    """How much there is: characters of an answer, calls of a run."""


class Exchange(Struct, frozen=True):
    """A prompt and all that came of it, as one complete HTML fragment, which may hold ROOT and SOURCES.

    `anchors` are all ids in it that a link may point to. `search_file` is the prose a reader can search for; `said`
    tells where in it the text of each message begins, "" standing for what isn't a message.
    """

    anchor: str
    html_file: Bulky
    """As bytes: one emoji in it, and as a text it would be four times as large."""
    messages: int
    sources_file: Bulky = b""
    """The texts of its messages as they were written, where they are shown otherwise: members of JSON, by anchor."""
    anchors: tuple[str, ...] = ()
    outline: OutlineEntry | None = None
    marks: tuple[Mark, ...] = ()
    search_file: Bulky = b""
    said: tuple[tuple[str, int], ...] = ()

    @property
    def search_text(self) -> str:
        """The prose as text."""
        return bytes(self.search_file).decode("utf-8", "surrogatepass")

    @property
    def html(self) -> str:
        """The HTML as text."""
        return bytes(self.html_file).decode("utf-8", "surrogatepass")

    def sayings(self) -> Iterator[tuple[str, str]]:
        """The messages by anchor, each with its text."""
        text = self.search_text
        ends = [start - 1 for _, start in self.said[1:]] + [len(text)]
        for (anchor, start), end in zip(self.said, ends, strict=False):  # nothing said, no end
            if anchor:
                yield anchor, text[start:end]


class ShareFile(Struct, frozen=True):
    """A file beside a share's pages (image, attachment, heavy output); `name` is relative to the share's folder."""

    name: str
    data: Bulky
    media_type: str
    sha256: str = ""
    """Of the data, when it was taken."""


class Facts(Struct, frozen=True):
    """What the header and the indexes say about a conversation."""

    title: str
    source: str
    """The source's name for people: "Claude Code"."""
    models: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    """Prompts on the path that is shown."""
    messages: int = 0
    tool_calls: int = 0
    tools: tuple[tuple[str, int], ...] = ()
    """Tool names with their counts, most used first, then by name."""
    errors: int = 0
    usage: Usage | None = None
    git_branch: str | None = None
    state: str | None = None
    first_prompt: str = ""
    """First line of the first prompt, plain text."""
    hidden: tuple[tuple[str, int], ...] = ()
    """What the share's policy left out: ("tool results", 3)."""


class BranchPage(Struct, frozen=True):
    """An alternative path through the conversation, on a page of its own under `s/<slug>/<name>/`."""

    name: str
    exchanges: tuple[Exchange, ...]


class Transcript(Struct, frozen=True):
    """A conversation rendered for one share: what the pages are made of, and all that is cached between builds."""

    facts: Facts
    exchanges: tuple[Exchange, ...]
    branches: tuple[BranchPage, ...] = ()
    files: tuple[ShareFile, ...] = ()
    markdown_file: Bulky = b""
    """`conversation.md`, as it's written: one emoji in it, and as a text it would be four times as large."""
    json_file: Bulky = b""
    """`conversation.json`."""
    export_hashes: tuple[str, str] = ("", "")
    """SHA-256 of those two, so that it's taken once for all builds."""
    notes: tuple[str, ...] = ()
    """What the site's owner should know of how it was rendered; no page shows it."""

    @property
    def markdown(self) -> str:
        """The text of `conversation.md`."""
        return bytes(self.markdown_file).decode()

    @property
    def json(self) -> str:
        """The text of `conversation.json`."""
        return bytes(self.json_file).decode()


class Card(Struct, frozen=True):
    """What an index knows of a share; made from the transcript's facts and kept between builds."""

    slug: str
    title: str
    is_protected: bool
    project: str | None
    """The project's slug."""
    listed: bool
    source: str = ""
    models: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turns: int = 0
    messages: int = 0
    tool_calls: int = 0
    tools: tuple[tuple[str, int], ...] = ()
    errors: int = 0
    first_prompt: str = ""
    shape: tuple[int, ...] = ()
    """The sparkline: twenty-four values of 0–9."""
    parent_slug: str | None = None
    """Slug of the share whose subagent this is."""


class Poster(Struct, frozen=True):
    """What the picture shows that stands for a share where its link is posted."""

    title: str
    site: str
    facts: str
    shape: tuple[int, ...] = ()


class Document(Struct, frozen=True):
    """A file of the output: a path relative to its root, with `/`, and its bytes."""

    path: str
    data: Bulky
    sha256: str = ""
    """Theirs, hexadecimal, when it was taken before; a file that stands is compared by it."""
