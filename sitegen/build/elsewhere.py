"""A worker's side of a build on a cluster: finds the projection, works like a process of the pool, sends back the rest.

A batch may be made twice, when a worker is lost or only seems to be: the same bytes are written to the same places.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitegen.build.fitness import Terms, find_fault, localize, sample
from sitegen.build.setting import Setting
from sitegen.build.work import Made, Task, Worker
from sitegen.errors import BuildError, SitegenError
from sitegen.fetch import fetch, shown
from sitegen.output.cache import Cache

_FETCHED = "sitegen-projections"


class Batch(Struct, frozen=True):
    """What became of a batch, and what the next build wants kept, by the name of its file; nothing where our folders
    are shared."""

    made: tuple[Made, ...]
    entries: tuple[tuple[str, bytes], ...] = ()
    scans: tuple[tuple[str, bytes], ...] = ()

    def keep(self, setting: Setting) -> None:
        """Puts away what was sent along."""
        Cache(setting.cache_folder).restore(self.entries)
        Cache(setting.scan_folder).restore(self.scans)


def check_worker(terms: Terms) -> str | None:
    """Why this worker can't work on the build, as the end of a sentence about it. Quick, for it waits meanwhile."""
    unseen = (path for path, address, wanted in _projections(terms) if not address and sample(path) != wanted)
    return find_fault(terms, localize(terms)) or next(map(_unseen, unseen), None)


def make_elsewhere(terms: Terms, tasks: Sequence[Task]) -> Batch:
    """Makes a batch here. Raises BuildError when this worker, which may have come later, can't."""
    setting = localize(terms)
    projections, fault = _find_projections(terms)
    fault = find_fault(terms, setting) or fault
    if fault is not None:
        raise BuildError(f"a worker {fault}")
    with _room(terms, replace(setting, projections=projections)) as (setting, is_shared):
        made = tuple(Worker(setting).make(tasks))
        if is_shared:
            return Batch(made)
        return Batch(made, tuple(Cache(setting.cache_folder).all()), tuple(Cache(setting.scan_folder).all()))


@contextmanager
def _room(terms: Terms, setting: Setting) -> Iterator[tuple[Setting, bool]]:
    """The setting with folders for what is kept: those of the machine that builds if they are seen here, else passing
    ones, so that no word of a conversation stays behind."""
    if terms.state_probe.is_file():
        yield setting, True
        return
    with tempfile.TemporaryDirectory(prefix="sitegen-", dir=_local_folder()) as name:
        folder = Path(name)
        yield (
            replace(
                setting,
                temp_folder=folder / "tmp",
                cache_folder=folder / "cache",
                scan_folder=folder / "scans",
                compiled_folder=folder / "templates",
                assets_folder=folder / "assets",
            ),
            False,
        )


def _find_projections(terms: Terms) -> tuple[tuple[Path, ...], str | None]:
    """Where the projections are here, and what is wrong with that."""
    found: list[Path] = []
    for path, address, wanted in _projections(terms):
        if sample(path) == wanted:
            found.append(path)
            continue
        copy = _local_folder() / _FETCHED / f"{wanted[:32]}.duckdb"
        fault = _fetch(address, copy, wanted) if address else _unseen(path)
        if fault is not None:
            return (), fault
        found.append(copy)
    return tuple(found), None


def _projections(terms: Terms) -> Iterator[tuple[Path, str, str]]:
    return zip(terms.setting.projections, terms.addresses, terms.samples, strict=True)


def _unseen(path: Path) -> str:
    return (
        f"doesn't see the projection {path} as it is on the machine that builds; put it on a path that all machines"
        " share, or name it by an address (s3://…, https://…)"
    )


def _fetch(address: str, copy: Path, wanted: str) -> str | None:
    """Brings a projection here, once for all builds that want the same. Returns what went wrong."""
    if sample(copy) == wanted:
        return None
    try:
        fetch(address, copy)
    except SitegenError as error:
        return f"says: {error}"
    if sample(copy) != wanted:
        return f"fetched another projection from {shown(address)} than this machine did; build again"
    return None


def _local_folder() -> Path:
    """Where this worker keeps files of its own."""
    from distributed import get_worker

    try:
        return Path(get_worker().local_directory)
    except ValueError:  # not within a task
        return Path(tempfile.gettempdir())
