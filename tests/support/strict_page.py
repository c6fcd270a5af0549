"""A strict reading of a whole page: what is wrong with it, in words, and the ranks of its headings."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

_VOID = frozenset({"br", "hr", "img", "wbr", "col", "source", "meta", "link", "input"})
_FORBIDDEN = frozenset({"style", "iframe", "object", "embed", "form", "base", "template"})
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_ALLOWED_SCHEMES = frozenset({"http", "https", "mailto"})


def page_faults(page: str) -> list[str]:
    """What is wrong with a page: unbalanced tags, code in it, links that act, repeated ids, headings that skip."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    if _CONTROL.search(page):
        reader.faults.append("control byte")
    skipped = [f"<h{below}> after <h{above}>" for above, below in pairwise((0, *ranks(page))) if below > above + 1]
    return [*reader.faults, *(f"<{tag}> isn't closed" for tag in reader.open), *skipped]


def ranks(page: str) -> list[int]:
    """The ranks of a page's headings, in order."""
    return [int(rank) for rank in re.findall(r"<h([1-6])\b", page)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judges a tag and its attributes."""
        known = {name: value or "" for name, value in attrs}
        if tag in _FORBIDDEN or (tag == "script" and "src" not in known and known.get("type") != "application/json"):
            self.faults.append(f"<{tag}>")
        if len(known) != len(attrs):
            self.faults.append(f"<{tag}> repeats an attribute")
        for name, value in known.items():
            self._attribute(tag, name, value)
        if tag not in _VOID:
            self.open.append(tag)

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name.startswith("on") or name in ("style", "srcdoc", "action", "formaction"):
            self.faults.append(f"{name}= on <{tag}>")
        scheme = _SCHEME.match(value) if name in ("href", "src", "xlink:href") else None
        if scheme and scheme[1].lower() not in _ALLOWED_SCHEMES:
            self.faults.append(f"{name}={value!r}")
        if name == "id":
            if value in self.ids or not value or re.search(r"\s", value):
                self.faults.append(f"id {value!r}")
            self.ids.add(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Only drawings close their tags so."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()
        if "svg" not in self.open:
            self.faults.append(f"<{tag}/>")

    def handle_endtag(self, tag: str) -> None:
        """Judges whether this closes what was opened last."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what isn't open")

    def handle_comment(self, data: str) -> None:
        """One comment is ours."""
        if data != "end":
            self.faults.append(f"comment {data!r}")

    def handle_pi(self, data: str) -> None:
        """None is ours."""
        self.faults.append("processing instruction")
