"""Puts the sections of the documentation's site in the order in which a reader needs them; MkDocs calls this."""

from __future__ import annotations

from typing import Any

ORDER = ("Start", "Tutorial", "How to", "Reference", "Explanation")


def on_nav(nav: Any, **_: Any) -> Any:
    """The same pages, sections in order."""
    nav.items.sort(key=lambda item: ORDER.index(item.title) if item.title in ORDER else 0)
    return nav
