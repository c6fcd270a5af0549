"""Pygments' lexers without the time that its patterns of all letters there are take to be compiled.

Such a pattern has thousands of characters and takes 5 to 15 ms, in each process; most code has no letter beyond ASCII.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import Any

from pygments.lexer import Lexer, RegexLexer

OTHERS = re.compile("(?:[^\x00-\x7f](?:-[^\x00-\x7f])?)+")
"""Characters beyond ASCII and ranges of them: thousands in a pattern of names."""
_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
"""A class of characters in a pattern, or something escaped, which begins none."""
_LONG = 500
"""A pattern of fewer characters is compiled at once."""


class Late:
    """A pattern that is compiled when it's asked: without its members beyond ASCII as long as a text has none."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def match(self, text: str, position: int = 0) -> re.Match[str] | None:
        """What the pattern's own `match` finds there."""
        return (self._within_ascii if text.isascii() else self._whole).match(text, position)

    @cached_property
    def _within_ascii(self) -> re.Pattern[str]:
        return re.compile(_CLASS.sub(lambda found: OTHERS.sub("é", found[0]), self.pattern), self.flags)

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)


class _Sparing:
    """For a lexer's class to inherit first: Pygments asks it for what becomes of each rule's pattern.

    A Pygments that doesn't ask loses nothing but time.
    """

    @staticmethod
    def _process_regex(regex: Any, flags: int, _state: str) -> Any:
        pattern = regex if isinstance(regex, str) else regex.get()  # a list of words makes its pattern then
        is_late = len(pattern) > _LONG and not pattern.isascii() and not flags & re.IGNORECASE
        return (Late(pattern, flags) if is_late else re.compile(pattern, flags)).match


@cache
def sparing(lexer: type[Lexer]) -> type[Lexer]:
    """The same lexer, that compiles such patterns when they are needed."""
    return type(lexer.__name__, (_Sparing, lexer), {}) if issubclass(lexer, RegexLexer) else lexer
