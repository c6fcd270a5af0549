"""All documents of a site, by what they show: the one door to this room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

from sitegen.assets import Assets
from sitegen.catalogue import Catalogue
from sitegen.model import Card, Document, Poster, Project, Share, Transcript
from sitegen.pages import indexes, shares
from sitegen.pages.frame import Frame, Site
from sitegen.pages.posters import make_poster
from sitegen.pages.search import make_search_page
from sitegen.urls import Urls

if TYPE_CHECKING:
    from sitegen.pages.gate import Shell
    from sitegen.pages.protected import NameToId, ProtectedContent


class Pages:
    """Makes documents. Compiles each template once, so keep one for as many shares as possible.

    `templates` are folders, sitegen's own first; a later folder's file replaces an earlier's. `compiled` keeps for the
    next time what they are compiled to.
    """

    def __init__(
        self,
        site: Site,
        *,
        templates: Sequence[Path],
        assets: Assets,
        urls: Urls,
        catalogue: Catalogue,
        compiled: BytecodeCache | None = None,
    ) -> None:
        self._frame = Frame(site, templates, assets, urls, catalogue, compiled)

    def compile_all(self) -> None:
        """Compiles all templates now. Raises what Jinja raises for one that can't be."""
        self._frame.compile_all()

    def share(
        self,
        share: Share,
        transcript: Transcript,
        *,
        is_project_listed: bool = False,
        parent: Card | None = None,
        children: Sequence[Card] = (),
    ) -> Iterator[Document]:
        """The pages of a share, its exports (when it's open) and its files, each made when it's asked for.

        `is_project_listed` says that the project has an index to link to; `parent` and `children` are open shares of
        the conversation that this one is a subagent of, and of its own subagents.
        """
        around = shares.Around(is_project_listed=is_project_listed, parent=parent, children=tuple(children))
        return shares.make_documents(self._frame, share, transcript, around)

    def poster(self, share: Share, card: Card) -> Poster | None:
        """What the picture shows that stands for a share where its link is posted; None when it has none."""
        return make_poster(self._frame, share, card)

    def protected_share(
        self,
        share: Share,
        transcript: Transcript,
        *,
        id_of: NameToId,
        is_project_listed: bool = False,
        parent: Card | None = None,
        children: Sequence[Card] = (),
    ) -> ProtectedContent:
        """The inside of a gated share: what `share` would make, as one text and attachments by `id_of` their names."""
        around = shares.Around(is_project_listed=is_project_listed, parent=parent, children=tuple(children))
        from sitegen.pages.protected import protect_share  # here and below: few sites protect anything

        return protect_share(self._frame, share, transcript, around, id_of=id_of)

    def protected_project(self, project: Project, cards: Sequence[Card], *, id_of: NameToId) -> ProtectedContent:
        """The inside of a gated project's index; `cards` say what those may know who open it."""
        from sitegen.pages.protected import protect_project

        return protect_project(self._frame, project, cards, id_of=id_of)

    def gate(self, path: str, shell: Shell) -> Document:
        """The page at `path` that stands before protected content and never receives it."""
        from sitegen.pages.gate import make_gate

        return make_gate(self._frame, path, shell)

    def tombstone(self, share: Share) -> Document:
        """The page that stands where an expired share stood: no word of the conversation."""
        return shares.make_tombstone(self._frame, share)

    def project(self, project: Project, cards: Sequence[Card]) -> list[Document]:
        """The index of a project, in pages of a hundred; `cards` may be all of the site's."""
        return indexes.make_project(self._frame, project, cards)

    def home(self, projects: Sequence[Project], cards: Sequence[Card], *, has_search: bool = False) -> list[Document]:
        """The first page: the projects that have listed shares, and the newest shares. Very many take several."""
        return indexes.make_home(self._frame, projects, cards, has_search=has_search)

    def search(self) -> Document:
        """The page that searches all conversations by Pagefind."""
        return make_search_page(self._frame)

    def not_found(self) -> Document:
        """404.html."""
        return indexes.make_not_found(self._frame)

    def extras(self, projects: Sequence[Project], cards: Sequence[Card]) -> list[Document]:
        """What stands beside the pages: `.nojekyll`, assets; where the site's URL is known, a sitemap and a feed."""
        return indexes.make_extras(self._frame, projects, cards)
