"""How rarely a build has Python look for unused objects: importing and rendering make many that live on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_COLLECTED_EVERY = (200_000, 20, 100)
"""Python's thresholds of garbage collection."""


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """For as long as something is made."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.freeze()  # what was made in between doesn't count any more, else all of it would be looked through now
        gc.set_threshold(*before)
        gc.unfreeze()


def collect_rarely() -> None:
    """From now on, and what there is now isn't looked through again."""
    gc.freeze()
    gc.set_threshold(*_COLLECTED_EVERY)
