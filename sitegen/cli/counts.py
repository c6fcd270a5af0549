"""Counts of what was taken out of shares, as a person says them."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = {
    "secret": ("secret", "secrets"),
    "home path": ("home folder", "home folders"),
    "person": ("name of a person", "names of people"),
    "email": ("e-mail address", "e-mail addresses"),
    "host": ("name of a machine", "names of machines"),
    "ip": ("private address", "private addresses"),
    "mac": ("device address", "device addresses"),
    "serial": ("serial number", "serial numbers"),
    "phone": ("phone number", "phone numbers"),
    "hidden word": ("hidden word", "hidden words"),
}


def told(found: Iterable[tuple[str, int]]) -> str:
    """ "3 secrets, 1 e-mail address"; "" when nothing was."""
    counts = dict(found)
    kinds = [*_WORDS, *sorted(counts.keys() - _WORDS.keys())]
    words = [(counts[kind], *_WORDS.get(kind, (kind, kind))) for kind in kinds if counts.get(kind)]
    return ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in words)
