"""Draws a share's poster: the picture that is shown where its link is posted. The same words give the same bytes.

Draws what its face has, in the order it stands; a title of another script is left out rather than garbled.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import chain

from PIL import Image, ImageDraw, ImageFont

from sitegen.model import Poster

WIDTH, HEIGHT = 1200, 630
_MARGIN = 88
_PAPER, _LINE, _EDGE = 0, 1, 2
_INK, _MUTED, _ACCENT = 3, 11, 19
"""Places in the palette; of an ink the faintest of the steps that smooth its letters."""
_STEPS = 8
_FLAT = ((252, 251, 248), (228, 223, 214), (143, 135, 121))
_INKS = ((29, 27, 24), (107, 101, 92), (154, 74, 28))
_FACE = ("fontpkg_source_serif_4", "files", "SourceSerif4[opsz,wght].ttf")
_TITLE_SIZES = ((80, 3), (66, 3), (54, 4))
"""Sizes of a title, largest first, each with the lines it may take."""
_SMALL = 30
_STRIP = 72
_DROPPED = ("So", "Sk", "Cf", "Cc", "Cs", "Co", "Cn")
"""Categories of characters that a line can do without: pictures, signs of formatting."""
_LONGEST = 300
"""Characters of a text, after which it's cut in any case."""
_ABSENT = "\U0010ffff"


def draw(poster: Poster) -> bytes:
    """The picture as PNG."""
    image = Image.new("P", (WIDTH, HEIGHT), _PAPER)
    image.putpalette(_palette())
    _draw_line(image, poster.site, y=_MARGIN - 16, weight=600, ink=_ACCENT)
    _draw_title(image, poster.title)
    _draw_shape(image, poster.shape)
    _draw_line(image, poster.facts, y=HEIGHT - _MARGIN + 16, weight=400, ink=_MUTED)
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=3)  # half the time of 6, for a quarter more bytes
    return data.getvalue()


def _palette() -> bytes:
    """The flat colours, then each ink from the faintest step to the full one."""
    mixed = (
        round(paper + (full - paper) * step / _STEPS)
        for ink in _INKS
        for step in range(1, _STEPS + 1)
        for paper, full in zip(_FLAT[_PAPER], ink, strict=True)
    )
    return bytes(chain(*_FLAT, mixed))


def _draw_text(
    image: Image.Image, at: tuple[int, int], text: str, *, font: ImageFont.FreeTypeFont, anchor: str, ink: int
) -> None:
    """Letters smoothed by steps of their ink: to find a picture's colours afterwards costs more than to draw it."""
    left, top, right, bottom = map(round, font.getbbox(text, anchor=anchor))
    if left >= right or top >= bottom:
        return
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).text((-left, -top), text, font=font, fill=255, anchor=anchor)
    steps = [round(value * _STEPS / 255) for value in range(256)]
    image.paste(mask.point([ink + step - 1 if step else _PAPER for step in steps]), (at[0] + left, at[1] + top))


def drawable(text: str) -> str:
    """The text as a poster can show it: in one line and composed; "" when a letter of it can't be drawn."""
    kept = (char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) not in _DROPPED)
    line = " ".join("".join(kept).split())
    return line if all(map(_is_drawable, set(line))) else ""


@cache
def _is_drawable(char: str) -> bool:
    if char == " ":
        return True
    if unicodedata.bidirectional(char) in ("R", "AL", "AN") or unicodedata.combining(char):
        return False
    font = _font(_SMALL, 400)
    mask, absent = font.getmask(char), font.getmask(_ABSENT)
    return (mask.size, bytes(mask)) != (absent.size, bytes(absent))


@cache
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    """The face at a size in pixels. Basic layout: what shapes scripts isn't there on every machine."""
    package, *place = _FACE
    with as_file(files(package).joinpath(*place)) as file:
        font = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)
    font.set_variation_by_axes([weight, min(60, size * 0.75)])
    return font


def _draw_line(image: Image.Image, text: str, *, y: int, weight: int, ink: int) -> None:
    font = _font(_SMALL, weight)
    line = _cut(drawable(text), font, WIDTH - 2 * _MARGIN)
    _draw_text(image, (_MARGIN, y), line, font=font, anchor="ls" if y > HEIGHT / 2 else "la", ink=ink)


def _draw_title(image: Image.Image, title: str) -> None:
    lines, font = _fitted(drawable(title))
    if not lines or font is None:
        return
    step = round(font.size * 1.18)
    top, bottom = _MARGIN + 36, HEIGHT - _MARGIN - _STRIP - 42
    y = top + (bottom - top - step * len(lines)) // 2
    bar = (_MARGIN, y + 6, _MARGIN + 5, y + step * len(lines) - 6)
    ImageDraw.Draw(image).rectangle(bar, fill=_ACCENT + _STEPS - 1)
    for line in lines:
        _draw_text(image, (_MARGIN + 36, y + step // 2), line, font=font, anchor="lm", ink=_INK)
        y += step


def _fitted(title: str) -> tuple[list[str], ImageFont.FreeTypeFont | None]:
    """The title in lines, in the largest size in which it's whole, else cut in the smallest."""
    width, lines, font = WIDTH - 2 * _MARGIN - 36, list[str](), None
    for size, most in _TITLE_SIZES:
        font = _font(size, 600)
        lines = list(_wrapped(title[:_LONGEST], font, width))
        if len(lines) <= most:
            return lines, font
    most = _TITLE_SIZES[-1][1]
    return [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), _font(_TITLE_SIZES[-1][0], 600), width)], font


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> Iterator[str]:
    """Lines of that width. Each word is measured once, for measuring is what drawing spends its time on."""
    line, length, space = list[str](), 0.0, font.getlength(" ")
    for word in chain.from_iterable(_broken(word, font, width) for word in text.split()):
        more = font.getlength(word)
        if line and length + space + more > width:
            yield " ".join(line)
            line, length = [], 0.0
        length += more + (space if line else 0)
        line.append(word)
    if line:
        yield " ".join(line)


def _broken(word: str, font: ImageFont.FreeTypeFont, width: int) -> Iterator[str]:
    """A word in pieces of that width at most."""
    while len(word) > 1 and font.getlength(word) > width:
        most = min(len(word) - 1, 2 + int(len(word) * width / font.getlength(word)))
        end = next((at for at in range(most, 1, -1) if font.getlength(word[:at]) <= width), 1)
        yield word[:end]
        word = word[end:]
    yield word


def _cut(text: str, font: ImageFont.FreeTypeFont, width: int) -> str:
    if font.getlength(text) <= width:
        return text
    text = text[:_LONGEST]
    while text and font.getlength(f"{text} …") > width:
        text = text.rpartition(" ")[0] or text[:-1]
    return f"{text} …"


def _draw_shape(image: Image.Image, shape: Sequence[int]) -> None:
    """How much was done along the conversation, as bars over the whole width; a line for nothing."""
    canvas = ImageDraw.Draw(image)
    base = HEIGHT - _MARGIN - 30
    canvas.line((_MARGIN, base, WIDTH - _MARGIN, base), fill=_LINE, width=2)
    step = (WIDTH - 2 * _MARGIN) / max(1, len(shape))
    for at, value in enumerate(shape):
        if value > 0:
            left, right = round(_MARGIN + at * step), round(_MARGIN + (at + 1) * step) - 6
            canvas.rectangle((left, base - round(_STRIP * value / 9), right, base - 1), fill=_EDGE)
