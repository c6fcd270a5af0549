"""Body and attachments of envelope v1: compressed, padded, and encrypted in chunks that open one by one (STREAM)."""

from __future__ import annotations

import gzip

from sitegen.gate.encoding import padme

CHUNK = 65_536
"""Bytes of plaintext a chunk."""
_TAG = 16


def pack(data: bytes, *, compress: bool) -> bytes:
    """`inner`: the length of what is carried, it, and zeros up to a size that says little."""
    carried = gzip.compress(data, compresslevel=6, mtime=0) if compress else data
    inner = len(carried).to_bytes(8, "big") + carried
    return inner + bytes(padme(len(inner)) - len(inner))


def unpack(inner: bytes, *, compress: bool) -> bytes:
    """What `pack` carried. Raises ValueError when length or padding are wrong."""
    length = int.from_bytes(inner[:8], "big")
    if len(inner) < 8 or length > len(inner) - 8 or any(inner[8 + length :]):
        msg = "the length or the padding of the plaintext is wrong"
        raise ValueError(msg)
    carried = inner[8 : 8 + length]
    return gzip.decompress(carried) if compress else carried


def encrypt(inner: bytes, *, key: bytes, core_hash: bytes) -> bytes:
    """Chunk by chunk, each under its number and whether it is the last."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # dear to import; most builds seal nothing

    cipher = AESGCM(key)
    starts = range(0, len(inner), CHUNK) or range(1)
    last = len(starts) - 1
    return b"".join(
        cipher.encrypt(_nonce(number, is_last=number == last), inner[start : start + CHUNK], core_hash)
        for number, start in enumerate(starts)
    )


def decrypt(stream: bytes, *, key: bytes, core_hash: bytes) -> bytes:
    """The inner bytes. Raises cryptography's InvalidTag for anything but the whole stream as it was written."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher = AESGCM(key)
    starts = range(0, len(stream), CHUNK + _TAG) or range(1)
    last = len(starts) - 1
    return b"".join(
        cipher.decrypt(_nonce(number, is_last=number == last), stream[start : start + CHUNK + _TAG], core_hash)
        for number, start in enumerate(starts)
    )


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])
