"""Files are kept once each, under the hash of their bytes; what can't be kept is told and harms nothing."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import IO

import pytest

from sitegen.ingest.files import FileStore
from sitegen.ingest.records import AttachmentRecord
from sitegen.projection.attachments import attachment


def stored(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_equal_files_are_kept_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "a.duckdb")
    kept = [store.keep(AttachmentRecord(name, opener=lambda: io.BytesIO(b"tea"))) for name in ("a.txt", "b.txt")]
    digest = hashlib.sha256(b"tea").hexdigest()
    assert stored(tmp_path) == [f"a.duckdb.files/{digest[:2]}/{digest}"]
    assert [(each.filename, each.storage_path, each.size_bytes) for each in kept] == [
        ("a.txt", f"a.duckdb.files/{digest[:2]}/{digest}", 3),
        ("b.txt", f"a.duckdb.files/{digest[:2]}/{digest}", 3),
    ]


@pytest.mark.parametrize("name", ["a.duckdb", ".hidden.duckdb", "a b.db"])
def test_kept_file_is_one_that_the_projection_reads(tmp_path: Path, name: str) -> None:
    kept = FileStore(tmp_path / name).keep(AttachmentRecord("a.txt", opener=lambda: io.BytesIO(b"tea")))
    read = attachment(
        tmp_path,
        filename=kept.filename,
        media_type=None,
        storage_path=kept.storage_path,
        content_hash=kept.content_hash,
        size_bytes=kept.size_bytes,
        metadata=None,
    )
    assert (read.data, read.missing) == (b"tea", None)


def test_record_without_a_file_stays_as_it_is(tmp_path: Path) -> None:
    record = AttachmentRecord("a.txt", metadata={"missing": "gone"})
    assert FileStore(tmp_path / "a.duckdb").keep(record) == record
    assert stored(tmp_path) == []


class Failing(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError(5, "Input/output error")
        return super().read(2)


def refused() -> IO[bytes]:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("opener", "reason"),
    [(lambda: Failing(b"tea"), "Input/output error"), (refused, "Permission denied")],
    ids=["reading", "opening"],
)
def test_file_that_cannot_be_copied_says_why_and_leaves_nothing(tmp_path: Path, opener: object, reason: str) -> None:
    kept = FileStore(tmp_path / "a.duckdb").keep(AttachmentRecord("a.txt", opener=opener))  # type: ignore[arg-type]
    assert (kept.storage_path, kept.metadata) == (None, {"missing": f"it couldn't be copied: {reason}"})
    assert stored(tmp_path) == []


def test_file_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.ingest.files.MAX_FILE_BYTES", 2)
    kept = FileStore(tmp_path / "a.duckdb").keep(AttachmentRecord("a.txt", opener=lambda: io.BytesIO(b"tea")))
    assert str((kept.metadata or {})["missing"]).startswith("it couldn't be copied: it is larger than")
    assert stored(tmp_path) == []
