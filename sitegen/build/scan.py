"""The last look at a built site: no word of what is protected may stand in it in clear.

What was written now is searched for every watchword, what stood for new ones. A word that what is open says too, or
that sitegen's own pages say, is no sign of a leak and isn't sought any further; what opens a page is one anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from msgspec import Struct

from sitegen.build.watchwords import Watchword
from sitegen.check import Canaries

_BEGINNING = 64


@dataclass(frozen=True, slots=True)
class Guarded:
    """The watchwords of one protected owner. `is_new`: what stands was never searched for them."""

    name: str
    """In words: "the share “x”"."""
    owner: str
    words: tuple[Watchword, ...] = field(repr=False)
    is_new: bool = True
    is_share: bool = True
    """Whether words of a conversation are among them, so that it's told when none are left to seek."""


class Leak(Struct, frozen=True):
    """A file that holds what it must not, told without telling it."""

    path: str
    told: str


class Ground(Protocol):
    """What the scan asks about the site."""

    def read(self, path: str) -> bytes:
        """The bytes of a file of the output."""

    def owner(self, path: str) -> str:
        """Whose file it is."""

    def is_ciphertext(self, path: str) -> bool:
        """Whether the file is one that only a key opens."""

    def open_text(self, owner: str) -> bytes:
        """All that the owner's files may say in clear, besides what every page says; b"" for a protected one."""

    def common_text(self) -> bytes:
        """What sitegen's own pages, scripts and sheets say, and what stands before gates."""

    def common_parts(self) -> Iterable[bytes]:
        """Long texts that many files hold alike, and `common_text` too."""


@dataclass(slots=True)
class Scan:
    """One search through one site."""

    ground: Ground
    guarded: tuple[Guarded, ...]
    common: set[str] = field(default_factory=set, repr=False)
    """Watchwords that stand in the open legitimately."""
    _told: dict[str, str] = field(default_factory=dict, repr=False)
    _keys: set[str] = field(default_factory=set, repr=False)
    _open: dict[str, bytes] = field(default_factory=dict, repr=False)

    def find(self, *, written: Iterable[str], standing: Iterable[str]) -> list[Leak]:
        """Leaks in files written now and in those that stood, by path."""
        leaks = [*self._search(written, self.guarded)]
        fresh = [each for each in self.guarded if each.is_new]
        return sorted([*leaks, *(self._search(standing, fresh) if fresh else ())], key=lambda leak: leak.path)

    def mute(self) -> list[str]:
        """The names of those of whose words nothing was left to look for."""
        sought = ((each.name, [word for word in each.words if not word.is_secret]) for each in self._shares())
        return [name for name, words in sought if all(word.text in self.common for word in words)]

    def _shares(self) -> Iterator[Guarded]:
        return (each for each in self.guarded if each.is_share)

    def _search(self, paths: Iterable[str], guarded: Iterable[Guarded]) -> Iterator[Leak]:
        paths, guarded = sorted(paths), list(guarded)
        if not paths:
            return
        self._told |= {word.text: f"{word.what} of {each.name}" for each in guarded for word in each.words}
        self._keys |= {word.text for each in guarded for word in each.words if word.is_key}
        texts = {word.text for each in guarded for word in each.words}
        own = {each.owner: each.words for each in guarded}
        sought = Canaries(texts)
        parts = list(self.ground.common_parts())
        for path in paths:
            found = self._found(path, sought, own.get(self.ground.owner(path), ()), parts)
            leaked = sorted(self._told[text] for text in found if not self._is_open(text, self.ground.owner(path)))
            yield from (Leak(path, told) for told in dict.fromkeys(leaked))

    def _found(self, path: str, sought: Canaries, own: Iterable[Watchword], parts: Iterable[bytes]) -> set[str]:
        data = self.ground.read(path)
        if self.ground.is_ciphertext(path):
            # Nobody else's words can be in there, and its own would show that nothing was encrypted.
            return {word.text for word in own if word.text.encode("utf-8", "surrogatepass") in data}
        for part in parts:
            if part[:_BEGINNING] in data:  # looking for a long text costs more than finding that it isn't there
                data = data.replace(part, b"")
        name = path.encode("utf-8", "surrogateescape")
        return (sought.found_in(data) | sought.found_in(name)) - self.common

    def _is_open(self, text: str, owner: str) -> bool:
        """Whether the owner of a file may say this text; then everyone may know it. A key is nobody's to say."""
        if text in self._keys:
            return False
        one = Canaries([text])
        if one.found_in(self.ground.common_text()) or one.found_in(self._open_text(owner)):
            self.common.add(text)
            return True
        return False

    def _open_text(self, owner: str) -> bytes:
        if owner not in self._open:
            self._open = {owner: self.ground.open_text(owner)}  # one is enough: files come by owner
        return self._open[owner]
