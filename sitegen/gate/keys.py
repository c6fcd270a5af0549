"""The key schedule of envelope v1, step by step: pure functions of bytes. Lengths are in bytes, keys have 32."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from sitegen.gate.encoding import lp, nfc, normalise_code

# A KEK depends on H, H on the commitment, and the commitment fixes the one value that the KEK ever encrypts.
_ZERO_NONCE = bytes(12)


def hkdf(secret: bytes, *, info: bytes, salt: bytes = b"", length: int = 32) -> bytes:
    """HKDF-SHA256 (RFC 5869)."""
    key = hmac.digest(salt or bytes(32), secret, "sha256")
    out = block = b""
    counter = 1
    while len(out) < length:
        block = hmac.digest(key, block + info + bytes([counter]), "sha256")
        out += block
        counter += 1
    return out[:length]


def envelope_hash(core: bytes) -> bytes:
    """H: binds every key and every ciphertext to the exact bytes of the core."""
    return hashlib.sha256(b"sitegen/envelope/v1\0" + core).digest()


def password_material(password: str) -> bytes:
    """What a password gives to `stretch`."""
    return nfc(password)


def email_material(address: str, code: str) -> bytes:
    """What an address with its code gives to `stretch`."""
    return lp(nfc(address.strip().lower())) + lp(code_material(code))


def code_material(code: str) -> bytes:
    """What a code gives to `stretch`, however it was typed."""
    return nfc(normalise_code(code))


def stretch(material: bytes, *, salt: bytes, iterations: int) -> bytes:
    """The root of a secret that people know: slow, so that guessing is."""
    return hashlib.pbkdf2_hmac("sha256", material, salt, iterations, 32)


def password_root(password: str, *, salt: bytes, iterations: int) -> bytes:
    return stretch(password_material(password), salt=salt, iterations=iterations)


def email_root(address: str, code: str, *, salt: bytes, iterations: int) -> bytes:
    return stretch(email_material(address, code), salt=salt, iterations=iterations)


def code_root(code: str, *, salt: bytes, iterations: int) -> bytes:
    return stretch(code_material(code), salt=salt, iterations=iterations)


def wrap(credential: bytes, *, root: bytes, core_hash: bytes, kind: str) -> bytes:
    """One slot: the credential secret under the key that `root` gives."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # dear to import; most builds seal nothing

    kek = hkdf(root, salt=core_hash, info=b"sitegen/kek/v1/" + kind.encode("ascii"))
    return AESGCM(kek).encrypt(_ZERO_NONCE, credential, core_hash + kind.encode("ascii"))


def unwrap(slot: bytes, *, root: bytes, core_hash: bytes, kind: str) -> bytes:
    """The credential secret of a slot. Raises cryptography's InvalidTag when root, core or slot are others."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    kek = hkdf(root, salt=core_hash, info=b"sitegen/kek/v1/" + kind.encode("ascii"))
    return AESGCM(kek).decrypt(_ZERO_NONCE, slot, core_hash + kind.encode("ascii"))


def master_key(need: Sequence[str], *, terms_hash: bytes | None, credential: bytes | None) -> bytes:
    """CMK from the parts named in `need`, in its order. Raises ValueError for a part that isn't there."""
    parts = {"agr": terms_hash, "cred": credential}
    material = b""
    for name in need:
        part = parts.get(name)
        if part is None:
            msg = f"the envelope needs {name!r}, which isn't there"
            raise ValueError(msg)
        material += lp(name.encode("ascii")) + lp(part)
    return hkdf(material, info=b"sitegen/cmk/v1")


def commitment(cmk: bytes, *, envelope_id: bytes) -> bytes:
    return hkdf(cmk, info=b"sitegen/commit/v1" + envelope_id)


def body_key(cmk: bytes, *, core_hash: bytes) -> bytes:
    return hkdf(cmk, salt=core_hash, info=b"sitegen/body/v1")


def attachment_key(cmk: bytes, *, core_hash: bytes, attachment: str) -> bytes:
    return hkdf(cmk, salt=core_hash, info=b"sitegen/att/v1/" + attachment.encode("ascii"))
