"""Secrets in texts: found by the engine and by our own rules, judged, named, and sought wherever else they stand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from sitegen.privacy.corpus import Corpus
from sitegen.privacy.encoded import find_encoded, hits_in, texts_of
from sitegen.privacy.engine import Engine, Match
from sitegen.privacy.forms import occurrences
from sitegen.privacy.hits import Hit
from sitegen.privacy.judge import is_known_example, is_placeholder, is_strong
from sitegen.privacy.marks import SecretKind
from sitegen.privacy.own_rules import find_hits
from sitegen.privacy.shapes import find_shapes
from sitegen.privacy.texts import Texts


class Secret(Struct, frozen=True):
    """A value that must not be published, and what found it first."""

    value: bytes
    kind: SecretKind
    rule: str
    is_everywhere: bool
    """Whether the value is the secret wherever it stands; a short one could be a word elsewhere."""
    places: tuple[tuple[int, int], ...]

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.value)

    def places_in(self, begin: int, size: int) -> list[tuple[int, int]]:
        """Its places in a part of the texts that begins at `begin`, counted from there."""
        return [(start - begin, end - begin) for start, end in self.places if begin <= start and end <= begin + size]


def fingerprint(value: bytes) -> str:
    """Twelve hexadecimal digits that name a value and are the same everywhere."""
    return hashlib.sha256(b"sitegen secret\0" + value).hexdigest()[:12]


def own_hits(texts: Texts, engine: Engine) -> Iterator[Hit]:
    """Where our own rules find secrets, in no order, and some of them more than once; `engine` is asked as well."""
    yield from find_hits(texts)
    yield from find_shapes(texts, is_alone=not engine.name)


def asked_hits(texts: Texts, engine: Engine) -> Iterator[Hit]:
    """Where the engine finds secrets, and where any stand in another form only.

    There the engine is asked as if the texts stood there plainly. Nothing else decides what is found: these may be a
    part of some texts, whose other parts come and go.
    """
    yield from _from_engine(texts, engine)
    if encoded := find_encoded(texts.data):
        said = texts_of(encoded)
        yield from hits_in(texts.data, encoded, said, [*_from_engine(said, engine), *own_hits(said, engine)])


def secret_spans(texts: Texts, secrets: Sequence[Secret], *, begin: int) -> Iterator[tuple[int, int, int]]:
    """Where secrets stand in any form in the part of all texts that begins at `begin`, and their numbers."""
    for number, secret in enumerate(secrets):
        if secret.is_everywhere:
            yield from ((start, end, number) for start, end in occurrences(texts, secret.value))
        else:
            places = secret.places_in(begin, len(texts.data))
            yield from ((start, end, number) for start, end in places if texts.data[start:end] == secret.value)


# ------------------------------------------------------------------------------------------------------- the engine

_NO_SECRET: Final = re.compile(
    r"(?:client|app|application|account|tenant|auth|key|token|user)-?ids?(?:\.\d+)?$|-(?:url|domain|host|repository|name|username|address)(?:\.\d+)?$"
    r"|planetscale-id|pub(?:lic)?-(?:api-)?key|public-key|gitlab-incoming-mail-address|access-id$|segment-public|posthog-project|mailgun-pub"
)
_SECRET_URL: Final = re.compile(r"webhook-url|sensitive-url")
_BASE64_RUN: Final = re.compile(rb"[A-Za-z0-9+/]{120,}")
_HEX: Final = re.compile(rb"[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)


def _from_engine(texts: Texts, engine: Engine) -> Iterator[Hit]:
    for match in engine.scan(texts.data):
        if _is_secret(texts.data, match):
            yield Hit(match.start, match.end, _kind_of(match.rule), match.rule)


def _is_secret(data: bytes, match: Match) -> bool:
    value = data[match.start : match.end]
    if _NO_SECRET.search(match.rule) and not _SECRET_URL.search(match.rule):
        return False
    if len(value) < 8 or b"\x1e" in value or is_known_example(value) or is_placeholder(value):
        return False
    return match.is_encoded or not _is_within_run(data, match.start, match.end)


def _is_within_run(data: bytes, start: int, end: int) -> bool:
    """Whether the bytes only look like a secret within something long in base64, such as a picture."""
    lo, hi = max(0, start - 400), min(len(data), end + 400)
    return any(run.start() + lo < start and run.end() + lo > end for run in _BASE64_RUN.finditer(data[lo:hi]))


def _kind_of(rule: str) -> SecretKind:
    for pattern, kind in _KINDS:
        if re.search(pattern, rule):
            return kind
    return "access token"


_KINDS: Final[tuple[tuple[str, SecretKind], ...]] = (
    (r"private-key$|age-secret-key", "private key"),
    (r"^jwt", "web token"),
    (r"webhook", "webhook"),
    (r"cookie", "cookie"),
    (r"uri|connection-string|credentials$|auth-user|sensitive-url", "login"),
    (r"password|passphrase", "password"),
    (r"api-key|apikey|key(?:\.\d+)?$|access-token$", "API key"),
    (r"secret", "secret"),
)


# ------------------------------------------------------------------------------------------------------- the values


def by_value(texts: Corpus, hits: Iterable[Hit]) -> Iterator[Secret]:
    """The secrets that hits in texts are, each value once."""
    found: dict[bytes, list[Hit]] = {}
    for hit in hits:
        found.setdefault(texts.cut(hit.start, hit.end), []).append(hit)
    for value, mine in found.items():
        first = mine[0]
        places = tuple((hit.start, hit.end) for hit in mine)
        yield Secret(value, first.kind, first.rule, is_strong(value), places)
