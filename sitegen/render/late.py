"""Pygments' lexers without the time that patterns take to be compiled that aren't needed, 5 to 30 ms a language.

One of all letters there are has thousands of characters and takes 5 to 15 ms alone; most code has none beyond ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from pygments.lexer import Lexer, RegexLexer

OTHERS = re.compile("(?:[^\x00-\x7f](?:-[^\x00-\x7f])?)+")
"""Characters beyond ASCII and ranges of them: thousands in a pattern of names."""
_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
"""A class of characters in a pattern, or something escaped, which begins none."""
_LONG = 500
"""A pattern of fewer characters is compiled as it is."""


class Late:
    """A pattern of a lexer's rule that is put together and compiled when it's needed: most never are."""

    def __init__(self, regex: Any, flags: int) -> None:
        self._regex = regex
        self.flags = flags

    @cached_property
    def pattern(self) -> str:
        """The pattern as text."""
        return self._regex if isinstance(self._regex, str) else self._regex.get()  # a list of words makes it now

    def match(self, text: str, position: int = 0) -> re.Match[str] | None:
        """What the pattern's own `match` finds there."""
        return self.quickest(text, position)

    @cached_property
    def quickest(self) -> Callable[[str, int], re.Match[str] | None]:
        """The same without a step between: that of the compiled pattern."""
        is_long = len(self.pattern) > _LONG and not self.pattern.isascii() and not self.flags & re.IGNORECASE
        return self._sparingly if is_long else self._whole.match

    def _sparingly(self, text: str, position: int) -> re.Match[str] | None:
        """Without the pattern's members beyond ASCII as long as a text has none."""
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
        return Late(regex, flags).match


@cache
def sparing(lexer: type[Lexer]) -> type[Lexer]:
    """The same lexer, that compiles its patterns when they are needed, unless it reads its rules in its own way."""
    is_plain = issubclass(lexer, RegexLexer) and lexer.get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    return type(lexer.__name__, (_Sparing, lexer), {}) if is_plain else lexer
