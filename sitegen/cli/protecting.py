"""What `share` does for a gate: takes or makes the secret, judges it, keeps it in the private file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sitegen.cli.reading import remark
from sitegen.cli.terminal import safe
from sitegen.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.config.edit import Value
    from sitegen.model import Gate

CODES: Final = 10
MOST_CODES: Final = 1_000


@dataclass(frozen=True, slots=True)
class GateWish:
    """The options of `share` that are about its gate, as given."""

    gate: str | None
    password: str | None = field(repr=False)
    is_stdin: bool
    is_prompt: bool
    secret: str | None
    recipients: tuple[str, ...]
    agreement: str | None
    codes: int | None
    allow_weak: bool
    hint: str | None
    public_title: str | None

    @property
    def has_password(self) -> bool:
        return self.password is not None or self.is_stdin or self.is_prompt

    @property
    def kind(self) -> Gate | None:
        """The gate that is meant; None when nothing was said about one."""
        from sitegen.model import Gate

        if self.gate is not None:
            return Gate.AGREEMENT if self.gate == Gate.NONE and self.agreement else Gate(self.gate)
        if self.has_password:
            return Gate.PASSWORD
        if self.recipients:
            return Gate.EMAIL
        if self.codes is not None:
            return Gate.OTP
        return Gate.AGREEMENT if self.agreement else None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A gate that can be written down: its keys in sitegen.toml, and what goes into the private file."""

    kind: Gate | None
    entry: Mapping[str, Value]
    password: str | None = field(default=None, repr=False)
    is_made: bool = False
    codes: tuple[str, ...] = field(default=(), repr=False)


def prepare(wish: GateWish, config: Config, *, names: tuple[str, ...]) -> Prepared:
    """Checks a gate and makes its secret; nothing is written yet.

    Raises UsageError for options that don't fit together, RefusedError for a password that wouldn't protect anything.
    """
    from sitegen.model import Gate

    kind = wish.kind
    _refuse_unfit(wish, kind)
    entry = _entry(wish, config, kind)
    if kind is Gate.OTP and wish.secret is None:
        from sitegen.gate.phrases import make_codes

        return Prepared(kind, entry, codes=make_codes(wish.codes or CODES))
    if kind is not Gate.PASSWORD or wish.secret is not None:
        return Prepared(kind, entry)
    given = _given_password(wish)
    if given is None:
        from sitegen.gate.phrases import make_passphrase

        return Prepared(kind, entry, make_passphrase(), is_made=True)
    _judge(given, wish, names)
    return Prepared(kind, entry, given)


def keep(prepared: Prepared, config: Config, *, scope: str, is_reused: bool = False) -> None:
    """Keeps the secrets of a gate, its share's own or its project's, and makes a site secret when there is none.

    What the private file still has for the same slug goes: another gate would take it for what it asks for. What the
    environment has for one that is used again is refused, for it opened what stood there before.
    Raises OutputError when they can't be written, RefusedError when others could read them.
    """
    from sitegen.config import private
    from sitegen.gate.phrases import make_site_secret
    from sitegen.gate.vault import PRIVATE_FILE, Vault, variable

    vault = Vault.open(config.folder)
    if (prepared.password or prepared.codes) and vault.find(f"env:{variable(scope)}", scope=scope):
        if is_reused:
            raise RefusedError(
                f"{variable(scope)} is set, and would open the new share as it did the one before; unset it, or say "
                f"--secret env:{variable(scope)} if that is meant"
            )
        remark(f"{variable(scope)} is set, and comes before what is stored now")
    if vault.site_secret is None:
        private.keep_site_secret(config.folder, make_site_secret())
        remark(f"made a site secret in {PRIVATE_FILE}; keep a copy in a safe place")
    if prepared.password is not None:
        private.keep(config.folder, table="secrets", name=scope, value=prepared.password)
    elif vault.stores(scope) and not _is_named(scope, prepared, config):  # by an earlier share of this slug
        private.keep(config.folder, table="secrets", name=scope, value=())
    if prepared.codes or vault.codes(scope):
        private.keep(config.folder, table="codes", name=scope, value=prepared.codes)


def _is_named(name: str, prepared: Prepared, config: Config) -> bool:
    """Whether anything in sitegen.toml says that its secret is kept under this name."""
    entries = (*config.shares, *config.projects, *config.rules)
    return f"private:{name}" in {prepared.entry.get("secret"), *(entry.secret for entry in entries)}


def _refuse_unfit(wish: GateWish, kind: Gate | None) -> None:
    """Raises UsageError for options that the gate has no use for: what is asked for and ignored protects nobody."""
    from sitegen.model import Gate
    from sitegen.shares import refuse_gate
    from sitegen.shares.registry import Origin

    sources = [wish.password is not None, wish.is_stdin, wish.is_prompt, wish.secret is not None]
    if sum(sources) > 1:
        raise UsageError(
            "take one of --password, --password-stdin, --password-prompt and --secret; a page has one password"
        )
    if wish.has_password and kind is not Gate.PASSWORD:
        raise UsageError(f"a password is given, but the gate “{kind or 'none'}” doesn't ask for one")
    if wish.codes is not None and (kind is not Gate.OTP or wish.secret is not None):
        raise UsageError("--codes makes one-time codes, which “--gate otp” asks for when no --secret names others")
    if kind is Gate.EMAIL and not wish.recipients and wish.secret is None:
        raise UsageError("the gate “email” needs its readers: give --recipient ADDRESS for each")
    origin = Origin(None, what="nothing was shared")
    gate = kind or Gate.NONE
    refuse_gate(origin, gate, secret=wish.secret, recipients=wish.recipients, agreement=wish.agreement)


def _entry(wish: GateWish, config: Config, kind: Gate | None) -> Mapping[str, Value]:
    values: dict[str, Value | None] = {
        "gate": None if kind is None else kind.value,
        "secret": _reference(wish.secret),
        "recipients": _recipients(wish.recipients) or None,
        "agreement": None if wish.agreement is None else _agreement(wish.agreement, config),
        "allow_weak": wish.allow_weak or None,
        "hint": wish.hint,
        "public_title": wish.public_title,
    }
    return {key: value for key, value in values.items() if value is not None}


def _reference(secret: str | None) -> str | None:
    from sitegen.config.values import is_reference

    if secret is not None and not is_reference(secret):  # it may be a secret itself, and isn't shown
        raise UsageError("--secret says where a secret is kept: env:NAME, file:PATH or private:NAME")
    return secret


def _recipients(addresses: tuple[str, ...]) -> tuple[str, ...]:
    from sitegen.config.values import is_address
    from sitegen.gate.credentials import plain_address

    for address in addresses:
        if not is_address(address):
            raise UsageError(f"“{safe(address, limit=60)}” isn't an e-mail address")
    return tuple(dict.fromkeys(plain_address(address) for address in addresses))


def _agreement(name: str, config: Config) -> str:
    """The path of the terms as sitegen.toml has it: from its folder."""
    path = Path(name).expanduser().absolute()
    try:
        is_empty = not path.read_text("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it isn't text in UTF-8"
        raise UsageError(f"the terms in {name} can't be read: {why}") from None
    if is_empty:
        raise UsageError(f"the terms in {name} are empty; write what is agreed to")
    if path.is_relative_to(config.folder):
        return path.relative_to(config.folder).as_posix()
    return str(path)


def _given_password(wish: GateWish) -> str | None:
    if wish.password is not None:
        remark("a password on the command line stays in your shell's history; --password-prompt and -stdin don't")
        return wish.password
    if wish.is_prompt:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    if wish.is_stdin:
        return sys.stdin.read(65_536).removesuffix("\n").removesuffix("\r")
    return None


def _judge(password: str, wish: GateWish, names: tuple[str, ...]) -> None:
    from sitegen.gate.strength import check_form, check_password, count_guesses

    check_form(password, of="this share", names=names)
    if password.casefold() in (wish.hint or "").casefold():
        raise RefusedError("the hint holds the password itself, and everyone can read it; write another")
    weak = check_password(count_guesses(password), of="this share", is_weak_allowed=wish.allow_weak)
    if weak is not None:
        remark(weak)
