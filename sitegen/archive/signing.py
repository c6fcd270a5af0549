"""Signs manifests with Ed25519, and checks signatures. Keys come from a file or from the environment."""

from __future__ import annotations

import base64
import binascii
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from sitegen.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_HEAD = "sitegen signature 1"
_LARGEST = 100_000
_TEXT = re.compile(r"sitegen signature 1\ned25519 ([A-Za-z0-9_-]{43})\n([A-Za-z0-9_-]{86})\n?")
Verdict = Literal["good", "bad", "none"]


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key, ready to sign."""

    _key: Ed25519PrivateKey = field(repr=False)

    @property
    def public(self) -> str:
        """The public key as people hand it on: 43 characters."""
        return _b64u(self._key.public_key().public_bytes_raw())

    def sign(self, data: bytes) -> bytes:
        """The text of a signature file for these bytes; always the same for the same bytes."""
        return f"{_HEAD}\ned25519 {self.public}\n{_b64u(self._key.sign(data))}\n".encode("ascii")


class Checked(Struct, frozen=True):
    """What became of a signature: whether it fits, and whose it is."""

    verdict: Verdict
    signer: str = ""
    reason: str = ""


def load_signer(reference: str) -> Signer:
    """The private key at `env:NAME` or `file:PATH`: PEM, or the 32 bytes in hexadecimal or base64.

    Raises UsageError when there is none, without a word of what stands there.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    data = _read(reference)
    if b"-----BEGIN" not in data:
        return Signer(Ed25519PrivateKey.from_private_bytes(_plain(data, reference)))
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:  # TypeError: the key is encrypted
        raise _unfit(reference, "an unencrypted Ed25519 private key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _unfit(reference, "an Ed25519 private key")
    return Signer(key)


def load_public(text: str) -> str:
    """A public key as its 43 characters: given as such, or as a PEM file's path or reference. Raises UsageError."""
    if re.fullmatch(r"[A-Za-z0-9_-]{43}=?", text):
        return text.rstrip("=")
    reference = text if re.match(r"(env|file):", text) else f"file:{text}"
    data = _read(reference).strip()
    if re.fullmatch(rb"[A-Za-z0-9_-]{43}=?", data):
        return data.decode("ascii").rstrip("=")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(data)
    except ValueError as error:
        raise _unfit(reference, "an Ed25519 public key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise _unfit(reference, "an Ed25519 public key")
    return _b64u(key.public_bytes_raw())


def check_signature(data: bytes, signature: bytes | None, *, trusted: str | None) -> Checked:
    """Whether a signature file fits these bytes and, with `trusted`, whether that key made it."""
    if signature is None:
        reason = "it isn't signed, though a key was named" if trusted else ""
        return Checked("bad" if trusted else "none", reason=reason)
    match = _TEXT.fullmatch(signature.decode("ascii", "replace")) if len(signature) < _LARGEST else None
    if match is None:
        return Checked("bad", reason="the signature can't be read")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(_unb64u(match[1])).verify(_unb64u(match[2]), data)
    except (InvalidSignature, ValueError):
        return Checked("bad", match[1], "the signature doesn't fit the manifest")
    if trusted is not None and trusted != match[1]:
        return Checked("bad", match[1], f"it was signed by another key, {match[1]}")
    return Checked("good", match[1])


def _read(reference: str) -> bytes:
    kind, _, place = reference.partition(":")
    if kind == "env" and place:
        value = os.environ.get(place)
        if value is None:
            msg = f"the key should be in the environment variable {place}, which isn't set"
            raise UsageError(msg)
        return value.encode("utf-8", "surrogateescape")
    if kind != "file" or not place:
        msg = "a key is named by where it's kept: env:NAME or file:PATH"
        raise UsageError(msg)
    try:
        with Path(place).expanduser().open("rb") as file:
            return file.read(_LARGEST)
    except OSError as error:
        msg = f"the key at {place} can't be read: {(error.strerror or str(error)).lower()}"
        raise UsageError(msg) from error


def _plain(data: bytes, reference: str) -> bytes:
    """The 32 bytes of a key that was written down as text, or are there as they are."""
    text = data.strip()
    if len(data) == 32:
        return data
    if re.fullmatch(rb"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text.decode())
    try:
        found = base64.b64decode(text.replace(b"-", b"+").replace(b"_", b"/") + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        found = b""
    if len(found) != 32:
        raise _unfit(reference, "an Ed25519 private key: PEM, or 32 bytes in hexadecimal or base64")
    return found


def _unfit(reference: str, expected: str) -> UsageError:
    return UsageError(f"what is kept in {reference} isn't {expected}")


def _b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _unb64u(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
