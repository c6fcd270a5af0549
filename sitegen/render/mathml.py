"""TeX to MathML: one formula in, one `<math>` element out, or None when it can't be set faithfully.

The conversion is latex2mathml's; what it returns is rebuilt here from an allow-list, so that no link, style, class or
handler of a formula reaches a page.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LENGTH_LIMIT = 8_000
_DEPTH_LIMIT = 60
_NAMES = (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle"
    " mpadded mphantom mmultiscripts mprescripts none"
)
_TAGS = frozenset(_NAMES.split())
_CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}
_ESCAPED = {"\\{": "{", "\\}": "}", "\\|": "‖"}
_SETTINGS = (
    "displaystyle scriptlevel stretchy fence form largeop movablelimits accent accentunder linethickness minsize"
    " maxsize lspace rspace width height depth voffset"
)
_ATTRIBUTES = frozenset(_SETTINGS.split())
# Short values only: a space of a thousand em would lay a formula over the text around it.
_VALUE = re.compile(r"true|false|prefix|infix|postfix|[+-]?\d?(?:\.\d{1,8})?(?:em|ex|px|pt)?")
_CLASSES = {
    "columnalign": {"left": "left", "right": "right"},
    "mathvariant": {"bold": "bold", "monospace": "mono", "sans-serif": "sans"},
    "notation": {"box": "box"},
}

# A macro can grow without bounds, and a link, a style or a colour of its own is nothing that a formula may bring.
_REFUSED = re.compile(
    r"\\(?:[ge]?def|let|newcommand|renewcommand|providecommand|newenvironment|href|url|style|class)\b"
)
_ALIGNED = ("aligned", "align", "split", "eqnarray", "eqnarray*")
_STACKED = ("gather", "gather*", "gathered", "multline", "multline*")
_SAME_AS = dict.fromkeys(_ALIGNED, "align*") | dict.fromkeys(_STACKED, "matrix")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([a-z]+\*?)\}")
_NUMBERING = re.compile(
    r"\\(?:nonumber|notag)\b|\\label\s*\{[^{}]*\}|\\(?:begin|end)\s*\{(?:equation|displaymath)\*?\}"
)
_UPRIGHT_LETTER = re.compile(r"\\mathrm\{([A-Za-z])\}")


@lru_cache(maxsize=4096)
def to_mathml(tex: str, *, display: bool) -> Markup | None:
    """`tex` (without its delimiters) as a `<math>` element that carries its source, or None if it can't be parsed."""
    if len(tex) > _LENGTH_LIMIT or _REFUSED.search(tex):
        return None
    from latex2mathml.converter import convert_to_element  # dear to import, and most conversations hold no formula

    try:
        element = convert_to_element(_prepare(tex), display="block" if display else "inline")
        body = "".join(_write(child, depth=0) for child in element)
    except Exception:  # noqa: BLE001 - a formula that isn't one makes the library raise whatever it likes
        return None
    attribute = ' display="block"' if display else ""
    source = escape(tex.strip())
    return Markup(
        f"<math{attribute}><semantics>{body}"
        f'<annotation encoding="application/x-tex">{source}</annotation></semantics></math>'
    )


def _prepare(tex: str) -> str:
    """`tex` in the words that the library knows."""
    tex = _NUMBERING.sub("", tex).replace("dcases}", "cases}").strip()
    if "\\\\" in tex and "\\begin" not in tex:
        name = "align*" if "&" in tex else "matrix"
        tex = f"\\begin{{{name}}}{tex}\\end{{{name}}}"
    tex = _ENVIRONMENT.sub(lambda match: f"\\{match[1]}{{{_SAME_AS.get(match[2], match[2])}}}", tex)
    # The space keeps the letter out of a shortcut of the library that makes it italic.
    return _UPRIGHT_LETTER.sub(r"\\mathrm{\1 }", tex)


def _write(element: Element, *, depth: int) -> str:
    """`element` as HTML. Raises ValueError for what a page shouldn't show as a formula."""
    if depth > _DEPTH_LIMIT:
        raise ValueError("nested too deep")
    text = html.unescape(element.text or "")
    text = _ESCAPED.get(text, text)
    if element.tag in ("mi", "mo") and ((text.startswith("\\") and len(text) > 1) or text == "&"):
        raise ValueError("a command that isn't known")
    if len(element) != _CHILDREN.get(element.tag, len(element)):
        raise ValueError("an argument is missing")
    tag = element.tag if element.tag in _TAGS else "mrow"
    inner = str(escape(text)) + "".join(_write(child, depth=depth + 1) for child in element)
    return f"<{tag}{_attributes(element)}>{inner}</{tag}>"


def _attributes(element: Element) -> str:
    values = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and value and _VALUE.fullmatch(value)
    )
    if "mathvariant" in element.attrib:
        values += ' mathvariant="normal"'
    classes = [known[element.attrib[name]] for name, known in _CLASSES.items() if element.attrib.get(name) in known]
    return f'{values} class="{" ".join(classes)}"' if classes else values
