"""The small encodings of envelope v1: base64url, length prefixes, Padmé sizes, codes as people type them.

The format is described whole in docs/reference/envelope.md.
"""

from __future__ import annotations

import base64
import unicodedata

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", " ": "", "-": ""})


def b64u(data: bytes) -> str:
    """base64url without padding (RFC 4648 §5)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def unb64u(text: str) -> bytes:
    """The bytes of `b64u`. Raises ValueError when `text` isn't base64url without padding."""
    if "=" in text or "+" in text or "/" in text:
        msg = "expected base64url without padding"
        raise ValueError(msg)
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def lp(data: bytes) -> bytes:
    """`data` behind its length as four bytes, big-endian."""
    return len(data).to_bytes(4, "big") + data


def padme(length: int) -> int:
    """The size in bytes that `length` bytes are padded to, so that a size says little (Padmé, PETS 2019)."""
    if length < 2:
        return length
    exponent = length.bit_length() - 1
    granule = 1 << (exponent - exponent.bit_length())
    return (length + granule - 1) // granule * granule


def nfc(text: str) -> bytes:
    """UTF-8 of the composed form: é typed on any keyboard is one password."""
    return unicodedata.normalize("NFC", text).encode("utf-8")


def normalise_code(code: str) -> str:
    """A code as it is hashed: upper case, without spaces and hyphens, O read as 0, I and L as 1."""
    return code.upper().translate(_MISREAD)


def encode_code(data: bytes) -> str:
    """Ten bytes (80 bits) as sixteen characters of Crockford's base32."""
    number = int.from_bytes(data, "big")
    return "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(len(data) * 8 - 5, -1, -5))


def show_code(code: str) -> str:
    """A code in groups of four, as it is printed."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))
