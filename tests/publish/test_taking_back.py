"""Revoke, publish, and it's gone: from every kind of place and its history, feeds, search, sitemap and archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.publish.owner import Owner, tree
from tests.support.bucket import LocalBucket, local_bucket
from tests.support.published import archived, unpacked
from tests.support.repository import Repository


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBucket]:
    with local_bucket(monkeypatch) as it:
        yield it


@pytest.fixture
def host(tmp_path: Path) -> Repository:
    return Repository.make(tmp_path / "host.git", bare=True)


def test_share_that_is_revoked_is_gone_from_every_place(
    owner: Owner, tmp_path: Path, host: Repository, bucket: LocalBucket
) -> None:
    places: dict[str, Callable[[], dict[str, bytes]]] = {
        str(tmp_path / "live"): lambda: tree(tmp_path / "live"),
        f"git:gh-pages@{host.path}": lambda: host.tree("gh-pages"),
        f"{bucket.url}/notes": lambda: bucket.tree("notes"),
    }
    owner.share("tides", "kerning", more="[search]\nenabled = true\n")
    assert "s/kerning/index.html" in archived(owner.workshop, tmp_path / "before.zip")
    for place, look in places.items():
        owner.publish(place)
        published = look()
        assert published["s/kerning/index.html"]
        assert b"s/kerning/" in published["sitemap.xml"]
        assert any(b"On kerning" in data for path, data in published.items() if path.endswith("feed.xml"))
        assert any(b"kerning" in unpacked(data) for path, data in published.items() if path.startswith("search/"))
    assert owner.workshop.run("revoke", "kerning", "--yes").exit_code == 0
    for place, look in places.items():
        owner.publish(place)
        assert look() == owner.built()
        assert not [path for path in look() if "kerning" in path]
        assert not [path for path, data in look().items() if b"kerning" in unpacked(data)]
    archive = archived(owner.workshop, tmp_path / "after.zip")
    assert not [path for path, data in archive.items() if b"kerning" in path.encode() + unpacked(data)]
    assert not any(b"kerning" in unpacked(data) for data in host.reachable())
    assert all("kerning" not in name for name in host.git("log", "--all", "--name-only", "--format=").split())
