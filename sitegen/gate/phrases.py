"""Makes secrets that people can read to each other: passphrases of six words, codes of sixteen characters."""

from __future__ import annotations

import secrets
from importlib import resources
from typing import Final

from sitegen.errors import UsageError
from sitegen.gate.encoding import b64u, encode_code, show_code

WORDS: Final = 6
_LIST_LENGTH: Final = 7_776
_CODE_BYTES: Final = 10


def make_passphrase() -> str:
    """Six words of the EFF's long list, chosen by the operating system's randomness: 77 bits."""
    words = _words()
    return " ".join(secrets.choice(words) for _ in range(WORDS))


def make_codes(count: int) -> tuple[str, ...]:
    """So many different codes of 80 bits, in groups of four as they are printed."""
    codes: dict[str, None] = {}
    while len(codes) < count:
        codes[show_code(encode_code(secrets.token_bytes(_CODE_BYTES)))] = None
    return tuple(codes)


def make_site_secret() -> str:
    """32 random bytes in base64url."""
    return b64u(secrets.token_bytes(32))


def _words() -> list[str]:
    text = resources.files("xkcdpass").joinpath("static", "eff-long").read_text("utf-8")
    words = sorted(set(text.split()))
    if len(words) != _LIST_LENGTH:  # another list would make weaker phrases without a sign of it
        raise UsageError(f"the list of words that comes with xkcdpass has {len(words)} words, not {_LIST_LENGTH}")
    return words
