"""Image bytes made fit to publish: what they really are, how large, and nothing in them but the picture.

PNG, JPEG, GIF and WebP keep their format, pixels and animation and lose Exif, GPS, XMP, thumbnails and comments, unless
their owner wants them kept; other formats become PNG. The claim of a media type isn't asked.
"""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from sitegen.render.containers import Stripped, strip_gif, strip_jpeg, strip_png, strip_webp

Fault = Literal["undecodable", "too_large"]

_BYTES_LIMIT = 30_000_000
_PIXEL_LIMIT = 80_000_000
_REDRAWN_LIMIT = 40_000_000
"""Pixels of an image that must be decoded to be published."""
_REDRAWN = ("BMP", "TIFF", "ICO", "AVIF", "PPM", "DIB")
_PNG_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA", "I;16"})


class Picture(Struct, frozen=True):
    """An image to publish; `width` and `height` are as it's shown, in CSS pixels."""

    data: bytes
    media_type: str
    width: int
    height: int


@lru_cache(maxsize=2)  # an attachment is asked what it is before it's shown
def read_picture(data: bytes, *, keeps_metadata: bool = False) -> Picture | Fault:
    """The image that `data` holds, or why it can't be published; `keeps_metadata`: byte for byte where it can be."""
    if len(data) > _BYTES_LIMIT:
        return "too_large"
    from sitegen.render.svg import clean_svg  # here and below: dear to import, and most conversations hold no image

    svg = clean_svg(data)
    if svg is not None:
        return Picture(svg.data, "image/svg+xml", svg.width, svg.height)
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a bomb is told by its size below, a corrupt tag is dropped
        try:
            return _raster(data, keeps_metadata=keeps_metadata)
        except Image.DecompressionBombError:
            return "too_large"
        except Exception:  # noqa: BLE001 - decoders fail in as many ways as there are broken files
            return "undecodable"


def _raster(data: bytes, *, keeps_metadata: bool) -> Picture | Fault:
    stripped, media_type = _stripped(data)
    if media_type is None:
        return _redrawn(data)
    if stripped is None:
        return "undecodable"
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=[media_type.removeprefix("image/").upper()]) as image:
        width, height = image.size
    if width * height > _PIXEL_LIMIT:
        return "too_large"
    if stripped.orientation > 4:
        width, height = height, width
    return Picture(data if keeps_metadata else stripped.data, media_type, width, height)


def _stripped(data: bytes) -> tuple[Stripped | None, str | None]:
    """The image without what isn't picture (None: broken), and its media type (None: another format)."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return strip_png(data), "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return strip_jpeg(data), "image/jpeg"
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return strip_gif(data), "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return strip_webp(data), "image/webp"
    return None, None


def _redrawn(data: bytes) -> Picture | Fault:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data), formats=_REDRAWN) as image:
        if image.width * image.height > _REDRAWN_LIMIT:
            return "too_large"
        upright = ImageOps.exif_transpose(image)
    drawn = upright if upright.mode in _PNG_MODES else upright.convert("RGBA")
    drawn.info = {}
    buffer = io.BytesIO()
    drawn.save(buffer, "PNG")
    return Picture(buffer.getvalue(), "image/png", drawn.width, drawn.height)
