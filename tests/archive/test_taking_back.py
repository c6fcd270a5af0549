"""A share that is taken back is in nothing that is made afterwards: pages, feeds, search, pictures, archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.published import archived, unpacked
from tests.support.workshop import Workshop, share, talk_about

WORDS = (b"tides", b"heron", b"reed bed")


def holding(files: dict[str, bytes]) -> list[str]:
    """The files that hold one of the words, in their bytes, their name or once unpacked."""
    found = {name: name.encode() + data + unpacked(data) for name, data in files.items()}
    return sorted(name for name, data in found.items() if any(word in data for word in WORDS))


@pytest.mark.parametrize("end", ["revoked", "expired", "unlisted"])
def test_share_that_is_taken_back_is_found_nowhere(workshop: Workshop, tmp_path: Path, end: str) -> None:
    workshop.talk(talk_about("tides", "Where does the heron stand?", "In the reed bed."), talk_about("rivers"))
    on = share("rivers", "r", "listed = true") + "[search]\nenabled = true\n"
    workshop.configure(share("tides", "slug-of-it", "listed = true") + on)
    workshop.build()
    telling = holding(workshop.tree())
    assert {"feed.xml", "index.html", "p/talks/feed.xml", "p/talks/index.html"} <= {*telling}
    assert [name for name in telling if name.startswith("search/index/fragment")]
    assert "search/index/0.js" in holding(archived(workshop, tmp_path / "before.zip"))
    if end == "revoked":
        assert workshop.run("revoke", "slug-of-it", "--yes").exit_code == 0
    else:
        lines = {"expired": ("listed = true", "expires = 2020-01-01"), "unlisted": ()}[end]
        workshop.configure(share("tides", "slug-of-it", *lines) + on)
    workshop.build()
    left = {f"s/slug-of-it/{name}" for name in ("index.html", "conversation.md", "conversation.json", "source.json")}
    assert {*holding(workshop.tree())} <= (left if end == "unlisted" else set())
    assert "slug-of-it" not in workshop.page("sitemap.xml")
    assert not (workshop.public / "s" / "slug-of-it" / "poster.png").exists()
    twin = {f"{name}.js" for name in left}
    after = archived(workshop, tmp_path / "after.zip")
    assert {*holding(after)} <= (left | twin if end == "unlisted" else set())
    assert ("slug-of-it" in "".join(after)) == (end != "revoked")
