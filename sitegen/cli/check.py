"""`sitegen check`: what is wrong with a built tree, told before a reader finds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from sitegen.cli.frame import App, pass_app
from sitegen.cli.terminal import counted, safe_lines
from sitegen.errors import UsageError

if TYPE_CHECKING:
    from sitegen.check import CheckReport

_SHOWN = 50


@click.command("check")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="An object with all findings, for scripts.")
@pass_app
@click.pass_context
def command(ctx: click.Context, app: App, folder: Path | None, as_json: bool) -> None:
    """Check a built site: links, anchors, security policy, loads from elsewhere, sizes.

    DIR is the configuration's output unless given; a bucket is copied into a passing folder first. Exit code 1 when
    something is broken; warnings alone don't count.
    """
    from sitegen.check import check_tree

    with _place(app, folder) as (folder, base_url):
        report = check_tree(folder, base_url=base_url)
    if as_json:
        click.echo(json.dumps(_record(report), indent=2))
    else:
        _tell(report)
    ctx.exit(1 if report.errors else 0)


@contextmanager
def _place(app: App, folder: Path | None) -> Iterator[tuple[Path, str | None]]:
    """The folder to check and where it will stand, as far as a configuration says so."""
    try:
        config = app.config()
    except UsageError:
        if folder is None:
            raise
        yield folder, None
        return
    output = config.output.directory
    if folder is None and config.output.bucket is not None:
        with _copy(config.output.bucket) as copy:
            yield copy, config.site.base_url
    elif folder is None or (folder.resolve() == output.resolve() and config.output.bucket is None):
        yield output, config.site.base_url
    else:
        yield folder, None


@contextmanager
def _copy(bucket: str) -> Iterator[Path]:
    from tempfile import TemporaryDirectory

    from sitegen.output.store import Store

    with TemporaryDirectory(prefix="sitegen-") as name:
        Store(bucket).copy_to(Path(name))
        yield Path(name)


def _record(report: CheckReport) -> dict[str, object]:
    return {
        "ok": not report.errors,
        "pages": report.pages,
        "files": report.files,
        "size_bytes": report.size_bytes,
        "findings": [asdict(finding) for finding in report.findings],
    }


def _tell(report: CheckReport) -> None:
    """Errors first, so that a long list of warnings doesn't hide them."""
    findings = [*report.errors, *report.warnings]
    for finding in findings[:_SHOWN]:
        mark = "warning: " if finding.level == "warning" else ""
        click.echo(safe_lines(f"{mark}{finding}"))
    if len(findings) > _SHOWN:
        click.echo(f"… and {len(findings) - _SHOWN:,} more; --json lists all")
    click.echo(
        f"{counted(report.pages, 'page')} of {counted(report.files, 'file')} checked:"
        f" {counted(len(report.errors), 'error')}, {counted(len(report.warnings), 'warning')}"
    )
