"""The gates of a site that has some: secrets found and judged, terms read, keys stretched when needed.

Lives in the main process. Watches all that decides it; a page that can't be protected is a failure, never an open page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.build.gates import Gates
from sitegen.build.sealing import Sealing
from sitegen.build.watchwords import Watchword
from sitegen.build.wishes import wish_of, wish_of_project
from sitegen.errors import RefusedError, SitegenError, UsageError
from sitegen.gate.credentials import (
    ITERATIONS,
    Judge,
    Keyring,
    Stretch,
    Wish,
    gate_id,
    gather,
    stretch_all,
)
from sitegen.gate.encoding import b64u, show_code
from sitegen.gate.envelope import Protection
from sitegen.gate.vault import PRIVATE_FILE, SITE_SECRET, Vault, watched
from sitegen.model import Project, Share
from sitegen.output.watch import Watch
from sitegen.pages.gate import Ask

_ASKS: dict[str, Ask] = {"password": "password", "email": "email", "otp": "otp"}
_LARGEST_TERMS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Ready:
    """A page's gate as far as it's known without stretching anything."""

    wish: Wish
    keyring: Keyring = field(repr=False)
    terms: str | None
    slug: str
    gate_id: str
    expires: int | None = None
    limit: int | None = None


@dataclass(slots=True)
class LockedGates(Gates):
    """Opened by what its vault holds. All methods are as `Gates` says."""

    vault: Vault = field(repr=False)
    watch: Watch
    render_terms: Callable[[str], str]
    _ready: dict[str, _Ready] = field(default_factory=dict, repr=False)
    _roots: dict[Stretch, bytes] = field(default_factory=dict, repr=False)
    _terms: dict[str, str] = field(default_factory=dict)
    _judge: Judge = field(default_factory=Judge, repr=False)

    def add_share(self, share: Share) -> None:
        title = share.title or share.head.title or ""
        wish = wish_of(share, names=(share.slug, title))
        expires = None if share.expires is None else int(share.expires.timestamp())
        self._add(share.slug, wish, share.agreement, slug=share.slug, expires=expires, limit=share.view_limit)

    def add_project(self, project: Project) -> None:
        self._add(project.scope, wish_of_project(project), project.agreement, slug=project.slug)

    def gate_id(self, owner: str) -> str:
        ready = self._ready.get(owner)
        return ready.gate_id if ready else ""

    def stretch(self, owners: Iterable[str]) -> None:
        sound = [owner for owner in owners if owner in self._ready and self._passes(owner)]
        wanted = {stretch for owner in sound for stretch in self._ready[owner].keyring.stretches}
        self._roots |= stretch_all(sorted(wanted - self._roots.keys()))

    def sealing(self, owner: str) -> Sealing:
        ready = self._ready[owner]
        protection = Protection(
            slug=ready.slug,
            terms=ready.terms,
            credentials=ready.keyring.credentials(self._roots),
            salt=ready.keyring.salt,
            iterations=ITERATIONS,
            expires=ready.expires,
            limit=ready.limit,
            epoch=ready.wish.epoch,
        )
        return Sealing(
            protection,
            self.vault.require_site_secret(),
            ask=_ASKS.get(ready.keyring.kind),
            hint=ready.wish.hint,
            scope=owner,
        )

    def secrets(self, owner: str) -> Iterator[Watchword]:
        ready = self._ready.get(owner)
        for holder in ready.keyring.holders if ready else ():
            if holder.recipient:
                yield Watchword("a recipient's address", holder.recipient, is_secret=True)
            if ready and ready.keyring.kind == "password":
                yield _key("the password", holder.secret)
            else:
                yield _key("a code", holder.secret)
                yield _key("a code", show_code(holder.secret))
            if holder.link is not None:
                yield _key("a link", f"k=1.{b64u(holder.link)}")

    def site_secret(self) -> Iterator[Watchword]:
        if self.vault.site_secret is not None:
            yield _key("the site secret", b64u(self.vault.site_secret))

    def shown(self) -> Iterator[str]:
        yield from self._terms.values()
        yield from (ready.wish.hint for ready in self._ready.values() if ready.wish.hint)

    def _add(
        self,
        owner: str,
        wish: Wish,
        agreement: str | None,
        *,
        slug: str,
        expires: int | None = None,
        limit: int | None = None,
    ) -> None:
        try:
            self._watch(wish)
            keyring = gather(wish, self.vault)
            terms = None if agreement is None else self._read_terms(agreement, wish)
            known = (slug, terms or "", wish.hint or "")
            # Also whether a weak password may pass: when that is taken back, it's judged anew.
            facts = (*known, *map(str, (expires, limit, wish.epoch, wish.is_weak_allowed)))
            identity = gate_id(self.vault.require_site_secret(), keyring, *facts)
            self._ready[owner] = _Ready(wish, keyring, terms, slug, identity, expires, limit)
        except SitegenError as error:
            self._note_fault(owner, error)

    def _note_fault(self, owner: str, error: SitegenError) -> None:
        self._ready.pop(owner, None)
        self.faults[owner] = str(error)
        if isinstance(error, RefusedError):
            self.refused.add(owner)

    def _passes(self, owner: str) -> bool:
        ready = self._ready[owner]
        try:
            note = self._judge.check(ready.wish, ready.keyring)
        except RefusedError as error:
            self._note_fault(owner, error)
            return False
        if note is not None and note not in self.notes:
            self.notes.append(note)
        return True

    def _watch(self, wish: Wish) -> None:
        watch_vault(self.watch, self.vault.folder)
        variable, file = watched(wish.secret, scope=wish.scope, folder=self.vault.folder)
        if variable is not None:
            self.watch.environment([variable])
        if file is not None:
            self.watch.file(file)

    def _read_terms(self, agreement: str, wish: Wish) -> str:
        if agreement not in self._terms:
            path = self.vault.folder / Path(agreement).expanduser()
            self.watch.file(path)
            self._terms[agreement] = self._rendered(_text_of(path, agreement, wish), agreement, wish)
        return self._terms[agreement]

    def _rendered(self, text: str, agreement: str, wish: Wish) -> str:
        try:
            return self.render_terms(text)
        except ValueError as error:
            raise UsageError(f"the terms of {wish.of} in {agreement}: {error}") from None


def _key(what: str, text: str) -> Watchword:
    return Watchword(what, text, is_secret=True, is_key=True)


def watch_vault(watch: Watch, folder: Path) -> None:
    """Watches the site secret and the private file, before they are read."""
    watch.environment([SITE_SECRET])
    watch.file(folder / PRIVATE_FILE)


def _text_of(path: Path, agreement: str, wish: Wish) -> str:
    try:
        data = path.read_bytes()
        if len(data) > _LARGEST_TERMS:
            raise UsageError(f"the terms of {wish.of} in {agreement} are larger than 1 MB")
        text = data.decode("utf-8-sig")
    except OSError as error:
        why = "isn't there" if isinstance(error, FileNotFoundError) else f"can't be read ({error.strerror})"
        raise UsageError(
            f"the terms of {wish.of} are to be in {agreement}, which {why}; paths start from the folder of sitegen.toml"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"the terms of {wish.of} in {agreement} aren't text in UTF-8") from None
    if not text.strip():
        raise UsageError(f"the terms of {wish.of} in {agreement} are empty; write what is agreed to")
    return text
