"""`sitegen ingest`: conversations of a tool into a projection, with what was read and what couldn't be."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.terminal import counted, safe
from sitegen.errors import IngestError, UsageError
from sitegen.ingest.sources import SOURCES

if TYPE_CHECKING:
    from sitegen.ingest import IngestReport, LineProblem, Progress

DEFAULT_DB: Final = "archive.duckdb"
_SHOWN_PROBLEMS: Final = 20


class _Source(click.Choice[str]):
    """The sources there are; any other is refused by naming them."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            self.fail(f"there is no source “{value}”; there is: {', '.join(self.choices)}", param, ctx)
        return value


@click.command("ingest")
@click.argument("source", type=_Source(list(SOURCES)), metavar="SOURCE")
@click.argument("path")
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=f"The projection; otherwise the one sitegen.toml names, or {DEFAULT_DB}.",
)
@click.option("--json", "as_json", is_flag=True, help="An object with all counts and problems, for scripts.")
@pass_app
def command(app: App, source: str, path: str, db: Path | None, as_json: bool) -> None:
    """Read the conversations at PATH into a projection. Doing it again reads only what is new.

    SOURCE is claude-code: PATH is a session, a project's folder or ~/.claude/projects.
    """
    from sitegen.ingest import ingest

    projection = db or _default_db(app)
    try:
        with _progress() as on_progress:
            report = ingest(source, path, projection, on_progress=on_progress)
    except KeyboardInterrupt:
        click.echo(f"sitegen: stopped; {projection} holds what was read, and the next ingest goes on", err=True)
        raise
    if as_json:
        click.echo(json.dumps({"projection": str(projection), **report.as_json()}, indent=2))
    else:
        _tell(report, projection)
    if report.unreadable:
        raise IngestError(_unreadable(report.unreadable))


def _default_db(app: App) -> Path:
    try:
        app.config_path()
    except UsageError:
        if app.config_file is not None:
            raise
        return Path(DEFAULT_DB)
    projections = app.config().source.projections
    if len(projections) > 1:
        named = ", ".join(str(projection) for projection in projections)
        raise UsageError(f"sitegen.toml names several projections ({named}); say which one with --db")
    return projections[0] if projections else app.config_path().parent / DEFAULT_DB


# --------------------------------------------------------------------------------------------------------- progress


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal, a line now and then elsewhere; always on stderr, out of the way of --json."""
    if sys.stderr.isatty():
        with click.progressbar(length=1, label="Reading", file=sys.stderr, show_pos=False) as bar:
            yield lambda progress: _advance(bar, progress)
    else:
        yield _say


def _advance(bar: click._termui_impl.ProgressBar[int], progress: Progress) -> None:
    bar.length = max(progress.bytes_total, 1)
    bar.label = f"Reading {progress.done:,} of {progress.total:,}"
    bar.update(progress.bytes_done - bar.pos)


def _say(progress: Progress) -> None:
    if progress.done < progress.total:
        done, total = _megabytes(progress.bytes_done), _megabytes(progress.bytes_total)
        click.echo(f"read {progress.done:,} of {counted(progress.total, 'session')} ({done} of {total})", err=True)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1_000_000:.1f} MB"


# ----------------------------------------------------------------------------------------------------------- report


def _tell(report: IngestReport, projection: Path) -> None:
    tally = report.tally
    click.echo(
        f"{counted(report.files, 'session')} found: {report.new:,} new, {report.updated:,} updated, "
        f"{report.unchanged:,} unchanged in {safe(str(projection))}"
    )
    if report.new or report.updated:
        parts = (
            counted(tally.messages, "message"),
            counted(tally.calls, "tool call"),
            counted(tally.results, "result"),
            counted(tally.images, "image"),
        )
        click.echo(f"read {', '.join(parts)} ({_megabytes(report.bytes_read)} in {report.seconds:.1f} s)")
    if tally.problem_count:
        click.echo(_bad_lines(report.problems, tally.problem_count), err=True)


def _bad_lines(problems: Sequence[LineProblem], count: int) -> str:
    lines = [
        f"{counted(count, 'line')} not as expected; the rest of each file was read, and every line is kept as it is:"
    ]
    lines += [
        f"  {safe(str(problem))}{' (mended)' if problem.is_kept else ''}" for problem in problems[:_SHOWN_PROBLEMS]
    ]
    if count > _SHOWN_PROBLEMS:
        lines.append(f"  … and {count - _SHOWN_PROBLEMS:,} more; --json lists them")
    return "\n".join(lines)


def _unreadable(problems: Sequence[LineProblem]) -> str:
    first = problems[0]
    more = f" (and {len(problems) - 1} more files)" if len(problems) > 1 else ""
    return f"{first.location}: {first.reason}{more}. All other sessions were read."
