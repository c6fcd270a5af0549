"""Secrets given to names that mean one: in `.env` files, code, JSON, YAML, headers, command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sitegen.privacy.hits import Hit
from sitegen.privacy.judge import is_assigned_secret
from sitegen.privacy.marks import SecretKind
from sitegen.privacy.texts import Texts

_WORDS: Final = (
    rb"k(?:ey|(?<=tok)en)",
    rb"w(?:(?<=pw)d|(?<=passw))",
    b"passphrase",
    rb"cre(?:(?<=secre)t|dential)",
)
"""Each begins with plain letters, rare ones where there are any: looking for them costs next to nothing."""
_OPERATOR: Final = (
    rb"[\"'\\\]]{0,4}(?:[ \t]{0,3}:[ \t]{0,3}[a-z_\[\]. |]{2,30}?)?[ \t]{0,8}(?::?=>?|:|=>)[ \t]{0,4}"
    rb"(?:r|b|f|u)?(\\{0,3}[\"'`])?"
)
_GIVEN: Final = tuple(re.compile(word + rb"[a-z0-9_\-]{0,40}(" + _OPERATOR + rb")") for word in _WORDS)
_FLAG: Final = re.compile(
    rb"--[a-z0-9-]{0,40}?(?:passw|passphrase|pwd|secret|token|credential|key)[a-z0-9-]{0,40}()[ =](\\?[\"'])?"
)
_PLAIN: Final = re.compile(rb"[^\s\"'`,;&)}\]<>|\\\x1e]{6,4096}")
_QUOTED: Final = {
    quote: re.compile(rb"[^\r\n\x1e" + re.escape(quote) + rb"]{6,4096}(?=" + re.escape(quote) + rb")")
    for quote in (b'"', b"'", b"`")
}
_ENDING: Final = re.compile(rb"[.:!?]?[ \t]*(?:[\r\n\x1e;&]|\\{1,4}n|$|\\{0,3}[\"'`}])")
"""What may follow a value without quotes: the end of its line, or of what is quoted."""
_NAME: Final = b"abcdefghijklmnopqrstuvwxyz0123456789_-."
_KEY_OF: Final = re.compile(
    rb"(?:api|access|secret|private|encrypt\w*|sign\w*|auth\w*|master|service|account|storage|shared|app|client|session|license|ssh|aes|hmac"
    rb"|webhook|subscription|consumer|deploy|admin|jwt|cookie)[-_.]?keys?"
)
_OTHER_MEANING: Final = re.compile(
    rb"max_?tok|tokeni[sz]|tokens$|token_?(?:count|type|limit|budget|usage|id|name|ttl|uri|url|endpoint|bucket|len|idx|index|pos)|num_"
    rb"|(?:^|[-_.])ids?$|idempot|keyboard|keyword|key_?(?:name|id|file|path|type|code|down|up|press|board|frame|size|len|usage|vault|ring|value|map|error|spec)"
    rb"|secret_?(?:name|arn|id|ref|version|key_?ref|manager|store)|password_?(?:field|input|hash|policy|reset|length|min|max|confirm|again|label|hint|strength|manager)"
    rb"|[-_.](?:path|file|url|uri|type|name|len|length|size|limit|ttl|expiry|expires|expiration|prefix|suffix|format|algorithm|header|field|column|param|label|hint"
    rb"|error|message|regex|pattern|policy|class|style|color|colour|icon|test|env|var|ref|rotation|version|provider|store|manager|service|length|count|usage|hash|fingerprint)$"
    rb"|public|publish|cache_?key|primary|foreign|partition|sort_?key|unique|hotkey|shortcut|token(?:s|ized|izer)[-_]|csrf|xsrf|anti_?forgery"
    rb"|(?:start|end|next|page|sep|stop|eos|bos|pad|unk|mask|cls|continuation|design|color|theme|syntax)[-_]?tokens?|no_?pass|bypass"
)


def find_assignments(texts: Texts) -> Iterator[Hit]:
    """What they are given, each once."""
    seen: set[int] = set()
    for pattern in _GIVEN:
        for match in pattern.finditer(texts.lower):
            hit = _assigned(texts, _start_of_name(texts.lower, match.start()), match)
            if hit is not None and hit.start not in seen:
                seen.add(hit.start)
                yield hit
    for match in _FLAG.finditer(texts.lower):
        hit = _assigned(texts, match.start(), match, is_flag=True)
        if hit is not None and hit.start not in seen:
            yield hit


def _assigned(texts: Texts, start: int, match: re.Match[bytes], *, is_flag: bool = False) -> Hit | None:
    end = match.start(1)
    name = texts.lower[start:end]
    if not _means_secret(name, is_key=b"key" in name if is_flag else match[0].startswith(b"key")):
        return None
    value, is_quoted = _value(texts, match)
    if value is None:
        return None
    is_environment = not is_flag and _is_environment(texts, start, end)
    if not (is_quoted or is_environment or is_flag or _ENDING.match(texts.data, value[1])):
        return None  # a type in code, or an argument among others
    is_password = b"pass" in name or b"pwd" in name
    found = texts.data[value[0] : value[1]]
    if not is_assigned_secret(found, is_quoted=is_quoted, is_environment=is_environment, is_password=is_password):
        return None
    return Hit(*value, _kind_of(name), "assignment")


@lru_cache(maxsize=4096)  # code gives values to the same names over and over
def _means_secret(name: bytes, *, is_key: bool) -> bool:
    """Whether a name is one for a secret; `is_key`: "key" is all in it that says so."""
    return not _OTHER_MEANING.search(name) and (not is_key or _KEY_OF.search(name) is not None)


def _value(texts: Texts, match: re.Match[bytes]) -> tuple[tuple[int, int] | None, bool]:
    """Where the value stands, and whether within quotes."""
    quote = (match[2] or b"")[-1:]
    pattern = _QUOTED.get(quote, _PLAIN)
    found = pattern.match(texts.data, match.end())
    if found is None:
        return None, False
    start, end = found.span()
    while quote and end > start and texts.data[end - 1 : end] == b"\\":
        end -= 1
    while not quote and texts.data[end - 1 : end] in (b".", b":", b"!", b"?"):
        end -= 1
    return (start, end), bool(quote)


def _start_of_name(data: bytes, at: int) -> int:
    lead = data[max(0, at - 60) : at]
    start = at - len(lead) + len(lead.rstrip(_NAME))
    is_escaped = data[start - 1 : start] == b"\\" and data[start : start + 1] in (b"n", b"r", b"t")
    return start + 1 if is_escaped and start < at else start


_LINE: Final = re.compile(
    rb"(?:^|[\n\x1e]|\\{1,4}n)[+\- \t]{0,3}(?:\d+(?:[\t|: ]|\xe2\x86\x92)+)?(?:export |set |setx |ENV |ARG |- )?[\"']?$"
)


def _is_environment(texts: Texts, start: int, end: int) -> bool:
    """Whether a name begins its line as those in `.env` files do, in capitals and followed by nothing but `=`."""
    name = texts.data[start:end]
    return (
        name.isupper()
        and texts.data[end : end + 1] == b"="
        and (_LINE.search(texts.data, max(0, start - 30), start) is not None or b"_" in name)
    )


def _kind_of(name: bytes) -> SecretKind:
    if b"pass" in name or b"pwd" in name:
        return "password"
    if b"key" in name:
        return "API key"
    return "access token" if b"token" in name else "secret"
