"""A secret as it is found: a place, a kind and a rule, never the value."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.privacy.marks import SecretKind


@dataclass(frozen=True, slots=True)
class Hit:
    """A secret found: bytes from `start` to `end`. `rule` names what found it."""

    start: int
    end: int
    kind: SecretKind
    rule: str
