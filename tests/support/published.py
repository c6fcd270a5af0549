"""What a reader can get hold of: an archive's files, and what is in packed ones."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

from tests.support.workshop import Workshop


def unpacked(data: bytes) -> bytes:
    """The bytes of a file of a search index; others as they are."""
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def archived(workshop: Workshop, target: Path) -> dict[str, bytes]:
    """The files of an archive that is made at `target`."""
    assert workshop.run("archive", "-o", str(target)).exit_code == 0
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
