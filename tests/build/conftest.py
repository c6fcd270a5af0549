"""A workshop for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workshop import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    folder = tmp_path / "workshop"
    folder.mkdir()
    return Workshop(folder)
