"""A strict reading of an HTML fragment: what is wrong with it, in words. For tests of what rendering makes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from sitegen.model import ROOT, SOURCES

_VOID = frozenset({"br", "hr", "img", "wbr", "col", "source"})
_FORBIDDEN = frozenset(
    {"script", "style", "iframe", "object", "embed", "form", "base", "link", "meta", "input", "svg", "template"}
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ALLOWED_TARGET = re.compile(r"https?://|mailto:|#|root/")
_CLOSED_BY_BLOCK = frozenset({"p"})
_BLOCKS = frozenset(
    {"p", "div", "ul", "ol", "li", "table", "pre", "blockquote", "figure", "details", "h4", "h5", "h6", "hr", "section"}
)
_PHRASING_ONLY = frozenset({"p", "h4", "h5", "h6", "a", "span", "em", "strong", "s", "sup", "code"})


def faults(fragment: str) -> list[str]:
    """What is wrong with `fragment`: unbalanced or misplaced tags, scripts, handlers, styles, links, repeated ids."""
    reader = _Reader()
    plain = fragment.replace(ROOT, "root/").replace(SOURCES, "source.json")
    reader.feed(plain)
    reader.close()
    if _CONTROL.search(plain):
        reader.faults.append("control byte")
    return [*reader.faults, *(f"<{tag}> isn't closed" for tag in reader.open)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _FORBIDDEN:
            self.faults.append(f"<{tag}>")
        if tag in _BLOCKS and (around := _PHRASING_ONLY.intersection(self.open)) and "details" not in self.open:
            self.faults.append(f"<{tag}> within {sorted(around)}")
        if tag == "a" and "a" in self.open:
            self.faults.append("<a> within <a>")
        self._attributes(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.faults.append(f"<{tag}/>")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what isn't open")

    def handle_comment(self, data: str) -> None:
        self.faults.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.faults.append("declaration")

    def handle_pi(self, data: str) -> None:
        self.faults.append("processing instruction")

    def _attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> repeats an attribute")
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc", "action", "formaction"):
                self.faults.append(f"{name}= on <{tag}>")
            if name in ("href", "src") and not _ALLOWED_TARGET.match((value or "").lower()):
                self.faults.append(f"{name}={value!r}")
            if name == "id":
                if value in self.ids or not value or re.search(r"\s", value):
                    self.faults.append(f"id {value!r}")
                self.ids.add(value or "")
