"""sitegen's own rules for secrets that show by where they stand: headers, cookies, addresses, assignments, key blocks.

Each rule starts from a word it seeks in all texts at once, so that a text without it costs nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from sitegen.privacy.assignments import find_assignments
from sitegen.privacy.hits import Hit
from sitegen.privacy.judge import is_placeholder, is_token
from sitegen.privacy.texts import SEPARATOR, Texts

Rule = Callable[[Texts], Iterator[Hit]]


def find_hits(texts: Texts) -> Iterator[Hit]:
    """What these rules find, in no order."""
    for rule in _RULES:
        yield from rule(texts)


# --------------------------------------------------------------------------------------------------------- addresses

_SCHEME: Final = re.compile(rb"[A-Za-z0-9+.-]{2}")
"""The end of one."""
_USERINFO: Final = re.compile(rb"([^\s:/@'\"<>`\\|()]{0,120}):([^\s:/'\"<>`\\|()]{3,300})@[\w.\-\[%$]")
_TOKEN_ALONE: Final = re.compile(rb"([A-Za-z0-9_\-.~]{16,300})@[\w.-]")
_URL: Final = re.compile(rb"[^\s\"'<>`\\|\x1e]{4,4000}")
_PARAMETER: Final = re.compile(
    rb"[?&#;]((?:[\w.\-\[\]]{0,40}(?:token|secret|signature|passwd|password|apikey|api_key|api-key|session|credential))[\w\]]{0,12}"
    rb"|sig|key|auth|sid|jwt|ticket|code|otp|pwd|pass)=([^&#\s\"'<>`\\;)\]]{8,2000})",
    re.I,
)
_LONGEST_USERINFO: Final = 425
_HOOK: Final = re.compile(
    rb"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|[\w.-]+\.webhook\.office\.com)/"
    rb"([\w/@-]{30,400})"
)
_STEP: Final = re.compile(
    rb"/(?:reset|reset[-_]password|verify|verification|confirm|magic|magic[-_]link|invite|invitation|activate|unsubscribe"
    rb"|session|sessions|login|signin|auth|token|one-time|otp|share[-_]token)/([A-Za-z0-9_\-]{20,200})",
    re.I,
)


_SHORTEST_STEP: Final = 25


def _urls(texts: Texts) -> Iterator[Hit]:
    """Passwords and tokens in addresses: before the host, among the parameters, in links that log someone in."""
    seen = 0
    for at in texts.find(b"://"):
        if at >= 2 and _SCHEME.match(texts.data, at - 2):
            yield from _in_front(texts, at + 3)
            if at >= seen:  # one address may hold others
                seen = _end_of_url(texts, at + 3)
                yield from _behind(texts, at + 3, seen)


def _behind(texts: Texts, start: int, end: int) -> Iterator[Hit]:
    """What stands behind the host: among the parameters, or as the last step of a path."""
    if texts.data.find(b"=", start, end) >= 0:
        for match in _PARAMETER.finditer(texts.data, start, end):
            if is_token(match[2], least=10):
                yield Hit(*match.span(2), "session link", "address-parameter")
    if end - start > _SHORTEST_STEP:
        for match in _STEP.finditer(texts.data, start, end):
            if is_token(match[1], least=20):
                yield Hit(*match.span(1), "session link", "address-of-session")


def _in_front(texts: Texts, start: int) -> Iterator[Hit]:
    """What stands before the host, or in place of a path that anybody may call."""
    if texts.data.find(b"@", start, start + _LONGEST_USERINFO) < 0:
        if match := _HOOK.match(texts.data, start):
            yield Hit(*match.span(1), "webhook", "webhook")
    elif match := _USERINFO.match(texts.data, start):
        user, password = match[1], match[2]
        if not is_placeholder(password) and password != user:
            yield Hit(*match.span(2), "login", "connection-string")
    elif (match := _TOKEN_ALONE.match(texts.data, start)) and is_token(match[1]):
        yield Hit(*match.span(1), "login", "address-with-token")
    elif match := _HOOK.match(texts.data, start):
        yield Hit(*match.span(1), "webhook", "webhook")


def _end_of_url(texts: Texts, start: int) -> int:
    match = _URL.match(texts.data, start)
    return match.end() if match else start


_ENCODED_URL: Final = re.compile(rb"%3a%2f%2f([^%\s]{0,80})%3a([^\s]{3,200}?)%40[a-z0-9]", re.I)


def _encoded_urls(texts: Texts) -> Iterator[Hit]:
    for at in texts.find(b"%3a%2f%2f", is_folded=True):
        match = _ENCODED_URL.match(texts.data, at)
        if match and not is_placeholder(match[2]) and match[1] != match[2]:
            yield Hit(*match.span(2), "login", "connection-string")


# ----------------------------------------------------------------------------------------------------------- headers

_AUTHORIZATION: Final = re.compile(
    rb"authorization[\"'\\]{0,3}\s{0,3}[:=,]\s{0,3}[\"'`\\]{0,3}f?[\"'`]?\s{0,2}(?:([a-z][a-z0-9-]{2,20})[ ]+)?"
    rb"([^\s\"'`\\,;<>()]{8,4000})"
)
_BEARER: Final = re.compile(rb"bearer[ ]+([a-z0-9._~+/=\-]{16,4000})")
_BASIC: Final = re.compile(rb"basic[ ]+([a-z0-9+/]{10,400}={0,2})")
_CURL_USER: Final = re.compile(rb"curl[^\n\x1e]{0,200}?[ ](?:-u|--user)[ =]+[\"']?([\w.@%-]{1,80}):([^\s\"'\\]{3,200})")


def _authorizations(texts: Texts) -> Iterator[Hit]:
    for at in texts.find(b"authorization", is_folded=True):
        match = _AUTHORIZATION.match(texts.lower, at)
        if match and _is_credential(texts.data[match.start(2) : match.end(2)]):
            yield Hit(*match.span(2), "access token", "authorization-header")
    for at in texts.find(b"bearer ", is_folded=True):
        match = _BEARER.match(texts.lower, at)
        if match and is_token(texts.data[match.start(1) : match.end(1)]):
            yield Hit(*match.span(1), "access token", "bearer-token")
    for at in texts.find(b"basic ", is_folded=True):
        match = _BASIC.match(texts.lower, at)
        if match and b":" in _decoded(texts.data[match.start(1) : match.end(1)]):
            yield Hit(*match.span(1), "login", "basic-authorization")
    for at in texts.find(b"curl ", is_folded=True):
        if texts.data.find(b"-u", at, at + 220) < 0:
            continue
        match = _CURL_USER.match(texts.data, at)
        if match and not is_placeholder(match[2]):
            yield Hit(*match.span(2), "login", "curl-user")


def _is_credential(value: bytes) -> bool:
    return is_token(value, least=12) and not re.fullmatch(rb"[A-Za-z_.]+", value) and not value.startswith((b"$", b"{"))


def _decoded(value: bytes) -> bytes:
    """Base64 as readable bytes; b"" when it isn't."""
    try:
        plain = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return plain if plain.isascii() and plain.decode("ascii").isprintable() else b""


_COOKIES: Final = re.compile(rb"cookie[\"'\\]{0,3}\s{0,2}[:=]\s{0,3}[\"'`\\]{0,3}")
_PAIRS: Final = re.compile(rb"[^\r\n\"'`\\\x1e]{6,8000}")
_COOKIE: Final = re.compile(rb"(?:^|;)\s*([\w.!#$%&*+^|~-]{1,100})=([^;,\s\"']{8,4000})")
_ATTRIBUTES: Final = frozenset({b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority", b"version"})
_JAR: Final = re.compile(rb"\t(?:TRUE|FALSE)\t/[^\t\n]*\t(?:TRUE|FALSE)\t\d+\t[^\t\n]+\t([^\t\r\n]{6,4000})")


def _cookies(texts: Texts) -> Iterator[Hit]:
    """The values of cookies: in headers, and in the files that curl and wget keep."""
    heads = [match.span() for match in _COOKIES.finditer(texts.lower)]
    for (at, start), (following, _) in pairwise([*heads, (len(texts.data), 0)]):
        pairs = _PAIRS.match(texts.data, start, following)
        is_set = texts.lower[max(0, at - 4) : at] == b"set-"
        for number, pair in enumerate(_COOKIE.finditer(pairs[0] if pairs else b"")):
            if pair[1].lower() in _ATTRIBUTES or (is_set and number):
                continue
            if is_token(pair[2], least=8):
                yield Hit(start + pair.start(2), start + pair.end(2), "cookie", "cookie-header")
    for match in _JAR.finditer(texts.data):
        yield Hit(*match.span(1), "cookie", "cookie-file")


# -------------------------------------------------------------------------------------------------------------- keys

_WEB_TOKEN: Final = re.compile(rb"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,8000}){1,3}")
_PART: Final = re.compile(rb"[A-Za-z0-9_-]+")
_BEGINNING: Final = re.compile(rb"J(?<=eyJ)")
"""The rarest letter first."""
_BEGIN: Final = re.compile(rb"-----BEGIN ((?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----")
_PIECE: Final = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_LONGEST_KEY: Final = 16_000


def _web_tokens(texts: Texts) -> Iterator[Hit]:
    seen = 0
    for begin in _BEGINNING.finditer(texts.data):
        start = begin.start() - 2
        if start < seen:
            continue
        match = _WEB_TOKEN.match(texts.data, start)
        if match and not _is_of_documentation(match[0]):
            yield Hit(*match.span(), "web token", "web-token")
        seen = match.end() if match else _end_of_part(texts.data, start)  # what follows is the same for all in it


def _end_of_part(data: bytes, start: int) -> int:
    match = _PART.match(data, start)
    return match.end() if match else start


def _is_of_documentation(token: bytes) -> bool:
    """The token that explains web tokens everywhere is about John Doe."""
    try:
        body = token.split(b".")[1]
        said = json.loads(base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(said, dict) and said.get("name") == "John Doe"


def _private_keys(texts: Texts) -> Iterator[Hit]:
    """Key blocks, also when their lines stand apart: numbered, in a patch, in several blocks of a conversation."""
    data = texts.data
    for at in texts.find(b"-----BEGIN "):
        match = _BEGIN.match(data, at)
        if match is None:
            continue
        ending = b"-----END " + match[1] + b"-----"
        limit = match.end() + _LONGEST_KEY
        following = data.find(b"-----BEGIN ", match.end(), limit)
        limit = following if following >= 0 else limit
        end = data.find(ending, match.end(), limit)
        body = data[match.end() : end if end >= 0 else min(limit, match.end() + 4000)].replace(b"\\n", b"  ")
        pieces = [piece for piece in _PIECE.finditer(body) if end >= 0 or len(piece[0]) >= 40]
        if not pieces:
            continue
        if end >= 0 and SEPARATOR not in data[at:end]:
            yield Hit(at, end + len(ending), "private key", "private-key")
        for piece in pieces:
            yield Hit(match.end() + piece.start(), match.end() + piece.end(), "private key", "private-key-line")


_RULES: Final[tuple[Rule, ...]] = (
    _urls,
    _encoded_urls,
    _authorizations,
    _cookies,
    _web_tokens,
    _private_keys,
    find_assignments,
)
