"""Compares a place with a manifest, file by file, and says what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from sitegen.archive.manifest import LARGEST, MANIFEST, SIGNATURE, UNLISTED, Entry, Manifest, from_bytes
from sitegen.archive.signing import Checked, check_signature
from sitegen.errors import UsageError
from sitegen.verify.live import LivePlace, base_of
from sitegen.verify.places import FolderPlace, Place, PlaceError, ZipPlace


class Report(Struct, frozen=True):
    """What was found: paths, those of `changed` and `unsafe` with the reason."""

    checked: int
    missing: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]
    extra: tuple[str, ...]
    unsafe: tuple[tuple[str, str], ...]
    signature: Checked
    lists_all: bool
    """Whether all files there are known, so that none can be extra unseen."""

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.changed or self.extra)

    @property
    def is_refused(self) -> bool:
        """Whether the place, or what speaks for it, can't be trusted at all."""
        return bool(self.unsafe) or self.signature.verdict == "bad"


class _Written(Struct, frozen=True):
    """A manifest as it was found, with its signature."""

    data: bytes
    signature: bytes | None


def verify(target: str, *, manifest: Path | None = None, trusted: str | None = None) -> Report:
    """Compares what is at `target` (a zip, a folder, an address) with its own manifest, or with the one named.

    `trusted` is the public key that must have signed it. Raises UsageError when there is no manifest to compare with,
    PlaceError and ManifestError when something can't be read.
    """
    with _open(target) as place:
        own = _written(place)
        written = own if manifest is None else _named(manifest)
        if written is None:
            if place.faults:
                return _untrusted(place)
            msg = f"there is no {MANIFEST} at {target} to check it against; --manifest names an archive, or a manifest"
            raise UsageError(msg)
        checked = check_signature(written.data, written.signature, trusted=trusted)
        known = from_bytes(written.data)
        table = known.files if own is not None else _live(known)
        return _compare(place, table, checked)


def _untrusted(place: Place) -> Report:
    """Of a place whose very manifest is unsafe, nothing can be said but that."""
    return Report(0, (), (), (), tuple(place.faults), Checked("none"), lists_all=True)


def _compare(place: Place, table: Mapping[str, Entry], checked: Checked) -> Report:
    missing: list[str] = []
    changed: list[tuple[str, str]] = []
    unsafe = dict(place.faults)
    for name, expected in sorted(table.items()):
        match place.look(name, expected):
            case None:
                missing += [] if name in unsafe else [name]
            case str(reason):
                changed.append((name, reason))
            case Entry() as found if found != expected:
                changed.append((name, _difference(found, expected)))
    names = place.names()
    extra = sorted((names or set()) - table.keys() - UNLISTED - unsafe.keys())
    return Report(
        checked=len(table),
        missing=tuple(missing),
        changed=tuple(changed),
        extra=tuple(extra),
        unsafe=tuple(unsafe.items()),
        signature=checked,
        lists_all=not isinstance(place, LivePlace),
    )


def _difference(found: Entry, expected: Entry) -> str:
    if found.size > expected.size:
        return f"it is longer than {expected.size:,} bytes"
    if found.size < expected.size:
        return f"it has {found.size:,} bytes instead of {expected.size:,}"
    return "it holds other bytes"


@contextmanager
def _open(target: str) -> Iterator[Place]:
    if "://" in target:
        yield LivePlace(base_of(target))
        return
    path = Path(target)
    if path.is_dir():
        yield FolderPlace(path)
        return
    if not path.is_file():  # a device never ends, and a pipe never begins
        msg = f"there is no file or folder {target}"
        raise UsageError(msg)
    with ZipPlace.open(path) as place:
        yield place


def _written(place: Place) -> _Written | None:
    data = place.read(MANIFEST, LARGEST)
    return None if data is None else _Written(data, place.read(SIGNATURE, LARGEST))


def _named(path: Path) -> _Written:
    """The manifest in an archive, in a folder, or in a file of its own with its signature beside it."""
    if path.is_dir() or path.suffix == ".zip":
        with _open(str(path)) as place:
            found = _written(place)
        if found is None:
            raise PlaceError(f"there is no {MANIFEST} in {path}")
        return found
    beside = FolderPlace(path.parent)
    data = beside.read(path.name, LARGEST)
    if data is None:
        raise PlaceError(f"there is no manifest at {path}")
    return _Written(data, beside.read(f"{path.name}.sig", LARGEST))


def _live(manifest: Manifest) -> Mapping[str, Entry]:
    if not manifest.live:
        msg = "the manifest tells of the archive only, not of the site as it's published; it was made with --no-live"
        raise UsageError(msg)
    return manifest.live
