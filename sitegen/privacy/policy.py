"""What the owner wants taken out, and what was: the policy that goes in, the findings that come out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sitegen.privacy.corpus import Place

Secrets = Literal["redact", "block", "allow"]


class Policy(Struct, frozen=True):
    """What is taken out of all shares. The defaults are those of `sitegen.toml`."""

    secrets: Secrets = "redact"
    allow: tuple[str, ...] = ()
    """Fingerprints of secrets that may be published."""
    shortens_paths: bool = True
    masks_emails: bool = True
    masks_hosts: bool = False
    masks_ips: bool = False
    masks_macs: bool = False
    masks_serials: bool = False
    masks_phones: bool = False
    hide: tuple[str, ...] = ()
    """Words that are hidden wherever they stand, in any case."""


class Finding(Struct, frozen=True):
    """Something found in what a share shows: one secret, or all of a kind that is no secret in one place.

    `fingerprint` names a secret's value ("" for other kinds), `count` is in how many places it stands, `excerpt` is the
    text around the first with all that is taken out marked. `is_kept`: it's published all the same, as the policy says.
    """

    kind: str
    rule: str
    fingerprint: str
    count: int
    place: Place
    excerpt: str
    is_secret: bool
    is_kept: bool = False
