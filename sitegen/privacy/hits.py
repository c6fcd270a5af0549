"""A secret as it is found: a place, a kind and a rule, never the value."""

from __future__ import annotations

from msgspec import Struct

from sitegen.privacy.marks import SecretKind


class Hit(Struct, frozen=True):
    """A secret found: bytes from `start` to `end`. `rule` names what found it."""

    start: int
    end: int
    kind: SecretKind
    rule: str
