"""Searches every byte of a tree for texts that must not be in it: the words of protected conversations."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from sitegen.check.report import Finding
from sitegen.check.site import Site, read_site

_ANCHOR_BYTES = 6
"""Enough of a needle to make a false start rare, few enough for the expression to stay small."""
_SOUGHT_BYTES = 64
"""How far into a needle its anchor is looked for."""
_SHORTEST_BYTES = 4
_FEW = 48
"""So many needles are found quicker one by one than by anything that looks at a file once."""
_LETTER = rb"[0-9A-Za-z\x80-\xff]"
_PAIR = _LETTER + b"{4,}[^0-9A-Za-z\x80-\xff]{1,3}" + _LETTER + b"+"
_KEY = rb"[0-9A-Za-z_-]{16}"
_LEADS = {b" ": _PAIR, b"%20": _PAIR, b"-": _PAIR, b"1.": _KEY}
"""What pairs of words, and keys of links, are looked up behind: an expression that begins with fixed bytes skips to
them."""
_PLAIN = re.compile(r"[0-9A-Za-z ._-]*")
"""What HTML and JSON write as it is, and URLs but for spaces."""


def find_canaries(folder: Path, canaries: Mapping[str, str], *, paths: Iterable[str] | None = None) -> list[Finding]:
    """A finding for each file and each canary that is in it, in the file's bytes or in its name.

    `canaries` gives for each text the words that a message uses for it ("the title of share xy"), never the text
    itself. A text is sought as it is, and as HTML, JSON and URLs write it; texts under four bytes are passed over.
    `paths` limits the search to these files.
    """
    site = read_site(folder)
    sought = Canaries(canaries)
    return [
        Finding(path, f"it holds {told}, which is protected; it must not be published")
        for path in (sorted(site.files) if paths is None else paths)
        for told in sorted({canaries[text] for text in _found_in(site, path, sought)})
    ]


def _found_in(site: Site, path: str, sought: Canaries) -> set[str]:
    return sought.found_in(path.encode("utf-8", "surrogateescape")) | sought.found_in(site.read(path))


class Canaries:
    """Texts that must not be published, ready to be sought in any number of files.

    Most texts are known by two words in them, so that one look at the words of a file serves thousands.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        needles = {form: text for text in texts for form in _forms(text)}
        self._led, others = _by_pair(needles) if len(needles) > _FEW else ([], needles)
        self._others = _Search(others)

    def found_in(self, data: bytes) -> set[str]:
        """The texts that are in `data`."""
        found = self._others.told_in(data)
        for expression, by_pair in self._led:
            pairs = set(expression.findall(data))
            for pair in by_pair.keys() & pairs:
                found |= {text for needed, needle, text in by_pair[pair] if needed <= pairs and needle in data}
        return found


_ByPair = dict[bytes, list[tuple[frozenset[bytes], bytes, str]]]
"""The pairs that stand in every file with a needle, the needle and its text, by the rarest of the pairs."""


def _by_pair(needles: Mapping[bytes, str]) -> tuple[list[tuple[re.Pattern[bytes], _ByPair]], dict[bytes, str]]:
    """For each lead an expression for the pairs behind it, and the needles known by one; then those known by none."""
    found: list[tuple[re.Pattern[bytes], _ByPair]] = []
    left = dict(needles)
    for lead, piece in _LEADS.items():
        pairs = re.compile(re.escape(lead) + b"(?=(" + piece + b"))")
        within = {needle: inner for needle in left if (inner := _inner_pairs(needle, pairs))}
        shared = Counter(pair for inner in within.values() for pair in set(inner))
        by_pair: _ByPair = {}
        for needle, inner in within.items():
            rarest = min(inner, key=lambda pair: (shared[pair], -len(pair)))
            by_pair.setdefault(rarest, []).append((frozenset(inner), needle, left.pop(needle)))
        if by_pair:
            found.append((pairs, by_pair))
    return found, left


def _inner_pairs(needle: bytes, pairs: re.Pattern[bytes]) -> list[bytes]:
    """The pairs that stand in every file with the needle: what ends it may be part of a longer word there."""
    return [match[1] for match in pairs.finditer(needle) if match.end(1) < len(needle)]


class _Search:
    """Finds many needles in one pass: a few one by one, more by an expression over a rare piece of each."""

    def __init__(self, needles: Mapping[bytes, str]) -> None:
        self._needles = needles
        self._by_anchor: dict[bytes, list[tuple[bytes, int]]] = {}
        for needle, place in _anchors(needles):
            self._by_anchor.setdefault(needle[place : place + _ANCHOR_BYTES], []).append((needle, place))
        self._anchors = None if len(needles) <= _FEW else re.compile(_expression(self._by_anchor), re.DOTALL)

    def told_in(self, data: bytes) -> set[str]:
        """The words for each needle that is in `data`."""
        if self._anchors is None:
            return {told for needle, told in self._needles.items() if needle in data}
        return {self._needles[needle] for needle in self._found_in(data, self._anchors)}

    def _found_in(self, data: bytes, anchors: re.Pattern[bytes]) -> Iterator[bytes]:
        for match in anchors.finditer(data):
            at = match.start()
            for size in range(_SHORTEST_BYTES, _ANCHOR_BYTES + 1):
                for needle, place in self._by_anchor.get(data[at : at + size], ()):
                    if at >= place and data.startswith(needle, at - place):
                        yield needle


def _anchors(needles: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """For each needle the place of the piece that it shares with the fewest others: titles often begin alike."""
    pieces = {needle: _pieces(needle) for needle in needles}
    shared = Counter(piece for found in pieces.values() for piece in found)
    for needle, found in pieces.items():
        yield needle, found.index(min(found, key=shared.__getitem__))


def _pieces(needle: bytes) -> list[bytes]:
    last = max(min(len(needle), _SOUGHT_BYTES) - _ANCHOR_BYTES, 0)
    return [needle[place : place + _ANCHOR_BYTES] for place in range(last + 1)]


_Trie = dict[int, "_Trie"]
_END = -1


def _expression(anchors: Iterable[bytes]) -> bytes:
    """Matches one byte where an anchor begins, so that anchors which overlap are all met."""
    trie: _Trie = {}
    for anchor in anchors:
        node = trie
        for byte in anchor:
            node = node.setdefault(byte, {})
        node[_END] = {}
    return b"|".join(_literal(first) + b"(?=" + _alternatives(rest) + b")" for first, rest in sorted(trie.items()))


def _alternatives(trie: _Trie) -> bytes:
    if _END in trie:  # a longer anchor that goes on from here is met here too
        return b""
    parts = [_literal(byte) + _alternatives(rest) for byte, rest in sorted(trie.items())]
    return parts[0] if len(parts) == 1 else b"(?:" + b"|".join(parts) + b")"


def _literal(byte: int) -> bytes:
    return re.escape(bytes([byte]))


def _forms(text: str) -> set[bytes]:
    """The text as it is and as HTML, JSON and URLs write it."""
    forms = {text, text.replace(" ", "%20")} if _PLAIN.fullmatch(text) else _written(text)
    found = {form.encode("utf-8", "replace") for form in forms}
    return {form for form in found if len(form) >= _SHORTEST_BYTES}


def _written(text: str) -> set[str]:
    return {
        text,
        escape(text, quote=False),
        escape(text, quote=False).replace("&gt;", ">"),
        escape(text),
        escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        quote(text.encode("utf-8", "replace")),
    }
