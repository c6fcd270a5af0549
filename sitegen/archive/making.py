"""Makes an archive: builds the site for disk and as it's published, in folders of their own, and packs the first."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sitegen.archive.manifest import MANIFEST, SIGNATURE, UNLISTED, Entry, Manifest, entries_of, hash_file, to_bytes
from sitegen.archive.packing import archive_time, pack
from sitegen.archive.signing import Signer
from sitegen.build import BuildOptions, BuildReport, OnProgress, build
from sitegen.config import Config
from sitegen.errors import OutputError, UsageError


class ArchiveOptions(Struct, frozen=True):
    """How to make an archive: where, for which time, signed by whom."""

    target: Path
    now: datetime | None = None
    jobs: int | None = None
    is_strict: bool = False
    signer: Signer | None = None
    has_live: bool = True
    """Whether the manifest tells of the published site too, so that it can be checked against it."""


class ArchiveReport(Struct, frozen=True):
    """What was made."""

    target: Path
    sha256: str
    size: int
    files: int
    shares: int
    notices: tuple[str, ...]
    signer: str | None


def make_archive(
    config: Config, options: ArchiveOptions, *, on_progress: OnProgress = lambda *_: None
) -> ArchiveReport:
    """Builds and packs the whole site. The same input and time give the same bytes.

    Raises SitegenError as `build` does, and UsageError or OutputError when the file can't or mustn't be where it's
    wanted; then nothing is left there but what was there before.
    """
    target = options.target.absolute()
    _refuse(target, config)
    time = archive_time()

    def build_into(folder: Path, *, is_offline: bool) -> BuildReport:
        how = BuildOptions(
            output=folder,
            jobs=options.jobs,
            now=options.now,
            is_strict=options.is_strict,
            is_offline=is_offline,
        )
        return build(config.path, how, on_progress=on_progress)

    with _workplace(target) as place:
        report = build_into(place / "disk", is_offline=True)
        files = _files(place / "disk")
        live = _live_entries(place / "live", build_into) if options.has_live else {}
        site = config.site
        manifest = to_bytes(Manifest(site.title, site.base_url, entries_of(place / "disk", files), live))
        extras = {MANIFEST: manifest}
        if options.signer is not None:
            extras[SIGNATURE] = options.signer.sign(manifest)
        pack(target, place / "disk", files, extras=extras, time=time)
    made = hash_file(target)
    signer = None if options.signer is None else options.signer.public
    return ArchiveReport(target, made.sha256, made.size, len(files), report.shares, report.notices, signer)


def _live_entries(folder: Path, build_into: Callable[..., BuildReport]) -> dict[str, Entry]:
    """The entries of the site as it's published; it's built for that and thrown away."""
    build_into(folder, is_offline=False)
    try:
        return entries_of(folder, _files(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _files(folder: Path) -> list[str]:
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return sorted(path for path in found if path not in UNLISTED)


def _refuse(target: Path, config: Config) -> None:
    if target.is_dir():
        msg = f"{target} is a folder; name the file to make, such as archive.zip"
        raise UsageError(msg)
    if target.is_relative_to(config.output.directory):
        msg = (
            f"{target} lies in the output folder, which gets published, and the archive tells of unlisted shares too; "
            "name another place"
        )
        raise UsageError(msg)
    if target == config.path or target in config.source.projections:
        msg = f"{target} is what the site is made of, and would be overwritten; name another file"
        raise UsageError(msg)
    if not target.parent.is_dir():
        msg = f"There is no folder {target.parent} to put {target.name} into. Make it, or name another place."
        raise OutputError(msg)


@contextmanager
def _workplace(target: Path) -> Iterator[Path]:
    """A folder beside the archive, where there is room for it if there is for that."""
    try:
        place = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        msg = f"Nothing can be written to {target.parent}: {(error.strerror or str(error)).lower()}."
        raise OutputError(msg) from error
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
