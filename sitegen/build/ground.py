"""What the scan of a built site looks at, and what may stand there in clear: open conversations, our own words."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.build.keys import PACKAGE
from sitegen.build.owners import SEARCH
from sitegen.model import Card, Exchange, Share, Transcript
from sitegen.output.cache import Cache
from sitegen.output.codec import to_text
from sitegen.output.records import FileRecord, ShareRecord
from sitegen.pages import Site
from sitegen.urls import SEARCH_INDEX, share_file

_SEPARATOR = "\n"


@dataclass(eq=False, repr=False, slots=True)
class SiteGround:
    """The files of one build. `shares` and `records` are by owner, and hold the open shares only."""

    read_file: Callable[[str], bytes]
    """The bytes of a file; one that is gone is empty."""
    files: Mapping[str, FileRecord]
    shares: Mapping[str, Share]
    records: Mapping[str, ShareRecord]
    cards: Sequence[Card]
    cache: Cache
    site: Site
    folders: Sequence[Path]
    """Templates and static files."""
    shown: Sequence[str] = ()
    """What stands before gates, and names of open projects."""
    shell_script: bytes = b""
    _common: bytes | None = field(default=None, init=False)
    _indexes: bytes | None = field(default=None, init=False)

    def read(self, path: str) -> bytes:
        """The bytes of a file; one that is gone is empty."""
        data = self.read_file(path)
        return _unpacked(data) if path.startswith(SEARCH_INDEX) else data

    def owner(self, path: str) -> str:
        """Whose file it is."""
        record = self.files.get(path)
        return "" if record is None else record.owner

    def is_ciphertext(self, path: str) -> bool:
        """Whether only a key opens the file: the body or an attachment of a protected page."""
        folder, _, name = path.rpartition("/")
        is_called_so = folder.count("/") == 1 and name.startswith(("a.", "b.")) and name.endswith(".bin")
        return is_called_so and self.owner(path) not in self.shares  # people may call their own files so

    def common_text(self) -> bytes:
        """Templates, scripts, sheets, sentences, the site's name, terms."""
        if self._common is None:
            folders = (*self.folders, PACKAGE / "locale")
            texts = [file.read_bytes() for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]
            self._common = b"\n".join([*texts, *map(_encoded, (self.site.title, *self.shown))])
        return self._common

    def common_parts(self) -> Iterable[bytes]:
        """The script that every protected page holds."""
        return [self.shell_script] if self.shell_script else []

    def open_text(self, owner: str) -> bytes:
        """All texts of an open share's conversation; for the indexes, all that open shares' cards say."""
        share = self.shares.get(owner)
        if share is not None:
            return self._conversation(owner, share)
        if owner.startswith("share "):
            return b""
        if owner == SEARCH:
            return b"\n".join(self._conversation(*each) for each in self.shares.items() if each[1].listed)
        if self._indexes is None:
            self._indexes = _encoded(_SEPARATOR.join(_of_card(card) for card in self.cards))
        return self._indexes

    def _conversation(self, owner: str, share: Share) -> bytes:
        record = self.records.get(owner)
        transcript = self.cache.get(record.cache_key, Transcript) if record and record.cache_key else None
        exports = [self.read(share_file(share.slug, f"conversation.{kind}")) for kind in ("md", "json")]
        texts = [share.title or "", *(_texts(transcript) if transcript else ())]
        return b"\n".join([_encoded(_SEPARATOR.join(texts)), *exports, *(_data(transcript) if transcript else ())])


def _unpacked(data: bytes) -> bytes:
    """What a file of the search says, for most of them are compressed."""
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(data)
    return data


def _texts(transcript: Transcript) -> Iterable[str]:
    facts = transcript.facts
    yield from (facts.title, facts.first_prompt, facts.git_branch or "", transcript.markdown, transcript.json)
    branches = (exchange for branch in transcript.branches for exchange in branch.exchanges)
    for exchange in (*transcript.exchanges, *branches):
        yield from _of_exchange(exchange)
    yield from (file.name for file in transcript.files)


def _of_exchange(exchange: Exchange) -> Iterable[str]:
    sources = bytes(exchange.sources_file).decode("utf-8", "replace")
    return (exchange.html, sources, exchange.search_text, exchange.outline.text if exchange.outline else "")


def _data(transcript: Transcript) -> Iterable[bytes]:
    return (bytes(file.data) for file in transcript.files)


def _of_card(card: Card) -> str:
    return _SEPARATOR.join((card.title, card.first_prompt, to_text(card)))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
