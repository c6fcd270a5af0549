"""What isn't shared any more is gone, whatever way it was taken back, and nothing else is touched."""

from __future__ import annotations

import shutil
from typing import NoReturn

import pytest

from sitegen.errors import OutputError
from sitegen.output.state import State
from tests.support.workshop import EVERYTHING, Workshop, share, slugs, talk_about


@pytest.fixture(autouse=True)
def _two_shares(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides"), talk_about("kerning", project="/home/ann/type"))
    workshop.configure(share("tides", "tides", "listed = true") + share("kerning", "kerning", "listed = true"))
    workshop.build()


def test_unshared_conversation_leaves_no_file_and_no_word(workshop: Workshop) -> None:
    workshop.configure(share("tides", "tides", "listed = true"))
    report = workshop.build()
    assert report["removed"] > 0
    assert slugs(workshop.paths()) == {"tides"}
    assert not any(b"kerning" in data for data in workshop.tree().values())


def test_renamed_slug_leaves_the_old_one_empty(workshop: Workshop) -> None:
    workshop.configure(share("tides", "ebb-and-flow", "listed = true"))
    workshop.build()
    assert slugs(workshop.paths()) == {"ebb-and-flow"}
    assert not (workshop.public / "s" / "tides").exists()


def test_deleted_conversation_is_taken_out_and_told(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides"))
    report = workshop.build()
    assert slugs(workshop.paths()) == {"tides"}
    assert any("kerning" in notice for notice in report["notices"])


def test_strict_build_refuses_a_share_without_its_conversation(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides"))
    before = workshop.tree()
    result = workshop.run("build", "--strict")
    assert result.exit_code == 1
    assert "kerning" in result.stderr
    assert "Traceback" not in result.output
    assert workshop.tree() == before


def test_expired_share_leaves_a_page_that_says_so_and_no_word_of_it(workshop: Workshop) -> None:
    workshop.configure(
        share("tides", "tides", "listed = true")
        + share("kerning", "kerning", "listed = true", "expires = 2026-06-01T00:00:00Z")
    )
    workshop.build("--now", "2026-05-31T23:59:59Z")
    assert "all about" in workshop.page("s/kerning")
    workshop.build("--now", "2026-06-01T00:00:00Z")
    assert slugs(workshop.paths()) == {"tides", "kerning"}
    assert {path for path in workshop.paths() if path.startswith("s/kerning/")} == {"s/kerning/index.html"}
    assert "expired" in workshop.page("s/kerning").lower()
    left = b"".join(data for path, data in workshop.tree().items())
    assert b"On kerning" not in left
    assert b"all about <strong>kerning" not in left


def test_expiry_is_noticed_without_any_other_change(workshop: Workshop) -> None:
    workshop.configure(share("kerning", "kerning", "listed = true", "expires = 2026-06-01T00:00:00Z"))
    assert workshop.build("--now", "2026-05-01T00:00:00Z")["next_expiry"] == "2026-06-01T00:00:00+00:00"
    assert workshop.build("--now", "2026-05-02T00:00:00Z")["written"] == 0
    assert workshop.build("--now", "2026-07-01T00:00:00Z")["written"] > 0
    assert "all about" not in workshop.page("s/kerning")


def test_foreign_file_in_the_folder_is_never_touched(workshop: Workshop) -> None:
    foreign = {
        workshop.public / "CNAME": "notes.example.org",
        workshop.public / "s" / "tides" / "mine.txt": "keep me",
        workshop.public / "s" / "other" / "index.html": "not yours",
    }
    for file, text in foreign.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    workshop.configure(share("kerning", "kerning", "listed = true"))
    workshop.build()
    assert {file: file.read_text() for file in foreign} == foreign
    assert not (workshop.public / "s" / "tides" / "index.html").exists()


def test_moved_configuration_still_takes_back_what_it_published(workshop: Workshop) -> None:
    """The state stays behind; what is in the folder is known all the same."""
    moved = workshop.folder / "conf"
    moved.mkdir()
    text = (workshop.folder / "sitegen.toml").read_text()
    text = text.replace('"archive.duckdb"', '"../archive.duckdb"').replace('"public"', '"../public"')
    (moved / "sitegen.toml").write_text(
        text.replace('[[share]]\nconversation = "claude_code:kerning"', '[[share]]\nconversation = "claude_code:tides"')
    )
    (workshop.folder / "sitegen.toml").unlink()
    text = (moved / "sitegen.toml").read_text().replace('slug = "kerning"', 'slug = "second"')
    (moved / "sitegen.toml").write_text(text)
    result = Workshop(moved).run("build")
    assert result.exit_code == 0, result.output
    assert slugs(workshop.paths()) == {"tides", "second"}


def test_lost_state_means_a_full_build_that_still_prunes(workshop: Workshop) -> None:
    shutil.rmtree(workshop.folder / ".sitegen")
    workshop.configure(share("tides", "tides", "listed = true"))
    workshop.build()
    assert slugs(workshop.paths()) == {"tides"}


def test_damaged_state_is_told_and_healed(workshop: Workshop) -> None:
    (workshop.folder / ".sitegen" / "state.sqlite").write_bytes(b"not a database at all" * 100)
    report = workshop.build()
    assert any("state" in notice for notice in report["notices"])
    assert slugs(workshop.paths()) == {"tides", "kerning"}
    assert workshop.build()["written"] == 0


def test_altered_stale_page_is_kept_and_the_build_says_so(workshop: Workshop) -> None:
    page = workshop.public / "s" / "kerning" / "index.html"
    page.write_text("someone's own words")
    workshop.configure(share("tides", "tides", "listed = true"))
    result = workshop.run("build")
    assert result.exit_code == 3
    assert "s/kerning/index.html" in result.stderr
    assert page.read_text() == "someone's own words"


def test_folder_of_someone_else_is_refused_unless_adopted(workshop: Workshop) -> None:
    other = workshop.folder / "other"
    other.mkdir()
    (other / "index.html").write_text("mine")
    result = workshop.run("build", "-o", str(other))
    assert result.exit_code == 1
    assert "--adopt" in result.stderr
    (other / "index.html").rename(other / "notes.html")
    assert workshop.run("build", "-o", str(other), "--adopt").exit_code == 0
    assert (other / "notes.html").read_text() == "mine"
    assert (other / "index.html").is_file()


def test_nothing_shared_means_an_empty_site(workshop: Workshop) -> None:
    workshop.configure("")
    workshop.build()
    assert slugs(workshop.paths()) == set()
    assert "index.html" in workshop.paths()


def test_narrowed_share_leaves_no_trace_in_output_or_cache(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", "And the secret pearl?", "It lies under the pier."))
    workshop.configure(share("tides", "tides", "listed = true"))
    workshop.build()
    workshop.configure(share("tides", "tides", "listed = true", 'messages = "1-2"'))
    workshop.build()
    assert not any(b"pearl" in data for data in workshop.tree().values())
    cached = [f for f in (workshop.folder / ".sitegen/cache").rglob("*") if f.is_file() and f.suffix == ".entry"]
    assert len(cached) == 4  # its transcript, where that is kept and what it is made of, and its picture


def test_rule_takes_every_conversation(workshop: Workshop) -> None:
    workshop.configure(EVERYTHING)
    workshop.build()
    assert len(slugs(workshop.paths())) == 2


def test_share_is_taken_back_even_when_the_state_cannot_be_written(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk must not keep a page online."""

    def full(self: State) -> None:
        raise OutputError("the disk is full")

    monkeypatch.setattr(State, "begin", full)
    workshop.configure(share("tides", "tides", "listed = true"))
    assert workshop.run("build").exit_code == 1
    assert slugs(workshop.paths()) == {"tides"}


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_page_that_something_else_stands_on_is_told_as_what_it_is(workshop: Workshop, kind: str) -> None:
    page = workshop.public / "s" / "tides" / "index.html"
    page.unlink()
    if kind == "link":
        page.symlink_to(workshop.folder / "sitegen.toml")
    else:
        page.mkdir()
        (page / "mine.txt").write_text("mine")
    workshop.talk(talk_about("tides", "more", "and more"), talk_about("kerning", project="/home/ann/type"))
    result = workshop.run("build")
    assert result.exit_code == 1
    assert "no longer shared" not in result.stderr
    assert "s/tides/index.html" in result.stderr
    assert (workshop.folder / "sitegen.toml").read_text().startswith("[site]")


def test_output_within_the_state_folder_is_refused(workshop: Workshop) -> None:
    result = workshop.run("build", "-o", str(workshop.folder / ".sitegen" / "public"))
    assert result.exit_code == 1
    assert ".sitegen" in result.stderr


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "known"])
def test_share_that_fails_halfway_leaves_nothing_that_cannot_be_taken_back(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """A long conversation's pages are written before all of them are made."""
    slug = "fonts" if is_new else "kerning"
    workshop.talk(talk_about("tides"), talk_about("fonts"), talk_about("kerning", "Why?", "So."))
    workshop.configure(share("tides", "tides", "listed = true") + share(slug, slug, "listed = true"))

    def fail(*_: object, **__: object) -> NoReturn:
        raise ValueError(slug)

    with monkeypatch.context() as patched:
        patched.setattr("sitegen.output.writer._BATCH_BYTES", 1)
        patched.setattr("sitegen.pages.shares._exports", fail)
        assert workshop.run("build").exit_code == 1
    assert slugs(workshop.paths()) == ({"tides"} if is_new else {"tides", "kerning"})
    workshop.configure(share("tides", "tides", "listed = true"))
    workshop.build()
    assert slugs(workshop.paths()) == {"tides"}
