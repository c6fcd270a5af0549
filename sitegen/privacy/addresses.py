"""Addresses of people and machines: e-mail, and by option numbers of phones, networks and devices, names of hosts.

Addresses that belong to nobody (example.org, git@…) aren't any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from sitegen.privacy.letters import letter_at, letter_before
from sitegen.privacy.texts import Texts

Span = tuple[int, int]

_LOCAL: Final = re.compile(rb"(?:[A-Za-z0-9_%+'-]|\.(?=[\w%+'-]))+$")
_DOMAIN: Final = re.compile(
    rb"(?:[A-Za-z0-9\x80-\xff](?:[A-Za-z0-9\x80-\xff-]{0,62})\.){1,6}(?:xn--[a-z0-9-]{2,30}|[A-Za-z]{2,24})(?![A-Za-z0-9])"
)
_NOBODY: Final = re.compile(
    rb"(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost|localdomain)"
    rb"|v?\d+(?:\.\d+)+.*"
)
_NOT_A_DOMAIN: Final = frozenset(
    b"""
    png jpg jpeg gif svg webp ico bmp pdf js mjs cjs jsx ts tsx css scss less html htm json jsonl yaml yml toml xml
    lock map txt md rst csv log gz tgz tar zip whl jar exe dll so dylib service socket timer target mount slice scope
    device path rc alpha beta dev0 next canary latest stable weight weights bias shape dtype data size self grad
    """.split()
)
"""Endings of files, units, versions and attributes, which no address has."""
_NO_LOCAL: Final = frozenset({b"git", b"hg", b"svn", b"actions", b"type", b"types"})


def find_emails(texts: Texts) -> Iterator[Span]:
    """E-mail addresses, also those written for the web (`ann%40…`)."""
    for sign in (b"@", b"%40"):
        for at in texts.find(sign):
            span = _email(texts.data, at, at + len(sign))
            if span is not None:
                yield span


def _email(data: bytes, at: int, after: int) -> Span | None:
    domain = _DOMAIN.match(data, after)  # first, for few signs in code have one behind them
    local = _LOCAL.search(data, max(0, at - 64), at) if domain else None
    if local is None or domain is None:
        return None
    host = domain[0].lower()
    if host.rpartition(b".")[2] in _NOT_A_DOMAIN or _NOBODY.fullmatch(host):
        return None
    name = _unescaped(data, local.start(), local[0])
    if not name.strip(b"-.'%+_") or _is_address_of_code(data, at - len(name), name, domain.end()):
        return None
    return at - len(name), domain.end()


def _unescaped(data: bytes, start: int, local: bytes) -> bytes:
    """The local part without what an escape before it lends: the n of `\\nann@…`, the 3C of `%3Cann@…`."""
    if data[start - 1 : start] == b"\\" and local[:1] in (b"n", b"t", b"r", b"u"):
        local = local[5:] if re.match(rb"u[0-9a-fA-F]{4}", local) else local[1:]
    found = re.match(rb"(?:.*)%(?:3[CcAaDd]|2[0-9A-Fa-f]|22)(.*)", local)
    return found[1] if found else local.lstrip(b"'")


def _is_address_of_code(data: bytes, start: int, name: bytes, end: int) -> bool:
    """`git@host:path` names a repository, `user:secret@host` a login, `a/b@v1.dev` a version."""
    before = data[start - 1 : start] if start else b""
    if name.lower() in _NO_LOCAL or before in (b"/", b"@"):
        return not data[max(0, start - 9) : start].endswith((b"mailto:/", b"mailto://"))
    return False


_MAC: Final = re.compile(rb"(?<![\w:.-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")
_IP: Final = re.compile(
    rb"(?<![\w.])(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}"
    rb"|169\.254(?:\.\d{1,3}){2}|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})(?![\w]|\.\d)"
    rb"|(?<![\w:])(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?![\w:])",
    re.I,
)
_PHONE: Final = re.compile(
    rb"(?<![\w.+/-])(?:\+\d{1,3}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?(?:\d{2,5}[ .-]?){2,5}\d{2,5}"
    rb"|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}([.-])\d{3}\1\d{4})(?![\w-]|\.\d)"
)
_SERIAL: Final = re.compile(
    rb"(?:serial(?:[ _-]?(?:number|num|no\.?))?|\bS/N|imei|udid|service[ _-]?tag|hardware[ _-]?uuid|machine[ _-]?id"
    rb"|platformserialnumber)(?:[ \t]*\([a-z]+\))?(?:\\?[\"'])?[ \t]*[:=#][ \t]*(?:\\?[\"'])?"
    rb"((?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{5,40})(?![\w-])",
    re.I,
)


def find_macs(texts: Texts) -> Iterator[Span]:
    """Addresses of network devices, but those that mean none or all."""
    for match in _MAC.finditer(texts.data):
        if len(set(re.sub(rb"[:-]", b"", match[0].lower()))) > 1:
            yield match.span()


def find_ips(texts: Texts) -> Iterator[Span]:
    """Addresses within private networks."""
    yield from (match.span() for match in _IP.finditer(texts.data))


def find_phones(texts: Texts) -> Iterator[Span]:
    """Phone numbers written as such: with a plus, brackets, or in groups."""
    for match in _PHONE.finditer(texts.data):
        if 9 <= len(re.sub(rb"\D", b"", match[0])) <= 15:
            yield match.span()


def find_serials(texts: Texts) -> Iterator[Span]:
    """What is called a serial number, or the like."""
    yield from (match.span(1) for match in _SERIAL.finditer(texts.data))


_LOCAL_HOST: Final = re.compile(
    rb"(?:(?<![\w.@/-])[A-Za-z](?=[\w-]*[\d-])[\w-]{0,62}|(?<=[@/])[A-Za-z0-9][\w-]{0,62})\.(?:local|internal)(?![\w-]|\.\w|\()"
    rb"|(?<![\w.@/-])[A-Za-z0-9](?:[\w-]{0,62})(?:\.[\w-]{1,62}){0,3}"
    rb"\.(?:lan|intranet|corp|home\.arpa|localdomain|ts\.net)(?![\w-]|\.\w|\()",
    re.I,
)
_PROMPT: Final = re.compile(rb"(?<![\w.@/-])[\w.-]{1,32}@([A-Za-z0-9][\w-]{1,62})(?=[: ][^\n\x1e]{0,80}?[$#%](?: |$))")
_NAMED: Final = re.compile(
    rb"(?:host[ _-]?name|computer[ _-]?name|node[ _-]?name|\bHOST)(?:\\?[\"'])?[ \t]*[:=][ \t]*(?:\\?[\"'])?"
    rb"([A-Za-z0-9][\w.-]{2,62})",
    re.I,
)
_UNAME: Final = re.compile(rb"\b(?:Linux|Darwin) ([A-Za-z0-9][\w.-]{1,62}) \d+\.\d+")
_MACHINE: Final = re.compile(rb"(?=[a-z0-9-]*[a-z])(?=[a-z0-9-]*[0-9-])[a-z0-9][a-z0-9-]*[a-z0-9]")
"""A machine's name has a digit or a hyphen; without, it could be any word of a program."""
_NO_HOSTS: Final = frozenset(
    {
        b"localhost",
        b"host",
        b"hostname",
        b"example",
        b"string",
        b"none",
        b"null",
        b"true",
        b"false",
        b"kubernetes.docker.internal",
        b"host.docker.internal",
        b"gateway.docker.internal",
        b"metadata.google.internal",
    }
)


def find_hosts(texts: Texts) -> Iterator[Span]:
    """Names of machines: in shell prompts, in what systems say about themselves, and those that show as such."""
    yield from ((start, start + len(name)) for start, name in _named(texts))
    for match in _LOCAL_HOST.finditer(texts.data):
        if match[0].lower() not in _NO_HOSTS:
            yield match.span()


def places_of_hosts(texts: Texts) -> tuple[Span, ...]:
    """A place of each machine that is named somewhere, and whose name is no word."""
    found = {name: start for start, name in _named(texts) if len(name) >= 4 and re.search(rb"[\d-]", name)}
    return tuple((start, start + len(name)) for name, start in found.items())


def find_host(texts: Texts, name: bytes) -> Iterator[Span]:
    """Where the name of a machine stands, wherever it is."""
    yield from _whole(texts, name)


def _named(texts: Texts) -> Iterator[tuple[int, bytes]]:
    for pattern in (_PROMPT, _NAMED, _UNAME):
        for match in pattern.finditer(texts.data):
            name = match[1].rstrip(b".").lower()
            if name not in _NO_HOSTS and _MACHINE.fullmatch(name):
                yield match.start(1), name


def find_hidden(texts: Texts, word: str) -> Iterator[Span]:
    """Where a word of the owner's own list stands, in any case and composed or not, not as part of a longer word."""
    composed = {word, unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)}
    spellings = {
        form.encode("utf-8", "surrogatepass").lower()
        for each in composed
        for form in (each, each.lower(), each.upper(), each.title(), each.capitalize())
    }
    for spelling in sorted(spellings):
        yield from _whole(texts, spelling)


def _whole(texts: Texts, needle: bytes) -> Iterator[Span]:
    """A needle of small letters as a word of its own; marks and underscores end a word."""
    first, last = letter_at(needle, 0), letter_before(needle, len(needle))
    for at in texts.find(needle, is_folded=True):
        end = at + len(needle)
        if not (first and letter_before(texts.data, at)) and not (last and letter_at(texts.data, end)):
            yield at, end
