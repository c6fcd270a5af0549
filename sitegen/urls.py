"""Where each page stands in the output and how pages point to each other: the only place that joins URLs.

Paths are relative to the output's root, with `/`, and name a file. Links are relative from page to page, so that a site
works under any base path; only a canonical link and 404.html, which is served at any depth, know where the site stands.
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, urlsplit

from msgspec import Struct

_INDEX = "index.html"
_PLAIN = re.compile(r"[A-Za-z0-9_.~/-]*")
_SAFE = "/!$'()*+,;=@~"  # what a path may hold unquoted; ":" is quoted, lest a name looks like a scheme

HOME = _INDEX
NOT_FOUND = "404.html"
MORE_FOLDER = "more/"
"""Below it stand the further pages of the home page, when it lists very many."""
SITEMAP = "sitemap.xml"
FEED = "feed.xml"
SEARCH_FOLDER = "search/"
SEARCH_PAGE = SEARCH_FOLDER + _INDEX
SEARCH_INDEX = SEARCH_FOLDER + "index/"
"""Below it stands what a search needs: Pagefind's files, or scripts for pages opened from disk."""


class Urls(Struct, frozen=True):
    """Paths and links of one site. `base_url` is None when nobody knows where it will stand."""

    base_url: str | None = None
    offline: bool = False
    """The site is opened from disk: a link to a folder names its index.html."""

    def link(self, page: str, target: str, *, anchor: str = "") -> str:
        """The relative reference from `page` to `target`, both paths, quoted for an attribute that holds a URL."""
        fragment = f"#{_quoted(anchor)}" if anchor else ""
        if anchor and page == target:
            return fragment
        return _quoted(self._shortened(_relative(page, target)), safe=_SAFE) + fragment

    def rooted(self, target: str) -> str:
        """The reference to `target` from a page that may be served at any depth: by the base path."""
        path = urlsplit(self.base_url).path if self.base_url else "/"
        return quote(path.rstrip("/") + "/" + self._shortened(target, here=""), safe=_SAFE + "%")

    def absolute(self, target: str) -> str | None:
        """The canonical URL of `target`, or None when the base URL isn't known."""
        if self.base_url is None or self.offline:
            return None
        return self.base_url.rstrip("/") + "/" + quote(self._shortened(target, here=""), safe=_SAFE)

    def _shortened(self, path: str, *, here: str = "./") -> str:
        if self.offline or posixpath.basename(path) != _INDEX:
            return path
        return path[: -len(_INDEX)] or here


def _quoted(text: str, *, safe: str = "/") -> str:
    """As `quote` does it, which takes five times as long for what needs none, as nearly everything."""
    return text if _PLAIN.fullmatch(text) else quote(text, safe=safe)


def _relative(page: str, target: str) -> str:
    """The way from `page` to `target`: posixpath.relpath for paths that are plain, in a third of its time."""
    here, there = page.split("/")[:-1], target.split("/")
    shared = 0
    for one, other in zip(here, there[:-1], strict=False):
        if one != other:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def share_folder(slug: str) -> str:
    """The folder of a share, ending in `/`: what `model.ROOT` stands for."""
    return f"s/{slug}/"


def root_of(page: str, slug: str) -> str:
    """The way from a page of a share to the share's folder: "", "../", "../../"."""
    return "../" * page.removeprefix(share_folder(slug)).count("/")


def share_page(slug: str, *, branch: str | None = None, part: int = 1) -> str:
    """The page of a share, or of one of its branches; parts count from 1."""
    return share_folder(slug) + (f"{branch}/" if branch else "") + _numbered(part)


def share_file(slug: str, name: str) -> str:
    """A file beside a share's pages: an image, a download, an output, an export."""
    return share_folder(slug) + name


def home_page(page: int = 1) -> str:
    """The home page; pages count from 1."""
    return HOME if page == 1 else MORE_FOLDER + _numbered(page)


def sitemap_part(number: int) -> str:
    """A part of the sitemap, which then lists its parts; they count from 1."""
    return f"sitemap-{number}.xml"


def project_page(slug: str, *, page: int = 1) -> str:
    """The index of a project; pages count from 1."""
    return f"p/{slug}/{_numbered(page)}"


def project_file(slug: str, name: str) -> str:
    """A file beside a project's index."""
    return f"p/{slug}/{name}"


def asset(name: str) -> str:
    """A file that all pages share."""
    return f"assets/{name}"


def twin(path: str) -> str:
    """The script that carries the text of `path` in a site opened from disk, where pages may not fetch."""
    return f"{path}.js"


def _numbered(number: int) -> str:
    return _INDEX if number == 1 else f"{number}/{_INDEX}"
