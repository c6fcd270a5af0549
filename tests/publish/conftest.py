"""A site of two shares, ready to go out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.publish.owner import Owner


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    folder = tmp_path / "workshop"
    folder.mkdir()
    return Owner(folder)
