"""Which renderers of other packages are installed, for keys and for the watch: their versions and their files."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sitegen.build.keys import digest, tree_digest
from sitegen.installed import entry_points_of
from sitegen.output.cache import Cache
from sitegen.output.watch import Watch

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "sitegen.renderers"


class Told(Struct, frozen=True):
    """What the owner should know of how a conversation was rendered, for the cache."""

    sentences: tuple[str, ...]


def notes_key(transcript_key: str) -> str:
    """Names what there is to say of a transcript, in the cache."""
    return digest("notes", transcript_key)


class Renderers(Struct, frozen=True):
    """The renderers of one installation. Looking for them reads a file of every package, so it's done once."""

    points: tuple[EntryPoint, ...]

    @classmethod
    def find(cls) -> Renderers:
        """Those that are installed."""
        return cls(entry_points_of(GROUP))

    def marks(self) -> list[str]:
        """Changes whenever one may render otherwise: versions, and the bytes of their packages."""
        return [_mark(point) for point in self.points]

    def versions(self) -> dict[str, str]:
        """The version of each, for messages."""
        return {f"the renderer {point.name}": point.dist.version if point.dist else "" for point in self.points}

    def watch(self, watch: Watch) -> None:
        """Watch their files, which may stand anywhere."""
        for place in filter(None, map(_place, self.points)):
            if place.is_dir():
                watch.tree(place)
            else:
                watch.file(place)

    def faults(self) -> tuple[str, ...]:
        """Sentences on those that can't be used."""
        if not self.points:
            return ()
        from sitegen.render.foreign import Foreign

        return Foreign.load().faults

    def notes(self, cache: Cache, transcript_keys: Iterable[str]) -> list[str]:
        """What they failed at in these transcripts, each once; told in every build as long as they stand."""
        if not self.points:
            return []
        found = (cache.get(notes_key(key), Told) for key in transcript_keys)
        return list(dict.fromkeys(sentence for told in found if told for sentence in told.sentences))


def _mark(point: EntryPoint) -> str:
    place = _place(point)
    version = point.dist.version if point.dist else ""
    return f"{point.name} {point.value} {version} {tree_digest(place) if place else ''}"


def _place(point: EntryPoint) -> Path | None:
    """The package's folder, or the file of a module that stands alone."""
    try:
        spec = find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.origin and spec.has_location else None
