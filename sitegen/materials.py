"""A theme's fonts and pictures, published under names that hold a hash, and found again from its sheets."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from sitegen import urls
from sitegen.errors import ConfigError
from sitegen.model import Document

_KINDS: Final = frozenset(
    {".woff2", ".woff", ".ttf", ".otf", ".svg", ".png", ".jpg", ".jpeg", ".webp", ".avif", ".gif", ".ico"}
)
_ELSEWHERE: Final = frozenset({"css", "js", "gate", "search"})
"""Folders whose files are joined rather than published one by one."""
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_REFERENCE: Final = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)""", re.IGNORECASE)
_IMPORT: Final = re.compile(r"@import\b", re.IGNORECASE)
_FOREIGN: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


class Materials(Struct, frozen=True):
    """What themes bring besides templates, sheets and scripts. `names` are relative to a theme's `static/`."""

    documents: tuple[Document, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """The path in the output of each, by name."""

    @classmethod
    def load(cls, folders: Sequence[Path]) -> Materials:
        """The materials of the themes' static folders; a later folder's files go first."""
        found = {name: file for folder in folders for name, file in _files(folder)}
        made = {name: _document(file) for name, file in sorted(found.items())}
        return cls(tuple(made.values()), {name: document.path for name, document in made.items()})

    def path(self, name: str) -> str:
        """Where a file is published. Raises LookupError naming the nearest there is."""
        if name in self.names:
            return self.names[name]
        msg = f"the theme's static folder has no picture or font “{name}”{_nearest(name, self.names)}"
        raise LookupError(msg)

    def resolve(self, sheet: Path, text: str, *, static: Path) -> str:
        """A theme's sheet without comments and with the names that its files are published under.

        Raises ConfigError, with the line, for what isn't there, stands outside or on another computer, or imports.
        """
        text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
        if found := _IMPORT.search(text):
            message = "sheets aren't imported: all files in css/ are joined, by name, into one"
            raise ConfigError(message, path=_shown(sheet), line=_line(text, found.start()))
        return _REFERENCE.sub(lambda match: self._resolved(match, sheet, text, static=static), text)

    def _resolved(self, match: re.Match[str], sheet: Path, text: str, *, static: Path) -> str:
        target = match[1] or match[2] or match[3] or ""
        if not target or target.startswith(("#", "data:")):
            return match[0]
        if _FOREIGN.match(target):
            message = f"“{target[:80]}” is elsewhere, and pages load nothing from there; put the file into static/"
            raise ConfigError(message, path=_shown(sheet), line=_line(text, match.start()))
        file = re.split("[?#]", target, maxsplit=1)[0]
        name = Path(os.path.relpath(os.path.normpath(sheet.parent / file), static)).as_posix()
        if name not in self.names:
            message = f"there is no picture or font “{file[:80]}”, seen from this sheet{_nearest(name, self.names)}"
            raise ConfigError(message, path=_shown(sheet), line=_line(text, match.start()))
        return f'url("{self.names[name].rpartition("/")[2]}{target[len(file) :]}")'


def _files(folder: Path) -> list[tuple[str, Path]]:
    found = []
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        is_ours = name.as_posix() == "icon.svg" or name.parts[0] in _ELSEWHERE
        is_hidden = any(part.startswith(".") for part in name.parts)
        if file.suffix.lower() in _KINDS and not is_ours and not is_hidden and file.is_file():
            found.append((name.as_posix(), file))
    return found


def _document(file: Path) -> Document:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"this file can't be read: {error.strerror}", path=_shown(file)) from None
    stem = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:40] or "file"
    return Document(urls.asset(f"{stem}.{hashlib.sha256(data).hexdigest()[:8]}{file.suffix.lower()}"), data)


def _nearest(name: str, known: Mapping[str, str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean “{near[0]}”?" if near else ""


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _shown(path: Path) -> Path:
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path
