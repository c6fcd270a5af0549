"""What a conversation was put together from, kept beside its transcript: when it goes on, the new is rendered.

Short ones aren't worth keeping twice until they have gone on once, for then they do so again. What is kept goes with
its transcript, so a share that shows less leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sitegen.build.keys import digest, fragments_key, rendering_code
from sitegen.output.cache import Cache
from sitegen.render import Fragment, Fragments, RenderOptions
from sitegen.render.foreign import Foreign

_WORTH_KEEPING: Final = 400
"""Messages of a conversation that is new; rendering fewer takes a fraction of a second."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The fragments of a transcript; `mark` says by what code and options they were made."""

    mark: str
    fragments: tuple[tuple[str, Fragment], ...]


@contextmanager
def reuse(
    cache: Cache, size: int, options: RenderOptions, others: Foreign, *, before: str, now: str, goes_on: bool
) -> Iterator[Fragments]:
    """Fragments of the transcript `before` to render with; those used in the end are kept with the transcript `now`.

    `size` is how many messages the conversation has, `goes_on` whether it's known to go on.

    None where `others` may have a hand in it, for nobody knows what they go by.
    """
    if (size < _WORTH_KEEPING and not goes_on) or others.calls or others.blocks:
        yield Fragments(off=True)
        return
    mark = digest(rendering_code(), repr(options))
    kept = cache.get(fragments_key(before), Kept) if before else None
    fragments = Fragments(dict(kept.fragments) if kept is not None and kept.mark == mark else None)
    yield fragments
    cache.put(fragments_key(now), Kept(mark, tuple(fragments.used.items())))
