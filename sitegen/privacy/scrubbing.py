"""The one door of this room: a conversation in, what its share may show out, and what was found on the way.

Looks for secrets and people in the whole conversation, since what a hidden part gives away may stand in a shown one;
then narrows; then replaces, in every text that is left.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sitegen.helping import Help
from sitegen.model import Conversation, ConversationHead, Share
from sitegen.privacy import addresses
from sitegen.privacy.corpus import Corpus, collect, read
from sitegen.privacy.engine import Engine, NoEngine
from sitegen.privacy.files import without_secret_files
from sitegen.privacy.findings import tell
from sitegen.privacy.homes import Home
from sitegen.privacy.looking import Look, Memory, find_secrets, look_first, look_through, remember
from sitegen.privacy.marks import mark
from sitegen.privacy.people import find_people
from sitegen.privacy.policy import Finding, Policy
from sitegen.privacy.rewriting import rewrite
from sitegen.privacy.secrets import Secret, secret_spans
from sitegen.privacy.show import narrow
from sitegen.privacy.spans import Span, cut, joined
from sitegen.privacy.texts import Texts, decode, encode

_SEARCHES: Final[tuple[tuple[str, str, Callable[[Texts], Iterator[tuple[int, int]]]], ...]] = (
    ("masks_emails", "email", addresses.find_emails),
    ("masks_hosts", "host", addresses.find_hosts),
    ("masks_ips", "ip", addresses.find_ips),
    ("masks_macs", "mac", addresses.find_macs),
    ("masks_serials", "serial", addresses.find_serials),
    ("masks_phones", "phone", addresses.find_phones),
)
_STRICTEST: Final = Policy(masks_hosts=True, masks_ips=True, masks_macs=True, masks_serials=True, masks_phones=True)


class Scrubbed(Struct, frozen=True):
    """What a share may show, and what was found in it."""

    conversation: Conversation
    findings: tuple[Finding, ...] = ()
    effect: str = ""
    """A hash (40 hex digits) of all that scrubbing changed: policies of one effect show the same of a conversation."""

    @property
    def secrets(self) -> tuple[Finding, ...]:
        """The secrets that may not be published."""
        return tuple(each for each in self.findings if each.is_secret and not each.is_kept)


class _Known(Struct, frozen=True):
    """What was learned from the whole conversation."""

    secrets: Sequence[Secret] = ()
    people: frozenset[str] = frozenset()
    """Names, if home folders are to go."""
    hosts: frozenset[bytes] = frozenset()
    """Names of machines, if they are to go."""

    def digest(self, policy: Policy, begin: int, size: int) -> str:
        """Names all that decides what goes in a part of the texts, from its begin on, besides the part itself."""
        secrets = [(each.value, each.kind, each.rule, each.is_everywhere) for each in self.secrets]
        places = [() if each.is_everywhere else each.places_in(begin, size) for each in self.secrets]
        parts = (policy, secrets, places, sorted(self.people), sorted(self.hosts))
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def apply(
    conversation: Conversation,
    share: Share,
    policy: Policy,
    *,
    engine: Engine | None = None,
    memory: Memory | None = None,
    is_survey: bool = False,
    help: Help | None = None,
) -> Scrubbed:
    """The conversation as its share may show it: narrowed, and scrubbed in every text. Changes nothing it was given.

    `engine` adds what the library finds to what our own rules find; `memory` keeps scans, never values; `help`
    scans some parts. `is_survey` tells among the findings also what the policy doesn't take out though another could.
    """
    engine = engine or NoEngine()
    shown = narrow(conversation, share)
    texts = collect(shown, whole=conversation)
    name = conversation.head.key
    looks = look_through(texts, engine, name=name, memory=memory)
    look_first(looks, engine, help, people=policy.shortens_paths, hosts=policy.masks_hosts)
    known = _learn(texts, looks, policy, engine)
    spans = [span for span in _spans(looks, known, policy) if span.start < texts.shown_end]
    if memory is not None:
        remember(looks, engine, name=name, memory=memory)
    gone = list(joined(span for span in spans if not span.is_kept))
    changed = {texts.strings[index]: text for index, text in cut(texts, gone)}
    kept = [span for span in spans if span.is_kept]
    kept += _let_through(texts, gone) if is_survey else ()
    findings = tell(texts, [*gone, *kept], changed)
    if changed:
        shown = rewrite(shown, changed, texts)
    kept_back: list[str] = []
    if policy.secrets != "allow":
        rest = without_secret_files(shown, known.secrets, engine, allowed=policy.allow)
        kept_back = [new.id for new, old in zip(rest.messages, shown.messages, strict=True) if new is not old]
        shown = rest
    return Scrubbed(shown, tuple(findings), _effect(changed, kept_back))


def _effect(changed: Mapping[str, str], kept_back: Iterable[str]) -> str:
    """Names what scrubbing did: which texts became what, and in which messages files were kept back."""
    found = hashlib.sha256()
    for text in (*(part for pair in changed.items() for part in pair), "", *kept_back):
        data = encode(text)
        found.update(b"%d\0%b" % (len(data), data))
    return found.hexdigest()[:40]


def scrub_head(head: ConversationHead, policy: Policy, *, engine: Engine | None = None) -> ConversationHead:
    """A head whose title and project may be shown, as far as they tell by themselves what must go."""
    title, project = scrub(head.title or "", head.project or "", policy=policy, engine=engine)
    return replace(
        head, title=title if head.title is not None else None, project=project if head.project is not None else None
    )


def scrub(*given: str, policy: Policy, engine: Engine | None = None) -> tuple[str, ...]:
    """Some texts that stand alone, scrubbed together."""
    texts, engine = read(*given), engine or NoEngine()
    looks = look_through(texts, engine)
    known = _learn(texts, looks, policy, engine)
    gone = (span for span in _spans(looks, known, policy) if not span.is_kept)
    changed = {texts.strings[index]: text for index, text in cut(texts, gone)}
    return tuple(changed.get(text, text) for text in given)


def _learn(texts: Corpus, looks: Sequence[Look], policy: Policy, engine: Engine) -> _Known:
    return replace(_learn_names(texts, looks, policy), secrets=find_secrets(texts, looks, engine))


def _learn_names(texts: Corpus, looks: Sequence[Look], policy: Policy) -> _Known:
    people = {texts.cut(*place) for look in looks for place in look.people()} if policy.shortens_paths else ()
    hosts = {texts.cut(*place) for look in looks for place in look.hosts()} if policy.masks_hosts else ()
    return _Known((), frozenset(map(decode, people)), frozenset(name.lower() for name in hosts))


# ------------------------------------------------------------------------------------------------- what goes, where


def _spans(looks: Iterable[Look], known: _Known, policy: Policy) -> Iterator[Span]:
    for look in looks:
        _look_for(known, look, policy)
        begin = look.part.begin
        for start, end, number in look.seen.secrets:
            yield _of_secret(begin + start, begin + end, known.secrets[number], policy)
        for start, end, kind, sign in look.seen.spans:
            yield Span(begin + start, begin + end, kind, sign)


def _look_for(known: _Known, look: Look, policy: Policy) -> None:
    """Finds what goes in a part, unless it's remembered of the same."""
    digest = known.digest(policy, look.part.begin, look.part.size)
    if look.seen.known != digest:
        texts = look.part.texts
        secrets = tuple(secret_spans(texts, known.secrets, begin=look.part.begin))
        spans = tuple((start, end, kind, mark(sign)) for start, end, kind, sign in _others(look, known, policy))
        look.seen = replace(look.seen, known=digest, secrets=secrets, spans=spans)


def _of_secret(start: int, end: int, secret: Secret, policy: Policy) -> Span:
    is_kept = policy.secrets == "allow" or secret.fingerprint in policy.allow
    return Span(start, end, secret.kind, mark(secret.kind), secret.rule, secret.fingerprint, is_kept)


def _others(look: Look, known: _Known, policy: Policy) -> Iterator[tuple[int, int, str, str]]:
    """What goes besides secrets: its kind, and the kind that its mark tells."""
    texts = look.part.texts
    for word in policy.hide:
        yield from _all("hidden word", addresses.find_hidden(texts, word))
    for name in sorted(known.hosts):
        yield from _all("host", addresses.find_host(texts, name))
    for option, kind, search in _SEARCHES:
        if getattr(policy, option):
            yield from _all(kind, search(texts))
    if policy.shortens_paths:
        yield from _of_homes(texts, look.homes, known.people)
        yield from _all("person", find_people(texts, known.people))


def _let_through(texts: Corpus, gone: Sequence[Span]) -> Iterator[Span]:
    """What is no secret and is published because the policy keeps its kind, outside of what goes anyway."""
    ends = [span.end for span in gone]
    looks = look_through(texts, NoEngine())
    for span in joined(_spans(looks, _learn_names(texts, looks, _STRICTEST), _STRICTEST)):
        next_gone = bisect_right(ends, span.start)
        is_apart = next_gone == len(gone) or gone[next_gone].start >= span.end
        if is_apart and span.start < texts.shown_end:
            yield replace(span, is_kept=True)


def _all(kind: str, found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str, str]]:
    return ((start, end, kind, kind) for start, end in found)


def _of_homes(texts: Texts, homes: Iterable[Home], people: frozenset[str]) -> Iterator[tuple[int, int, str, str]]:
    """A sure home becomes `~`; where only the name is known, the name goes."""
    names = {encode(name) for name in people}
    for home in homes:
        is_known = texts.data[home.name_start : home.end] in names
        if home.is_sure or (is_known and home.is_encoded):
            yield home.start, home.end, "home path", "home path"
        elif is_known:
            yield home.name_start, home.end, "home path", "person"


def count(findings: Iterable[Finding], *, is_kept: bool = False) -> dict[str, int]:
    """How much was taken out, by what a reader of the summary calls it; `is_kept`: how much wasn't."""
    counts: Counter[str] = Counter()
    for finding in findings:
        if finding.is_kept is is_kept:
            counts["secret" if finding.is_secret else finding.kind] += finding.count
    return dict(sorted(counts.items()))
