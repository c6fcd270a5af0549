"""The server that tests of the workspace share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgres import Cluster, cluster
from tests.support.workspace import WorkspaceDatabase


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


@pytest.fixture
def workspace(postgres: Cluster) -> WorkspaceDatabase:
    """An empty workspace in a database of its own."""
    return WorkspaceDatabase.make(postgres)
