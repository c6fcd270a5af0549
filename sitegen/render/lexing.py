"""Pygments' lexers, driven faster, with the same tokens. What they look like is left to `code`.

Pygments spends its time on trying every rule of a state in turn. Here only those are tried that can begin with the next
character, where it stands in its line; and only tokens that have a class are told at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Final

from pygments.lexer import Lexer, RegexLexer, bygroups
from pygments.token import Error, String, Text, Whitespace, _TokenType

from sitegen.render.beginnings import ASCII, beginnings
from sitegen.render.json_lexing import lex_json
from sitegen.render.languages import lexer_named
from sitegen.render.late import OTHERS, Late
from sitegen.render.scans import Scan, Span, scan_of

Classes = Callable[[_TokenType], str]
"""Gives the class of each kind of token; "" for those that look like any text."""
_Rule = tuple[Callable[[str, int], "re.Match[str] | None"], str | None, Any, int | str | tuple[str, ...] | None]
"""A pattern's `match`, the class of what it finds (None: it's told by what comes next), what makes tokens of it or the
class of each of its groups, and where it leads: so many states back, into a state, or into several."""
_Candidates = dict[str, list[_Rule]]
_State = tuple["_Rules", _Candidates, _Candidates]
"""The rules of a state, and those of them that can begin with each character, within a line and at its begin."""
_BACK: Final[list[_Rule]] = []
"""Stands for a rule that leads one state back whatever comes, when none before it can apply."""

_BY_GROUPS: Final = bygroups().__qualname__  # type: ignore[no-untyped-call]
"""The name of all actions that give a kind, or something else to do, to each group of a match."""
_FENCE = "MarkdownLexer._handle_codeblock"
"""The name of the action that gives the code in a fence of Markdown to another lexer."""
_PLAIN_NAMES = {
    r"[A-Z_a-z][0-9A-Z_a-z]*": r"[A-Z_a-z][0-9A-Z_a-z]*+(?![^\x00-\x7f])",
    r"(?:[$_A-Za-z]|\\u[a-fA-F0-9]{4})(?:(?:[$A-Za-z0-9_]|\\u[a-fA-F0-9]{4}))*": (
        r"[$_A-Za-z][$A-Za-z0-9_]*+(?![^\x00-\x7f]|\\)"
    ),
}
_NAMES = {sign + name: re.compile(sign + plain) for name, plain in _PLAIN_NAMES.items() for sign in ("", "@")}
"""For names, by what their pattern is without all letters beyond ASCII: one that finds those that are plain, sooner."""


def lex(lexer: Lexer, text: str, classes: Classes) -> list[Span]:
    """The tokens of `text` that have a class, as the lexer's own `get_tokens_unprocessed` has them.

    A lexer that goes astray loses its classes from there on. Of JSON's signs and white space none is told; white space
    within a text of YAML may be part of it.
    """
    if type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed:
        return _driver(lexer, classes).drive(text)
    spans = _at_a_glance(lexer.name, text, classes)
    return told(lexer, text, classes) if spans is None else spans


def _at_a_glance(language: str, text: str, classes: Classes) -> list[Span] | None:
    """The same without the lexer; None where it has to be asked."""
    if language == "JSON":
        return lex_json(text, classes)
    if language == "YAML":
        from sitegen.render.yaml_lexing import lex_yaml  # its patterns take as long as some texts: for who has any

        return lex_yaml(text, classes)
    return None


def told(lexer: Lexer, text: str, classes: Classes) -> list[Span]:
    """The same from the lexer itself."""
    spans: list[Span] = []
    position = 0
    for at, kind, value in lexer.get_tokens_unprocessed(text):
        if at > position:
            break
        if at == position:
            position += len(value)
            if name := classes(kind):
                spans.append((at, position, name))
    return spans


class _Driver:
    """A lexer whose rules are driven here; so are they where a rule gives it a text within its text."""

    def __init__(self, lexer: Lexer, classes: Classes) -> None:
        owner = lexer if "_tokens" in vars(lexer) else type(lexer)  # C#'s rules depend on its options
        self._lexer, self._classes, self._states = lexer, classes, _states(owner, classes)
        self._given = copy(lexer)
        self._given.get_tokens_unprocessed = self._tokens  # type: ignore[method-assign, assignment]

    def _tokens(self, text: str, stack: Iterable[str] = ("root",)) -> Iterator[tuple[int, str, str]]:
        """All of `text` as a rule wants it, with classes in place of kinds."""
        return _whole(text, 0, self.drive(text, stack))

    def drive(self, text: str, first: Iterable[str] = ("root",)) -> list[Span]:  # noqa: C901 - one loop, for speed
        """The tokens of `text` that have a class; `first` are the states to begin in."""
        spans: list[Span] = []
        states, classes = self._states, self._classes
        stack = [*first]
        rules, within, at_start = states[stack[-1]]
        position = line = next_line = 0
        end = len(text)
        while position < end:
            if (scan := rules.scan) is not None and (position := scan(text, position, spans)) == end:
                break
            if position >= next_line:
                line = position if text[position - 1] == "\n" or not position else -1
                next_line = text.find("\n", position) + 1 or end + 1
            character = text[position]
            by_character = at_start if position == line else within
            candidates = by_character.get(character)
            if candidates is None:
                candidates = by_character[character] = rules.chosen(character, begins_line=position == line)
            if candidates is _BACK:
                stack.pop()
                rules, within, at_start = states[stack[-1]]
                continue
            for match_at, name, action, transition in candidates:
                match = match_at(text, position)
                if match is None:
                    continue
                stop = match.end()
                if name:
                    spans.append((position, stop, name))
                elif name is None:
                    position = self._tell(action, match, spans)
                    if position != stop:
                        return spans if position < stop else told(self._lexer, text, classes)
                position = stop
                if transition is not None:
                    if type(transition) is str:
                        stack.append(transition)
                    else:
                        _move(stack, transition)
                    rules, within, at_start = states[stack[-1]]
                break
            else:
                if found := classes(Whitespace if character == "\n" else Error):
                    spans.append((position, position + 1, found))
                if character == "\n":
                    stack = ["root"]
                    rules, within, at_start = states["root"]
                position += 1
        return spans

    def _tell(self, action: Any, match: re.Match[str], spans: list[Span]) -> int:
        """Adds what an action of several tokens colours. Where it ends; -1 when it leaves something out."""
        position = match.start()
        if type(action) is tuple:
            for group, found in action:
                at, after = match.span(group)
                if at == after or at < position:
                    continue
                if at > position:
                    return -1
                position = after
                if found:
                    spans.append((at, after, found))
            return position
        for at, kind, value in action(self._given, match):
            if at < position:
                continue
            if at > position:
                return -1
            position += len(value)
            if found := kind if type(kind) is str else self._classes(kind):
                spans.append((at, position, found))
        return position


@lru_cache(maxsize=256)
def _driver(lexer: Lexer, classes: Classes) -> _Driver:
    return _Driver(lexer, classes)


def _move(stack: list[str], transition: Any) -> None:
    if isinstance(transition, int):  # so many states back, the last one stays
        del stack[max(1, len(stack) + transition) :]
        return
    for state in transition:
        if state == "#pop":
            del stack[max(1, len(stack) - 1) :]
        else:
            stack.append(stack[-1] if state == "#push" else state)


class _States(dict[str, _State]):
    """The states of a lexer by their names; each is made when it's first entered."""

    def __init__(self, owner: Lexer | type[Lexer], classes: Classes) -> None:
        super().__init__()
        self._owner, self._classes = owner, classes

    def __missing__(self, name: str) -> _State:
        owner, classes = self._owner, self._classes
        rules: list[tuple[Any, Any, Any]] = owner._tokens[name]  # type: ignore[union-attr]
        self[name] = _Rules(rules, classes, scan_of(owner.name, name, classes)), {}, {}
        return self[name]


@cache
def _states(owner: Lexer | type[Lexer], classes: Classes) -> _States:
    return _States(owner, classes)


def _quickest(match_at: Any) -> Any:
    late = getattr(match_at, "__self__", None)
    return late.quickest if isinstance(late, Late) else match_at


def _quickened(rules: Iterable[tuple[Any, Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    """The rules, and before one for names another for the plain ones among them."""
    for match_at, action, leads in rules:
        pattern = getattr(getattr(match_at, "__self__", None), "pattern", "")
        if not pattern.isascii() and (plain := _NAMES.get(OTHERS.sub("", pattern))) is not None:
            yield plain.match, action, leads
        yield match_at, action, leads


def _fence(_lexer: Lexer, match: re.Match[str], *, classes: Classes) -> Iterator[tuple[int, _TokenType | str, str]]:
    """A fence's tokens as Markdown's own action makes them, its code read by lexers that are driven here too."""
    start, end = match.span("code")
    yield match.start(), String.Backtick, match["initial"]
    yield match.start("lang"), String.Backtick, match["lang"]
    if match["afterlang"] is not None:
        yield match.start("whitespace"), Whitespace, match["whitespace"]
        yield match.start("extra"), Text, match["extra"]
    yield match.start("newline"), Whitespace, "\n"
    lexer = lexer_named(match["lang"])
    if lexer is None:
        yield start, String, match["code"]
    else:
        yield from _whole(match["code"], start, lex(lexer, match["code"], classes))
    yield end, String.Backtick, match["terminator"]


def _whole(text: str, start: int, spans: Iterable[Span]) -> Iterator[tuple[int, str, str]]:
    """All of a text that begins at `start`: its tokens, and between them what has no class."""
    position = 0
    for begin, end, name in spans:
        yield start + position, "", text[position:begin]
        yield start + begin, name, text[begin:end]
        position = end
    yield start + position, "", text[position:]


def _rule(match_at: Any, action: Any, leads: Any, classes: Classes) -> _Rule:
    if leads == "#push":
        leads = ("#push",)
    elif isinstance(leads, tuple) and len(leads) == 1 and leads[0][0] != "#":
        leads = leads[0]
    if type(action) is _TokenType:
        return match_at, classes(action), None, leads
    if getattr(action, "__qualname__", "") == _FENCE:
        action = partial(_fence, classes=classes)
    return match_at, None, _groups(action, classes) or action or _nothing, leads


def _groups(action: Any, classes: Classes) -> tuple[tuple[int, str], ...]:
    """The groups that an action tells, each with its class; nothing when it tells anything else."""
    held = [cell.cell_contents for cell in getattr(action, "__closure__", None) or ()]
    if getattr(action, "__qualname__", "") != _BY_GROUPS or len(held) != 1:
        return ()
    kinds = held[0]
    if any(kind is not None and type(kind) is not _TokenType for kind in kinds):
        return ()
    return tuple((group, classes(kind)) for group, kind in enumerate(kinds, start=1) if kind is not None)


def _nothing(_lexer: Lexer, _match: re.Match[str]) -> Iterable[tuple[int, _TokenType, str]]:
    """What a rule makes that only leads somewhere."""
    return ()


class _Rules:
    """Those of one state, in the order in which they are tried."""

    def __init__(self, rules: list[tuple[Any, Any, Any]], classes: Classes, scan: Scan | None) -> None:
        self._rules, self._classes = rules, classes
        self.scan = scan

    @cached_property
    def _begun(self) -> list[tuple[_Rule, frozenset[str], bool]]:
        rules = [_rule(*rule, self._classes) for rule in _quickened(self._rules)]
        return [(rule, *beginnings(getattr(rule[0], "__self__", None))) for rule in rules]

    def chosen(self, character: str, *, begins_line: bool) -> list[_Rule]:
        """The rules that can begin with that character, where it begins a line or doesn't."""
        found = [
            (_quickest(rule[0]), *rule[1:])
            for rule, characters, is_anchored in self._begun
            if (character in characters or character not in ASCII) and (begins_line or not is_anchored)
        ]
        is_back = found[:1] and found[0][1:] == (None, _nothing, -1) and found[0][0]("", 0) is not None
        return _BACK if is_back else found
