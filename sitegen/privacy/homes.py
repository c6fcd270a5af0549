"""Home folders in texts, in every spelling: Unix, Windows, escaped, in addresses, in the folder names of agents.

Also learns from them what people are called on their machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sitegen.privacy.letters import letter_before
from sitegen.privacy.texts import Texts
from sitegen.privacy.words import is_system_folder


class Home(Struct, frozen=True):
    """A home folder: bytes from `start` to `end`, whose end is the person's name from `name_start` on.

    `is_sure` is false where only knowing the name tells that it's one: `backup/home/ann`, `page-home-ann`.
    """

    start: int
    name_start: int
    end: int
    is_sure: bool
    is_encoded: bool = False
    """Whether it's part of a folder's name: `-home-ann-code-x`."""


_SLASH: Final = rb"/|\\/|%2f|%252f"
_BACKSLASH: Final = rb"\\{1,4}|%5c|%255c"
_BEFORE: Final = re.compile(rb"(?:" + _SLASH + rb"|" + _BACKSLASH + rb"|-)$")
_UNIX_NAME: Final = re.compile(rb"[A-Za-z0-9_\x80-\xff](?:[\w.@+\x80-\xff-]|%20|%40){0,63}")
_WINDOWS_NAME: Final = re.compile(
    rb"[^\\/:*?\"<>|\r\n\t\x00-\x1f$%{}`'()\[\],;]{1,64}?(?=\\|%5c|%255c)|[\w.@~\x80-\xff-]{1,64}", re.I
)
_ENCODED_NAME: Final = re.compile(rb"[A-Za-z0-9_]{1,32}")
_UNIX_LEAD: Final = re.compile(
    rb"(?:/(?:var|usr|export|private|mnt|host|hostfs|rootfs|run/host|System/Volumes/Data)"
    rb"|(?:/(?:mnt|cygdrive|host_mnt))?/[A-Za-z]|[A-Za-z](?::|%3a)|\\\\\\\\wsl(?:\$|\.localhost)\\\\[\w.-]+)$",
    re.I,
)
_LEAD_END: Final = re.compile(rb"[\w.:-]")
_WINDOWS_LEAD: Final = re.compile(
    rb"(?:[A-Za-z](?::|%3a)|\\{2,8}wsl(?:\$|\.localhost)\\{1,4}[\w.-]+|\\{2,8}[\w.-]+\\{1,4}[A-Za-z]\$)$", re.I
)
_ENCODED_LEAD: Final = re.compile(rb"(?<![A-Za-z0-9])[A-Za-z]-$")
_PART_OF_PATH: Final = re.compile(rb"[_.~)}\]-]")
_PROJECTS: Final = re.compile(rb"projects(?:/|\\{1,4}|%2f)(?:[A-Za-z]-)?$", re.I)
_LONGEST_LEAD: Final = 60


def find_homes(texts: Texts) -> Iterator[Home]:
    """All home folders, sure ones and others."""
    for word in (b"home", b"users"):
        for at in texts.find(word, is_folded=True):
            home = _home(texts, at, at + len(word))
            if home is not None:
                yield home


def _home(texts: Texts, at: int, end: int) -> Home | None:
    before = _BEFORE.search(texts.lower, max(0, at - 5), at)
    if before is None:
        return None
    sep = before[0]
    if not texts.lower.startswith(sep, end):
        return None
    word, start, name_start = texts.data[at:end], before.start(), end + len(sep)
    if sep == b"-":
        return _encoded(texts, word, start, name_start)
    if (b"\\" in sep[:1] and sep != b"\\/") or b"5c" in sep:
        return _windows(texts, start, name_start)
    return _unix(texts, word, start, name_start)


def _unix(texts: Texts, word: bytes, start: int, name_start: int) -> Home | None:
    if word not in (b"home", b"Users"):
        return None
    match = _UNIX_NAME.match(texts.data, name_start)
    if match is None:
        return None
    name = match[0].rstrip(b".")
    if is_system_folder(name):
        return None
    begin = start
    if _LEAD_END.search(texts.data, max(0, start - 1), start):
        lead = _UNIX_LEAD.search(texts.data, max(0, start - _LONGEST_LEAD), start)
        begin = lead.start() if lead and not _is_part_of_path(texts.data, lead.start()) else start
    is_sure = not _is_part_of_path(texts.data, begin) and not _is_web(texts.data, begin)
    return Home(begin, name_start, name_start + len(name), is_sure)


def _is_part_of_path(data: bytes, start: int) -> bool:
    """Whether what stands before lets a path go on."""
    return _PART_OF_PATH.search(data, max(0, start - 1), start) is not None or letter_before(data, start)


def _is_web(data: bytes, start: int) -> bool:
    return data[max(0, start - 7) : start].endswith((b"http:/", b"https:/", b"http://", b"https://"))


def _windows(texts: Texts, start: int, name_start: int) -> Home | None:
    match = _WINDOWS_NAME.match(texts.data, name_start)
    if match is None:
        return None
    name = match[0].rstrip(b". ")
    if not name or is_system_folder(name):
        return None
    lead = _WINDOWS_LEAD.search(texts.data, max(0, start - _LONGEST_LEAD), start)
    begin = lead.start() if lead else start
    is_sure = lead is not None or not _is_part_of_path(texts.data, begin)
    return Home(begin, name_start, name_start + len(name), is_sure)


def _encoded(texts: Texts, word: bytes, start: int, name_start: int) -> Home | None:
    """`-home-ann-code-x`, as agents name the folder of a project's sessions."""
    match = _ENCODED_NAME.match(texts.data, name_start)
    if word not in (b"home", b"Users") or match is None or is_system_folder(match[0]):
        return None
    lead = _ENCODED_LEAD.search(texts.data, max(0, start - 2), start)
    begin = lead.start() if lead else start
    is_sure = bool(_PROJECTS.search(texts.data, max(0, begin - 14), begin))
    return Home(begin, name_start, match.end(), is_sure, is_encoded=True)
