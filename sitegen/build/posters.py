"""Posters of shares, drawn once: kept in the cache beside the transcript they belong to, for other builds."""

from __future__ import annotations

from msgspec import Struct

from sitegen.build.keys import digest, source_digest, versions
from sitegen.bulk import sha256_of
from sitegen.model import Poster
from sitegen.output.cache import Cache

_LIBRARIES = ("fontpkg-source-serif-4", "pillow")


class Drawn(Struct, frozen=True):
    """A picture with its SHA-256, and a hash of all that it was drawn from."""

    made_of: str
    data: bytes
    sha256: str


def poster_key(transcript_key: str) -> str:
    """Where in the cache the poster of a transcript is."""
    return digest("poster", transcript_key)


def draw_once(poster: Poster, *, cache: Cache, transcript_key: str, is_read: bool) -> Drawn:
    """The picture of a poster, from the cache when it shows the same; `is_read` false draws it in any case."""
    made_of = digest(
        source_digest(("poster.py",)), versions(_LIBRARIES), (poster.title, poster.site, poster.facts, poster.shape)
    )
    key = poster_key(transcript_key)
    known = cache.get(key, Drawn) if is_read else None
    if known is not None and known.made_of == made_of:
        return known
    from sitegen.poster import draw  # dear to import: only for what isn't in the cache

    data = draw(poster)
    drawn = Drawn(made_of, data, sha256_of(data))
    cache.put(key, drawn)
    return drawn
