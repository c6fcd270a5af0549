"""Judges passwords and codes: a page on a static host can be guessed at without limit, so weak ones are refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from sitegen.errors import RefusedError
from sitegen.gate.encoding import normalise_code

SHORTEST: Final = 12
LONGEST_BYTES: Final = 1_024
FEWEST_GUESSES: Final = 10**12
GUESSES_A_SECOND: Final = 15_000
"""What one graphics card of 2024 tries of PBKDF2-SHA256 with a million rounds, rounded up."""

_CODE_LENGTH: Final = 16
_CODE_CHARACTERS: Final = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
_JUDGED: Final = 72  # zxcvbn takes no more, and its time grows with the square
_UNITS: Final = (("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def check_form(password: str, *, of: str, names: Sequence[str] = ()) -> None:
    """Raises RefusedError for a password that can't be used at all; the message never holds it.

    `of` says whose it is ("the share “x”"), `names` are what it must not equal: slug, title.
    """
    if fault := _fault(password, names):
        raise RefusedError(f"the password of {of} {fault}")


def check_password(guesses: float, *, of: str, is_weak_allowed: bool = False) -> str | None:
    """Raises RefusedError for a password that can be guessed in so few guesses.

    With `is_weak_allowed` it passes, and the sentence about it is returned.
    """
    if guesses >= FEWEST_GUESSES:
        return None
    weak = (
        f"the password of {of} can be guessed in {time_to_crack(guesses)} on one graphics card, "
        "because a static host can't limit tries"
    )
    if is_weak_allowed:
        return weak
    raise RefusedError(f"{weak}; take six random words, which “sitegen share” makes, or say --allow-weak")


def check_codes(codes: Sequence[str], *, of: str) -> None:
    """Raises RefusedError for one-time codes that are too short to stand up to guessing, with the arithmetic."""
    for number, code in enumerate(codes, start=1):
        plain = normalise_code(code)
        if not set(plain) <= _CODE_CHARACTERS:
            raise RefusedError(
                f"code {number} of {of} holds other characters than digits and letters without I, L, O and U"
            )
        if len(plain) < _CODE_LENGTH:
            raise RefusedError(_short(number, of, plain))


def time_to_crack(guesses: float) -> str:
    """About how long one graphics card needs for so many guesses, in words."""
    seconds = guesses / GUESSES_A_SECOND
    for unit, size in _UNITS:
        if seconds >= size:
            count = round(seconds / size)
            return f"about {count:,} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"


def _short(number: int, of: str, plain: str) -> str:
    base = 10 if plain.isdigit() else 32
    return (
        f"code {number} of {of} has {len(plain)} characters, and a static host can't limit tries: "
        f"{_power(base, len(plain))} possibilities at {GUESSES_A_SECOND:,} a second on one graphics card are "
        f"{time_to_crack(base ** len(plain))}. Codes have {_CODE_LENGTH} characters (80 bits); "
        "“sitegen share --gate otp --codes 10” makes them"
    )


def _power(base: int, exponent: int) -> str:
    return f"{base**exponent:,}" if base**exponent < 10**10 else f"{base}^{exponent}"


def _fault(password: str, names: Sequence[str]) -> str | None:
    """Why a password can't be used at all, as the end of a sentence."""
    if not password:
        return "is empty"
    if any(0xD800 <= ord(char) < 0xE000 for char in password):
        return "holds half a character (a lone surrogate), which no keyboard types; check its encoding"
    if any(unicodedata.category(char) == "Cc" for char in password):
        return "holds a line end or another control character, which a password field can't take"
    composed = unicodedata.normalize("NFC", password)
    if len(composed.encode()) > LONGEST_BYTES:
        return f"is longer than {LONGEST_BYTES:,} bytes"
    if len(composed) < SHORTEST:
        return f"has fewer than {SHORTEST} characters; a static host can't limit tries, so length is what protects"
    if composed.casefold() in {unicodedata.normalize("NFC", name).casefold() for name in names if name}:
        return "is the share's own slug or title"
    return None


def count_guesses(password: str) -> float:
    """How many guesses a good guesser needs (zxcvbn's estimate); some 20 ms."""
    from zxcvbn import zxcvbn

    return float(zxcvbn(password[:_JUDGED])["guesses"])
