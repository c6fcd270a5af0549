"""The index that Pagefind makes. It is given one small page a message, so that each result is a message.

Its program reads files; its Python interface would wait a tenth of a second for each message.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from markupsafe import escape

from sitegen.errors import BuildError
from sitegen.model import Document
from sitegen.search.talks import Found

_PROGRAMS = {"pagefind_extended": "pagefind_bin_extended", "pagefind": "pagefind_bin"}
"""The program with and without Chinese and Japanese, and the Python package that brings it."""
_SURPLUS = ("pagefind-ui", "pagefind-modular-ui", "pagefind-component-ui", "pagefind-highlight")
"""Beginnings of the names of what it brings for pages other than ours."""
MISSING = (
    "[search] enabled = true needs Pagefind, which isn't installed. Run pip install 'sitegen[search]', or set "
    "enabled = false."
)


def find_program() -> Path | None:
    """Where Pagefind's program is: in its Python package, or on the PATH; None when it's neither."""
    for name, package in _PROGRAMS.items():
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for file in (Path(folder) / name, Path(folder) / f"{name}.exe"):
                if file.is_file():
                    return file
    on_path = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    return Path(on_path) if on_path else None


def find_version() -> str:
    """The version of the Python package; for a program on the PATH its place; "" when there is none."""
    program = find_program()
    for name in ("pagefind_bin_extended", "pagefind_bin") if program else ():
        with suppress(PackageNotFoundError):
            return f"{name} {version(name)}"
    return str(program or "")


def make_index(folder: str, found: Iterable[Found], *, language: str, temp_folder: Path) -> Iterator[Document]:
    """The files of the index, below `folder` (ending in `/`); the same ones for the same conversations.

    Raises BuildError when Pagefind isn't there or fails.
    """
    program = find_program()
    if program is None:
        raise BuildError(MISSING)
    with _workplace(temp_folder) as place:
        _write_pages(place / "in", found, language=language)
        _run(program, place, language=language.partition("-")[0].lower())
        for file in sorted(path for path in (place / "out").rglob("*") if path.is_file()):
            if not file.name.startswith(_SURPLUS):
                yield Document(folder + file.relative_to(place / "out").as_posix(), file.read_bytes())


@contextmanager
def _workplace(temp_folder: Path) -> Iterator[Path]:
    temp_folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="search-", dir=temp_folder))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _write_pages(folder: Path, found: Iterable[Found], *, language: str) -> None:
    """Names are numbers in order: they decide the order of equal results, and say nothing."""
    number = 0
    for each in found:
        inner = folder / f"{number // 1000:04}"
        inner.mkdir(parents=True, exist_ok=True)
        for at, href in enumerate(each.hrefs):
            text = _page(each, at, href, language=language)
            (inner / f"{number:07}.html").write_text(text, encoding="utf-8", newline="\n")
            number += 1


def _page(found: Found, at: int, href: str, *, language: str) -> str:
    """A page of one message. The title can be searched for once: in the first message.

    What results tell besides is encoded, for Pagefind would find the words of it too.
    """
    turn = found.turns[at]
    said = json.dumps([href, found.title, found.day, "prompt" if turn.is_prompt else "answer"])
    meta = f'<i data-pagefind-ignore data-pagefind-meta="place">{base64.urlsafe_b64encode(said.encode()).decode()}</i>'
    is_said = turn.text.startswith(found.title.rstrip("…"))
    title = f"<h2>{escape(found.title)}</h2>" if at == 0 and not is_said else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8"></head>'
        f"<body><main data-pagefind-body>{meta}{title}<p>{escape(turn.text)}</p></main></body></html>"
    )


def _run(program: Path, place: Path, *, language: str) -> None:
    command = [str(program), "--site", "in", "--output-path", "out", "--force-language", language, "--silent"]
    try:
        subprocess.run(command, cwd=place, check=True, capture_output=True, stdin=subprocess.DEVNULL)  # noqa: S603 - its own package's
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        msg = f"Pagefind failed with exit code {error.returncode}: {said[-1] if said else 'it said nothing'}"
        raise BuildError(msg) from error
    except OSError as error:
        msg = f"Pagefind's program {program} can't be run: {(error.strerror or str(error)).lower()}"
        raise BuildError(msg) from error
