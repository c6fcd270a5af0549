"""The containers of PNG, JPEG, GIF and WebP: their pieces are kept or dropped, pixels are never decoded.

Kept is what the picture needs (colour profile, animation); of Exif only the orientation survives, in a new record.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

_PNG_KEPT = frozenset(
    b"IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB bKGD pHYs acTL fcTL fdAT cICP mDCV cLLI hIST sPLT".split()
)
_WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_WEBP_PIXELS = frozenset({b"VP8 ", b"VP8L", b"ANMF"})
_GIF_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_ORIENTATION = 0x0112


class Stripped(Struct, frozen=True):
    """An image without what isn't picture; `orientation` is Exif's number, 1 for upright."""

    data: bytes
    orientation: int = 1


def strip_png(data: bytes) -> Stripped | None:
    """`data` with the chunks that make the picture; None when there are no pixels."""
    out, orientation = [data[:8]], 1
    for kind, body in _png_chunks(data):
        if kind == b"eXIf":
            orientation = _orientation_of(body)
        elif kind in _PNG_KEPT:
            out.append(_png_chunk(kind, body))
        if kind == b"IEND":
            break
    pixels = next((place for place, chunk in enumerate(out) if chunk[4:8] == b"IDAT"), None)
    if pixels is None or out[1][4:8] != b"IHDR":
        return None
    if orientation != 1:
        out.insert(pixels, _png_chunk(b"eXIf", _orientation_record(orientation)))
    return Stripped(b"".join(out), orientation)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 8
    while position + 12 <= len(data):
        length = int.from_bytes(data[position : position + 4])
        yield data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        position += 12 + length


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)


def strip_jpeg(data: bytes) -> Stripped | None:
    """`data` with the segments that make the picture; None when there is no scan. What follows its end is dropped."""
    out, orientation, has_scan = [b"\xff\xd8"], 1, False
    for marker, segment in _jpeg_segments(data):
        body = segment[4:]
        has_scan = has_scan or marker == 0xDA
        if marker == 0xE1 and body.startswith(b"Exif\0\0"):
            orientation = _orientation_of(body[6:])
        elif marker == 0xE0 and body.startswith(b"JFIF\0"):
            out.append(b"\xff\xe0\x00\x10" + body[:12].ljust(12, b"\0") + b"\0\0")  # without its thumbnail
        elif (
            (marker not in range(0xE0, 0xF0) and marker != 0xFE)
            or (marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"))
            or (marker == 0xEE and body.startswith(b"Adobe"))
        ):
            out.append(segment)
    if not has_scan:
        return None
    if orientation != 1:
        record = b"Exif\0\0" + _orientation_record(orientation)
        after_jfif = 2 if out[1:] and out[1][1] == 0xE0 else 1
        out.insert(after_jfif, b"\xff\xe1" + (len(record) + 2).to_bytes(2) + record)
    return Stripped(b"".join(out), orientation)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each marker with its whole segment; a scan's segment holds its coded pixels."""
    position = 2
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            return
        marker = data[position + 1]
        if marker == 0xFF:  # fill bytes may stand before a marker
            position += 1
            continue
        if marker == 0xD9:
            break
        end = position + 2 + int.from_bytes(data[position + 2 : position + 4])
        if marker == 0xDA:
            end = _scan_end(data, end)
        yield marker, data[position:end]
        position = end
    yield 0xD9, b"\xff\xd9"


def _scan_end(data: bytes, position: int) -> int:
    while True:
        position = data.find(b"\xff", position)
        if position < 0 or position + 1 >= len(data):
            return len(data)
        after = data[position + 1]
        if after not in (0x00, 0xFF) and not 0xD0 <= after <= 0xD7:
            return position
        position += 1 if after == 0xFF else 2


def strip_gif(data: bytes) -> Stripped | None:
    """`data` without comments and foreign extensions; None when there is no frame."""
    position = 13 + _gif_table(data[10:11])
    out, has_frame = [data[:position]], False
    while position < len(data) and data[position] in (0x21, 0x2C):
        if data[position] == 0x2C:
            end = _gif_blocks_end(data, position + 10 + _gif_table(data[position + 9 : position + 10]) + 1)
            has_frame, is_kept = True, True
        else:
            end = _gif_blocks_end(data, position + 2)
            label = data[position + 1 : position + 2]
            is_kept = label == b"\xf9" or (label == b"\xff" and data[position + 3 : position + 14] in _GIF_LOOPS)
        if is_kept:
            out.append(data[position:end])
        position = end
    return Stripped(b"".join((*out, b"\x3b"))) if has_frame else None


def _gif_table(packed: bytes) -> int:
    """Bytes of the colour table that a packed field announces."""
    field = packed[0] if packed else 0
    return 3 * 2 ** ((field & 7) + 1) if field & 0x80 else 0


def _gif_blocks_end(data: bytes, position: int) -> int:
    while position < len(data) and data[position]:
        position += data[position] + 1
    return min(position + 1, len(data))


def strip_webp(data: bytes) -> Stripped | None:
    """`data` with the chunks that make the picture; None when there are no pixels."""
    chunks, orientation = [], 1
    for kind, body in _webp_chunks(data):
        if kind == b"EXIF":
            orientation = _orientation_of(body.removeprefix(b"Exif\0\0"))
        elif kind in _WEBP_KEPT:
            chunks.append((kind, body))
    if not any(kind in _WEBP_PIXELS for kind, _ in chunks):
        return None
    is_extended = chunks[0][0] == b"VP8X" and len(chunks[0][1]) >= 10
    orientation = orientation if is_extended else 1
    if is_extended:
        flags = chunks[0][1][0] & ~0x0C | (0x08 if orientation != 1 else 0)
        chunks[0] = (b"VP8X", bytes([flags]) + chunks[0][1][1:])
    if orientation != 1:
        chunks.append((b"EXIF", _orientation_record(orientation)))
    body = b"WEBP" + b"".join(_webp_chunk(kind, content) for kind, content in chunks)
    return Stripped(b"RIFF" + len(body).to_bytes(4, "little") + body, orientation)


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 12
    while position + 8 <= len(data):
        length = int.from_bytes(data[position + 4 : position + 8], "little")
        yield data[position : position + 4], data[position + 8 : position + 8 + length]
        position += 8 + length + length % 2


def _webp_chunk(kind: bytes, body: bytes) -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)


def _orientation_of(tiff: bytes) -> int:
    """The orientation that an Exif record gives; 1 when it gives none that means anything."""
    if tiff[:2] not in (b"II", b"MM"):
        return 1
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"
    directory = int.from_bytes(tiff[4:8], order)
    count = int.from_bytes(tiff[directory : directory + 2], order)
    for start in range(directory + 2, directory + 2 + 12 * min(count, 200), 12):
        entry = tiff[start : start + 12]
        if int.from_bytes(entry[:2], order) == _ORIENTATION:
            value = int.from_bytes(entry[8:10], order)
            return value if 1 <= value <= 8 else 1
    return 1


def _orientation_record(orientation: int) -> bytes:
    """An Exif record that says the orientation and nothing else."""
    entry = _ORIENTATION.to_bytes(2) + (3).to_bytes(2) + (1).to_bytes(4) + orientation.to_bytes(2) + b"\0\0"
    return b"MM\0\x2a" + (8).to_bytes(4) + (1).to_bytes(2) + entry + (0).to_bytes(4)
