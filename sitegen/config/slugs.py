"""Slugs: what may stand in an address, when two are one to a file system, and new ones."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import unicodedata
from itertools import dropwhile
from typing import Final

MAX_CHARACTERS: Final = 100
MAX_BYTES: Final = 200
"""A file name has at most 255 bytes, and a page's temporary file needs some of them."""

# Windows can't make folders of these names, whatever follows a dot.
_DEVICES: Final = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
_OWN_FILES: Final = frozenset({"index.html", "feed.xml"})
RULE: Final = (
    "a slug holds letters, digits, “-”, “_” and “.”, begins with a letter or digit and has at most 100 characters"
)


def normal(slug: str) -> str:
    """The slug in Unicode's composed form, in which it is stored and linked."""
    return unicodedata.normalize("NFC", slug)


def folded(slug: str) -> str:
    """What two slugs have in common when a file system can't tell them apart."""
    return normal(normal(slug).casefold())


def fault_of(slug: str) -> str | None:
    """Why a slug can't be used, as the end of a sentence ("is empty"), or None when it can."""
    slug = normal(slug)
    if not slug:
        return "is empty"
    if len(slug) > MAX_CHARACTERS or len(slug.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return f"is too long: at most {MAX_CHARACTERS} characters and {MAX_BYTES} bytes"
    if bad := next((char for char in slug if not _is_allowed(char)), None):
        return f"holds {_described(bad)}; {RULE}"
    if not slug[0].isalnum():
        return f"begins with “{slug[0]}”; {RULE}"
    if slug.endswith("."):
        return "ends with a dot, which some file systems drop"
    if folded(slug).split(".")[0] in _DEVICES or folded(slug) in _OWN_FILES:
        return "is a reserved name"
    return None


def random_slug() -> str:
    """A slug of 128 random bits: 26 letters and digits."""
    return letters(secrets.token_bytes(16))


def derived_slug(key: str) -> str:
    """The slug of a conversation that has none yet: always the same for its `source:native-id`, whatever its title."""
    return letters(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:16])


def readable_slug(title: str, key: str, *, number: int = 1) -> str:
    """A slug from a title, made unique by six characters of the conversation's identity; other ones by `number`."""
    words = simplified(title)[:60].strip("-._")
    mark = derived_slug(key if number == 1 else f"{key} {number}")
    return f"{words or 'conversation'}-{mark[:6]}"


def simplified(text: str) -> str:
    """Text as a slug, without a check of its length: lower case, other characters as single hyphens; may be empty."""
    kept = "".join(char if _is_letter(char) else "-" for char in folded(text))
    words = re.sub(r"-+", "-", kept).strip("-")
    return "".join(dropwhile(lambda char: not char.isalnum(), words))  # a mark alone can't begin a slug


def letters(data: bytes) -> str:
    """Sixteen bytes as 26 letters and digits."""
    return base64.b32encode(data).decode().rstrip("=").lower()


def _is_letter(char: str) -> bool:
    """Letters, the marks that belong to them, and decimal digits of any script."""
    category = unicodedata.category(char)
    return category[0] == "L" or category in ("Mn", "Mc", "Nd")


def _is_allowed(char: str) -> bool:
    return char in "-_." or _is_letter(char)


def _described(char: str) -> str:
    return "a blank" if char == " " else f"“{char}”" if char.isprintable() else f"the character U+{ord(char):04X}"
