"""The commonest shapes of services' keys, for what the library misses and for platforms that it has no wheel for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sitegen.privacy.hits import Hit
from sitegen.privacy.judge import is_placeholder
from sitegen.privacy.marks import SecretKind
from sitegen.privacy.texts import Texts

_ANY = rb"[A-Za-z0-9_\-]"
_SHAPES: Final[tuple[tuple[bytes, bytes, SecretKind, str], ...]] = (
    (b"ghp_", rb"[A-Za-z0-9]{36}", "access token", "github"),
    (b"gho_", rb"[A-Za-z0-9]{36}", "access token", "github"),
    (b"ghu_", rb"[A-Za-z0-9]{36}", "access token", "github"),
    (b"ghs_", rb"[A-Za-z0-9]{36}", "access token", "github"),
    (b"github_pat_", rb"[A-Za-z0-9_]{60,90}", "access token", "github"),
    (b"glpat-", _ANY + rb"{20,60}", "access token", "gitlab"),
    (b"sk-", rb"(?:ant-[a-z0-9]+-|proj-|or-v1-|svcacct-)?" + _ANY + rb"{20,200}", "API key", "model-provider"),
    (b"xoxa-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxb-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxe-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxo-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxp-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxr-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxs-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxc-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xoxd-", rb"[A-Za-z0-9\-/+=%]{10,250}", "access token", "slack"),
    (b"xapp-", rb"\d-[A-Z0-9]+-\d+-[a-z0-9]+", "access token", "slack"),
    (b"AKIA", rb"[A-Z0-9]{16}", "API key", "aws"),
    (b"ASIA", rb"[A-Z0-9]{16}", "API key", "aws"),
    (b"AIza", _ANY + rb"{35}", "API key", "google"),
    (b"ya29.", _ANY + rb"{20,300}", "access token", "google"),
    (b"GOCSPX-", _ANY + rb"{20,40}", "secret", "google"),
    (b"sk_live_", rb"[A-Za-z0-9]{16,99}", "API key", "stripe"),
    (b"sk_test_", rb"[A-Za-z0-9]{16,99}", "API key", "stripe"),
    (b"rk_live_", rb"[A-Za-z0-9]{16,99}", "API key", "stripe"),
    (b"npm_", rb"[A-Za-z0-9]{36}", "access token", "npm"),
    (b"pypi-", _ANY + rb"{50,300}", "access token", "pypi"),
    (b"SG.", _ANY + rb"{16,32}\." + _ANY + rb"{16,64}", "API key", "sendgrid"),
    (b"hf_", rb"[A-Za-z0-9]{30,40}", "access token", "huggingface"),
    (b"dop_v1_", rb"[a-f0-9]{64}", "access token", "digitalocean"),
    (b"shpat_", rb"[a-fA-F0-9]{32}", "access token", "shopify"),
    (b"dckr_pat_", _ANY + rb"{20,40}", "access token", "docker"),
    (b"tskey-", rb"[a-z]+-" + _ANY + rb"{10,60}", "API key", "tailscale"),
    (b"lin_api_", rb"[A-Za-z0-9]{32,48}", "API key", "linear"),
    (b"ntn_", rb"[A-Za-z0-9]{40,60}", "access token", "notion"),
    (b"PMAK-", rb"[a-f0-9]{24}-[a-f0-9]{34}", "API key", "postman"),
    (b"dp.pt.", rb"[A-Za-z0-9]{40,44}", "access token", "doppler"),
    (b"gsk_", rb"[A-Za-z0-9]{40,60}", "API key", "groq"),
    (b"r8_", rb"[A-Za-z0-9]{30,45}", "access token", "replicate"),
)


_BODIES: Final = {prefix: (re.compile(body), kind, rule) for prefix, body, kind, rule in _SHAPES}
_LONGEST: Final = max(map(len, _BODIES))
_BY_END: Final = tuple(prefix for prefix in _BODIES if prefix[-1:] in b"_-")
_CAPITALS: Final = re.compile(rb"A(?:KIA|SIA|Iza)")
_RARE: Final = tuple(prefix for prefix in _BODIES if prefix not in _BY_END and not _CAPITALS.fullmatch(prefix))
_LAST: Final = b"|".join(sorted({prefix[-3:] for prefix in _BY_END}))
_ENDS: Final = tuple(
    re.compile(end + rb"(?<=" + _LAST + rb")")
    for end in (rb"_(?=[A-Za-z0-9_-]{16})", rb"-(?=[A-Za-z0-9][A-Za-z0-9_-]{15})")
)
"""Most prefixes end so, and looking for the end of all of them at once costs less than looking for each."""


def find_shapes(texts: Texts, *, is_alone: bool) -> Iterator[Hit]:
    """Keys that show by their prefix, in no order; `is_alone` adds those that the library never misses."""
    data = texts.data
    for end in _ENDS:
        for match in end.finditer(data):
            lead = data[max(0, match.end() - _LONGEST) : match.end()]
            if lead.endswith(_BY_END):
                prefix = max((each for each in _BY_END if lead.endswith(each)), key=len)
                yield from _key(data, match.end() - len(prefix), prefix)
    for match in _CAPITALS.finditer(data):
        yield from _key(data, match.start(), match[0])
    for prefix in _RARE if is_alone else ():
        for at in texts.find(prefix):
            yield from _key(data, at, prefix)


def _key(data: bytes, at: int, prefix: bytes) -> Iterator[Hit]:
    body, kind, rule = _BODIES[prefix]
    before = data[at - 1 : at] if at else b""
    match = body.match(data, at + len(prefix))
    if match and not (before.isalnum() or before in (b"_", b"-")) and _is_random(match[0]):
        yield Hit(at, match.end(), kind, rule)


def _is_random(value: bytes) -> bool:
    """Whether letters are mixed as nobody would: with digits, or large with small ones."""
    is_mixed = any(b"0"[0] <= c <= b"9"[0] for c in value) or not (value.islower() or value.isupper())
    return is_mixed and len(set(value)) >= 6 and not is_placeholder(value)
