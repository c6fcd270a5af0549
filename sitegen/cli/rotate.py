"""`sitegen rotate`: new keys for a share or a project, so that what was handed out before opens nothing any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sitegen.cli.entries import Gated, find_gated, place_of
from sitegen.cli.frame import App, pass_app
from sitegen.cli.protecting import MOST_CODES
from sitegen.cli.reading import read_archive, read_registry, remark
from sitegen.cli.terminal import counted
from sitegen.errors import UsageError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.gate.vault import Vault


@click.command("rotate")
@click.argument("slug")
@click.option("--new-passphrase", is_flag=True, help="Make another passphrase too; otherwise the password stays.")
@click.option("--codes", type=click.IntRange(1, MOST_CODES), metavar="N", help="How many one-time codes to make.")
@pass_app
def command(app: App, slug: str, new_passphrase: bool, codes: int | None) -> None:
    """Give a share, or a protected project, new keys.

    With the next build, links, codes and remembered unlocks of before open nothing any more. What somebody has saved
    stays with them.
    """
    from sitegen.config.edit import rewrite, with_epoch
    from sitegen.config.toml import read_text
    from sitegen.gate.vault import Vault

    path = app.config_path()
    was = read_text(path)  # the entry is found by its number, which is another's once something else is taken back
    config = app.config()
    target = find_gated(read_registry(config, read_archive(config)), slug)
    place = place_of(config, target)
    vault = Vault.open(config.folder)
    told = _renew(config, vault, target, is_passphrase_new=new_passphrase, codes=codes)
    epoch = place.epoch + 1
    rewrite(path, lambda text: with_epoch(text, table=place.table, number=place.number, epoch=epoch), was=was)
    click.echo(f"“{target.slug}” gets new keys with the next “sitegen build” (epoch {epoch}). {told}")
    if place.table == "rule":
        remark("its rule gives new keys to all that it shares")


def _renew(config: Config, vault: Vault, target: Gated, *, is_passphrase_new: bool, codes: int | None) -> str:
    """Makes new secrets where they are ours to make; what became of the old ones, in a sentence."""
    kind = target.wish.kind
    if is_passphrase_new and kind != "password":
        raise UsageError(f"--new-passphrase is for the gate “password”; “{target.slug}” has “{kind}”")
    if codes is not None and kind != "otp":
        raise UsageError(f"--codes is for the gate “otp”; “{target.slug}” has “{kind}”")
    match kind:
        case "password":
            return _renew_password(config, vault, target, is_new=is_passphrase_new)
        case "email":
            return f"Each recipient has a new code and link; “sitegen links {target.slug}” prints them."
        case "otp":
            return _renew_codes(config, vault, target, count=codes)
        case "agreement":
            return "Readers accept the terms anew."


def _renew_password(config: Config, vault: Vault, target: Gated, *, is_new: bool) -> str:
    if not is_new:
        return "Links and remembered unlocks stop working; the password stays, and --new-passphrase makes another."
    from sitegen.config import private
    from sitegen.gate.phrases import make_passphrase

    _refuse_elsewhere(vault, target)
    private.keep(config.folder, table="secrets", name=_name(target), value=make_passphrase())
    return f"A new passphrase was made; “sitegen links {target.slug}” prints it."


def _renew_codes(config: Config, vault: Vault, target: Gated, *, count: int | None) -> str:
    from sitegen.cli.protecting import CODES
    from sitegen.config import private
    from sitegen.gate.phrases import make_codes

    elsewhere = target.wish.secret or vault.place_of(None, scope=target.wish.scope)
    if elsewhere is not None:
        return f"The codes in {elsewhere} stay as they are; replace them there."
    made = make_codes(count or len(vault.codes(target.wish.scope)) or CODES)
    private.keep(config.folder, table="codes", name=target.wish.scope, value=made)
    return f"{counted(len(made), 'new code')} made, the old ones are void; “sitegen links {target.slug}” lists them."


def _refuse_elsewhere(vault: Vault, target: Gated) -> None:
    """Raises UsageError when the secret is kept where sitegen doesn't write."""
    place = vault.place_of(target.wish.secret, scope=target.wish.scope)
    reference = target.wish.secret or ""
    if reference.startswith(("env:", "file:")) or (place or "").startswith("env:"):
        raise UsageError(
            f"the secret of “{target.slug}” is kept in {reference or place}, where sitegen doesn't write; "
            "change it there, and rotate without asking for a new one"
        )


def _name(target: Gated) -> str:
    reference = target.wish.secret or ""
    return reference.removeprefix("private:") if reference else target.wish.scope
