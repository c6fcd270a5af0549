"""Every sentence a page shows, by key and language: `locale/<language>/<room>.toml`.

A value is a text with `{named}` places, or a table of plural forms chosen by the count `n`. A key that a language lacks
falls back to English; a key that English lacks is a programming error.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_LOCALE = Path(__file__).resolve().parent / "locale"
_RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


class Catalogue:
    """The sentences of one language. `language` is a BCP 47 tag; only its first part chooses the sentences."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        base = language.split("-")[0].lower()
        self.direction = "rtl" if base in _RIGHT_TO_LEFT else "ltr"
        self._texts = _texts("en") | _texts(base)

    def __call__(self, key: str, /, **values: object) -> str:
        """The plain text of `key` ("room.name"), its places filled. With plural forms, `n` is the count."""
        text = self._texts[key]
        if isinstance(text, dict):
            text = text["one"] if values.get("n") == 1 and "one" in text else text["other"]
        return text.format(**values) if values else text


@cache
def _texts(language: str) -> dict[str, str | dict[str, str]]:
    folder = _LOCALE / language
    texts: dict[str, str | dict[str, str]] = {}
    for file in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
        for name, value in tomllib.loads(file.read_text("utf-8")).items():
            texts[f"{file.stem}.{name}"] = value
    return texts
