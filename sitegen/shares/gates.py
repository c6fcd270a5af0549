"""What protects a share: the words of its own entry, or those of its project. Knows references, never secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from msgspec import Struct

from sitegen.config import Asking, ProjectEntry
from sitegen.errors import ConfigError
from sitegen.model import Gate
from sitegen.shares.registry import Origin

_STRIDE = 1_000_000
"""Between a share's epochs within its project's: were they added up, a project's keys would some day be those that a
share of it had before."""


class Terms(Struct, frozen=True):
    """Who may enter. An agreement without any other gate is the gate “agreement”."""

    gate: Gate = Gate.NONE
    secret: str | None = None
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    epoch: int = 0
    allow_weak: bool = False
    hint: str | None = None
    is_inherited: bool = False


def terms_of(entry: Asking, project: ProjectEntry | None = None) -> Terms:
    """What protects the shares of an entry. One that names no gate has its project's.

    With a secret or recipients of its own, such a share has the project's kind of gate and credentials of its own.
    """
    if entry.gate is None and project is not None and (outer := terms_of(project)).gate is not Gate.NONE:
        return _inherited(entry, outer)
    gate = entry.gate or Gate.NONE
    if gate is Gate.NONE and entry.agreement:
        gate = Gate.AGREEMENT
    allow_weak = entry.allow_weak or False
    return Terms(gate, entry.secret, entry.recipients, entry.agreement, entry.epoch, allow_weak, entry.hint)


def _inherited(entry: Asking, outer: Terms) -> Terms:
    has_own = bool(entry.secret or entry.recipients)
    return Terms(
        gate=outer.gate,
        secret=entry.secret if has_own else outer.secret,
        recipients=entry.recipients if has_own else outer.recipients,
        agreement=entry.agreement or outer.agreement,
        epoch=entry.epoch if has_own else outer.epoch + _STRIDE * entry.epoch,
        allow_weak=outer.allow_weak if entry.allow_weak is None else entry.allow_weak,
        hint=entry.hint or outer.hint,
        is_inherited=not has_own,
    )


class Protection(TypedDict):
    """The fields of a share that say what protects it."""

    gate: Gate
    secret: str | None
    recipients: tuple[str, ...]
    agreement: str | None
    epoch: int
    allow_weak: bool
    hint: str | None
    is_inherited: bool


def protection_of(terms: Terms) -> Protection:
    """The terms, to be put into a share."""
    return Protection(
        gate=terms.gate,
        secret=terms.secret,
        recipients=terms.recipients,
        agreement=terms.agreement,
        epoch=terms.epoch,
        allow_weak=terms.allow_weak,
        hint=terms.hint,
        is_inherited=terms.is_inherited,
    )


def refuse_gate(
    origin: Origin,
    gate: Gate,
    *,
    secret: str | None = None,
    recipients: Sequence[str] = (),
    agreement: str | None = None,
) -> None:
    """Raise ConfigError when a share, rule, project or view asks for protection that doesn't fit together."""
    match gate:
        case Gate.NONE if secret or recipients:
            raise _unprotected(origin, "secret" if secret else "recipients")
        case Gate.AGREEMENT if not agreement:
            raise origin.fault(
                "the gate “agreement” needs the terms that are agreed to; write agreement = “terms.md”, a Markdown file"
            )
        case Gate.AGREEMENT if secret or recipients:
            key = "secret" if secret else "recipients"
            raise origin.fault(
                f"“{key}” is given, but the gate “agreement” asks for nothing but a yes, so everyone could read the "
                "page; say gate = “password”, “email” or “otp”, which the terms then come before"
            )
        case Gate.PASSWORD | Gate.OTP if recipients:
            raise origin.fault(
                f"“recipients” belong to the gate “email”, and this one is “{gate}”; take one of them away"
            )
        case _:
            return


def refuse_terms(origin: Origin, terms: Terms) -> None:
    """Raise ConfigError like `refuse_gate`."""
    refuse_gate(origin, terms.gate, secret=terms.secret, recipients=terms.recipients, agreement=terms.agreement)


def _unprotected(origin: Origin, key: str) -> ConfigError:
    return origin.fault(
        f"“{key}” is given, but no gate that would ask for it, so everyone could read the page; nothing was published. "
        f"Say which gate is meant, or remove “{key}”"
    )
