"""The site that tests of commands act in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.site import SiteFolder, talk


@pytest.fixture(scope="session")
def two_talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A projection of two conversations, made once: DuckDB takes a while to make one."""
    folder = SiteFolder(tmp_path_factory.mktemp("talks"))
    folder.hold([talk("parser-1"), talk("garden-2", project="/home/ann/garden")])
    return folder.folder / "archive.duckdb"


@pytest.fixture
def site(tmp_path: Path, two_talks: Path) -> SiteFolder:
    """Two conversations of two projects; nothing is shared."""
    shutil.copy(two_talks, tmp_path)
    return SiteFolder(tmp_path)
