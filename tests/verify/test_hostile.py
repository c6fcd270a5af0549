"""Archives and manifests made to do harm are told apart without unpacking anything, and never with a traceback."""

from __future__ import annotations

import json
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.archive.manifest import Entry, Manifest, ManifestError, from_bytes, to_bytes
from sitegen.verify import places
from sitegen.verify.places import PlaceError
from tests.verify.conftest import FILES, zip_all
from tests.verify.test_verify import run


def add(archive: Path, name: str, data: bytes = b"x", *, mode: int = 0) -> None:
    with zipfile.ZipFile(archive, "a") as packed:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # zipfile's own, of a name that is there already
            packed.writestr(info, data)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../outside.html", id="above"),
        pytest.param("s/../../outside.html", id="above by a way"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("s\\..\\outside.html", id="backslashes"),
        pytest.param("s/\x1b[2J.html", id="control characters"),
        pytest.param("index.html", id="twice"),
        pytest.param("INDEX.html", id="twice but for case"),
        pytest.param("manifest.json", id="the manifest twice"),
        pytest.param("s//x.html", id="an empty part"),
    ],
)
def test_unsafe_name_is_refused_and_nothing_is_written(name: str, archive: Path, tmp_path: Path) -> None:
    add(archive, name)
    before = sorted(tmp_path.rglob("*"))
    result = run(str(archive))
    assert result.exit_code == 3, result.output
    assert "unsafe: " in result.output
    assert "\x1b" not in result.output
    assert sorted(tmp_path.rglob("*")) == before


def test_link_in_an_archive_is_refused(archive: Path) -> None:
    add(archive, "s/link", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)
    result = run(str(archive))
    assert result.exit_code == 3
    assert "it isn't a plain file" in result.output


def test_archive_that_would_unpack_to_something_monstrous_is_not_read(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_MOST_UNPACKED", 1_000_000)
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bomb", bytes(5_000_000))
    result = run(str(archive))
    assert result.exit_code == 3
    assert "would unpack to 5,00" in result.output


def test_list_of_files_that_is_too_long_is_not_read(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_LARGEST_DIRECTORY", 100)
    result = run(str(archive))
    assert result.exit_code == 3
    assert "its list of files alone" in result.output


def test_file_is_read_no_further_than_its_manifest_says(archive: Path, tmp_path: Path, folder: Path) -> None:
    """A size that the zip understates is the zip's own limit; one that it states differs at once."""
    files = FILES | {"404.html": bytes(3_000_000), "manifest.json": (folder / "manifest.json").read_bytes()}
    result = run(str(zip_all(tmp_path / "b.zip", files)))
    assert result.exit_code == 1
    assert "changed: 404.html: it is longer than 4 bytes" in result.output


@pytest.mark.parametrize("cut", [0, 10, 100, 400, -5, -30])
def test_cut_archive_is_told_in_a_sentence(cut: int, archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:cut])
    result = run(str(archive))
    assert result.exit_code == 1
    assert "can't be read as a zip" in result.output


def test_damaged_archive_differs_or_is_told(archive: Path) -> None:
    data = archive.read_bytes()
    for at in range(0, len(data), 7):
        archive.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        result = run(str(archive))
        assert isinstance(result.exception, SystemExit | None)
        assert "went wrong" not in result.output


GOOD: dict[str, Any] = json.loads(to_bytes(Manifest("Notes", None, {"a": Entry("0" * 64, 1)}, {})))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("{", "can't be read as JSON", id="half"),
        pytest.param("[" * 200_000, "can't be read as JSON", id="deep"),
        pytest.param("[]", "isn't one of sitegen's", id="a list"),
        pytest.param('{"format": "another"}', "isn't one of sitegen's", id="another format"),
        pytest.param(json.dumps(GOOD | {"version": 2}), "version 2", id="a later version"),
        pytest.param(json.dumps(GOOD | {"files": []}), 'lacks the table "files"', id="no table"),
        pytest.param(json.dumps(GOOD | {"files": {"../a": GOOD["files"]["a"]}}), "unsafe path", id="above"),
        pytest.param(json.dumps(GOOD | {"files": {"a": {"sha256": "0", "size": 1}}}), "isn't a SHA-256", id="no hash"),
        pytest.param(
            json.dumps(GOOD | {"files": {"a": {"sha256": "0" * 64, "size": -1}}}), "isn't a SHA-256", id="no size"
        ),
        pytest.param('{"format": "sitegen manifest", "format": "x"}', "stands in it twice", id="a name twice"),
    ],
)
def test_manifest_that_is_none_is_refused(text: str, told: str) -> None:
    with pytest.raises(ManifestError, match=told):
        from_bytes(text.encode())


@given(st.dictionaries(st.from_regex(r"[a-z\u4e00-\u4e10]{1,8}(/[a-z]{1,8})?", fullmatch=True), st.integers(0, 2**50)))
def test_manifest_reads_as_it_was_written(sizes: dict[str, int]) -> None:
    manifest = Manifest("T", "https://ann.example.org/", {path: Entry("a" * 64, n) for path, n in sizes.items()}, {})
    assert from_bytes(to_bytes(manifest)) == manifest


@given(st.binary(max_size=300))
def test_any_bytes_are_no_manifest_and_no_traceback(data: bytes) -> None:
    with pytest.raises(ManifestError):
        from_bytes(data)


def test_large_manifest_is_not_read(archive: Path) -> None:
    with places.ZipPlace.open(archive) as place, pytest.raises(PlaceError, match="larger than 10 bytes"):
        place.read("manifest.json", 10)
