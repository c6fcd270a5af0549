"""The search of a built site: made only when wanted, of what everyone may read, anew only when that changed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sitegen.gate.encoding import b64u
from sitegen.search import pagefind
from tests.support.workshop import Workshop, share, talk_about

ON = "[search]\nenabled = true\n"
TIDES = talk_about("tides", "Where does the heron stand?", "In the reed bed.")
RIVERS = talk_about("rivers", "How long is the longest?", "Longer than you think.")
MERGER = talk_about("merger", "And the secret pearl of Wapping?", "It lies under the old pier.")
LISTED = "listed = true"


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")


def indexed(folder: Path) -> bytes:
    """All that the files of a search say, unpacked."""
    data = [file.read_bytes() for file in sorted((folder / "search").rglob("*")) if file.is_file()]
    return b"\n".join(gzip.decompress(each) if each.startswith(b"\x1f\x8b") else each for each in data)


def stamps(folder: Path) -> dict[str, int]:
    return {str(file): file.stat().st_mtime_ns for file in (folder / "search").rglob("*") if file.is_file()}


def test_without_being_asked_for_there_is_no_search(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure()
    workshop.build()
    assert not [path for path in workshop.paths() if "search" in path]
    assert "search/" not in workshop.page("index.html")


def test_search_is_linked_from_home_and_known_to_no_search_engine(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    assert 'href="search/"' in workshop.page("index.html")
    assert "noindex" in workshop.page("search")
    assert "search/" not in workshop.page("sitemap.xml")
    assert workshop.run("check").exit_code == 0


def test_only_the_search_page_may_run_webassembly(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    pages = [path for path in workshop.paths() if path.endswith(".html") and "unsafe" in workshop.page(path)]
    assert pages == ["search/index.html"]
    (workshop.public / "s" / "t" / "index.html").write_text(workshop.page("search"))
    assert "wasm-unsafe-eval" in workshop.run("check").output


@pytest.mark.parametrize("offline", [False, True], ids=["pagefind", "disk"])
@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(('gate = "password"', 'secret = "env:PEARL"', LISTED), id="gated"),
        pytest.param((), id="unlisted"),
        pytest.param((LISTED, "expires = 2020-01-01"), id="expired"),
    ],
)
def test_what_isnt_for_everyone_stands_in_no_index(workshop: Workshop, lines: tuple[str, ...], offline: bool) -> None:
    workshop.talk(TIDES, MERGER)
    workshop.configure(share("tides", "t", LISTED) + share("merger", "m", *lines) + ON)
    workshop.build(*(["--offline"] if offline else []))
    index = indexed(workshop.public)
    assert b"heron" in index
    assert not [word for word in (b"pearl", b"Wapping", b"pier", b"merger", b"s/m") if word in index]


@pytest.mark.parametrize("offline", [False, True], ids=["pagefind", "disk"])
def test_revoked_share_leaves_the_index_before_anything_else_happens(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    options = ["--offline"] if offline else []
    workshop.talk(TIDES, MERGER)
    workshop.configure(share("tides", "t", LISTED) + share("merger", "m", LISTED) + ON)
    workshop.build(*options)
    assert b"Wapping" in indexed(workshop.public)
    workshop.configure(share("tides", "t", LISTED) + ON)
    monkeypatch.setattr("sitegen.build.site.SiteBuild.make_shares", lambda _: 1 / 0)
    assert workshop.run("build", *options).exit_code == 1
    assert b"Wapping" not in indexed(workshop.public)


def test_index_is_made_anew_only_when_what_it_holds_has_changed(workshop: Workshop) -> None:
    workshop.talk(TIDES, MERGER)
    shares = share("tides", "t", LISTED) + share("merger", "m")
    workshop.configure(shares + ON)
    workshop.build()
    first = stamps(workshop.public)
    workshop.talk(TIDES, talk_about("merger", "Something else?", "Yes."))
    workshop.build()
    assert stamps(workshop.public) == first
    workshop.talk(talk_about("tides", "Where does the egret stand?", "There."), MERGER)
    workshop.build()
    assert b"egret" in indexed(workshop.public)
    assert b"heron" not in indexed(workshop.public)


def test_same_conversations_give_the_same_index(workshop: Workshop, tmp_path: Path) -> None:
    workshop.talk(TIDES, RIVERS)
    workshop.configure(share("tides", "t", LISTED) + share("rivers", "r", LISTED) + ON)
    workshop.build()
    workshop.build("--full", "-o", str(tmp_path / "other"))
    other = {file.relative_to(tmp_path / "other").as_posix() for file in (tmp_path / "other" / "search").rglob("*.*")}
    assert other == {path for path in workshop.paths() if path.startswith("search/")}
    assert indexed(tmp_path / "other") == indexed(workshop.public)


def test_title_that_is_the_first_prompt_isnt_found_twice(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", title="What about tides?"))
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    assert indexed(workshop.public).count(b"What about tides?") == 1


def test_turning_it_off_removes_it(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    workshop.configure(share("tides", "t", LISTED))
    workshop.build()
    assert not (workshop.public / "search").exists()
    assert "search/" not in workshop.page("index.html")


def test_turning_it_on_touches_no_conversation(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED))
    workshop.build()
    page = (workshop.public / "s" / "t" / "index.html").stat().st_mtime_ns
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    assert b"heron" in indexed(workshop.public)
    assert (workshop.public / "s" / "t" / "index.html").stat().st_mtime_ns == page


def test_search_works_after_the_cache_was_deleted(workshop: Workshop) -> None:
    import shutil

    workshop.talk(TIDES, RIVERS)
    workshop.configure(share("tides", "t", LISTED) + ON)
    workshop.build()
    shutil.rmtree(workshop.folder / ".sitegen" / "cache")
    workshop.configure(share("tides", "t", LISTED) + share("rivers", "r", LISTED) + ON)
    workshop.build()
    assert b"heron" in indexed(workshop.public)
    assert b"longest" in indexed(workshop.public)


def test_missing_pagefind_is_told_and_costs_nothing_else(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagefind, "find_program", lambda: None)
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED) + ON)
    told = workshop.run("build")
    assert told.exit_code == 1
    assert "pip install 'sitegen[search]'" in told.output
    assert "heron" in workshop.page("s/t")
    assert "search/" not in workshop.page("index.html")
    assert workshop.run("build").exit_code == 1, "a failed search isn't taken for one with nothing to do"


def test_pagefind_that_fails_is_told_with_what_it_said(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    program = workshop.folder / "pagefind"
    program.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 7\n")
    program.chmod(0o755)
    monkeypatch.setattr(pagefind, "find_program", lambda: program)
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t", LISTED) + ON)
    told = workshop.run("build")
    assert told.exit_code == 1
    assert "exit code 7: no room left" in told.output
    assert not list((workshop.folder / ".sitegen" / "tmp").glob("search-*"))


def test_protected_word_that_an_open_conversation_says_too_is_no_leak(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", "Who owns the secret pearl of Wapping, then?", "Nobody."), MERGER)
    gated = share("merger", "m", 'gate = "password"', 'secret = "env:PEARL"')
    workshop.configure(share("tides", "t", LISTED) + gated + ON)
    workshop.build()
    workshop.build("--offline", "-o", str(workshop.folder / "offline"))


def test_nothing_listed_is_nothing_to_search(workshop: Workshop) -> None:
    workshop.talk(TIDES)
    workshop.configure(share("tides", "t") + ON)
    workshop.build()
    assert not (workshop.public / "search").exists()
