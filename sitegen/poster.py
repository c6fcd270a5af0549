"""Draws a share's poster: the picture that is shown where its link is posted. The same words give the same picture.

Draws what its face has, in the order it stands; a title of another script is left out rather than garbled.
"""

from __future__ import annotations

import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import chain

from PIL import Image, ImageDraw, ImageFont

from sitegen.model import Poster

WIDTH, HEIGHT = 1200, 630
_ROW = WIDTH + 1
_MARGIN = 88
_PAPER, _LINE, _EDGE = 0, 1, 2
_INK, _MUTED, _ACCENT = 3, 11, 19
"""Places in the palette; of an ink the faintest of the steps that smooth its letters."""
_STEPS = 8
_FLAT = ((252, 251, 248), (228, 223, 214), (143, 135, 121))
_INKS = ((29, 27, 24), (107, 101, 92), (154, 74, 28))
_FACE = ("fontpkg_source_serif_4", "files/SourceSerif4[opsz,wght].ttf")
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
    rows = bytearray(HEIGHT * _ROW)
    image = _upon(rows)
    _draw_title(image, poster.title)
    _draw_line(image, poster.site, y=_MARGIN + 16, weight=600, ink=_ACCENT)
    _draw_shape(image, poster.shape)
    _draw_line(image, poster.facts, y=HEIGHT - _MARGIN + 16, weight=400, ink=_MUTED)
    return _png(rows)


def _upon(rows: bytearray) -> Image.Image:
    """A picture of places in the palette that is drawn into these rows, so that they needn't be copied to be packed."""
    image = Image.frombuffer("L", (WIDTH, HEIGHT), rows, "raw", "L", _ROW, 1)
    image.readonly = 0
    return image


def _png(rows: bytearray) -> bytes:
    """What Pillow would make of it, in half of the time: here a small table of what came before is enough.

    Before each row stands a 0, which says that it's as it is. Here one ends each, for the next.
    """
    packer = zlib.compressobj(3, memLevel=6)
    packed = packer.compress(b"\0") + packer.compress(memoryview(rows)[:-1]) + packer.flush()
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)),
        (b"PLTE", _palette()),
        (b"IDAT", packed),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


@cache
def _palette() -> bytes:
    """The flat colours, then each ink from the faintest step to the full one."""
    mixed = (
        round(paper + (full - paper) * step / _STEPS)
        for ink in _INKS
        for step in range(1, _STEPS + 1)
        for paper, full in zip(_FLAT[_PAPER], ink, strict=True)
    )
    return bytes(chain(*_FLAT, mixed))


@cache
def _steps(ink: int) -> list[int]:
    """The place in the palette of each of 256 shades of an ink."""
    return [ink + step - 1 if (step := round(value * _STEPS / 255)) else _PAPER for value in range(256)]


class _Type:
    """The face at a size in pixels and a weight. Its letters are drawn and measured once, for that takes longest.

    A text is its letters side by side: the basic layout joins none and moves none together. What does more with scripts
    isn't there on every machine.
    """

    def __init__(self, size: int, weight: int) -> None:
        self.size = size
        self.step = round(size * 1.18)
        """From one line to the next."""
        self._font = _font(size, weight)
        self.ascent, self.descent = self._font.getmetrics()
        self.middle = (self.ascent - self.descent + 1) // 2
        """From the middle of a line down to its base line."""
        self._lengths: dict[str, int] = {}
        self._letters: dict[str, tuple[Image.Image, int, int]] = {}

    def length(self, text: str) -> int:
        """How wide a text is, in pixels."""
        try:
            return sum([self._lengths[char] for char in text])
        except KeyError:
            new = set(text).difference(self._lengths)
            self._lengths |= {char: round(self._font.getlength(char)) for char in new}
            return self.length(text)

    def draw(self, image: Image.Image, at: tuple[int, int], lines: Sequence[str], *, ink: int) -> None:
        """Puts lines of text on a picture; `at` is where the base line of the first begins.

        Letters are smoothed by steps of their ink: to find a picture's colours afterwards costs more than to draw it.
        """
        room = self.size // 4  # letters may lean out of their place
        size = max(map(self.length, lines)) + 2 * room, self.step * (len(lines) - 1) + self.ascent + self.descent
        shades = Image.new("L", size)
        for number, line in enumerate(lines):
            x = room
            for char in line:
                mask, left, top = self._letters.get(char) or self._draw_letter(char)
                shades.paste(255, (x + left, self.ascent + self.step * number + top), mask)
                x += self._lengths[char]
        image.paste(shades.point(_steps(ink)), (at[0] - room, at[1] - self.ascent))

    def _draw_letter(self, char: str) -> tuple[Image.Image, int, int]:
        """The shades of a letter, and where they begin, seen from its place on the base line."""
        left, top, right, bottom = map(round, self._font.getbbox(char, anchor="ls"))
        mask = Image.new("L", (max(0, right - left), max(0, bottom - top)))
        ImageDraw.Draw(mask).text((-left, -top), char, font=self._font, fill=255, anchor="ls")
        self._letters[char] = mask, left, top
        return self._letters[char]


def drawable(text: str) -> str:
    """The text as a poster can show it: in one line and composed; "" when a letter of it can't be drawn."""
    kept = (char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) not in _DROPPED)
    line = " ".join("".join(kept).split())
    return line if all(map(_is_drawable, set(line))) else ""


@cache
def _is_drawable(char: str) -> bool:
    if char.isascii():  # which the face has whole
        return True
    if unicodedata.bidirectional(char) in ("R", "AL", "AN") or unicodedata.combining(char):
        return False
    font = _font(_SMALL, 400)
    mask, absent = font.getmask(char), font.getmask(_ABSENT)
    return (mask.size, bytes(mask)) != (absent.size, bytes(absent))


@cache
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    """The face at a size in pixels. Basic layout: what shapes scripts isn't there on every machine."""
    package, place = _FACE
    file = import_module(package).ROOT / place
    font = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)
    font.set_variation_by_axes([weight, min(60, size * 0.75)])
    return font


@cache
def _type(size: int, weight: int) -> _Type:
    return _Type(size, weight)


def _draw_line(image: Image.Image, text: str, *, y: int, weight: int, ink: int) -> None:
    kind = _type(_SMALL, weight)
    kind.draw(image, (_MARGIN, y), [_cut(drawable(text), kind, WIDTH - 2 * _MARGIN)], ink=ink)


def _draw_title(image: Image.Image, title: str) -> None:
    lines, kind = _fitted(drawable(title))
    if not lines:
        return
    height = kind.step * len(lines)
    top, bottom = _MARGIN + 36, HEIGHT - _MARGIN - _STRIP - 42
    y = top + (bottom - top - height) // 2
    ImageDraw.Draw(image).rectangle((_MARGIN, y + 6, _MARGIN + 5, y + height - 6), fill=_ACCENT + _STEPS - 1)
    kind.draw(image, (_MARGIN + 36, y + kind.step // 2 + kind.middle), lines, ink=_INK)


def _fitted(title: str) -> tuple[list[str], _Type]:
    """The title in lines, in the largest size in which it's whole, else cut in the smallest."""
    width = WIDTH - 2 * _MARGIN - 36
    for size, most in _TITLE_SIZES:
        kind = _type(size, 600)
        lines = list(_wrapped(title[:_LONGEST], kind, width))
        if len(lines) <= most:
            return lines, kind
    return [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), kind, width)], kind


def _wrapped(text: str, kind: _Type, width: int) -> Iterator[str]:
    """Lines of that width."""
    line, length, space = list[str](), 0, kind.length(" ")
    for word in chain.from_iterable(_broken(word, kind, width) for word in text.split()):
        more = kind.length(word)
        if line and length + space + more > width:
            yield " ".join(line)
            line, length = [], 0
        length += more + (space if line else 0)
        line.append(word)
    if line:
        yield " ".join(line)


def _broken(word: str, kind: _Type, width: int) -> Iterator[str]:
    """A word in pieces of that width at most."""
    while len(word) > 1 and (length := kind.length(word)) > width:
        most = min(len(word) - 1, 2 + len(word) * width // length)
        end = next((at for at in range(most, 1, -1) if kind.length(word[:at]) <= width), 1)
        yield word[:end]
        word = word[end:]
    yield word


def _cut(text: str, kind: _Type, width: int) -> str:
    if kind.length(text) <= width:
        return text
    text = text[:_LONGEST]
    while text and kind.length(f"{text} …") > width:
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
