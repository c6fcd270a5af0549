"""Rendered transcripts come back exactly, or not at all."""

from __future__ import annotations

import multiprocessing
import os
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.bulk import Bulk, sha256_of
from sitegen.model import (
    BranchPage,
    Card,
    Exchange,
    Facts,
    Mark,
    OutlineEntry,
    ShareFile,
    Transcript,
    Usage,
)
from sitegen.output.cache import Cache
from sitegen.output.codec import codec_for, from_text, to_text

KEY = "0123456789abcdef"
_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
_TIME = st.none() | st.datetimes(timezones=st.just(UTC))
_EXCHANGES = st.lists(
    st.builds(
        Exchange,
        anchor=_TEXT,
        html_file=st.binary(max_size=50),
        messages=st.integers(0, 99),
        anchors=st.lists(_TEXT, max_size=2).map(tuple),
        outline=st.none() | st.builds(OutlineEntry, _TEXT, _TEXT, _TIME),
        marks=st.lists(st.builds(Mark, st.just("tool"), _TEXT, _TIME, st.integers()), max_size=2).map(tuple),
        search_file=st.binary(max_size=50),
    ),
    max_size=3,
).map(tuple)
_TRANSCRIPTS = st.builds(
    Transcript,
    facts=st.builds(
        Facts,
        title=_TEXT,
        source=_TEXT,
        started_at=_TIME,
        tools=st.lists(st.tuples(_TEXT, st.integers(0, 5)), max_size=2).map(tuple),
        usage=st.none() | st.builds(Usage, st.integers(), st.integers()),
    ),
    exchanges=_EXCHANGES,
    branches=st.lists(st.builds(BranchPage, _TEXT, _EXCHANGES), max_size=1).map(tuple),
    files=st.lists(st.builds(ShareFile, _TEXT, st.binary(max_size=50), _TEXT), max_size=3).map(tuple),
    markdown_file=st.binary(max_size=50),
    json_file=st.binary(max_size=50),
)
SMALL = Transcript(
    Facts("A", "Claude Code"),
    (Exchange("x-1", b"<p>a</p>", 2),),
    files=(ShareFile("i/a.png", b"\0\n\xff", "image/png"),),
)


@pytest.fixture(params=[True, False], ids=["held", "left"], autouse=True)
def is_held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether an entry is as small as most are; what a large one holds is left in its file."""
    is_held = bool(request.param)
    monkeypatch.setattr("sitegen.output.cache._HELD", 16_000_000 if is_held else -1)
    monkeypatch.setattr("sitegen.output.cache._LEFT", 64_000_000 if is_held else -1)
    return is_held


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_what_the_system_takes_in_part_is_kept_whole(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "writev", lambda descriptor, parts: os.write(descriptor, b"".join(parts)[:7]))
    assert cache.put(KEY, SMALL)
    assert cache.get(KEY, Transcript) == SMALL


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(transcript=_TRANSCRIPTS)
def test_any_transcript_comes_back_as_it_was(transcript: Transcript, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = Cache(tmp_path_factory.mktemp("cache"))
    assert cache.put(KEY, transcript)
    assert cache.get(KEY, Transcript) == transcript


def test_what_is_left_in_a_file_is_still_there_when_the_entry_is_gone(cache: Cache) -> None:
    left = cache.leave(KEY, SMALL)
    cache.put(KEY, replace(SMALL, files=()))
    cache.prune([])
    assert left == SMALL
    assert (left.exchanges[0].html, bytes(left.files[0].data)) == ("<p>a</p>", b"\0\n\xff")


def test_what_was_left_can_be_kept_elsewhere(cache: Cache) -> None:
    assert cache.put("ffff0000ffff", cache.leave(KEY, SMALL))
    assert cache.get("ffff0000ffff", Transcript) == SMALL


def test_what_is_deleted_at_once_is_not_left(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "put", lambda *_: True)
    assert cache.leave(KEY, SMALL) is SMALL


def test_what_was_left_and_is_cut_short_is_an_error_and_not_an_end(cache: Cache, is_held: bool) -> None:
    left = cache.leave(KEY, replace(SMALL, json_file=b"x" * 3_000_000))
    for file in cache.folder.rglob("*.entry"):
        os.truncate(file, 1_500_000)
    if is_held:
        assert left.json == "x" * 3_000_000
    else:
        with pytest.raises(OSError, match="cut short"):
            sha256_of(left.json_file)
        with pytest.raises(OSError, match="cut short"):
            bytes(left.json_file)


def test_pieces_come_back_as_one(cache: Cache) -> None:
    cache.put(KEY, replace(SMALL, markdown_file=Bulk([b"# A", b"", b"\n"])))
    found = cache.get(KEY, Transcript)
    assert found is not None
    assert (found.markdown, len(found.markdown_file)) == ("# A\n", 4)


def test_what_cannot_be_kept_is_not_left(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert Cache(tmp_path / "cache").leave(KEY, SMALL) is SMALL


def test_what_was_never_put_is_a_miss(cache: Cache) -> None:
    assert cache.get(KEY, Transcript) is None
    assert not cache.has(KEY)


@pytest.mark.parametrize("place", [0, 20, 60, -1], ids=["magic", "header", "text", "bytes"])
def test_a_damaged_entry_is_a_miss(cache: Cache, place: int) -> None:
    cache.put(KEY, SMALL)
    entry = _entry(cache)
    data = bytearray(entry.read_bytes())
    data[place] ^= 0x20
    entry.write_bytes(data)
    assert cache.get(KEY, Transcript) is None


@pytest.mark.parametrize("length", [0, 1, 15, 40, 100])
def test_a_cut_entry_is_a_miss(cache: Cache, length: int) -> None:
    cache.put(KEY, SMALL)
    entry = _entry(cache)
    entry.write_bytes(entry.read_bytes()[:length])
    assert cache.get(KEY, Transcript) is None


def test_an_entry_of_another_type_is_a_miss(cache: Cache) -> None:
    cache.put(KEY, SMALL)
    assert cache.get(KEY, Facts) is None


def test_an_entry_under_the_name_of_another_is_a_miss(cache: Cache) -> None:
    cache.put(KEY, SMALL)
    entry = _entry(cache)
    cache.put(KEY[::-1], replace(SMALL, json_file=b"another"))
    (another,) = {path for path in cache.folder.rglob("*") if path.is_file()} - {entry}
    another.replace(entry)
    assert cache.get(KEY, Transcript) is None


def test_entries_that_no_share_uses_go_and_leave_no_trace(cache: Cache) -> None:
    cache.put(KEY, SMALL)
    cache.put("ffff0000ffff", SMALL)
    (cache.folder / "f" / ".sitegen-tmp-1-1").write_text("left by a killed build")
    (cache.folder / KEY[:2]).mkdir()
    (cache.folder / KEY[:2] / f"{KEY[2:]}.entry").write_text("from a version that had more folders")
    assert cache.prune([KEY]) == 3
    assert [folder.name for folder in cache.folder.iterdir()] == [KEY[:1]]
    assert cache.get(KEY, Transcript) == SMALL


def test_entries_are_private(cache: Cache) -> None:
    cache.put(KEY, SMALL)
    assert stat.S_IMODE(_entry(cache).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_a_cache_that_cannot_be_written_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    cache = Cache(tmp_path / "cache")
    assert not cache.put(KEY, SMALL)
    assert cache.get(KEY, Transcript) is None
    assert cache.prune([]) == 0


@pytest.mark.parametrize("key", ["", "../../etc", "ABCDEF0123", "abc", "0" * 129], ids=ascii)
def test_a_key_is_hexadecimal(cache: Cache, key: str) -> None:
    with pytest.raises(ValueError, match="cache key"):
        cache.put(key, SMALL)


def test_several_processes_may_put_the_same_entry(cache: Cache) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert all(pool.starmap(cache.put, [(KEY, SMALL)] * 20))
    assert cache.get(KEY, Transcript) == SMALL


def test_a_card_goes_through_a_line_of_text() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=2)))
    card = Card("a", "Ä \ud800", True, None, listed=True, started_at=moment, tools=(("Bash", 2),), shape=(0, 9))
    assert "\n" not in to_text(card)
    assert from_text(to_text(card), Card) == card


@pytest.mark.parametrize("text", ["", "{}", "[]", '["x", []]', "null", "[1, 2"])
def test_a_text_that_is_no_card_is_none(text: str) -> None:
    assert from_text(text, Card) is None


def test_a_type_that_gets_another_field_gets_another_digest() -> None:
    assert codec_for(Transcript).digest != codec_for(Facts).digest
    assert codec_for(Facts).digest == codec_for(Facts).digest


def _entry(cache: Cache) -> Path:
    (entry,) = (path for path in cache.folder.rglob("*") if path.is_file())
    return entry
