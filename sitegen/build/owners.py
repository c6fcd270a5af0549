"""Whose files in the output are whose: names by which the state, the plan and messages know owners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sitegen.build.keys import digest
from sitegen.model import Project, Share
from sitegen.output.plan import Claim
from sitegen.pages.feeds import sitemap_parts
from sitegen.urls import (
    FEED,
    HOME,
    MORE_FOLDER,
    NOT_FOUND,
    SEARCH_FOLDER,
    SITEMAP,
    project_page,
    share_folder,
    sitemap_part,
)

SITE = "the site"
SEARCH = "search"


def owner_of(share: Share) -> str:
    """Whose files in the output the pages of a share are."""
    return f"share {share.slug}"


def owner_of_project(project: Project) -> str:
    """Whose files the index of a project is."""
    return f"project {project.slug}"


def gate_of_project(project: Project) -> str:
    """Under which name the state knows the gate of a project's index."""
    return f"gate {project.slug}"


def watchwords_key(transcript_key: str) -> str:
    """Names the watchwords of a transcript, in the cache."""
    return digest("watchwords", transcript_key)


def claims(shares: Iterable[Share], projects: Iterable[Project], *, has_search: bool) -> Iterator[Claim]:
    """What each owner will write where."""
    shares, projects = tuple(shares), tuple(projects)
    # An open one of each has a line in the sitemap, and so has the home page: at most so many parts there are.
    parts = range(1, sitemap_parts(1 + len(shares) + len(projects)) + 1)
    files = (HOME, NOT_FOUND, SITEMAP, *map(sitemap_part, parts), FEED, ".nojekyll")
    yield Claim(SITE, files=files, folders=("assets", MORE_FOLDER.rstrip("/")))
    if has_search:
        yield Claim(SEARCH, folders=(SEARCH_FOLDER.rstrip("/"),))
    for share in shares:
        yield Claim(owner_of(share), folders=(share_folder(share.slug).rstrip("/"),))
    for project in projects:
        yield Claim(owner_of_project(project), folders=(project_page(project.slug).rpartition("/")[0],))
