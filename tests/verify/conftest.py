"""A small archive with its manifest, made without building a site."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitegen.archive.manifest import Manifest, entries_of, to_bytes

FILES = {
    "index.html": b"<!doctype html>home",
    "s/tides/index.html": b"<!doctype html>tides",
    "s/tides/i/a b.png": b"\x89PNG",
    "p/\u4e2d\u6587/index.html": b"<!doctype html>project",
    "404.html": b"gone",
}


def write_all(folder: Path, files: Mapping[str, bytes] = FILES) -> None:
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def zip_all(file: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files with their manifest, as they'd come out of an archive. The published site is the same here."""
    folder = tmp_path / "site"
    write_all(folder)
    entries = entries_of(folder, FILES)
    (folder / "manifest.json").write_bytes(to_bytes(Manifest("Notes", None, entries, entries)))
    return folder


@pytest.fixture
def archive(folder: Path, tmp_path: Path) -> Path:
    """The same as a zip."""
    return zip_all(tmp_path / "a.zip", FILES | {"manifest.json": (folder / "manifest.json").read_bytes()})
