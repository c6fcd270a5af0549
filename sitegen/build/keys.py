"""What a page is made of, as keys: equal keys mean equal bytes, so a page whose key stands needn't be made again.

Code counts by its source bytes and libraries by their versions; nobody has to keep a version number by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from msgspec import Struct

from sitegen.installed import version_of
from sitegen.model import Card, Share

PACKAGE = Path(__file__).resolve().parent.parent

_RENDERING = (
    *("render", "privacy", "projection", "picked.py", "values.py", "wording", "model"),
    *("catalogue.py", "locale"),
)
_RENDERING_LIBRARIES = (
    *("kingfisher-secret-scanner", "latex2mathml", "markdown-it-py", "markupsafe", "mdit-py-plugins", "pillow"),
    "pygments",
)
_FRAMING = (
    *("pages", "search", "build", "gate", "model"),
    *("urls.py", "assets.py", "materials.py", "catalogue.py", "locale", "poster.py"),
)
_FRAMING_LIBRARIES = ("cryptography", "fontpkg-source-serif-4", "jinja2", "markupsafe", "pillow")

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def digest(*parts: object) -> str:
    """A hash (40 hex digits) of values that JSON can hold."""
    return hashlib.sha256(_ENCODER.encode(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


class Keys(Struct, frozen=True):
    """The parts of every key that are one for a whole build.

    `rendering` covers what turns a conversation into a transcript, `framing` what turns a transcript into pages.
    """

    rendering: str
    framing: str
    policy: str = ""
    """What is taken out of all shares."""

    def transcript(self, share: Share) -> str:
        """Names what is asked for: content, policy, code."""
        return digest(self.content(share), self.policy)

    def content(self, share: Share) -> str:
        """Names what would be rendered if nothing were taken out of it."""
        content = (share.head.key, share.head.digest, share.head.title, share.head.project)
        return digest(self.rendering, content, share.shown, share.title)

    def page(
        self,
        share: Share,
        *,
        transcript: str,
        parent: Card | None,
        children: Sequence[Card],
        is_project_listed: bool,
        gate_id: str = "",
    ) -> str:
        """Names the pages of a share: who may see them, its transcript, and all that stands around it and before it."""
        project = None if share.project is None else (share.project.slug, share.project.name, share.project.gate)
        family = [(card.slug, card.title) for card in (*([parent] if parent else []), *children)]
        around = (project, is_project_listed, parent is None, family)
        terms = self.terms(share, gate_id=gate_id)
        return f"{terms}-{transcript}-{digest(self.framing, share.slug, around)}"

    def terms(self, share: Share, *, gate_id: str = "") -> str:
        """A hash (40 hex digits) of who may see how much of a conversation; the first part of its page's key.

        `gate_id` stands for secrets and is a keyed hash, so that nothing here helps to guess them.
        """
        who = (
            share.listed,
            share.public_title,
            share.is_expired,
            share.expires,
            share.gate,
            share.view_limit,
            share.epoch,
            gate_id,
        )
        return digest(share.shown, share.title, *who, self.policy)


def rendered_key(content: str, effect: str) -> str:
    """Names a transcript by its content and what was taken out: policies that take out the same lead to one."""
    return digest(content, effect)


def make_keys(
    *,
    text_settings: str,
    page_settings: str,
    templates: Sequence[Path],
    static: Sequence[Path],
    is_offline: bool,
    policy: object = None,
    renderers: Sequence[str] = (),
) -> Keys:
    """Keys for a build with these settings (`config.fingerprint` of each scope), template and static folders.

    `renderers` tell those of other packages apart from others, and from themselves as they were.
    """
    rendering = digest(*_rendering_code(), text_settings, renderers)
    files = [tree_digest(folder) for folder in (*templates, *static)]
    return Keys(
        rendering=rendering,
        framing=digest(source_digest(_FRAMING), versions(_FRAMING_LIBRARIES), page_settings, files, is_offline),
        policy=digest(repr(policy)),
    )


def source_files() -> list[Path]:
    """Every file of the package that decides what pages look like."""
    names = sorted({*_RENDERING, *_FRAMING})
    return [Path(file) for name in names for file in _files(PACKAGE / name)]


def rendering_digest() -> str:
    """Changes with any source file that decides what pages look like."""
    return digest(source_digest(_RENDERING), source_digest(_FRAMING))


def library_versions() -> dict[str, str]:
    """Versions of the libraries that decide what pages look like, by name."""
    return {name: version_of(name) for name in sorted({*_RENDERING_LIBRARIES, *_FRAMING_LIBRARIES, "duckdb"})}


def fragments_key(rendered_key: str) -> str:
    """Names what a transcript was put together from, in the cache."""
    return digest("fragments", rendered_key)


def rendering_code() -> str:
    """Changes with the code and the libraries that render."""
    return digest(*_rendering_code())


def _rendering_code() -> tuple[object, ...]:
    return source_digest(_RENDERING), versions(_RENDERING_LIBRARIES)


@cache
def source_digest(names: tuple[str, ...]) -> str:
    return digest(*(tree_digest(PACKAGE / name) for name in names))


def tree_digest(folder: Path) -> str:
    """A hash of a file, or of the names and bytes of all files below a folder."""
    found = hashlib.sha256()
    for file in _files(folder):
        with open(file, "rb", buffering=0) as opened:  # noqa: PTH123 - a path for each takes as long as reading it
            data = opened.read()
        name = folder.name + file[len(str(folder)) :].replace(os.sep, "/")
        found.update(f"{name}\0{len(data)}\0".encode())
        found.update(data)
    return found.hexdigest()[:40]


def _files(path: Path) -> list[str]:
    return [str(path)] if path.is_file() else sorted(_files_below(str(path)))


def _files_below(folder: str) -> Iterator[str]:
    """All but what decides nothing: Python's caches, what editors hide."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__" or entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path)
            elif entry.is_file():
                yield entry.path


def versions(packages: Iterable[str]) -> list[str]:
    """Libraries with their versions; without one those that this platform does without."""
    return [f"{name} {version_of(name)}" for name in packages]
