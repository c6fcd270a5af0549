"""Fixtures for all tests: the browser, servers for its pages, a quiet environment."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import chromium, open_page
from tests.support.gates import host_folder
from tests.support.server import serve_folder

__all__ = ["chromium", "host_folder", "open_page", "serve_folder"]

# How long an example takes says something about the machine only; speed has a benchmark of its own.
settings.register_profile("sitegen", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sitegen")


@pytest.fixture(autouse=True)
def _quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer's shell sets must not decide a test."""
    for name in ("SITEGEN_SITE_SECRET", "SITEGEN_DEBUG", "NO_COLOR", "FORCE_COLOR", "CHATSTRATA_DB"):
        monkeypatch.delenv(name, raising=False)
