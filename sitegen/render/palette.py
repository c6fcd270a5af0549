"""The colours of terminals as classes that both schemes can show: hues kept, lightness left to the style sheet.

A page may hold no style of its own, and a colour made for a black screen can't be read on paper. So a colour becomes
the nearest of twelve hues, or grey; `term.css` gives each a value for either scheme, before and behind text.
"""

from __future__ import annotations

import math
from functools import lru_cache

_HUES = 12
_GREY_CHROMA = 0.035
_BRIGHT = 0.68
"""A grey lighter than this is the colour of plain text on a dark screen."""
_CUBE = (0, 95, 135, 175, 215, 255)
_BASIC_HUES = (None, 1, 5, 3, 9, 11, 7, None)
"""Black, red, green, yellow, blue, magenta, cyan, white."""


def indexed_class(index: int, *, is_back: bool) -> str:
    """The class of one of the 256 colours: `h0`…`h11`, `y0` for greys; `q0`…`q13` behind text; "" for plain text."""
    if index < 16:
        hue = _BASIC_HUES[index % 8]
        return _grey(is_bright=index % 8 == 7, is_back=is_back) if hue is None else f"{'q' if is_back else 'h'}{hue}"
    if index >= 232:
        level = 8 + 10 * (min(index, 255) - 232)
        return rgb_class(level, level, level, is_back=is_back)
    cube = index - 16
    return rgb_class(_CUBE[cube // 36], _CUBE[cube // 6 % 6], _CUBE[cube % 6], is_back=is_back)


@lru_cache(maxsize=4096)
def rgb_class(red: int, green: int, blue: int, *, is_back: bool) -> str:
    """The class of the hue nearest to a colour of 0–255, as `indexed_class` names it."""
    lightness, chroma, angle = _oklch(min(red, 255), min(green, 255), min(blue, 255))
    if chroma < _GREY_CHROMA:
        return _grey(is_bright=lightness > _BRIGHT, is_back=is_back)
    return f"{'q' if is_back else 'h'}{round(angle / 360 * _HUES) % _HUES}"


def _grey(*, is_bright: bool, is_back: bool) -> str:
    if is_back:
        return "q12" if is_bright else "q13"
    return "" if is_bright else "y0"


def _oklch(red: int, green: int, blue: int) -> tuple[float, float, float]:
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
