"""`sitegen archive`: the whole site as one file, to keep or to hand on."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.building import Moment, Progress
from sitegen.cli.frame import App, pass_app

if TYPE_CHECKING:
    from sitegen.archive.making import ArchiveReport


@click.command("archive")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("archive.zip"),
    show_default=True,
    metavar="FILE",
    help="The file to make.",
)
@click.option("--key", metavar="PLACE", help="Sign with the Ed25519 key that is kept there: env:NAME or file:PATH.")
@click.option("--now", type=Moment(), help="The time to build for, instead of the clock's.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use; by default one a core.")
@click.option("--strict", "is_strict", is_flag=True, help="Refuse when a share has to be left out.")
@click.option("--no-live", "is_alone", is_flag=True, help="Leave out of the manifest what the published site holds.")
@click.option("--json", "is_json", is_flag=True, help="Print what was made as JSON.")
@pass_app
def command(
    app: App,
    output: Path,
    key: str | None,
    now: datetime | None,
    jobs: int | None,
    is_strict: bool,
    is_alone: bool,
    is_json: bool,
) -> None:
    """Make one file that opens from disk.

    A zip of the whole site as "build --offline" makes it, with a manifest of what is in it and of what the published
    site holds. The same site gives the same bytes; all times in it are SOURCE_DATE_EPOCH's. The output folder isn't
    touched.
    """
    from sitegen.archive.making import ArchiveOptions, make_archive
    from sitegen.archive.signing import load_signer

    options = ArchiveOptions(
        target=output,
        now=now,
        jobs=jobs,
        is_strict=is_strict,
        signer=None if key is None else load_signer(key),
        has_live=not is_alone,
    )
    with Progress(is_quiet=is_json) as progress:
        report = make_archive(app.config(), options, on_progress=progress.show)
    if is_json:
        click.echo(json.dumps(_as_json(report)))
    else:
        _tell(report)


def _as_json(report: ArchiveReport) -> dict[str, object]:
    return {
        "archive": str(report.target),
        "sha256": report.sha256,
        "bytes": report.size,
        "files": report.files,
        "shares": report.shares,
        "signer": report.signer,
        "notices": list(report.notices),
    }


def _tell(report: ArchiveReport) -> None:
    from sitegen.cli.terminal import counted, safe_lines

    for notice in report.notices:
        click.echo(f"note: {safe_lines(notice)}", err=True)
    click.echo(
        f"Made {report.target}: {counted(report.shares, 'share')} in {counted(report.files, 'file')},"
        f" {report.size / 1000:,.0f} kB"
    )
    click.echo(f"SHA-256 {report.sha256}")
    if report.signer:
        click.echo(f"Signed by {report.signer}")
