"""The colours of terminals as classes that both schemes can show: hues kept, lightness left to the style sheet.

A page may hold no style of its own, and a colour made for a black screen can't be read on paper. So a colour becomes
the nearest of 24 hues (12 behind text) or of a few greys; `term.css` gives each a value for either scheme.
"""

from __future__ import annotations

import math
from functools import cache

HUES = 24
BACK_HUES = 12
_GREY_CHROMA = 0.035
_CUBE = (0, 95, 135, 175, 215, 255)
_BASIC_BACKS = (None, 30, 150, 110, 265, 330, 195)
"""Hue angles of black to cyan."""


def indexed_class(index: int, *, is_back: bool) -> str:
    """The class of a colour of the 256: `a0`…`a15` for the first sixteen, else as `rgb_class`."""
    if index < 16:
        return _basic_back(index % 8) if is_back else f"a{index}"
    if index >= 232:
        level = 8 + 10 * (min(index, 255) - 232)
        return rgb_class(level, level, level, is_back=is_back)
    cube = index - 16
    return rgb_class(_CUBE[cube // 36], _CUBE[cube // 6 % 6], _CUBE[cube % 6], is_back=is_back)


@cache
def _basic_back(index: int) -> str:
    angle = _BASIC_BACKS[index] if index < len(_BASIC_BACKS) else None
    if angle is None:
        return "q12" if index == 7 else "q13"
    return f"q{round(angle / 360 * BACK_HUES) % BACK_HUES}"


def rgb_class(red: int, green: int, blue: int, *, is_back: bool) -> str:
    """The class of the hue nearest to a colour of 0–255: `h0`…`h23` and greys `y0`…`y2`; behind text `q0`…`q13`."""
    lightness, chroma, angle = oklch(min(red, 255), min(green, 255), min(blue, 255))
    if chroma < _GREY_CHROMA:
        if is_back:
            return "q12" if lightness > 0.6 else "q13"
        return f"y{0 if lightness < 0.55 else 1 if lightness < 0.8 else 2}"
    if is_back:
        return f"q{round(angle / 360 * BACK_HUES) % BACK_HUES}"
    return f"h{round(angle / 360 * HUES) % HUES}"


def oklch(red: int, green: int, blue: int) -> tuple[float, float, float]:
    """Lightness (0–1), chroma and hue angle (0–360) of an sRGB colour as eyes see them (the OKLab model)."""
    r, g, b = (_linear(value / 255) for value in (red, green, blue))
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    medium = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    green_red = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    blue_yellow = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return lightness, math.hypot(green_red, blue_yellow), math.degrees(math.atan2(blue_yellow, green_red)) % 360


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
