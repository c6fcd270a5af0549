"""A workshop with a listed and an unlisted share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workshop import Workshop, share, talk_about


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    folder = tmp_path / "workshop"
    folder.mkdir()
    workshop = Workshop(folder)
    workshop.talk(talk_about("tides"), talk_about("rivers"))
    workshop.configure(share("tides", "tides", "listed = true") + share("rivers", "rivers"))
    return workshop
