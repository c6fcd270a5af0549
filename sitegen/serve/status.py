"""How the preview stands: which pages there are, under which path, and what is wrong."""

from __future__ import annotations

from msgspec import Struct


class Status(Struct, frozen=True):
    """`base_path` begins and ends with `/`. `problem` is why the last build failed; pages aren't shown then.

    `waiting` is why the next build has to wait; pages are shown meanwhile, if there are any.
    """

    base_path: str = "/"
    has_pages: bool = False
    problem: str | None = None
    waiting: str | None = None
    version: int = 0
    """Goes up when open pages should be loaded again."""
