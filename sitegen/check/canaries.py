"""Searches every byte of a tree for texts that must not be in it: the words of protected conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from sitegen.check.report import Finding
from sitegen.check.site import Site, read_site

_ANCHOR_BYTES = 6
"""Enough of a needle to make a false start rare, few enough for the expression to stay small."""
_SHORTEST_BYTES = 4
_FEW = 12


def find_canaries(folder: Path, canaries: Mapping[str, str], *, paths: Iterable[str] | None = None) -> list[Finding]:
    """A finding for each file and each canary that is in it, in the file's bytes or in its name.

    `canaries` gives for each text the words that a message uses for it ("the title of share xy"), never the text
    itself. A text is sought as it is, and as HTML, JSON and URLs write it; texts under four bytes are passed over.
    `paths` limits the search to these files.
    """
    site = read_site(folder)
    needles = {form: told for text, told in canaries.items() for form in _forms(text)}
    search = _Search(needles)
    return [
        Finding(path, f"it holds {told}, which is protected; it must not be published")
        for path in (sorted(site.files) if paths is None else paths)
        for told in sorted(_told_in(site, path, search))
    ]


def _told_in(site: Site, path: str, search: _Search) -> set[str]:
    return search.told_in(path.encode("utf-8", "surrogateescape")) | search.told_in(site.read(path))


class _Search:
    """Finds many needles in one pass: a few one by one, more by an expression over their beginnings."""

    def __init__(self, needles: Mapping[bytes, str]) -> None:
        self._needles = needles
        self._by_start: dict[bytes, list[bytes]] = {}
        for needle in needles:
            self._by_start.setdefault(needle[:_ANCHOR_BYTES], []).append(needle)
        self._starts = None if len(needles) <= _FEW else re.compile(_expression(self._by_start), re.DOTALL)

    def told_in(self, data: bytes) -> set[str]:
        """The words for each needle that is in `data`."""
        if self._starts is None:
            return {told for needle, told in self._needles.items() if needle in data}
        return {self._needles[needle] for needle in self._found_in(data, self._starts)}

    def _found_in(self, data: bytes, starts: re.Pattern[bytes]) -> Iterator[bytes]:
        for match in starts.finditer(data):
            place = match.start()
            for size in range(_SHORTEST_BYTES, _ANCHOR_BYTES + 1):
                for needle in self._by_start.get(data[place : place + size], ()):
                    if data.startswith(needle, place):
                        yield needle


def _expression(starts: Iterable[bytes]) -> bytes:
    """Matches one byte where a start begins, so that starts which overlap are all met."""
    by_first: dict[int, list[bytes]] = {}
    for start in starts:
        by_first.setdefault(start[0], []).append(start[1:])
    return b"|".join(
        re.escape(bytes([first])) + b"(?=" + b"|".join(map(re.escape, sorted(rests))) + b")"
        for first, rests in sorted(by_first.items())
    )


def _forms(text: str) -> set[bytes]:
    """The text as it is and as HTML, JSON and URLs write it."""
    forms = {
        text,
        escape(text, quote=False),
        escape(text),
        escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        quote(text.encode("utf-8", "replace")),
    }
    found = {form.encode("utf-8", "replace") for form in forms}
    return {form for form in found if len(form) >= _SHORTEST_BYTES}
