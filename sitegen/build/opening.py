"""Opens the projections for a worker, which reads conversations and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sitegen.projection import Projections

_READING_MB: Final = 32
"""Memory for DuckDB, which takes whatever it's given and reads no faster for it."""


def open_to_read(paths: Sequence[Path], temp_folder: Path, *, labels: bool) -> AbstractContextManager[Projections]:
    """The projections, closed with the context."""
    from sitegen.projection import open_all  # like rendering, dear to import: only for what isn't in the cache

    return open_all(paths, temp_folder=temp_folder, memory_limit_mb=_READING_MB, threads=1, labels=labels)
