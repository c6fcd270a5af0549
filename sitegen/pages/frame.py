"""What every page shares: compiled templates, sentences, dates, links to the assets. Values in, a Document out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import BytecodeCache, Environment
from markupsafe import Markup
from msgspec import Struct

from sitegen import urls
from sitegen.assets import Assets
from sitegen.catalogue import Catalogue
from sitegen.errors import ConfigError
from sitegen.model import Document
from sitegen.pages.dates import Dates
from sitegen.pages.templates import OURS, make_environment, place_in, shown
from sitegen.urls import Urls

_SPOKEN_BY_SCRIPTS = (
    "copied", "copy", "copy_failed", "quote", "rendered", "source", "wrap", "loading", "load_failed",
    "found", "found_none", "found_elsewhere", "theme_auto", "theme_light", "theme_dark", "part", "matches",
    "close", "link",
)  # fmt: skip

_STAND_IN = re.compile(rb"\0fragment (\d+)\0")


class Site(Struct, frozen=True):
    """What the site is called, its language (BCP 47) and the time zone (IANA) of the times it shows."""

    title: str = "Conversations"
    language: str = "en"
    timezone: str = "UTC"
    has_search: bool = False
    """Whether there is a page that searches all conversations."""
    remember_days: int = 30
    """How long readers may have a protected page remembered; 0 offers it to nobody."""


class Link(Struct, frozen=True):
    """A link as a template needs it: where to and under what name."""

    href: str
    text: str


@dataclass(eq=False, repr=False, slots=True)
class Frame:
    """Renders templates of one site; later template folders take precedence, `sitegen/…` names sitegen's own."""

    site: Site
    templates: Sequence[Path]
    assets: Assets
    urls: Urls
    t: Catalogue
    compiled: BytecodeCache | None = None
    dates: Dates = field(init=False)
    _environment: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.dates = Dates(self.t, self.site.timezone)
        self._environment = make_environment(self.templates, compiled=self.compiled)
        self._environment.globals.update(
            t=self.t, site=self.site, direction=self.t.direction, language=self.t.language, strings=self._strings()
        )

    def compile_all(self) -> None:
        """Compiles all templates now. Raises what Jinja raises for one that can't be."""
        for name in self._environment.list_templates():
            if not name.startswith(f"{OURS}/"):
                self._environment.get_template(name)

    def document(
        self, path: str, template: str, fragments: Sequence[bytes] = (), /, *, is_indexed: bool = True, **values: object
    ) -> Document:
        """The page at `path`. Values that are Markup stand as they are; all others are escaped.

        `fragments` take the places of those stand-ins that the template shows. They make up most of a page, and as a
        text among others one emoji would make all of it four times as large.

        Raises ConfigError with the place in a theme that can't be filled in, or that alters a stand-in.
        """
        try:
            data = self._filled(path, template, is_indexed=is_indexed, **values)
        except Exception as error:
            place = place_in(error, self.templates[1:])
            if place is None:
                raise
            msg = f"{template} can't be filled in: {error}"
            raise ConfigError(msg, path=shown(place[0]), line=place[1]) from error
        if fragments:
            data = _STAND_IN.sub(lambda match: fragments[int(match[1])], data)
            if b"\0" in data:
                msg = f"{template} alters what conversations say, as by a filter: show it as it is given, or not at all"
                raise ConfigError(msg)
        return Document(path, data)

    def _filled(self, path: str, template: str, *, is_indexed: bool, **values: object) -> bytes:
        text = self._environment.get_template(template).render(
            asset=lambda name: self.link(path, self.assets.materials.path(name)),
            home=self.link(path, urls.HOME),
            css=self.link(path, self.assets.css),
            gate_css=self.link(path, self.assets.gate_css),
            js=self.link(path, self.assets.js),
            icon=self.link(path, self.assets.icon),
            canonical=self.urls.absolute(path) if is_indexed else None,
            address=self.urls.absolute(path),
            is_indexed=is_indexed,
            **values,
        )
        return text.encode("utf-8")

    def link(self, page: str, target: str, *, anchor: str = "") -> str:
        """The reference from `page` to `target`; from 404.html, which is served anywhere, by the base path."""
        if page == urls.NOT_FOUND and not self.urls.offline:
            return self.urls.rooted(target)
        return self.urls.link(page, target, anchor=anchor)

    def _strings(self) -> Markup:
        return json_block({name: self.t(f"pages.js_{name}") for name in _SPOKEN_BY_SCRIPTS})


def stand_ins(count: int) -> list[Markup]:
    """What a template is given in place of so many fragments. No other text can hold a NUL."""
    return [Markup(f"\0fragment {number}\0") for number in range(count)]  # noqa: S704 - a number


def json_block(value: object) -> Markup:
    """`value` as JSON that may stand inside a <script> element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704
