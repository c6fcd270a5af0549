"""How a build takes out what isn't meant to be published: the policy of its configuration, and what it remembers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.config import Privacy
from sitegen.errors import RefusedError
from sitegen.model import ConversationHead, Share
from sitegen.output.cache import Cache
from sitegen.privacy import Engine, Finding, Policy, Scan, find_engine, scrub, scrub_head

_FEW = 20


class SecretsFoundError(RefusedError):
    """Secrets stand in a share, and its owner wants none published."""


def policy_of(privacy: Privacy) -> Policy:
    """What a configuration wants taken out."""
    return Policy(
        secrets=privacy.secrets,
        allow=privacy.allow,
        shortens_paths=privacy.paths == "shorten",
        masks_emails=privacy.emails == "mask",
        masks_hosts=privacy.hosts == "mask",
        masks_ips=privacy.ips == "mask",
        masks_macs=privacy.macs == "mask",
        masks_serials=privacy.serials == "mask",
        masks_phones=privacy.phones == "mask",
        hide=privacy.hide,
    )


class Scans(Struct, frozen=True):
    """Remembers of each conversation where secrets stand in it, never what they are."""

    cache: Cache
    is_read: bool = True

    @classmethod
    def within(cls, folder: Path, *, is_read: bool = True) -> Scans:
        return cls(Cache(folder), is_read)

    def recall(self, name: str) -> Scan | None:
        """The last scan of a conversation."""
        return self.cache.get(_key(name), Scan) if self.is_read else None

    def keep(self, name: str, scan: Scan) -> None:
        """Remembers a scan in place of the last."""
        self.cache.put(_key(name), scan)

    def prune(self, shares: Iterable[Share]) -> None:
        """Forgets conversations that aren't shared."""
        self.cache.prune({_key(share.head.key) for share in shares})


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]


class Cleaner(Struct):
    """Cleans what is shown of a conversation that isn't read: titles, and names of projects."""

    policy: Policy
    _engine: Engine = field(default_factory=find_engine)
    _titles: dict[str, str] = field(default_factory=dict)

    def title(self, head: ConversationHead) -> str:
        """A conversation's own title."""
        if head.key not in self._titles:
            self._titles[head.key] = scrub_head(head, self.policy, engine=self._engine).title or ""
        return self._titles[head.key]

    def path(self, value: str) -> str:
        """A project's value."""
        return scrub(value, policy=self.policy, engine=self._engine)[0]

    def share(self, share: Share) -> Share:
        """A share whose given title holds no secret; what else stands there, its owner meant."""
        if not share.title:
            return share
        policy = replace(self.policy, shortens_paths=False, masks_emails=False)
        return replace(share, title=scrub(share.title, policy=policy, engine=self._engine)[0])


# -------------------------------------------------------------------------------------------------------- the summary


def told(findings: Iterable[Finding]) -> list[str]:
    """Findings as lines for the owner, without the values."""
    lines = [f"{each.kind} ({each.fingerprint}) in {where(each)}: {each.excerpt}" for each in findings]
    more = len(lines) - _FEW
    return lines if more <= 0 else [*lines[:_FEW], f"and {more} more, which “sitegen report” lists"]


def where(finding: Finding) -> str:
    """The place of a finding in words: "message 12, tool_result of Bash"."""
    place = finding.place
    if place.message is None:
        return "the conversation's own data"
    what = f"{place.what} of {place.tool}" if place.tool else place.what
    return f"{'a subagent, ' if place.is_subagent else ''}message {place.message + 1}, {what}"


def pack(counts: Mapping[str, int], key: str) -> str:
    """Counts of a share as text for the state, "" when there are none; `key` is its transcript's."""
    return json.dumps([key, counts], sort_keys=True) if counts else ""


def unpack(text: str) -> tuple[str, dict[str, int]]:
    """The transcript's key and the counts in such a text."""
    key, counts = json.loads(text)
    return str(key), dict(counts)


def key_of(text: str) -> str:
    """The transcript's key in such a text, which is the first string in it: of a large site there are many."""
    return text.split('"', 2)[1]


def total(all_counts: Iterable[Mapping[str, int]]) -> tuple[tuple[str, int], ...]:
    """Counts of several shares as one, by name."""
    found: Counter[str] = Counter()
    for counts in all_counts:
        found.update(counts)
    return tuple(sorted(found.items()))
