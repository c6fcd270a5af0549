"""The manifest: the SHA-256 of every file of an archive and of the site as it's published. Written always alike."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from sitegen.errors import OutputError, SitegenError
from sitegen.model import Json
from sitegen.output.plan import check_path

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"
FORMAT = "sitegen manifest"
VERSION = 1
LARGEST = 256_000_000
"""Bytes of a manifest, above which none is read."""
UNLISTED = frozenset({".sitegen-files", ".nojekyll", MANIFEST, SIGNATURE})
"""Files that no manifest tells of."""
_CHUNK = 1 << 20
_HEX = re.compile(r"[0-9a-f]{64}")


class Entry(Struct, frozen=True):
    """What is known of a file: its hash and its size in bytes."""

    sha256: str
    size: int


class Manifest(Struct, frozen=True):
    """What an archive holds, and what the site holds where it's published."""

    title: str
    base_url: str | None
    files: Mapping[str, Entry] = field(default_factory=dict)
    live: Mapping[str, Entry] = field(default_factory=dict)


class ManifestError(SitegenError):
    """A manifest that can't be read, or says what it mustn't."""


def hash_stream(read: Callable[[int], bytes], limit: int) -> Entry:
    """The entry of what `read` gives, piece by piece; of no more than `limit` bytes and one."""
    digest, size = hashlib.sha256(), 0
    while data := read(min(_CHUNK, limit + 1 - size)):
        digest.update(data)
        size += len(data)
        if size > limit:
            break
    return Entry(digest.hexdigest(), size)


def hash_file(file: Path) -> Entry:
    """The entry of a file on disk. Raises OSError."""
    with file.open("rb") as stream:
        return hash_stream(stream.read, limit=1 << 62)


def entries_of(folder: Path, paths: Iterable[str]) -> dict[str, Entry]:
    """The entries of files below a folder. Raises OSError."""
    return {path: hash_file(folder / path) for path in paths}


def to_bytes(manifest: Manifest) -> bytes:
    """The manifest as JSON: sorted, with a line a file; the same bytes for the same files."""
    head = {"format": FORMAT, "version": VERSION, "title": manifest.title, "base_url": manifest.base_url}
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    lines += [f" {json.dumps(name)}: {_table(table)}" for name, table in _tables(manifest)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "replace")


def _tables(manifest: Manifest) -> list[tuple[str, Mapping[str, Entry]]]:
    return [("files", manifest.files), ("live", manifest.live)]


def _table(entries: Mapping[str, Entry]) -> str:
    rows = (
        f'  {json.dumps(path, ensure_ascii=False)}: {{"sha256": "{entry.sha256}", "size": {entry.size}}}'
        for path, entry in sorted(entries.items())
    )
    text = ",\n".join(rows)
    return f"{{\n{text}\n }}" if text else "{}"


def from_bytes(data: bytes) -> Manifest:
    """The manifest in JSON that anyone may have written. Raises ManifestError with what is wrong about it."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        said = str(error) or "it is nested too deeply"
        msg = f"{MANIFEST} can't be read as JSON: {said}"
        raise ManifestError(msg) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        msg = f'{MANIFEST} isn\'t one of sitegen\'s: it lacks "format": "{FORMAT}"'
        raise ManifestError(msg)
    if value.get("version") != VERSION:
        msg = f"{MANIFEST} is of version {str(value.get('version'))[:20]}, and this sitegen reads version {VERSION}"
        raise ManifestError(msg)
    title, base_url = value.get("title"), value.get("base_url")
    return Manifest(
        title=title if isinstance(title, str) else "",
        base_url=base_url if isinstance(base_url, str) else None,
        files=_entries(value, "files"),
        live=_entries(value, "live"),
    )


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object whose names are there once: of two, programs read different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in it twice")
    return found


def _entries(value: Mapping[str, Json], name: str) -> dict[str, Entry]:
    table = value.get(name)
    if not isinstance(table, dict):
        msg = f'{MANIFEST} lacks the table "{name}"'
        raise ManifestError(msg)
    return {_path(path): _entry(path, entry) for path, entry in table.items()}


def _path(path: str) -> str:
    try:
        check_path(path)
    except OutputError as error:
        msg = f"{MANIFEST} names an unsafe path. {error}"
        raise ManifestError(msg) from None
    return path


def _entry(path: str, entry: Json) -> Entry:
    match entry:
        case {"sha256": str(sha256), "size": int(size)} if _HEX.fullmatch(sha256) and 0 <= size < 1 << 62:
            return Entry(sha256, size)
        case _:
            msg = f"{MANIFEST} says of {path!r} what isn't a SHA-256 and a size"
            raise ManifestError(msg)
