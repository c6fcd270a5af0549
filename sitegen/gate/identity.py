"""What grows from the site secret alone: salts of password groups, links, codes, opaque attachment ids."""

from __future__ import annotations

import hmac

from sitegen.gate.encoding import encode_code, lp, nfc
from sitegen.gate.keys import hkdf


def password_group(site_secret: bytes, password: str) -> str:
    """A label that is equal for shares with one password and says nothing about it."""
    return hmac.digest(site_secret, b"sitegen/group/v1/" + nfc(password), "sha256").hex()


def group_salt(site_secret: bytes, group: str) -> bytes:
    """The PBKDF2 salt of a group: one derivation opens every share of it."""
    return hkdf(site_secret, info=b"sitegen/salt/v1/" + group.encode("utf-8"))


def link_root(site_secret: bytes, *, slug: str, recipient: str, epoch: int) -> bytes:
    """The 32 bytes of a recipient's link; the same as long as the epoch is."""
    return hkdf(site_secret, info=b"sitegen/link/v1/" + f"{slug}/{recipient}/{epoch}".encode())


def recipient_code(site_secret: bytes, *, slug: str, recipient: str, epoch: int) -> str:
    """A recipient's own code of 80 bits, as sixteen characters."""
    return encode_code(hkdf(site_secret, info=b"sitegen/code/v1/" + f"{slug}/{recipient}/{epoch}".encode(), length=10))


def attachment_id(site_secret: bytes, *, slug: str, name: str) -> str:
    """An opaque id for a file of a gated share: thirty-two hex digits that don't tell its name or content."""
    return hmac.digest(site_secret, b"sitegen/attid/v1/" + lp(slug.encode()) + lp(name.encode()), "sha256")[:16].hex()
