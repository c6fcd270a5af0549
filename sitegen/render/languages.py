"""Which language a word or a file's name means, and Pygments' lexer for it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name, find_lexer_class_for_filename
from pygments.util import ClassNotFound

from sitegen.render.late import sparing

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
    return lexer_named(name)


@lru_cache(maxsize=256)
def lexer_named(name: str) -> Lexer | None:
    """The lexer that Pygments itself knows by that name, or None."""
    try:
        return sparing(find_lexer_class_by_name(name))(**_OPTIONS)
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
