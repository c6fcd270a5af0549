"""Pygments' lexers, found by name and driven faster, with the same tokens. What they look like is left to `code`.

Pygments spends its time on trying every rule of a state in turn. Here only those are tried that can begin with the next
character. That follows from the parsed pattern; where it doesn't (a back-reference), the rule is always tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Error, Text, Whitespace, _TokenType
from pygments.util import ClassNotFound

try:
    from re import _constants as _op  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover - a Python whose pattern parser has moved: every rule is tried
    _parser = _op = None

Token = tuple[int, _TokenType, str]
_Rule = tuple[Callable[[str, int], "re.Match[str] | None"], Any, Any, bool]
"""A pattern's `match`, what it makes, where it leads, and whether what it makes is quiet."""
_State = tuple[list[_Rule], dict[str, list[_Rule]]]

_ASCII = frozenset(map(chr, range(128)))
_LETTERS = frozenset(filter(str.isalpha, _ASCII))
_OPTIONS: dict[str, Any] = {"stripnl": False, "ensurenl": False}
# What people write after a fence and Pygments doesn't know, or knows as something else.
_ALIASES = {
    "cjs": "javascript",
    "conf": "ini",
    "cts": "typescript",
    "dotenv": "bash",
    "env": "bash",
    "gql": "graphql",
    "golang": "go",
    "ipynb": "json",
    "jsonc": "json5",
    "jsonl": "json",
    "mjs": "javascript",
    "mts": "typescript",
    "ndjson": "json",
    "plist": "xml",
    "proto": "protobuf",
    "ps": "powershell",
    "py3": "python",
    "shellscript": "bash",
    "svelte": "html",
    "svg": "xml",
    "terminal": "console",
    "tf": "terraform",
    "vue": "html",
    "yml": "yaml",
}
_EXTENSIONS = {
    "bash": "bash",
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "ex": "elixir",
    "exs": "elixir",
    "go": "go",
    "h": "c",
    "hpp": "cpp",
    "htm": "html",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "lua": "lua",
    "md": "markdown",
    "php": "php",
    "pl": "perl",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "scala": "scala",
    "scss": "scss",
    "sh": "bash",
    "sql": "sql",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "xml": "xml",
    "yaml": "yaml",
    "zsh": "bash",
}
"""The everyday ones at hand: asking Pygments for a file's lexer takes as long as colouring a page."""
_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output", "log", "csv", "tsv", "math", "mermaid"})
_NAME = re.compile(r"[\w+#.\-]{1,40}")


@lru_cache(maxsize=256)
def find_lexer(language: str) -> Lexer | None:
    """The lexer that a fence's word names ("py", "C++", "jsonc"), or None for plain text and for what nobody knows."""
    name = language.strip().lower()
    name = _ALIASES.get(name, name)
    if name in _PLAIN or _NAME.fullmatch(name) is None:
        return None
    try:
        return get_lexer_by_name(name, **_OPTIONS)
    except ClassNotFound:
        return None


@lru_cache(maxsize=1024)
def find_language(filename: str) -> str:
    """The language of a file by its name alone ("a/parser.py" → "python"), "" when the name doesn't tell."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    extension = name.rpartition(".")[2].lower()
    known = _ALIASES.get(extension) or _EXTENSIONS.get(extension)
    if known is not None and "." in name:
        return known
    if len(name) > 255:
        return ""
    found = find_lexer_class_for_filename(name)
    return found.aliases[0] if found is not None and found.aliases else ""


def lex(lexer: Lexer, text: str, *, quiet: Callable[[_TokenType], bool] | None = None) -> Iterable[Token]:
    """The tokens of `text` with their places, exactly as the lexer's own `get_tokens_unprocessed` has them.

    Neighbours of which `quiet` says so may come as one token of the type Text: most of a text is of no interest.
    """
    if type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed:
        return _drive(lexer, text, _states(type(lexer), quiet))
    return lexer.get_tokens_unprocessed(text)


def _drive(lexer: Lexer, text: str, states: dict[str, _State]) -> Iterator[Token]:  # noqa: C901 - one loop, for speed
    stack = ["root"]
    rules, by_character = states["root"]
    position = told = 0
    end = len(text)
    while position < end:
        character = text[position]
        candidates = by_character.get(character)
        if candidates is None:
            candidates = by_character[character] = _select(rules, character)
        for match_at, action, transition, is_quiet in candidates:
            match = match_at(text, position)
            if match is None:
                continue
            if is_quiet:
                position = match.end()
            else:
                if told < position:
                    yield told, Text, text[told:position]
                if type(action) is _TokenType:
                    yield position, action, match.group()
                elif action is not None:
                    yield from action(lexer, match)
                position = told = match.end()
            if transition is not None:
                _move(stack, transition)
                rules, by_character = states[stack[-1]]
            break
        else:
            if told < position:
                yield told, Text, text[told:position]
            yield position, Whitespace if character == "\n" else Error, character
            if character == "\n":
                stack = ["root"]
                rules, by_character = states["root"]
            position += 1
            told = position
    if told < position:
        yield told, Text, text[told:position]


def _move(stack: list[str], transition: Any) -> None:
    if isinstance(transition, int):  # so many states back, the last one stays
        del stack[max(1, len(stack) + transition) :]
    elif isinstance(transition, tuple):
        for state in transition:
            _move(stack, state)
    elif transition == "#pop":
        del stack[max(1, len(stack) - 1) :]
    else:
        stack.append(stack[-1] if transition == "#push" else transition)


@cache
def _states(lexer_class: type[RegexLexer], quiet: Callable[[_TokenType], bool] | None) -> dict[str, _State]:
    tokens: dict[str, list[tuple[Any, Any, Any]]] = lexer_class._tokens  # type: ignore[attr-defined]

    def is_quiet(action: object) -> bool:
        return quiet is not None and type(action) is _TokenType and quiet(action)

    return {
        name: ([(match_at, action, leads, is_quiet(action)) for match_at, action, leads in rules], {})
        for name, rules in tokens.items()
    }


def _select(rules: list[_Rule], character: str) -> list[_Rule]:
    if character not in _ASCII:
        return rules
    return [rule for rule in rules if character in _beginnings(getattr(rule[0], "__self__", None))]


@cache
def _beginnings(pattern: object) -> frozenset[str]:
    """The ASCII characters that a match of `pattern` can begin with; too many is safe, too few is not."""
    if _parser is None or not isinstance(pattern, re.Pattern):
        return _ASCII
    try:
        characters, is_maybe_empty = _first(_parser.parse(pattern.pattern, pattern.flags))
    except (_UnclearError, re.error):
        return _ASCII
    if is_maybe_empty:
        return _ASCII
    if pattern.flags & re.IGNORECASE:
        characters |= {c.lower() for c in characters} | {c.upper() for c in characters}
        if not characters <= _ASCII:  # "ſ" is an "s" then
            characters |= _LETTERS
    return frozenset(characters & _ASCII)


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
    if operation in (_op.AT, _op.ASSERT, _op.ASSERT_NOT):
        return set(), True
    raise _UnclearError


def _one(operation: Any, argument: Any) -> set[str]:
    if operation is _op.LITERAL:
        return {chr(argument)}
    if operation is _op.NOT_LITERAL:
        return set(_ASCII - {chr(argument)})
    return set(_ASCII) if operation is _op.ANY else _members(argument)


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
    return set(_ASCII - characters) if is_negated else characters


@cache
def _category(name: Any) -> frozenset[str]:
    letters = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    kind = str(name).removeprefix("CATEGORY_").removeprefix("NOT_")
    if kind not in letters:
        raise _UnclearError
    inside = frozenset(c for c in _ASCII if re.match(letters[kind], c))
    return _ASCII - inside if "NOT_" in str(name) else inside
