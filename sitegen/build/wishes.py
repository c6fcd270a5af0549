"""What shares and projects ask of their gates, in the gate's own terms; whether anything asks at all.

Light enough for commands that only list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sitegen.config import Asking, Config
from sitegen.config.slugs import letters
from sitegen.model import Gate, Project, Share, SharedView
from sitegen.shares.gates import terms_of

if TYPE_CHECKING:
    from sitegen.gate.credentials import Kind, Wish
    from sitegen.gate.vault import Vault


def has_gates(config: Config, views: Iterable[SharedView]) -> bool:
    """Whether anything asks for a gate, so that secrets are needed."""
    entries: tuple[Asking, ...] = (*config.shares, *config.projects, *config.rules)
    return any(terms_of(entry).gate is not Gate.NONE for entry in entries) or any(
        view.gate_type not in (None, Gate.NONE.value) for view in views
    )


def slug_hider(vault: Vault) -> Callable[[str], str] | None:
    """What makes slugs that can't be guessed; None without a site secret."""
    secret = vault.site_secret
    if secret is None:
        return None
    from sitegen.gate.credentials import hidden_slug  # here and below: nothing of it where nothing is protected

    return lambda name: letters(hidden_slug(secret, name))


def wish_of(share: Share, *, names: tuple[str, ...] = ()) -> Wish:
    """What a share's gate asks for."""
    from sitegen.gate.credentials import Wish

    is_project = share.is_inherited and share.project is not None
    return Wish(
        kind=_kind(share.gate),
        scope=share.scope,
        of=f"the project “{share.scope.removeprefix('p:')}”" if is_project else f"the share “{share.slug}”",
        secret=share.secret,
        recipients=share.recipients,
        epoch=share.epoch,
        is_weak_allowed=share.allow_weak,
        names=names,
        hint=share.hint,
    )


def wish_of_project(project: Project) -> Wish:
    """What the gate of a project's index asks for."""
    from sitegen.gate.credentials import Wish

    return Wish(
        kind=_kind(project.gate),
        scope=project.scope,
        of=f"the project “{project.slug}”",
        secret=project.secret,
        recipients=project.recipients,
        epoch=project.epoch,
        is_weak_allowed=project.allow_weak,
        names=(project.slug, project.name),
        hint=project.hint,
    )


def _kind(gate: Gate) -> Kind:
    match gate:
        case Gate.PASSWORD:
            return "password"
        case Gate.EMAIL:
            return "email"
        case Gate.OTP:
            return "otp"
        case _:
            return "agreement"
