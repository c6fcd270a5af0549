"""`sitegen verify`: whether a copy of the site, or the live one, is what its manifest says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.terminal import counted, safe

if TYPE_CHECKING:
    from sitegen.verify import Report

_SHOWN = 50
_REFUSED = 3


@click.command("verify")
@click.argument("target", metavar="FILE|URL|DIR")
@click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The archive, or the manifest, to check against; otherwise the one that is there.",
)
@click.option("--key", metavar="KEY", help="The public key that must have signed it, or the file it's in.")
@click.option("--json", "is_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def command(ctx: click.Context, target: str, manifest: Path | None, key: str | None, is_json: bool) -> None:
    """Check a copy, or the live site, against an archive's manifest.

    FILE is an archive, DIR one that was unpacked or a folder that gets published, URL the address of the site. Nothing
    is unpacked. Exit code 1 when something differs, 3 when a signature is wrong or an archive is unsafe.
    """
    from sitegen.archive.signing import load_public
    from sitegen.verify import verify

    report = verify(target, manifest=manifest, trusted=None if key is None else load_public(key))
    if is_json:
        click.echo(json.dumps(_as_json(report)))
    else:
        _tell(report)
    ctx.exit(_REFUSED if report.is_refused else 1 if report.differs else 0)


def _as_json(report: Report) -> dict[str, object]:
    return {
        "ok": not report.differs and not report.is_refused,
        "checked": report.checked,
        "signature": report.signature.verdict,
        "signer": report.signature.signer or None,
        "missing": list(report.missing),
        "changed": [path for path, _ in report.changed],
        "extra": list(report.extra),
        "unsafe": [path for path, _ in report.unsafe],
        "extra_known": report.lists_all,
    }


def _tell(report: Report) -> None:
    lines = [
        *(f"unsafe: {safe(path)}: {safe(reason)}" for path, reason in report.unsafe),
        *(f"missing: {safe(path)}" for path in report.missing),
        *(f"changed: {safe(path)}: {safe(reason)}" for path, reason in report.changed),
        *(f"extra: {safe(path)}" for path in report.extra),
    ]
    for line in lines[:_SHOWN]:
        click.echo(line)
    if len(lines) > _SHOWN:
        click.echo(f"… and {len(lines) - _SHOWN:,} more; --json lists all")
    count = len(report.missing) + len(report.changed) + len(report.extra) + len(report.unsafe)
    told = f"{count:,} differ{'s' if count == 1 else ''}" if count else "all as the manifest says"
    unseen = "" if report.lists_all else "; what is there besides can't be known"
    click.echo(f"{counted(report.checked, 'file')} checked: {told}{unseen}")
    click.echo(_signature(report))


def _signature(report: Report) -> str:
    match report.signature.verdict:
        case "good":
            return f"Signed by {report.signature.signer}"
        case "bad":
            return f"The signature is wrong: {safe(report.signature.reason)}"
        case _:
            return "Not signed"
