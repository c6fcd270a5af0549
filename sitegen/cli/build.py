"""`sitegen build`: the quick look whether there is anything to do, then the build itself."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.build import STATE_FOLDER, BuildOptions, BuildReport, build, invocation
from sitegen.cli.building import Moment, Progress
from sitegen.cli.frame import App, pass_app

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.output.unchanged import Verdict


class _Place(click.ParamType[Path | str]):
    name = "DIR"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        text = str(value)
        if not text.startswith("s3://"):
            return Path(text)
        if not text.removeprefix("s3://").strip("/"):
            self.fail("“s3://” names no bucket; write it like s3://talks/site", param, ctx)
        return text.rstrip("/")


class _Scheduler(click.ParamType[str]):
    name = "URL"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not re.fullmatch(r"dask(\+tls)?://[^\s/]+:\d{1,5}", text := str(value)):
            self.fail(f"“{text}” isn't a scheduler; write it like dask://scheduler.example.org:8786", param, ctx)
        return text


@click.command()
@click.option("-o", "--output", type=_Place(), help="Build into this folder (or s3://bucket/prefix) instead.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use; by default one a core.")
@click.option("--executor", type=_Scheduler(), metavar="URL", help="Make pages on a cluster: dask://host:port.")
@click.option("--now", type=Moment(), help="The time to build for, instead of the clock's.")
@click.option("--strict", "is_strict", is_flag=True, help="Refuse to build when a share has to be left out.")
@click.option("--offline", "is_offline", is_flag=True, help="Make pages that work when opened from disk.")
@click.option("--full", "is_full", is_flag=True, help="Make every page anew, whatever was made before.")
@click.option("--adopt", "is_adopting", is_flag=True, help="Build among foreign files; they aren't touched.")
@click.option("--json", "is_json", is_flag=True, help="Print what was done as JSON.")
@pass_app
def command(
    app: App,
    output: Path | str | None,
    jobs: int | None,
    executor: str | None,
    now: datetime | None,
    is_strict: bool,
    is_offline: bool,
    is_full: bool,
    is_adopting: bool,
    is_json: bool,
) -> None:
    """Build the site.

    Only what changed is made anew. What isn't shared any more goes first.
    """
    started = time.perf_counter()
    options = BuildOptions(
        output=output,
        jobs=jobs,
        executor=executor,
        now=now,
        is_strict=is_strict,
        is_offline=is_offline,
        is_full=is_full,
        is_adopting=is_adopting,
    )
    report = _look(app, options)
    is_new = report is None
    if report is None:
        with Progress(is_quiet=is_json) as progress:
            report = build(app.config_path(), options, on_progress=progress.show)
    seconds = round(time.perf_counter() - started, 3)
    if is_json:
        click.echo(json.dumps(_as_json(report, seconds)))
    else:
        _tell(report, seconds, is_new=is_new)
        _tell_expiry(report, app.config_path(), _lasting(options))


def _look(app: App, options: BuildOptions) -> BuildReport | None:
    """The report of a build that finds nothing to do, without one; None when there may be something."""
    from sitegen.output.layout import STATE_FILE
    from sitegen.output.unchanged import look

    if options.is_full:
        return None
    config_path = app.config_path().absolute()
    state_file = config_path.parent / STATE_FOLDER / STATE_FILE
    now = time.time() if options.now is None else options.now.timestamp()
    verdict = look(state_file, invocation=invocation(config_path, options), now=now)
    return _unchanged(verdict) if verdict.is_unchanged else None


def _unchanged(verdict: Verdict) -> BuildReport:
    from sitegen.output.places import is_bucket

    return BuildReport(
        output=verdict.output if is_bucket(verdict.output) else Path(verdict.output),
        kept=verdict.files,
        shares=verdict.shares,
        next_expiry=None if verdict.next_expiry is None else datetime.fromtimestamp(verdict.next_expiry, UTC),
        notices=tuple(verdict.notes.splitlines()),
    )


def _as_json(report: BuildReport, seconds: float) -> dict[str, object]:
    return {
        "output": str(report.output),
        "written": report.written,
        "kept": report.kept,
        "removed": report.removed,
        "seconds": seconds,
        "shares": report.shares,
        "expired": report.expired,
        "next_expiry": None if report.next_expiry is None else report.next_expiry.isoformat(),
        "taken_out": dict(report.found),
        "notices": list(report.notices),
    }


def _tell(report: BuildReport, seconds: float, *, is_new: bool) -> None:
    from sitegen.cli.counts import told
    from sitegen.cli.terminal import counted, safe_lines

    for notice in report.notices:
        click.echo(f"note: {safe_lines(notice)}", err=True)
    if not is_new or not (report.written or report.removed):
        stand = "stands as it was" if report.kept == 1 else "stand as they were"
        click.echo(f"Nothing to do: {counted(report.kept, 'file')} {stand} in {report.output} ({seconds:.2f} s)")
    else:
        click.echo(
            f"Built {counted(report.shares, 'share')} in {report.output}:"
            f" {counted(report.written, 'file')} written, {report.kept} kept,"
            f" {report.removed} removed ({seconds:.2f} s)"
        )
    if report.found:
        click.echo(f"Taken out of what is shown: {told(report.found)}. “sitegen report” says where.")


def _tell_expiry(report: BuildReport, config_path: Path, options: Sequence[str]) -> None:
    if report.next_expiry is None:
        return
    click.echo(
        f"The next share expires at {report.next_expiry:%Y-%m-%d %H:%M} UTC; build again then to replace its page."
    )
    click.echo(f"A line for cron, in this computer's time: {cron_line(report.next_expiry, config_path, options)}")


def _lasting(options: BuildOptions) -> list[str]:
    """The options that the next build of the same site needs too."""
    place = options.output.absolute() if isinstance(options.output, Path) else options.output
    output = [] if place is None else ["-o", str(place)]
    output += [] if options.executor is None else ["--executor", options.executor]
    return [*output, *(["--offline"] if options.is_offline else []), *(["--strict"] if options.is_strict else [])]


def cron_line(moment: datetime, config_path: Path, options: Sequence[str] = ()) -> str:
    """The crontab line that builds in the first whole minute from `moment` on, by this computer's clock.

    Cron knows no PATH of ours, so the program is named in full where it is known.
    """
    import shlex

    from sitegen.cli.terminal import safe

    local = (moment + timedelta(seconds=59, microseconds=999_999)).astimezone()
    # To cron a percent sign is the end of the command.
    program = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == "sitegen" else "sitegen"  # noqa: PTH100, PTH119
    command = shlex.join([program, "-C", str(config_path.absolute()), "build", *options]).replace("%", "\\%")
    return f"{local.minute} {local.hour} {local.day} {local.month} * {safe(command)}"
