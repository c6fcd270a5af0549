"""The world that tests of shares act in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shares.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A folder of its own, which is the current one, so that messages name sitegen.toml alone."""
    monkeypatch.chdir(tmp_path)
    return World(tmp_path)
