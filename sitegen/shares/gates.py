"""The one place that says which gates this version can build."""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.errors import ConfigError
from sitegen.model import Gate
from sitegen.shares.registry import Origin


def refuse_gate(
    origin: Origin,
    gate: Gate,
    *,
    secret: str | None = None,
    recipients: Sequence[str] = (),
    agreement: str | None = None,
) -> None:
    """Raise ConfigError when a share, rule, project or view asks for protection that can't be given."""
    if gate is Gate.NONE and not agreement:
        if secret or recipients:
            raise _unprotected(origin, "secret" if secret else "recipients")
        return
    asked = f"the gate “{gate}”" if gate is not Gate.NONE else "an agreement"
    raise origin.fault(
        f"{asked} is asked for here, but this version can't protect pages yet; nothing was published. "
        "Remove the entry until it can, or take the gate off if everyone may read it"
    )


def _unprotected(origin: Origin, key: str) -> ConfigError:
    return origin.fault(
        f"“{key}” is given, but no gate that would ask for it, so everyone could read the page; nothing was published. "
        f"Say which gate is meant, or remove “{key}”"
    )
