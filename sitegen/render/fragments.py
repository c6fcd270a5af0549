"""Pieces of a conversation's HTML that were made before: a text or a call that is what it was isn't rendered again.

A fragment is found by all that it's made of, so one that is found is the one that would be made. Keeping them from one
build to the next, and knowing that the program is still the same, is left to others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from markupsafe import Markup

from sitegen.model import ROOT
from sitegen.render.steps import Kind, PairedCall, Step

_SHORTEST = 200
"""Making a shorter text anew, in characters, costs no more than finding it."""
_LIMIT = 50_000_000
"""More HTML than this, in bytes, isn't kept for one conversation."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The HTML of a text, or a step with its detail as `html`; as bytes it takes a quarter of the memory."""

    key: str
    html: bytes
    preview: str = ""
    summary: str = ""
    kind: str = ""
    object: str = ""
    object_key: str = ""
    added: int = 0
    removed: int = 0
    failed: bool = False
    is_open: bool = False
    duration_s: float | None = None


class Fragments:
    """Those that one conversation was made of before, and those that it's made of now; none of them when it's `off`."""

    def __init__(self, known: Iterable[Fragment] = (), *, off: bool = False) -> None:
        self._is_off = off
        self._known = {fragment.key: fragment for fragment in known}
        self._used: dict[str, Fragment] = {}
        self._room = _LIMIT

    @property
    def used(self) -> tuple[Fragment, ...]:
        """What is worth keeping: what the conversation shows now, and nothing else."""
        return tuple(self._used.values())

    def prose(self, text: str, terms: tuple[object, ...], make: Callable[[], Markup]) -> Markup:
        """The HTML of a text under these terms."""
        if self._is_off or len(text) < _SHORTEST:
            return make()
        key = _key("prose", *terms, text)
        found = self._find(key)
        if found is not None:
            return _read(found.html)
        html = make()
        self._keep(Fragment(key, _written(html)))
        return html

    def step(self, call: PairedCall, make: Callable[[], Step]) -> Step:
        """The step of a call."""
        if self._is_off:
            return make()
        key = _key("step", call)
        found = self._find(key)
        if found is not None:
            return _step(found)
        step = make()
        self._keep(_fragment(key, step))
        return step

    def _find(self, key: str) -> Fragment | None:
        found = self._used.get(key) or self._known.get(key)
        if found is not None:
            self._keep(found)
        return found

    def _keep(self, fragment: Fragment) -> None:
        """Keeps a fragment, unless it leads to a file of the share, which has to be made as well."""
        size = len(fragment.html) + len(fragment.preview)
        if fragment.key not in self._used and size <= self._room and not _leads_to_a_file(fragment):
            self._used[fragment.key] = fragment
            self._room -= size


def _key(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _leads_to_a_file(fragment: Fragment) -> bool:
    return ROOT.encode() in fragment.html or ROOT in fragment.preview or ROOT in fragment.summary


def _written(html: Markup) -> bytes:
    return html.encode("utf-8", "surrogatepass")


def _read(html: bytes) -> Markup:
    return Markup(html.decode("utf-8", "surrogatepass"))


def _fragment(key: str, step: Step) -> Fragment:
    return Fragment(
        key,
        html=_written(step.detail),
        preview=str(step.preview),
        summary=str(step.summary),
        kind=step.kind,
        object=step.object,
        object_key=step.key,
        added=step.added,
        removed=step.removed,
        failed=step.failed,
        is_open=step.is_open,
        duration_s=step.duration_s,
    )


def _step(fragment: Fragment) -> Step:
    return Step(
        cast("Kind", fragment.kind),
        Markup(fragment.summary),
        detail=_read(fragment.html),
        preview=Markup(fragment.preview),
        object=fragment.object,
        key=fragment.object_key,
        added=fragment.added,
        removed=fragment.removed,
        failed=fragment.failed,
        is_open=fragment.is_open,
        duration_s=fragment.duration_s,
    )
