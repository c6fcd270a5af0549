"""A world to build in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.output.world import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "site")
