"""From what a share asks for to the ways in: finds its secrets, judges them, names them, stretches them.

Nothing is stretched before it is known that the page must be made; one secret is stretched once for all its pages.
"""

from __future__ import annotations

import hmac
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import Struct

from sitegen.errors import RefusedError, UsageError
from sitegen.gate import keys
from sitegen.gate.encoding import lp, normalise_code
from sitegen.gate.envelope import MOST_SLOTS, Credential
from sitegen.gate.identity import group_salt, link_root, password_group, recipient_code
from sitegen.gate.strength import check_codes, check_form, check_password, count_guesses
from sitegen.gate.vault import PRIVATE_FILE, Found, Vault, variable

ITERATIONS: Final = 1_000_000
Kind = Literal["password", "email", "otp", "agreement"]
Stretch = tuple[bytes, bytes]
"""What is stretched: a secret's bytes and the salt of its group. Never shown, never stored."""

_ADDRESS: Final = re.compile(r"[^@\s,;\ud800-\udfff]+@[^@\s,;\ud800-\udfff]+")


class Wish(Struct, frozen=True):
    """What a page asks for, in names and references. `of` says in words whose it is, for messages.

    `scope` is whose credentials they are: the share's slug, or that of its project, whose pages one unlock opens.
    """

    kind: Kind
    scope: str
    of: str
    secret: str | None = None
    recipients: tuple[str, ...] = ()
    epoch: int = 0
    is_weak_allowed: bool = False
    names: tuple[str, ...] = ()
    """What a password must not be: slug and title."""
    hint: str | None = None
    """What everyone may read before the page is open."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Someone who may enter: with a password or a code, and with a link unless there is none.

    `recipient` is an address, or "" when it isn't known who it is.
    """

    recipient: str
    secret: str = field(repr=False)
    link: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Keyring:
    """All who may enter a page, and the salt that their secrets are stretched with."""

    kind: Kind
    holders: tuple[Holder, ...] = field(default=(), repr=False)
    salt: bytes = field(default=b"", repr=False)
    place: str = ""
    """Where the secret was found, in words."""

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """What must be stretched before anything is sealed, one for each holder."""
        return tuple((self._material(holder), self.salt) for holder in self.holders)

    def credentials(self, roots: Mapping[Stretch, bytes]) -> tuple[Credential, ...]:
        """The ways in, given what was stretched. Raises KeyError when something wasn't."""
        found = [Credential("pw", roots[stretch]) for stretch in self.stretches]
        return (*found, *(Credential("lnk", holder.link) for holder in self.holders if holder.link is not None))

    def _material(self, holder: Holder) -> bytes:
        match self.kind:
            case "email":
                return keys.email_material(holder.recipient, holder.secret)
            case "otp":
                return keys.code_material(holder.secret)
            case _:
                return keys.password_material(holder.secret)


@dataclass(slots=True)
class Judge:
    """Judges passwords by how many guesses they stand up to, each password once."""

    _guesses: dict[str, float] = field(default_factory=dict, repr=False)

    def check(self, wish: Wish, keyring: Keyring) -> str | None:
        """What the owner should hear of a weak password that passes. Raises RefusedError for one that doesn't."""
        if keyring.kind != "password":
            return None
        password = keyring.holders[0].secret
        if password not in self._guesses:
            self._guesses[password] = count_guesses(password)
        return check_password(self._guesses[password], of=wish.of, is_weak_allowed=wish.is_weak_allowed)


def gather(wish: Wish, vault: Vault) -> Keyring:
    """Finds the secrets of a page; how strong a password is, `Judge` tells.

    Raises UsageError when one is missing, telling where it's looked for, or when there are more than readers try, and
    RefusedError when one can't be used.
    """
    keyring = _gather(wish, vault)
    slots = 2 if keyring.kind == "email" else 1
    if (count := len(keyring.holders)) * slots > MOST_SLOTS:
        what = "recipients" if keyring.kind == "email" else "codes"
        raise UsageError(
            f"{wish.of} has {count:,} {what} and can have {MOST_SLOTS // slots:,}: readers try no more ways in. "
            "Give the page to fewer, or share it again for the others"
        )
    return keyring


def _gather(wish: Wish, vault: Vault) -> Keyring:
    match wish.kind:
        case "password":
            return _password(wish, vault)
        case "email":
            return _email(wish, vault)
        case "otp":
            return _codes(wish, vault)
        case "agreement":
            return Keyring("agreement")


def stretch_all(stretches: Iterable[Stretch], *, iterations: int = ITERATIONS) -> dict[Stretch, bytes]:
    """The root of each secret, every one stretched once; in threads, for the work is done outside of Python."""
    wanted = list(dict.fromkeys(stretches))
    if not wanted:
        return {}
    with ThreadPoolExecutor(min(len(wanted), os.cpu_count() or 1)) as threads:
        roots = threads.map(lambda each: keys.stretch(each[0], salt=each[1], iterations=iterations), wanted)
        return dict(zip(wanted, roots, strict=True))


def gate_id(site_secret: bytes, keyring: Keyring, *facts: str) -> str:
    """Changes with every way in and with each of `facts` (terms, dates), and tells nothing without the site secret."""
    parts = [keyring.kind.encode(), keyring.salt]
    parts += sorted(b"".join([lp(material), lp(holder.link or b"")]) for (material, _), holder in _pairs(keyring))
    parts += [fact.encode("utf-8", "surrogatepass") for fact in facts]
    return hmac.digest(site_secret, b"sitegen/gate-id/v1/" + b"".join(map(lp, parts)), "sha256").hex()[:40]


def hidden_slug(site_secret: bytes, name: str) -> bytes:
    """Sixteen bytes for the slug of what has none: stable, and not to be guessed by whoever knows the name."""
    return hmac.digest(site_secret, b"sitegen/slug/v1/" + lp(name.encode("utf-8", "surrogatepass")), "sha256")[:16]


def _pairs(keyring: Keyring) -> Iterable[tuple[Stretch, Holder]]:
    return zip(keyring.stretches, keyring.holders, strict=True)


def _password(wish: Wish, vault: Vault) -> Keyring:
    site_secret = vault.require_site_secret()
    found = _found(wish, vault, "a password")
    check_form(found.value, of=wish.of, names=wish.names)
    if found.value.casefold() in (wish.hint or "").casefold():
        raise RefusedError(f"the hint of {wish.of} holds the password itself, and everyone can read it; write another")
    link = link_root(site_secret, slug=wish.scope, recipient="", epoch=wish.epoch)
    group = f"{password_group(site_secret, found.value)}/{wish.epoch}"
    return Keyring("password", (Holder("", found.value, link),), group_salt(site_secret, group), found.place)


def _email(wish: Wish, vault: Vault) -> Keyring:
    site_secret = vault.require_site_secret()
    found = vault.find(wish.secret, scope=wish.scope)
    recipients = _addresses(wish, found)
    if not recipients:
        raise _missing(wish, "its recipients, one address a line,")
    holders = tuple(_recipient(site_secret, each, wish) for each in recipients)
    salt = group_salt(site_secret, f"email/{wish.scope}/{wish.epoch}")
    return Keyring("email", holders, salt, found.place if found else "the site secret")


def _recipient(site_secret: bytes, address: str, wish: Wish) -> Holder:
    return Holder(
        address,
        recipient_code(site_secret, slug=wish.scope, recipient=address, epoch=wish.epoch),
        link_root(site_secret, slug=wish.scope, recipient=address, epoch=wish.epoch),
    )


def _codes(wish: Wish, vault: Vault) -> Keyring:
    site_secret = vault.require_site_secret()
    found = vault.find(wish.secret, scope=wish.scope)
    codes = re.split(r"[\s,;]+", found.value.strip()) if found else list(vault.codes(wish.scope))
    if not codes or codes == [""]:
        raise _missing(wish, "its codes")
    check_codes(codes, of=wish.of)
    holders = tuple(Holder("", code) for code in dict.fromkeys(normalise_code(code) for code in codes))
    salt = group_salt(site_secret, f"otp/{wish.scope}/{wish.epoch}")
    return Keyring("otp", holders, salt, found.place if found else PRIVATE_FILE)


def _found(wish: Wish, vault: Vault, what: str) -> Found:
    found = vault.find(wish.secret, scope=wish.scope)
    if found is None:
        raise _missing(wish, what)
    return found


def _missing(wish: Wish, what: str) -> UsageError:
    can_make = wish.kind == "password"
    name = wish.scope.removeprefix("p:")
    made = f". “sitegen rotate {name} --new-passphrase” makes one there" if can_make else ""
    if wish.secret is not None:
        is_ours = wish.secret.startswith("private:")
        return UsageError(
            f"{wish.of} needs {what} from {wish.secret}, and nothing is there; put it there and try again"
            f"{made if is_ours else ''}"
        )
    return UsageError(
        f"{wish.of} needs {what} and there is none: set {variable(wish.scope)}, or put it into {PRIVATE_FILE}, "
        f"or name its place with secret = “env:NAME” or “file:PATH”{made.replace(' there', '')}"
    )


def _addresses(wish: Wish, found: Found | None) -> tuple[str, ...]:
    """The recipients that are named and those that the secret lists, each once, as their codes are made from."""
    listed = [each for each in re.split(r"[\s,;]+", found.value) if each] if found else []
    if any(not _ADDRESS.fullmatch(each) for each in listed):
        raise UsageError(f"{wish.of}: {found.place if found else ''} should hold e-mail addresses, one a line")
    return tuple(dict.fromkeys(plain_address(each) for each in (*wish.recipients, *listed)))


def plain_address(address: str) -> str:
    """An address as codes and links are made from it: trimmed, in lower case, composed."""
    return unicodedata.normalize("NFC", address.strip().lower())
