"""`sitegen shares`: what is shared, on which terms, and where that was said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import iso, read_archive, read_registry, read_vault, remark
from sitegen.cli.terminal import day, safe, table

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.gate.vault import Vault
    from sitegen.model import Share


@click.command("shares")
@click.option("--json", "as_json", is_flag=True, help="An array of objects, for scripts.")
@pass_app
def command(app: App, as_json: bool) -> None:
    """List what is shared: slug, gate, where its secret is kept, expiry, and where it was said."""
    config = app.config()
    registry = read_registry(config, read_archive(config))
    vault = read_vault(config) if any(share.is_gated for share in registry.shares) else None
    if as_json:
        click.echo(json.dumps([_record(config, share, vault) for share in registry.shares], indent=2))
    elif registry.shares:
        click.echo(table([_HEADINGS, *(_row(share, vault) for share in registry.shares)]))
    else:
        remark("nothing is shared; “sitegen share” shares a conversation")
    for message in (*registry.problems, *registry.notes):
        remark(message)


def address(config: Config, slug: str) -> str | None:
    """The address of a share's page, when it's known where the site will stand."""
    return f"{config.site.base_url}s/{quote(slug)}/" if config.site.base_url else None


def title_of(share: Share) -> str:
    """The title of a share in one safe line."""
    return safe(share.title or share.head.title or "(no title)", limit=80)


def _place(share: Share, vault: Vault | None) -> str | None:
    """Where the secret of a share is kept, or “missing”; None when it needs none. Never the secret."""
    match share.gate:
        case "password" | "otp" if vault is not None:
            found = vault.place_of(share.secret, scope=share.scope, has_codes=share.gate == "otp")
            return found or f"missing ({share.secret or variable_of(share)})"
        case "email" if vault is not None:
            return "the site secret" if vault.site_secret is not None else "missing (the site secret)"
        case _:
            return None


def variable_of(share: Share) -> str:
    """The environment variable that holds a share's secret by default."""
    from sitegen.gate.vault import variable

    return variable(share.scope)


def _record(config: Config, share: Share, vault: Vault | None) -> dict[str, object]:
    return {
        "slug": share.slug,
        "conversation": share.head.key,
        "title": share.title or share.head.title,
        "project": share.project.slug if share.project else None,
        "gate": share.gate.value,
        "secret": share.secret,
        "secret_place": _place(share, vault),
        "inherited": share.is_inherited,
        "agreement": share.agreement,
        "recipients": len(share.recipients),
        "expires": iso(share.expires),
        "expired": share.is_expired,
        "view_limit": share.view_limit,
        "listed": share.listed,
        "show": share.show.value,
        "messages": [list(pair) for pair in share.messages],
        "origin": share.origin,
        "url": address(config, share.slug),
    }


_HEADINGS = ("SLUG", "GATE", "SECRET", "EXPIRES", "LISTED", "FROM", "TITLE")


def _row(share: Share, vault: Vault | None) -> tuple[str, ...]:
    expires = f"{day(share.expires)} (expired)" if share.is_expired else day(share.expires)
    listed = "yes" if share.listed else "no"
    gate = share.gate.value + (" + terms" if share.agreement and share.gate != "agreement" else "")
    place = safe(_place(share, vault) or "–")
    return (share.slug, gate, place, expires, listed, safe(share.origin), title_of(share))
