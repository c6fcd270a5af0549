"""Stylesheets and scripts, each kind joined into one file whose name holds a hash of its bytes.

Joining is all: no bundler and no minifier. Comments and white space that no browser needs are left out; of a script of
one's own only what stands on lines of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, field

from sitegen import urls
from sitegen.errors import ConfigError
from sitegen.materials import Materials
from sitegen.model import Document

_FIRST = ("core", "theme", "base", "layout")
"""Files that others build on; the rest follows by name."""
_LAST = ("print", "start", "custom")

_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_SPACE = re.compile(r"""("[^"]*"|'[^']*')|;?\s*(\})\s*|\s*([{;,>])\s*|(:)\s+|(?<![\w.])0(?=\.\d)|\s+""")
"""A string, which stays as it is; what needs no space beside it; a colon of a declaration; a zero before a point; any
other white space."""
_JS_BLOCK = r"/\*(?:(?!\*/).)*\*/"
_JS_COMMENT = re.compile(
    rf"^[ \t]*(?:{_JS_BLOCK}|//[^\n]*)[ \t]*\n|/\*\*(?= @type)(?:(?!\*/).)*\*/ ?", re.DOTALL | re.MULTILINE
)
"""A comment on lines of its own, or a type between the words."""
_JS_SPACE = re.compile(
    r"""(
        "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+'
      | `(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*`
      | (?:(?<=[(,=:\[!&|?;{])|(?<=[=:&|?,][ ]))/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*
      | //[^\n]* | /\*.*?\*/
    )
    | [ ]?([=+*?:&|<>!{},;()]+)[ ](?![+-]) | [ ]([=*?:&|<>!{},()])""",
    re.VERBOSE | re.DOTALL,
)
"""A string, a template (with one more in it at most), a pattern or a comment, which stay as they are; signs that
need no space beside them. Lines stay lines."""
_INDENT = re.compile(r"\n\s*")


class Assets(Struct, frozen=True):
    """The paths of a site's shared files and the files themselves."""

    css: str
    js: str
    icon: str
    documents: tuple[Document, ...]
    gate_css: str = ""
    """What the shell of a protected page needs besides: `css/gate.css`."""
    gate: str = ""
    """The script of that shell: the reading scripts and `gate/*.js`, to stand in the page itself."""
    materials: Materials = field(default_factory=Materials)
    """A theme's fonts and pictures; they are among the documents."""
    search_css: str = ""
    search_js: str = ""
    """What only pages with a search across the site need: `css/search.css` and `search/*.js`."""
    search_documents: tuple[Document, ...] = ()


def load_assets(folders: Sequence[Path]) -> Assets:
    """The assets made of `css/*.css`, `js/*.js`, `gate/*.js` and `icon.svg`; a later folder's files go first."""
    materials = Materials.load(folders[1:])
    sheets = _collect(folders, "css", materials)
    gate_css = _document("gate", "css", _joined_css([sheets.pop("gate", "")]))
    search_css = _document("search", "css", _joined_css([sheets.pop("search", "")]))
    search_js = _document("search", "js", _joined_js(_collect(folders, "js", materials, folder="search").values()))
    css = _document("site", "css", _joined_css(sheets.values()))
    scripts = _collect(folders, "js", materials).values()
    js = _document("site", "js", _joined_js(scripts))
    gate = _joined_js([*scripts, *_collect(folders, "js", materials, folder="gate").values()])
    icon = _document("icon", "svg", _text(_last(folders, "icon.svg")))
    return Assets(
        css=css.path,
        js=js.path,
        icon=icon.path,
        documents=(css, js, icon, gate_css, *materials.documents),
        gate_css=gate_css.path,
        gate=gate,
        search_css=search_css.path,
        search_js=search_js.path,
        search_documents=(search_css, search_js),
        materials=materials,
    )


def _collect(folders: Sequence[Path], kind: str, materials: Materials, *, folder: str | None = None) -> dict[str, str]:
    found = {file.stem: file for each in folders for file in (each / (folder or kind)).glob(f"*.{kind}")}
    return {stem: _read(found[stem], folders, materials) for stem in sorted(found, key=_rank)}


def _read(file: Path, folders: Sequence[Path], materials: Materials) -> str:
    text = _text(file)
    static = next(folder for folder in reversed(folders) if folder in file.parents)
    if static != folders[0]:  # others may write what the pattern doesn't know
        return materials.resolve(file, text, static=static) if file.suffix == ".css" else text
    return text if file.suffix != ".js" else _squeezed_js(text)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError("this isn't UTF-8 text; save it as UTF-8", path=file, line=line) from None
    except OSError as error:
        raise ConfigError(f"this file can't be read: {error.strerror}", path=file) from None


def _rank(stem: str) -> tuple[int, str]:
    if stem in _FIRST:
        return _FIRST.index(stem), stem
    return len(_FIRST) + (1 + _LAST.index(stem) if stem in _LAST else 0), stem


def _last(folders: Iterable[Path], name: str) -> Path:
    return [folder / name for folder in folders if (folder / name).is_file()][-1]


# What looks over a site with protected pages, or with a theme, loads them again: for the price of reading them.
_remembered = lru_cache(maxsize=200)


def _joined_css(sheets: Iterable[str]) -> str:
    return "".join(map(_squeezed_css, sheets))


@_remembered
def _squeezed_css(sheet: str) -> str:
    return _CSS_SPACE.sub(_squeezed, _CSS_COMMENT.sub("", sheet)).strip() + "\n"


@_remembered
def _squeezed_js(script: str) -> str:
    return _JS_SPACE.sub(lambda match: match[1] or match[2] or match[3], script)


def _squeezed(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3] or match[4] or ("" if match[0] == "0" else " ")


def _joined_js(scripts: Iterable[str]) -> str:
    """One classic script: the files share one scope that nothing outside can reach."""
    return f'(()=>{{"use strict";\n{"".join(map(_bare_js, scripts))}}})();\n'


@_remembered
def _bare_js(script: str) -> str:
    return _INDENT.sub("\n", _JS_COMMENT.sub("", script + "\n")).strip() + "\n"


def _document(stem: str, extension: str, text: str) -> Document:
    data = text.encode("utf-8")
    return Document(urls.asset(f"{stem}.{hashlib.sha256(data).hexdigest()[:8]}.{extension}"), data)
