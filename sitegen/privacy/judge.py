"""Tells a secret from what only stands where one could: placeholders, code, words, numbers, documented examples."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_NOUN: Final = rb"(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|credentials?|value|string|here|this)s?"
_OWNER: Final = (
    rb"(?:my|your|the|an?|some|test|dummy|fake|sample|default|new|old|current|user|db|database|root|admin|super|app)?"
)
_PLACEHOLDER: Final = re.compile(
    rb"""(?ix)
    [x*.\-_=\#?0]+ | .*(?:\*{4,}|x{6,}|\.{3,}|\xe2\x80\xa6|\xe2\x80\xa2{2,}).*
    | """
    + _OWNER
    + rb"[-_ ]?(?:api|access|secret|auth|client|private)?[-_ ]?"
    + _NOUN
    + rb"""[-_ ]?(?:here|goes[-_ ]here|1|12|123|1234)?
    | (?:none|null|nil|undefined|true|false|empty|unset|missing|unknown|any|object|number|str|string|bytes|boolean|text
      |optional|required|hidden|removed|masked|change[-_ ]?(?:me|it|this)|todo|tbd|fixme|dummy|fake|foo|bar|baz|foobar
      |test|testing|guest|root|admin|postgres|mysql|user|username|letmein|qwerty|abc123|123456789?0?|password\d{0,3})
    | .*(?:example|placeholder|change[-_]?me|replace[-_]?me|your[-_]|insert[-_]|redacted).*
    | .*(?:<[^>]*>|\$\{|\{\{|\$\(|%\(|%s|\#\{).*
    | \$[a-z_]+ | \{[^{}]*\} | \[[^\[\]]*\] | %[a-z_]+% | @[a-z_.]+
    """
)
_CODE: Final = re.compile(
    rb"(?:[A-Za-z_$][\w$]*(?:\.|::|->|\?\.))+[A-Za-z_$][\w$]*!?|[A-Za-z_$][A-Za-z_$]*|.*[()\[\]{}].*|[&*!].*"
)
_WORDS: Final = re.compile(rb"[A-Za-z]+(?:[ _.,:;'!?/-]+[A-Za-z]+)*[.!?:]?")
_PART: Final = rb"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})+\d{0,4}"
_IDENTIFIER: Final = re.compile(_PART + rb"(?:[_\-./:]+(?:" + _PART + rb"|\d{1,4}))*")
"""Words joined as programs join them, numbered perhaps."""
_PATH: Final = re.compile(
    rb"(?:~|\.{0,2})/[\w./@-]*|[A-Za-z]:\\.*|[\w-]+(?:/[\w.-]+)+\.\w{1,5}|[\w.+-]+://.*|[\w-]+\.(?:py|js|ts|json|ya?ml|toml|env|pem|key|txt|md|html|css)"
)
_DIGIT: Final = re.compile(rb"[0-9]")
_LETTER: Final = re.compile(rb"[A-Za-z\x80-\xff]")
_SYMBOL: Final = re.compile(rb"[^A-Za-z0-9\s._-]")
_DATE: Final = re.compile(
    rb"\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|\d+(?:\.\d+)+[\w.+-]*|[\d.,:%+-]+(?:px|em|rem|ms|s|kb|mb|gb|%)?", re.I
)

_KNOWN: Final = frozenset(
    {
        "0bd4b0ab80e4",
    }
)
"""Beginnings of hashes of the keys that services print in their documentation."""


def is_placeholder(value: bytes) -> bool:
    """Whether a value stands for one: `your-token`, `changeme`, `${TOKEN}`, `****`, a key of documentation."""
    return _PLACEHOLDER.fullmatch(value) is not None or is_known_example(value)


def is_known_example(value: bytes) -> bool:
    """Whether a value is printed in a service's documentation for everyone to copy."""
    return b"EXAMPLE" in value.upper() or hashlib.sha256(value).hexdigest()[:12] in _KNOWN


def is_assigned_secret(value: bytes, *, is_quoted: bool, is_environment: bool, is_password: bool) -> bool:
    """Whether what is given to a name that means a secret is one.

    `is_environment` says that it stands in a line such as `DB_PASSWORD=…`, where nothing but a value can stand.
    """
    if not 6 <= len(value) <= 4096 or is_placeholder(value) or _PATH.fullmatch(value) or value[:1] in b":-=/":
        return False
    if is_environment:
        return (
            bool(_LETTER.search(value) or is_password)
            and not (b" " in value and _WORDS.fullmatch(value))
            and (is_password or len(value) >= 8)
        )
    if b" " in value or b"\t" in value or _DATE.fullmatch(value) or (not is_quoted and _CODE.fullmatch(value)):
        return False
    if _WORDS.fullmatch(value):
        return False
    if not is_password and (len(value) < 10 or not _DIGIT.search(value) or _IDENTIFIER.fullmatch(value)):
        return False
    return _is_mixed(value) and len(set(value)) >= 5


def is_token(value: bytes, *, least: int = 16) -> bool:
    """Whether a value is so random that nobody would write it: letters and digits, long enough, of many kinds."""
    is_mixed = len(value) >= least and _is_mixed(value) and len(set(value)) >= 8
    return is_mixed and not is_placeholder(value) and not _IDENTIFIER.fullmatch(value)


def is_identifier(value: bytes) -> bool:
    """Whether a value is words joined as programs join them."""
    return _IDENTIFIER.fullmatch(value) is not None


def is_strong(value: bytes) -> bool:
    """Whether a value can't be a word or a name by chance, so that it's the secret wherever else it stands."""
    if len(value) >= 20:
        return True
    return len(value) >= 8 and len(set(value)) >= 5 and _is_mixed(value) and not _DATE.fullmatch(value)


def _is_mixed(value: bytes) -> bool:
    return bool(_LETTER.search(value)) and bool(_DIGIT.search(value) or _SYMBOL.search(value))
