"""What a regular expression can begin with, from its parsed pattern; where that doesn't tell, anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from sitegen.render.late import OTHERS, Late

try:
    from re import _constants as _op  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover - a Python whose pattern parser has moved
    _parser = _op = None

ASCII = frozenset(map(chr, range(128)))
_LETTERS = frozenset(filter(str.isalpha, ASCII))


@cache
def beginnings(pattern: object) -> tuple[frozenset[str], bool]:
    """The ASCII characters that a match of `pattern` can begin with, and whether it can only at the begin of a line.

    Too many and False are safe, too few and True are not.
    """
    if _parser is None or not isinstance(pattern, re.Pattern | Late):
        return ASCII, False
    try:
        # Of thousands of characters beyond ASCII one says as much here.
        parsed = _parser.parse(OTHERS.sub("é", pattern.pattern), pattern.flags)
        is_anchored = _is_anchored(parsed)
        characters, is_maybe_empty = _first(parsed)
    except (_UnclearError, re.error):
        return ASCII, False
    if is_maybe_empty:
        return ASCII, is_anchored
    if parsed.state.flags & re.IGNORECASE:
        characters |= {c.lower() for c in characters} | {c.upper() for c in characters}
        if not characters <= ASCII:  # "ſ" is an "s" then
            characters |= _LETTERS
    return frozenset(characters & ASCII), is_anchored


def _is_anchored(sequence: Iterable[tuple[Any, Any]]) -> bool:
    for operation, argument in sequence:
        if operation is _op.AT and argument in (_op.AT_BEGINNING, _op.AT_BEGINNING_STRING):
            return True
        if operation is _op.SUBPATTERN and not argument[1] and not argument[2]:
            return _is_anchored(argument[3])
        if operation is _op.BRANCH:
            return all(map(_is_anchored, argument[1]))
        if operation not in (_op.AT, _op.ASSERT, _op.ASSERT_NOT):
            break
    return False


class _UnclearError(Exception):
    """The pattern's beginning can't be told from its text."""


def _first(sequence: Iterable[tuple[Any, Any]]) -> tuple[set[str], bool]:
    """The characters a parsed sequence can begin with, and whether it can match nothing at all."""
    characters: set[str] = set()
    for operation, argument in sequence:
        found, is_maybe_empty = _first_of(operation, argument)
        characters |= found
        if not is_maybe_empty:
            return characters, False
    return characters, True


def _first_of(operation: Any, argument: Any) -> tuple[set[str], bool]:
    if operation in (_op.LITERAL, _op.IN, _op.NOT_LITERAL, _op.ANY):
        return _one(operation, argument), False
    if operation is _op.BRANCH:
        branches = [_first(branch) for branch in argument[1]]
        return set().union(*(found for found, _ in branches)), any(empty for _, empty in branches)
    if operation is _op.SUBPATTERN and not argument[1] and not argument[2]:  # no flags of its own
        return _first(argument[3])
    if operation in (_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT):
        found, is_maybe_empty = _first(argument[2])
        return found, is_maybe_empty or argument[0] == 0
    if operation is _op.ATOMIC_GROUP:
        return _first(argument)
    if operation is _op.ASSERT and argument[0] > 0:  # what comes next begins as it says
        return _first(argument[1])
    if operation in (_op.AT, _op.ASSERT, _op.ASSERT_NOT):
        return set(), True
    raise _UnclearError


def _one(operation: Any, argument: Any) -> set[str]:
    if operation is _op.LITERAL:
        return {chr(argument)}
    if operation is _op.NOT_LITERAL:
        return set(ASCII - {chr(argument)})
    return set(ASCII) if operation is _op.ANY else _members(argument)


def _members(items: Iterable[tuple[Any, Any]]) -> set[str]:
    characters: set[str] = set()
    is_negated = False
    for operation, argument in items:
        if operation is _op.NEGATE:
            is_negated = True
        elif operation is _op.LITERAL:
            characters.add(chr(argument))
        elif operation is _op.RANGE:
            characters.update(map(chr, range(argument[0], min(argument[1], 128) + 1)))
        elif operation is _op.CATEGORY:
            characters |= _category(argument)
        else:
            raise _UnclearError
    return set(ASCII - characters) if is_negated else characters


@cache
def _category(name: Any) -> frozenset[str]:
    letters = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    kind = str(name).removeprefix("CATEGORY_").removeprefix("NOT_")
    if kind not in letters:
        raise _UnclearError
    inside = frozenset(c for c in ASCII if re.match(letters[kind], c))
    return ASCII - inside if "NOT_" in str(name) else inside
