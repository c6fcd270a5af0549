"""The pictures that the samples show: drawn here, so that the repository holds no image files."""

from __future__ import annotations

import io
import math

from PIL import Image, ImageDraw

PAPER, INK, SEA, RULE = (252, 251, 248), (29, 27, 24), (38, 98, 140), (214, 208, 197)


def tide_curve(width: int = 720, height: int = 260, *, is_shifted: bool = False) -> bytes:
    """A day's tide as a PNG; shifted by an hour when the table reads its times in the wrong zone."""
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    for hour in range(0, 25, 3):
        x = 30 + hour * (width - 60) / 24
        draw.line((x, 20, x, height - 30), fill=RULE)
        draw.text((x - 6, height - 24), f"{hour:02}", fill=INK)
    shift = 1.0 if is_shifted else 0.0
    points = [(30 + i * (width - 60) / 240, height / 2 - 80 * _level(i / 10 + shift)) for i in range(241)]
    draw.line(points, fill=SEA, width=4, joint="curve")
    return _png(image)


def specimen(width: int = 640, height: int = 360) -> bytes:
    """A page spread with its baseline grid, as a PNG."""
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    for page in (0, 1):
        left = 40 + page * width // 2
        draw.rectangle((left - 16, 20, left + width // 2 - 64, height - 20), outline=RULE)
        for line in range(14):
            y = 48 + line * 20
            end = left + (width // 2 - 90) * (0.6 if line % 5 == 4 else 1)
            draw.line((left, y, end, y), fill=INK if line else (154, 74, 28), width=3 if line else 6)
    return _png(image)


def _level(hour: float) -> float:
    return 0.8 * math.sin(2 * math.pi * hour / 12.42) + 0.2 * math.sin(2 * math.pi * hour / 24.84)


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
