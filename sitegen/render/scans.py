"""What of code can be told at a glance: one pattern for a state of a lexer, instead of the lexer's rules one by one.

A pattern passes over what has no colour and takes one thing that has; where it finds none the rules decide, and it goes
on behind. It takes nothing that isn't surely so, and passes over nothing that decides what colour something later has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pygments.regexopt import regex_opt
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
    _TokenType,
)

Span = tuple[int, int, str]
"""Where a token of some class begins and ends, and its class."""
Scan = Callable[[str, int, list[Span]], int]
"""Adds the tokens of a text from a place on that have a class, and gives the place where the rules have to go on."""

_KINDS: Final = {
    "word": Keyword,
    "key": Keyword.Constant,
    "namespace": Keyword.Namespace,
    "number": Number,
    "string": String,
    "regex": String.Regex,
    "comment": Comment,
    "doc": String.Doc,
    "decorator": Name.Decorator,
    "decorated": Keyword.Declaration,
    "error": Name.Exception,
}
"""The kinds of tokens that a pattern's groups take."""
_PAIRS: Final = {
    "function": (("def", Keyword), ("function", Name.Function)),
    "named": (("class", Keyword), ("named", Name.Class)),
    "import": (("from", Keyword.Namespace), ("import", Keyword.Namespace)),
}
"""Groups before which another takes a token as well."""
_VARIABLE = r"\$(?:[A-Za-z_]\w*+|[0-9]++|[#$?!_*@-])"
_HOLES: Final = {
    "formatted": re.compile(r"(?<=\{)[\w.]+"),
    "template": re.compile(r"(?<=\$\{)[\w$.]+"),
    "expanded": re.compile(rf"{_VARIABLE}|(?<=\$\{{)\w+"),
}
"""Groups that take a string, and what in it isn't of it."""
_DULL = (Text, Whitespace, Punctuation, Operator, Name, Name.Other, Name.Builtin, Name.Builtin.Pseudo, Name.Variable)


def _any(words: str) -> str:
    """A pattern of those words that looks at each letter once."""
    return re.sub(r"\((?!\?)", "(?:", regex_opt(words.split()))


def _python() -> str:
    words = (
        "assert async await break continue del elif else except finally for global if lambda pass raise nonlocal return"
        " try while yield as with"
    )
    constants = "True False None in is and or not"
    word = rf"{_any(f'{words} {constants} class def from import')}\b"
    error = r"[A-Z]\w*+(?<=Error|ption|.Exit|rrupt|ation|rning)"
    letters = r"[A-Za-z_][A-Za-z0-9_]*+(?![^\x00-\x7f])"
    name = rf"(?!{word}|__|{error}){letters}(?![\"'])"
    path = rf"(?:\.|(?!{word}){letters})++"
    # What only a line begins with: strings that are documentation, words that are keywords there.
    head = r"[^\S\n]*+(?:[rRuUbB]{0,2}(?:\"\"\"|''')|(?:match|case|lazy)\b(?! ?[=:,)]))"
    dull = rf"{name}|[ %&()*+,/:;<=>\[\]^{{|}}~-]++|\n(?!{head})|\.(?!\d)|[^\S\n]|!="
    inner = rf"[^\\\n{{}}]|\{{(?:{name}(?:\.|(?=[!:}}])))++(?:![sra])?(?::[^\\\n{{}}\"']*+)?\}}(?!\}})"
    return (
        rf"(?!^{head})(?:{dull})*+(?:(?P<word>{_any(words)}\b(?! from\b))|(?P<key>{_any(constants)}\b)"
        rf"|(?P<def>def) (?P<function>{letters})|(?P<class>class) (?P<named>{letters})"
        rf"|(?P<from>from) {path} (?P<import>import)\b|(?P<namespace>import)(?= {path}\n)"
        r"|(?P<string>[bu]?(?:\"[^\"\\\n]*+\"(?!\")|'[^'\\\n]*+'(?!'))|r\"(?:[^\"\\\n]|\\[^\"\\\n])*+\"(?!\"))"
        rf"|(?P<formatted>f(?:\"(?:(?!\"){inner})*+\"(?!\")|'(?:(?!'){inner})*+'(?!')))"
        r"|(?P<number>(?:0x[0-9a-f]++|[0-9]++(?:\.[0-9]++)?+)(?![\w.]))|(?P<comment>#.*+)"
        rf"|(?P<decorator>@{letters})|\n[^\S\n]*+(?P<doc>\"\"\"[\s\S]*?\"\"\")|)|"
    )


def _script(*, is_typed: bool) -> str:
    typed = "abstract implements private protected public"
    words = (
        "for while do break return continue switch case default if else throw try catch finally yield await async this"
        f" of static export import debugger extends super{f' {typed} readonly' if is_typed else ''}"
    )
    keys = (
        "in typeof instanceof void delete new var let const with function class constructor from as byte char double"
        " final float goto int long native package short synchronized throws transient volatile true false null NaN"
        f" Infinity undefined enum interface{' override declare type' if is_typed else f' boolean {typed}'}"
    )
    error = "(?:Eval|Internal|Range|Reference|Syntax|Type|URI)?Error"
    letters = r"[$A-Za-z_][$A-Za-z0-9_]*+(?![^\x00-\x7f]|\\)"
    name = rf"(?!(?:{_any(f'{words} {keys} module')}|{error})\b|(?:string|number)\$){letters}"
    comment = r"(?://[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)"
    # No slash follows that might begin a regular expression: it does behind signs and words that end no value.
    safe = rf"(?=\s*+(?:[^\s/<]|<(?!!)|\Z|{comment}\s*+(?:{comment}\s*+)?+(?:[^\s/<]|\Z)))"
    signs = rf"(?:[(,;\[{{]|[!%&*+\-:=>^|~]++|\?|<(?:=(?!>)|(?![!<=]))){safe}|[)\]}}]|\.\.\.|\.(?![.0-9])"
    space = r"\s++(?!(?<=\n)(?:/(?![/*])|<!))"
    # Behind a colon any word is a type, unless the one before it is one of these.
    untyped = _any(f"{typed} readonly enum interface override declare type string boolean number module")
    a_type = rf"(?!{untyped}\b)[\w?.$]++\s*+:\s*+[\w?.$]++|" if is_typed else ""
    regex = r"/(?![/*])(?:\\[\s\S]|[^\[/\\\n]|\[(?:\\[\s\S]|[^\]\\\n])*+\])++/(?:[gimuysd]++\b|\B)"
    return (
        rf"(?!^\s*+[/<])(?:(?:{a_type}{name}(?![.?][\w?.$]*+\(\) \{{)|{signs})[ ]*+|{space})*+(?:"
        rf"(?P<word>{_any(words)}\b){safe}|(?P<key>\b{_any(keys)}\b){safe}|(?P<error>{error}\b)"
        r"|(?P<number>(?:0x[0-9a-f]++|(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+)(?![\w.$\\]))"
        r"|(?P<string>\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*+\"|'[^'\\]*+(?:\\[\s\S][^'\\]*+)*+')"
        rf"|(?P<template>`(?:[^`\\$]++|\\[^$]|\$(?!\{{)|\$\{{(?:{name}(?:\.|(?=\}})))++\}})*+`)"
        rf"|(?P<comment>{comment}){safe}|[(,;\[{{=:&|!?+]\s*+(?P<regex>{regex})"
        rf"{rf'|(?P<decorated>@{letters})' if is_typed else ''}|)|"
    )


def _shell() -> str:
    word = _any("if fi else while in do done for then return function case select break continue until esac elif")
    text = rf"(?!{word}\b|\d++\b|#)[^=\s\[\]{{}}()$\"'`\\<&|;]++"
    return (
        rf"(?:\s++|[&()=\[\]{{|}};]|{text}|<(?!<)|{_VARIABLE})*+(?:"
        rf"(?P<word>\b{word}(?![\w#$?!*@-]))|(?P<comment>#.*\n)|(?P<number>[0-9]++\b(?!\s*+\+?=))"
        r"|(?P<string>'[^']*+'|\$?\"[^\"\\$]*+(?:\\[\s\S][^\"\\$]*+)*+\")"
        rf"|(?P<expanded>\"(?:[^\"\\$]++|\\[^$]|{_VARIABLE}|\$\{{\w++\}})*+\")|)"
    )


_MARKDOWN_WORDS = r"(?:[^\s\\`*_~@#!\[](?![`*_~])[^\s\\]*+|[^\S\n](?![`*_~]))*+|"

_SCANS: Final[dict[tuple[str, str], Callable[[], str]]] = {
    ("Python", "root"): _python,
    ("JavaScript", "root"): lambda: _script(is_typed=False),
    ("TypeScript", "root"): lambda: _script(is_typed=True),
    ("Bash", "root"): _shell,
    ("Markdown", "root"): lambda: rf"(?!^){_MARKDOWN_WORDS}",
    ("Markdown", "inline"): lambda: rf"(?!^[\s\[]){_MARKDOWN_WORDS}",
}


class _Scanner:
    """What a state's pattern finds, told by classes."""

    def __init__(self, pattern: str, classes: Callable[[_TokenType], str]) -> None:
        self._pattern = re.compile(pattern, re.MULTILINE)
        self._names = {group: classes(kind) for group, kind in _KINDS.items()}
        self._pairs = {group: [(each, classes(kind)) for each, kind in pair] for group, pair in _PAIRS.items()}

    def scan(self, text: str, position: int, spans: list[Span]) -> int:
        names = self._names
        for match in self._pattern.finditer(text, position):
            group = match.lastgroup
            if group is None:
                return match.end()
            if name := names.get(group):
                spans.append((*match.span(group), name))
            else:
                self._tell(match, group, spans)
        return len(text)

    def _tell(self, match: re.Match[str], group: str, spans: list[Span]) -> None:
        """Adds what a match takes when that isn't one token."""
        for each, name in self._pairs.get(group, ()):
            spans.append((*match.span(each), name))
        if group in _HOLES:
            start, end = match.span(group)
            for hole in _HOLES[group].finditer(match.string, start + 1, end):
                if start < hole.start():
                    spans.append((start, hole.start(), self._names["string"]))
                start = hole.end()
            spans.append((start, end, self._names["string"]))


def scan_of(lexer: str, state: str, classes: Callable[[_TokenType], str]) -> Scan | None:
    """Tells what can be told at a glance in that state of a lexer; None when nothing can."""
    is_dull = not any(classes(kind) for kind in (*_DULL, Keyword.Type))
    return _Scanner(_SCANS[lexer, state](), classes).scan if is_dull and (lexer, state) in _SCANS else None
