"""The pages' room as the build uses it, and what a test wants to know of the documents that come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from sitegen.assets import load_assets
from sitegen.build.compiled import CompiledTemplates
from sitegen.catalogue import Catalogue
from sitegen.model import Document
from sitegen.pages import Pages, Site
from sitegen.resources import resource_folder
from sitegen.urls import Urls


def make_pages(
    *,
    title: str = "Notes",
    language: str = "en",
    timezone: str = "UTC",
    base_url: str | None = "https://ann.example.org/talks/",
    offline: bool = False,
    templates: Iterable[Path] = (),
    compiled: CompiledTemplates | None = None,
) -> Pages:
    """Pages with sitegen's own templates and static files."""
    return Pages(
        Site(title, language, timezone),
        templates=[resource_folder("templates"), *templates],
        assets=load_assets([resource_folder("static")]),
        urls=Urls(base_url, offline),
        catalogue=Catalogue(language),
        compiled=compiled,
    )


def text_of(document: Document) -> str:
    """The content of a page as text."""
    return bytes(document.data).decode("utf-8")


def by_path(documents: Iterable[Document]) -> dict[str, str]:
    """The documents' texts; one that isn't text is left out."""
    texts = {}
    for each in documents:
        try:
            texts[each.path] = text_of(each)
        except UnicodeDecodeError:
            continue
    return texts


def write(folder: Path, documents: Iterable[Document]) -> None:
    """Writes the documents under `folder`."""
    for each in documents:
        target = folder / each.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(bytes(each.data))


class Elements(HTMLParser):
    """Every start tag of a page with its attributes, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the tag."""
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def __iter__(self) -> Iterator[tuple[str, dict[str, str]]]:
        return iter(self.found)


def references(html: str) -> list[str]:
    """What a page links to or loads."""
    return [value for _, attrs in Elements(html) for name, value in attrs.items() if name in ("href", "src")]
