"""What the other tests here rely on: a page doesn't outlive the server that it asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.browser import OpenPage

pytestmark = pytest.mark.browser


@pytest.fixture
def opened() -> Iterator[list[Page]]:
    """Pages that are closed by the time this ends, as servers end."""
    pages = list[Page]()
    yield pages
    assert [page.is_closed() for page in pages] == [True]


def test_pages_are_closed_before_what_they_ask_ends(open_page: OpenPage, opened: list[Page], tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>Empty</title>")
    opened.append(open_page((tmp_path / "index.html").as_uri()))
