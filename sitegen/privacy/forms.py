"""The forms in which a value stands elsewhere: escaped for JSON, HTML and addresses, in base64 and in hexadecimal."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from sitegen.privacy.texts import Texts, decode, encode

_RUN: Final = re.compile(rb"[A-Za-z0-9+/_-]*={0,2}")
_RUN_BACK: Final = re.compile(rb"[A-Za-z0-9+/_-]*$")
_LONGEST_RUN: Final = 4_000


def occurrences(texts: Texts, value: bytes) -> Iterator[tuple[int, int]]:
    """Where a value stands, in any form: bytes from, to. Of base64 that holds it, the whole run counts."""
    for form in spellings(value):
        for at in texts.find(form):
            yield at, at + len(form)
    for core in base64_cores(value):
        for at in texts.find(core):
            yield _around(texts.data, at, at + len(core))
    for digits in {value.hex().encode(), value.hex().upper().encode()}:
        for at in texts.find(digits):
            yield at, at + len(digits)


def spellings(value: bytes) -> list[bytes]:
    """The value as it is, and escaped; each once, longer ones first."""
    text = decode(value)
    escaped = json.dumps(text)[1:-1]
    plain = json.dumps(text, ensure_ascii=False)[1:-1]
    found = {
        value,
        *map(encode, (escaped, plain)),
        encode(escaped.replace("/", "\\/")),
        encode(json.dumps(plain, ensure_ascii=False)[1:-1]),
        encode(html.escape(text)),
        encode(html.escape(text, quote=False)),
    }
    for form in (quote(value, safe=""), quote(value), quote_plus(value)):
        found |= {form.encode(), re.sub(r"%[0-9A-F]{2}", lambda each: each[0].lower(), form).encode()}
        found.add(quote(form, safe="").encode())
    return sorted(found, key=lambda form: (-len(form), form))


def base64_cores(value: bytes) -> set[bytes]:
    """What base64 of any text that holds the value holds too, whichever byte the value begins at."""
    cores = set()
    for shift in range(3):
        data = b"\0" * shift + value
        encoded = base64.b64encode(data).rstrip(b"=")
        start = (0, 2, 3)[shift]
        # The last character depends on what follows unless the bytes fill whole groups.
        end = len(encoded) - (1 if len(data) % 3 else 0)
        core = encoded[start:end]
        if len(core) >= 8:
            cores |= {core, core.replace(b"+", b"-").replace(b"/", b"_")}
    return cores


def _around(data: bytes, start: int, end: int) -> tuple[int, int]:
    before = _RUN_BACK.search(data, max(0, start - _LONGEST_RUN), start)
    after = _RUN.match(data, end, end + _LONGEST_RUN)
    return (before.start() if before else start), (after.end() if after else end)
