"""The names that people have on their machines, where they stand without a path: owners of files, logins, bare words.

A name that is also a word of the language is touched only where nothing but a name can stand. Code stays code: what is
part of an identifier, an import or an address of the web isn't a person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sitegen.privacy.homes import Home
from sitegen.privacy.letters import letter_at, letter_before
from sitegen.privacy.texts import Texts, decode, encode
from sitegen.privacy.words import is_account, is_word

_WORD: Final = re.compile(rb"[\w\x80-\xff]")
_ESCAPED: Final = re.compile(rb"\\{1,4}[nrt\"']")
"""No step of a path."""
_MODE: Final = rb"[bcdlpsD-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?"
_OWNER: Final = re.compile(rb"(?:^|[\n\x1e]|\\n|\xe2\x86\x92|\t)[ +\-|]{0,6}" + _MODE + rb"\s+\d+\s+(?:[\w.@+-]+\s+)?$")
_PROCESS: Final = re.compile(rb"\s+\d+\s+(?:\d+\.\d\s|\d+\s+\d+\s+\d\d:)")
_LOGIN: Final = re.compile(
    rb"(?:(?:user(?:[-_ ]?name)?|login|log_?name|owner|group|author|whoami|account|creator|sudo -u|su -|chown(?: -R)?"
    rb"|uid=\d+\(|gid=\d+\(|groups=\d+\(|,\d+\()(?:\\?[\"'`])?[ \t]{0,3}[:=(]?[ \t]{0,3}(?:\\?[\"'`])?"
    rb"|chown (?:-R )?[\w.-]+:)$",
    re.I,
)
_CODE: Final = re.compile(
    rb"(?:\b(?:import|from|package|module|namespace|def|class|func|fn|function|const|let|var|require\([\"'])[ \t]*)$"
)
_MACHINE: Final = re.compile(
    rb"-?s?[- ]?(?:laptop|macbook|mbp|mba|imac|mac|pc|desktop|workstation|thinkpad|xps|air|pro|mini|studio|server|box"
    rb"|iphone|ipad|nas)\b",
    re.I,
)
_DOCUMENT: Final = re.compile(
    rb"\.(?:txt|md|pdf|docx?|xlsx?|pptx?|odt|csv|jpe?g|png|gif|heic|mp[34]|mov|zip|tar|gz|key|pub|pem|crt|vcf|ics|log)\b",
    re.I,
)
_BEFORE_NAME: Final = b" \t\n\\\"'`:=("
_LOGIN_ENDS: Final = (
    *(b"user", b"name", b"login", b"owner", b"group", b"author", b"whoami", b"account", b"creator"),
    *(b"sudo -u", b"su -", b"chown", b"chown -r"),
)
"""How all that `_LOGIN` finds ends without what may stand between it and a name; or else in a number, or a colon."""
_IN_ADDRESS: Final = bytes(0 if chr(code) in " \t\n\r\f\v\"'`<>()[]{},;=|\x1e" else 1 for code in range(256))
_LONGEST_ADDRESS: Final = 300


def places_of_names(texts: Texts, homes: Iterable[Home]) -> tuple[tuple[int, int], ...]:
    """A place of each name that sure homes have, but for accounts that are nobody's."""
    found = {texts.data[home.name_start : home.end]: (home.name_start, home.end) for home in homes if home.is_sure}
    return tuple(place for name, place in found.items() if not is_account(decode(name)))


def find_people(texts: Texts, names: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the names stand as names: bytes from, to."""
    for name in sorted(names):
        needle = encode(name).lower()
        for at in texts.find(needle, is_folded=True):
            end = at + len(needle)
            if _is_apart(texts.data, at, end) and _is_person(texts, at, end, name):
                yield at, end


def _is_apart(data: bytes, start: int, end: int) -> bool:
    if data[end : end + 1] == b"_" or (start and data[start - 1 : start] == b"_"):
        return False
    return not letter_before(data, start) and not letter_at(data, end)


def _is_person(texts: Texts, start: int, end: int, name: str) -> bool:
    if _is_login(texts.data, start, end):
        return True
    if is_word(name):
        return False
    said = texts.data[start:end]
    if said not in (encode(name), said.lower(), said.upper(), said.capitalize()):
        return False
    return not _is_code(texts.data, start, end) and _is_standing(texts.data, start, end)


def _is_login(data: bytes, start: int, end: int) -> bool:
    """Whether a name stands where a system puts one: `ann@host`, `uid=1000(ann)`, the owner of a file."""
    if data[end : end + 1] == b"@" and _WORD.match(data, end + 1) and data[start - 1 : start] not in (b"/", b"-", b"."):
        return True
    line = data[max(0, start - 80) : start]
    if line[-1:].isspace() and _OWNER.search(line):
        return True
    if _may_be_login(line) and _LOGIN.search(line) and not _is_code(data, start, end):
        return True
    at_line = not line or line[-1:] in (b"\n", b"\x1e")
    return at_line and _PROCESS.match(data, end) is not None


def _may_be_login(line: bytes) -> bool:
    """Whether it's worth trying all of `_LOGIN` at each byte of a line."""
    lead = line.rstrip(_BEFORE_NAME)
    return lead[-1:].isdigit() or lead.lower().endswith(_LOGIN_ENDS) or b":" in line[-2:]


def _is_code(data: bytes, start: int, end: int) -> bool:
    after, before = data[end : end + 2], data[start - 1 : start] if start else b""
    if _DOCUMENT.match(data, end):
        return False
    if after[:1] in (b"(", b"[") or (after[:1] in (b".", b":") and after[1:2].isalnum()) or after == b"::":
        return True
    if before in (b"$", b"%", b"#", b"&") or (before == b"." and data[start - 2 : start - 1].isalnum()):
        return True
    return _CODE.search(data, max(0, start - 24), start) is not None


def _is_standing(data: bytes, start: int, end: int) -> bool:
    """Whether what is beside a name lets it be one: a path of this machine, a mention, a sentence."""
    before, after = data[start - 1 : start] if start else b"", data[end : end + 1]
    if before == b"-":
        return after in (b"/", b"") and _is_local(data, start)  # a folder for temporary files, such as pytest-of-ann
    if after == b"-":
        return _MACHINE.match(data, end) is not None
    if before == b"@":
        return after != b"/"
    if before in (b"/", b"\\") or (after in (b"/", b"\\") and not _ESCAPED.match(data, end)):
        return _is_local(data, start)
    return True


def _is_local(data: bytes, start: int) -> bool:
    """Whether the path that a name is part of begins at the root of a file system."""
    before = data[max(0, start - _LONGEST_ADDRESS) : start].removesuffix(b"\n")
    lead = before[before.translate(_IN_ADDRESS).rfind(b"\0") + 1 :]
    if b"://" in lead and not lead.startswith(b"file:"):
        return False
    return lead.startswith((b"/", b"~", b"\\", b"file:")) or re.match(rb"[A-Za-z]:[\\/]", lead) is not None
