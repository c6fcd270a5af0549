"""Terminal output as HTML: colours and weights by class, and what the screen showed in the end.

A line that was written over (`\\r`, backspace, erase) shows its last state. Titles, cursor movement and cut-off
sequences are dropped; no control byte is left. A *file* is no terminal: its bytes are made visible instead.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from markupsafe import Markup, escape
from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.render.context import Context
from sitegen.render.figure import content, folded, head_lines
from sitegen.render.palette import indexed_class, rgb_class
from sitegen.render.text import clean, is_clean

_SEQUENCE = re.compile(
    r"""
    [\x00-\x08\x0a-\x1f\x7f-\x9f]  # all begin with one of these, so that the text between them is passed over quickly
    (?: (?<=\x1b)\]8;[^;\x07\x1b\n]*;(?P<link>[^\x07\x1b\n]*)(?:\x07|\x1b\\)   # a link begins, or ends when it's empty
    | (?<=\x1b)\][^\x07\x1b\n]*(?:\x07|\x1b\\)?                             # a title, or what else is told the terminal
    | (?<=\x1b)[PX^_][^\x1b\n]*(?:\x1b\\)?
    | (?:(?<=\x1b)\[|(?<=\x9b))(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])?
    | (?<=\x1b)[ -/]*[0-~]?
    | (?<=\r)\n
    )?
    """,
    re.VERBOSE,
)
_LINE_ENDS = ("\n", "\r\n")
_MOVES = ("\r", "\b")
_WEB = re.compile(r"https?://[^\s\x00-\x1f\x7f-\x9f<>\"]+", re.I)
_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}


class _Look(Struct, frozen=True):
    """How a stretch of text looks. Colours are classes, "" is the terminal's own."""

    front: str = ""
    back: str = ""
    flags: frozenset[str] = frozenset()
    link: str = ""


_Part = tuple[str, _Look]
_PLAIN = _Look()
_PRIVATE = tuple("<=>?")
"""What parameters of a terminal's maker begin with."""
_FLAGS = {1: "b", 2: "d", 3: "i", 4: "u", 7: "v", 9: "s", 21: "u"}
_FLAGS_OFF = {22: "bd", 23: "i", 24: "u", 27: "v", 29: "s"}


def render_terminal(text: str, ctx: Context, *, label: str = "", classes: str = "") -> Markup:
    """A figure of what a terminal showed of `text`, with nothing that could act: spans with classes, links to http(s).

    `label` is its caption, `classes` more classes of the figure. Many lines fold.
    """
    parts = _played(text.rstrip("\n"))
    lines = 1 + sum(part.count("\n") for part, _ in parts)
    head = head_lines(lines, ctx)
    if head == lines:
        body: str = _screen_block(parts)
    else:
        before, after = _cut(parts, head)
        body = f"{_screen_block(before)}{folded(_screen_block(after), lines, ctx)}"
    title = f"<figcaption>{escape(label)}</figcaption>" if label else ""
    return Markup(f'<figure class="code out{" " * bool(classes)}{classes}">{title}{body}</figure>\n')


def _screen_block(parts: list[_Part]) -> Markup:
    return Markup(f'<pre class="term" tabindex="0">{_spans(parts)}</pre>')


def _cut(parts: list[_Part], lines: int) -> tuple[list[_Part], list[_Part]]:
    """The parts of the first `lines` lines, and of those after."""
    for at, (text, look) in enumerate(parts):
        lines -= (here := text.count("\n"))
        if lines <= 0:
            rest = text.split("\n", here + lines)[-1]
            return [*parts[:at], (text.removesuffix(rest), look)], [(rest, look), *parts[at + 1 :]]
    return parts, []


def styled(text: str) -> Markup:
    """What a terminal showed of `text`, without the figure around it."""
    return Markup(_spans(_played(text)))


def _spans(parts: list[_Part]) -> str:
    if len(parts) == 1 and parts[0][1] is _PLAIN:
        return content(clean(parts[0][0]))
    runs = groupby(parts, key=itemgetter(1))
    return clean("".join([_span(look, "".join([part for part, _ in run])) for look, run in runs]))


def plain(text: str) -> str:
    """The words that a terminal showed of `text`."""
    return text if is_clean(text) else clean("".join([part for part, _ in _played(text)]))


def visible_escapes(text: str) -> str:
    """A file's text in which control bytes are in sight (␛, ␀) and do nothing; line ends become `\\n`."""
    return text if is_clean(text) else clean(text.replace("\r\n", "\n").translate(_PICTURES))


def _span(look: _Look, text: str) -> str:
    shown = content(text)
    if look is _PLAIN:
        return shown
    classes = " ".join((*sorted(look.flags), *filter(None, (look.front, look.back))))
    named = f' class="{classes}"' if classes else ""
    if look.link:
        return f'<a href="{escape(look.link)}"{named} rel="noopener noreferrer nofollow">{shown}</a>'
    return f"<span{named}>{shown}</span>" if named else shown


# ------------------------------------------------------------------------------------------------------- the screen


class _Screen(Struct):
    """The line being written, and the parts of those before it.

    A line is a list of parts until something is written over; from then on it's a list of cells.
    """

    parts: list[_Part] = field(default_factory=list)
    line: list[_Part] = field(default_factory=list)
    cells: list[str] | None = None
    looks: list[_Look] = field(default_factory=list)
    column: int = 0
    blank: int = 0
    """So many cells from the left are blank already: erasing them again costs nothing."""

    def write(self, text: str, look: _Look) -> None:
        if self.cells is None:
            self.line.append((text, look))
            return
        end = self.column + len(text)
        self.blank = min(self.blank, self.column)
        self.cells[self.column : end] = text
        self.looks[self.column : end] = [look] * len(text)
        self.column = end

    def end_line(self) -> None:
        if self.cells is not None:
            while self.cells and self.cells[-1] == " " and self.looks[-1] is _PLAIN:
                self.cells.pop()
                self.looks.pop()
            self.line = list(zip(self.cells, self.looks, strict=False))
        self.parts += self.line
        self.line, self.cells, self.looks, self.column, self.blank = [], None, [], 0, 0

    def go_back(self, *, to_start: bool) -> None:
        self._open()
        self.column = 0 if to_start else max(0, self.column - 1)

    def erase(self, which: str) -> None:
        """Erases to the right of the cursor ("", "0"), to the left ("1"), or both ("2")."""
        cells = self._open()
        if which in ("", "0", "2"):
            del cells[self.column :], self.looks[self.column :]
        if which in ("1", "2") and self.blank < self.column:
            end = min(self.column, len(cells))
            cells[self.blank : end] = " " * (end - self.blank)
            self.looks[self.blank : end] = [_PLAIN] * (end - self.blank)
            self.blank = end

    def _open(self) -> list[str]:
        if self.cells is None:
            self.cells, self.looks = [], []
            for text, look in self.line:
                self.cells += text
                self.looks += [look] * len(text)
            self.column = len(self.cells)
        return self.cells


def _played(text: str) -> list[_Part]:
    """The parts of what was on the screen in the end, in order."""
    if is_clean(text):
        return [(text, _PLAIN)]
    screen, look, position = _Screen(), _PLAIN, 0
    for match in _SEQUENCE.finditer(text):
        start, end = match.span()
        if start > position:
            screen.write(text[position:start], look)
        position = end
        said = match[0]
        if said in _LINE_ENDS:
            screen.end_line()
            screen.parts.append(("\n", _PLAIN))
        elif said in _MOVES:
            screen.go_back(to_start=said == "\r")
        elif match["link"] is not None:
            look = replace(look, link=match["link"] if _WEB.fullmatch(match["link"]) else "")
        elif match["final"]:
            look = _obey(screen, look, match["final"], match["parameters"])
    screen.write(text[position:], look)
    screen.end_line()
    return screen.parts


def _obey(screen: _Screen, look: _Look, final: str, parameters: str) -> _Look:
    match final:
        case "m" if parameters[:1] not in _PRIVATE:
            return _restyled(look, parameters)
        case "K" if parameters in ("", "0", "1", "2"):
            screen.erase(parameters)
        case "G" if parameters in ("", "0", "1"):
            screen.go_back(to_start=True)
        case _:  # movement, modes, reports: nothing to see
            pass
    return look


# -------------------------------------------------------------------------------------------------------- the colours


@lru_cache(maxsize=4096)
def _restyled(look: _Look, parameters: str) -> _Look:
    """`look` after a "select graphic rendition" with these parameters."""
    codes = [_numbers(part) for part in parameters.split(";")]
    position = 0
    while position < len(codes):
        code = codes[position]
        position += 1
        if code[0] in (38, 48):
            colour, used = _colour(code, codes[position : position + 4])
            position += used
            look = look if colour is None else _coloured(look, code[0], colour)
        else:
            look = _changed(look, code)
    return look


def _numbers(part: str) -> list[int]:
    return [int(number) if len(number) <= 3 and number.isdigit() else 0 for number in part.split(":")]


def _changed(look: _Look, code: list[int]) -> _Look:
    number = code[0]
    if number == 0:
        return _Look(link=look.link)
    if number == 4 and code[1:2] == [0]:
        number = 24
    if number in _FLAGS:
        return replace(look, flags=look.flags | {_FLAGS[number]})
    if number in _FLAGS_OFF:
        return replace(look, flags=look.flags - set(_FLAGS_OFF[number]))
    if number in (39, 49):
        return _coloured(look, number, "")
    for first, shift in ((30, 0), (40, 0), (90, 8), (100, 8)):
        if first <= number <= first + 7:
            ground = 48 if first in (40, 100) else 38
            return _coloured(look, ground, indexed_class(number - first + shift, is_back=ground == 48))
    return look


def _coloured(look: _Look, ground: int, name: str) -> _Look:
    return replace(look, back=name) if ground in (48, 49) else replace(look, front=name)


def _colour(code: list[int], following: list[list[int]]) -> tuple[str | None, int]:
    """The class of an extended colour, and how many of the parameters after it belong to it."""
    is_back = code[0] == 48
    if len(code) > 1:  # 38:5:n or 38:2:[space:]r:g:b
        if code[1] == 5 and len(code) > 2:
            return indexed_class(code[2], is_back=is_back), 0
        return (rgb_class(*code[-3:], is_back=is_back), 0) if code[1] == 2 and len(code) >= 5 else (None, 0)
    values = [part[0] for part in following]
    if values[:1] == [5] and len(values) > 1:
        return indexed_class(values[1], is_back=is_back), 2
    if values[:1] == [2] and len(values) > 3:
        return rgb_class(*values[1:4], is_back=is_back), 4
    return None, len(values)
