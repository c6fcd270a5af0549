"""What is wrong with the secrets of gates: missing, weak, or one for several shares. Tells no secret."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sitegen.build.wishes import wish_of
from sitegen.config import Config
from sitegen.errors import SitegenError
from sitegen.gate.credentials import Judge, gather
from sitegen.gate.vault import Vault
from sitegen.model import Gate, Share


def weaknesses(config: Config, shares: Iterable[Share]) -> Mapping[str, list[str]]:
    """Sentences about the gates of shares, by slug."""
    gated = [share for share in shares if share.is_gated and not share.is_expired]
    if not gated:
        return {}
    found: defaultdict[str, list[str]] = defaultdict(list)
    vault, judge = Vault.open(config.folder), Judge()
    passwords: defaultdict[str, list[Share]] = defaultdict(list)
    for share in gated:
        try:
            wish = wish_of(share, names=(share.slug, share.title or share.head.title or ""))
            keyring = gather(wish, vault)
            if share.gate is Gate.PASSWORD and not share.is_inherited:
                passwords[keyring.holders[0].secret].append(share)
            if note := judge.check(wish, keyring):
                found[share.slug].append(note)
        except SitegenError as error:
            found[share.slug].append(str(error))
    for mine in passwords.values():
        for share in mine if len(mine) > 1 else ():
            others = ", ".join(sorted(other.slug for other in mine if other is not share))
            found[share.slug].append(f"its password also opens {others}")
    return found
