"""Key pairs for signatures, made up on the spot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)


@dataclass(frozen=True, slots=True)
class KeyPair:
    """The files of a key: private and public PEM, the private one behind a passphrase, and its bytes as text."""

    private: Path
    public: Path
    encrypted: Path
    seed: bytes


def make_keys(folder: Path, name: str = "ann", *, seed: bytes = bytes(range(32))) -> KeyPair:
    """Writes the pair that grows from these 32 bytes."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    pair = KeyPair(folder / f"{name}.pem", folder / f"{name}.pub", folder / f"{name}.enc", seed)
    pair.private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"words"))
    pair.encrypted.write_bytes(locked)
    pair.public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return pair
