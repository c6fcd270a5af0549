"""Secrets in texts: found by the engine and by our own rules, judged, named, and sought wherever else they stand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from sitegen.privacy.chance import may_hold_key
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


class Scan(Struct, frozen=True):
    """What was found in texts, by their digest: places and kinds, no values, so that it may be kept."""

    digest: str
    hits: tuple[Hit, ...] = ()


class Memory(Protocol):
    """Keeps scans between builds."""

    def recall(self, name: str) -> Scan | None:
        """The last scan under a name."""

    def keep(self, name: str, scan: Scan) -> None:
        """Remembers a scan in place of the last."""


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


def fingerprint(value: bytes) -> str:
    """Twelve hexadecimal digits that name a value and are the same everywhere."""
    return hashlib.sha256(b"sitegen secret\0" + value).hexdigest()[:12]


def find_secrets(texts: Corpus, engine: Engine, *, name: str, memory: Memory | None = None) -> list[Secret]:
    """The secrets in texts, each value once. `name` is whose texts they are, for the memory."""
    if not texts.size:
        return []
    return list(_by_value(texts, _scan(texts, engine, name=name, memory=memory)))


def _scan(texts: Corpus, engine: Engine, *, name: str, memory: Memory | None) -> Sequence[Hit]:
    """Where secrets stand, remembered when the same texts were scanned before by the same rules."""
    known = memory.recall(name) if memory is not None else None
    digest = "" if known is None else _digest(texts, engine)
    if known is not None and known.digest == digest:
        return known.hits
    is_asked = any(may_hold_key(part.data) for _, part in texts.parts())
    hits: set[Hit] = set()
    for start, part in texts.parts():
        hits.update(_placed(hit, start) for hit in _all_hits(part, engine, is_asked=is_asked))
    found = tuple(sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.rule)))
    if memory is not None and (is_asked or found):  # to look again costs less than to remember nothing
        memory.keep(name, Scan(digest or _digest(texts, engine), found))
    return found


def _digest(texts: Corpus, engine: Engine) -> str:
    """Names texts and the rules that they are scanned by."""
    hashed = hashlib.sha256(b"%b\0%b\0" % (engine.name.encode(), _OWN_RULES))
    done = 0
    for start, part in texts.parts():
        hashed.update(memoryview(part.data)[done - start :])
        done = start + len(part.data)
    return hashed.hexdigest()


def _placed(hit: Hit, start: int) -> Hit:
    """A hit in a part that begins at `start`, as one in all texts."""
    return replace(hit, start=start + hit.start, end=start + hit.end) if start else hit


def _all_hits(texts: Texts, engine: Engine, *, is_asked: bool) -> Iterator[Hit]:
    yield from _hits(texts, engine, is_asked=is_asked)
    yield from _encoded_hits(texts, engine) if is_asked else ()


def _hits(texts: Texts, engine: Engine, *, is_asked: bool) -> Iterator[Hit]:
    yield from _from_engine(texts, engine) if is_asked else ()
    yield from find_hits(texts)
    yield from find_shapes(texts, is_alone=not engine.name)


def _encoded_hits(texts: Texts, engine: Engine) -> Iterator[Hit]:
    """What stands in the texts in another form only."""
    if encoded := find_encoded(texts.data):
        said = texts_of(encoded)
        yield from hits_in(texts.data, encoded, said, list(_hits(said, engine, is_asked=may_hold_key(said.data))))


def secret_spans(texts: Texts, secrets: Iterable[Secret], *, begin: int) -> Iterator[tuple[int, int, Secret]]:
    """Where secrets stand in any form in the part of the texts that begins at `begin`."""
    for secret in secrets:
        if secret.is_everywhere:
            yield from ((start, end, secret) for start, end in occurrences(texts, secret.value))
        else:
            places = [(start - begin, end - begin) for start, end in secret.places if start >= begin]
            yield from ((start, end, secret) for start, end in places if texts.data[start:end] == secret.value)


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


def _by_value(texts: Corpus, hits: Iterable[Hit]) -> Iterator[Secret]:
    found: dict[bytes, list[Hit]] = {}
    for hit in hits:
        found.setdefault(texts.cut(hit.start, hit.end), []).append(hit)
    for value, mine in found.items():
        first = mine[0]
        places = tuple((hit.start, hit.end) for hit in mine)
        yield Secret(value, first.kind, first.rule, is_strong(value), places)


def _own_digest() -> bytes:
    """A hash of the rules' own source: other rules, another scan."""
    from pathlib import Path

    here = Path(__file__).parent
    names = (
        "assignments",
        "chance",
        "corpus",
        "encoded",
        "fields",
        "forms",
        "judge",
        "own_rules",
        "secrets",
        "shapes",
        "texts",
        "wrapped",
    )
    return hashlib.sha256(b"\0".join((here / f"{name}.py").read_bytes() for name in names)).hexdigest().encode()


_OWN_RULES: Final = _own_digest()
