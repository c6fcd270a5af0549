"""Texts in another form: base64 of pictures, in which there's none, and of drawings, in which there is; files."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from msgspec import Struct

_PICTURE: Final = re.compile(
    r"(?:data:image/(?:png|jpe?g|gif|webp|avif|bmp|tiff);base64,|iVBORw0KGgo|/9j/|R0lGODlh|R0lGODdh|UklGR)"
    r"[A-Za-z0-9+/=_\s-]{200,}"
)
_LEAD: Final = "data:image/svg+xml;base64,"
_DRAWING: Final = re.compile(
    rf"(?:{re.escape(_LEAD)})?(?P<body>(?:PHN2Z|PD94b|PCFET|77u/P)[A-Za-z0-9+/=\s]+)",
)
_PICTURE_BYTES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")


class Wrapped(Struct, frozen=True):
    """A text as it stands, and the text within; None for a picture, in which there's none."""

    outer: str
    inner: str | None

    def wrap(self, inner: str) -> str:
        """Another text in the same form."""
        lead = _LEAD if self.outer.startswith("data:") else ""
        return lead + base64.b64encode(inner.encode("utf-8", "surrogatepass")).decode()


def unwrap(text: str) -> Wrapped | None:
    """What a long text encodes; None when it's simply text."""
    if text.startswith(("data:image/", "iVBOR", "/9j/", "R0lGOD", "UklGR")) and _PICTURE.fullmatch(text):
        return Wrapped(text, None)
    if not text.startswith((_LEAD, "PHN2Z", "PD94b", "PCFET", "77u/P")):
        return None
    match = _DRAWING.fullmatch(text)
    try:
        return Wrapped(text, base64.b64decode(match["body"]).decode("utf-8")) if match else None
    except (binascii.Error, ValueError):
        return None


def is_picture(data: bytes) -> bool:
    """Whether bytes begin like an image's, of which only the picture is published."""
    return data.startswith(_PICTURE_BYTES)


def text_of(data: bytes) -> str | None:
    """Bytes as the text that they are; None for pictures and other files that aren't text."""
    if is_picture(data):
        return None
    is_wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if is_wide else "utf-8")
    except UnicodeDecodeError:
        return None
    return text if is_wide or "\0" not in text else None
