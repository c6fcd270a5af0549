"""What Markdown is told in between its text and its HTML: the library's tokens, and those that are made without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from msgspec import Struct


class Token(Protocol):
    """What is asked of a token, whoever made it."""

    content: str

    @property
    def type(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def attrs(self) -> Mapping[str, str | int | float]: ...
    @property
    def children(self) -> Sequence[Token] | None: ...
    @property
    def markup(self) -> str: ...
    @property
    def info(self) -> str: ...
    @property
    def meta(self) -> Mapping[Any, Any]: ...
    @property
    def hidden(self) -> bool: ...


class Plain(Struct):
    """The token of a block that was read at a glance."""

    type: str
    content: str = ""
    info: str = ""
    meta: dict[Any, Any] = {}
    tag: ClassVar[str] = ""
    attrs: ClassVar[Mapping[str, str | int | float]] = {}
    children: ClassVar[Sequence[Token] | None] = None
    markup: ClassVar[str] = ""
    hidden: ClassVar[bool] = False


class Table(Struct, frozen=True):
    """What the token of a table has in its `meta`: how each column is aligned ("" isn't told), its rows with the head.

    A cell is its text when that's simple, else an inline token.
    """

    alignments: list[str]
    rows: Sequence[Sequence[str | Token]]


def texts(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens, and in place of each table those of its cells that aren't simple."""
    for token in tokens:
        if token.type == "table":
            table: Table = token.meta["table"]
            yield from (cell for row in table.rows for cell in row if not isinstance(cell, str))
        else:
            yield token
