"""Words and signs of code to which a lexer's rules give no class, by the run: all at once, not one by one.

A run holds nothing that might be coloured, and nothing that decides what colour something later has. What isn't surely
so is left to the rules.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from typing import Final

from pygments.token import Keyword, Name, Operator, Punctuation, Text, Whitespace, _TokenType

_PYTHON = "|".join(keyword.kwlist)
_PYTHON_LINE = r"\n(?![^\S\n]*+(?:\n|[rRuUbB]{0,2}(?:\"\"\"|''')|match|case|lazy))"
"""A line that can't begin with what only a line begins with."""
_SCRIPT = (
    "abstract|as|async|await|boolean|break|byte|case|catch|char|class|const|constructor|continue|debugger|declare|default"
    "|delete|do|double|else|enum|export|extends|false|final|finally|float|for|from|function|goto|if|implements|import|in"
    "|instanceof|int|interface|let|long|module|NaN|native|new|null|of|override|package|private|protected|public|readonly"
    "|return|short|static|super|switch|synchronized|this|throw|throws|transient|true|try|type|typeof|undefined|var|void"
    "|volatile|while|with|yield|Infinity|(?:Eval|Internal|Range|Reference|Syntax|Type|URI)?Error"
)
_SHELL = "break|case|continue|do|done|elif|else|esac|fi|for|function|if|in|return|select|then|until|while"

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+(?![^\x00-\x7f])"
_ALONE = r"(?![\w?.$]*+(?:\s*+:|\(\) \{))"
"""Before a colon, which makes a type of the word behind it, and as a function's head several words are one."""
_NO_PATTERN = r"(?=\s*+[^\s/<])"
"""A slash behind these signs may begin a regular expression."""
_SCRIPTS = (
    rf"(?:\s++|[)\]}}]|(?:[(,;\[{{]|[!%&*+\-:=>^|~]++(?!\?)){_NO_PATTERN}"
    rf"|{_ALONE}(?:\.(?![.0-9])|(?!(?:{_SCRIPT})\b){_NAME}(?![\\$])))++"
)
_RUNS: Final = {
    ("Markdown", "root"): r"(?:[^\s\\`*_~@#!\[](?![`*_~])[^\s\\]*+|[^\S\n](?![`*_~]))++",
    ("Python", "root"): (
        rf"(?:[^\S\n]|{_PYTHON_LINE}|[%&()*+,/:;<=>\[\]^{{|}}~-]|!=|\.(?!\d)|(?!(?:{_PYTHON})\b|__|[A-Z]){_NAME}(?![\"']))++"
    ),
    ("JavaScript", "root"): _SCRIPTS,
    ("TypeScript", "root"): _SCRIPTS,
    ("Bash", "root"): rf"(?:\s|[&()=\[\]{{|}};]|(?!(?:{_SHELL})\b|[\d#])[^=\s\[\]{{}}()$\"'`\\<&|;]++)++",
}
_RUNS["Markdown", "inline"] = _RUNS["Markdown", "root"]
_DULL = (Text, Whitespace, Punctuation, Operator, Name, Name.Other, Name.Builtin, Name.Builtin.Pseudo, Name.Variable)


def run_of(lexer: str, state: str, classes: Callable[[_TokenType], str]) -> re.Pattern[str] | None:
    """What a run is in that state of a lexer; None when that isn't known."""
    is_dull = not any(classes(kind) for kind in (*_DULL, Keyword.Type))
    return re.compile(_RUNS[lexer, state]) if is_dull and (lexer, state) in _RUNS else None
