"""`sitegen ingest`: conversations of a tool into a projection, with what was read and what couldn't be."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.terminal import counted, safe
from sitegen.errors import IngestError, UsageError
from sitegen.ingest.finding import Findings, look_around
from sitegen.ingest.sources import is_source, load_source, source_names

if TYPE_CHECKING:
    from sitegen.ingest import IngestReport, LineProblem, Progress
    from sitegen.ingest.records import Adapter

DEFAULT_DB: Final = "archive.duckdb"
_SHOWN_PROBLEMS: Final = 20
_OF_SESSIONS: Final = ("claude_code", "codex_cli")
_SAY_S: Final = 3.0


@click.command("ingest")
@click.argument("source", required=False)
@click.argument("path", required=False)
@click.option("--auto", is_flag=True, help="Find the sessions of Claude Code and Codex on this machine and read them.")
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=f"The projection; otherwise the one sitegen.toml names, or {DEFAULT_DB}.",
)
@click.option("--schema", metavar="NAME", help="workspace: the schema of its tables; otherwise public.")
@click.option(
    "--table",
    "tables",
    metavar="TABLE=NAME",
    multiple=True,
    help="workspace: what one of its tables is called there; TABLE= when there is none. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="An object with all counts and problems, for scripts.")
@pass_app
def command(
    app: App,
    source: str | None,
    path: str | None,
    *,
    auto: bool,
    db: Path | None,
    schema: str | None,
    tables: tuple[str, ...],
    as_json: bool,
) -> None:
    """Read the conversations at PATH into a projection. Doing it again reads only what is new.

    \b
    SOURCE          PATH
    claude-code     a session, a project's folder or ~/.claude/projects
    codex           a session or ~/.codex/sessions
    opencode        ~/.local/share/opencode or a database in it
    claude-export   claude.ai's export: the zip, its folder or conversations.json
    chatgpt-export  ChatGPT's export: the zip, its folder or conversations.json
    workspace       postgresql://USER@HOST/DATABASE, or env:NAME for a variable with such a URL
    """
    if auto:
        if source is not None:
            raise UsageError("--auto finds sources and paths by itself; leave SOURCE and PATH out, or --auto")
        _read_all(app, db or _default_db(app), as_json=as_json)
        return
    if source is None or path is None:
        lacking = "PATH" if source else "SOURCE"
        raise UsageError(f"Missing argument {lacking}: say what to read, or let --auto look for it.")
    adapter = _workspace(source, schema, tables) if schema or tables else _adapter(source)
    projection = db or _default_db(app)
    report = _read(adapter, path, projection)
    if as_json:
        click.echo(json.dumps({"projection": str(projection), **report.as_json()}, indent=2))
    else:
        _tell(report, projection, noun=_noun(adapter))
    _fail_for([report])


def _adapter(name: str) -> Adapter:
    if not is_source(name):
        raise UsageError(f"there is no source “{name}”; there is: {', '.join(source_names())}")
    return load_source(name)


def _workspace(source: str, schema: str | None, tables: tuple[str, ...]) -> Adapter:
    if source != "workspace":
        raise UsageError("--schema and --table are for the source “workspace”; leave them out")
    from sitegen.ingest.workspace import Workspace

    if wrong := next((pair for pair in tables if "=" not in pair), None):
        raise UsageError(f"--table {wrong}: expected TABLE=NAME, as in --table messages=chat_messages")
    return Workspace(
        schema=schema or "public", tables={known: name for known, _, name in (pair.partition("=") for pair in tables)}
    )


def _read(adapter: Adapter, path: str | Path, projection: Path) -> IngestReport:
    from sitegen.ingest import ingest

    try:
        with _progress(_noun(adapter)) as on_progress:
            return ingest(adapter, path, projection, on_progress=on_progress)
    except KeyboardInterrupt:
        click.echo(f"sitegen: stopped; {projection} holds what was read, and the next ingest goes on", err=True)
        raise


def _noun(adapter: Adapter) -> str:
    """What one conversation of a source is called."""
    return "session" if adapter.source_id in _OF_SESSIONS else "conversation"


# -------------------------------------------------------------------------------------------------------- what is here


def _read_all(app: App, projection: Path, *, as_json: bool) -> None:
    findings = look_around(os.environ, Path.home())
    reports: dict[str, IngestReport] = {}
    for place in findings.places:
        if not as_json:
            click.echo(f"{place.source}: {counted(place.file_count, 'session')} in {safe(str(place.path))}")
        adapter = load_source(place.source)
        reports[place.source] = _read(adapter, place.path, projection)
        if not as_json:
            _tell(reports[place.source], projection, noun=_noun(adapter))
    if as_json:
        click.echo(json.dumps(_found_json(findings, reports, projection), indent=2))
    elif findings.archive is not None:
        click.echo(_archive_advice(findings.archive))
    if not findings.places and findings.archive is None:
        looked_at = ", ".join(safe(str(path)) for path in findings.looked_at)
        raise IngestError(
            f"No conversations were found on this machine (looked at {looked_at}). Name a source and a path."
        )
    _fail_for(reports.values())


def _found_json(findings: Findings, reports: dict[str, IngestReport], projection: Path) -> dict[str, object]:
    return {
        "projection": str(projection),
        "found": [
            {"source": place.source, "path": str(place.path), **reports[place.source].as_json()}
            for place in findings.places
        ],
        "archive": None if findings.archive is None else str(findings.archive),
    }


def _archive_advice(archive: Path) -> str:
    shown = safe(str(archive))
    return (
        f"chatstrata: an archive in {shown}. It needs no ingest; let sitegen.toml name it:\n"
        f"  [source]\n  projection = {json.dumps(shown, ensure_ascii=False)}"
    )


def _fail_for(reports: Iterable[IngestReport]) -> None:
    problems = [problem for report in reports for problem in report.unreadable]
    if problems:
        raise IngestError(_unreadable(problems))


def _default_db(app: App) -> Path:
    try:
        app.config_path()
    except UsageError:
        if app.config_file is not None:
            raise
        return Path(DEFAULT_DB)
    source = app.config().source
    projections = source.projections
    if source.remote:
        raise UsageError("sitegen.toml names a projection by its address, where nothing can be written; say --db FILE")
    if len(projections) > 1:
        named = ", ".join(str(projection) for projection in projections)
        raise UsageError(f"sitegen.toml names several projections ({named}); say which one with --db")
    return projections[0] if projections else app.config_path().parent / DEFAULT_DB


# --------------------------------------------------------------------------------------------------------- progress


@contextmanager
def _progress(noun: str) -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal, a line now and then elsewhere; always on stderr, out of the way of --json."""
    if sys.stderr.isatty():
        with click.progressbar(length=1, label="Reading", file=sys.stderr, show_pos=False) as bar:
            yield _Teller(noun, bar).advance
    else:
        yield _Teller(noun).say


class _Teller:
    """Tells how far an ingest has come and how fast it is, first in looking, then in reading."""

    def __init__(self, noun: str, bar: click._termui_impl.ProgressBar[int] | None = None) -> None:
        self._noun = noun
        self._bar = bar
        self._is_looking = True
        self._began_at = self._told_at = time.monotonic()

    def advance(self, progress: Progress) -> None:
        """Moves the bar."""
        assert self._bar is not None  # noqa: S101 - for the type checker
        rate = self._rate(progress)
        if progress.is_looking:
            self._bar.label = f"Found {progress.total:,} ({rate})"
            self._bar.update(0)
            return
        self._bar.length = max(progress.bytes_total, 1)
        self._bar.label = f"Reading {progress.done:,} of {progress.total:,} ({rate})"
        self._bar.update(progress.bytes_done - self._bar.pos)

    def say(self, progress: Progress) -> None:
        """Prints a line, when the last one is some seconds ago."""
        rate = self._rate(progress)
        if time.monotonic() - self._told_at < _SAY_S:
            return
        self._told_at = time.monotonic()
        total, size = counted(progress.total, self._noun), _megabytes(progress.bytes_total)
        if progress.is_looking:
            click.echo(f"found {total} so far ({size}, {rate})", err=True)
        elif progress.done < progress.total:
            done = _megabytes(progress.bytes_done)
            click.echo(f"read {progress.done:,} of {total} ({done} of {size}, {rate})", err=True)

    def _rate(self, progress: Progress) -> str:
        if self._is_looking and not progress.is_looking:
            self._is_looking, self._began_at = False, time.monotonic()
        seconds = max(time.monotonic() - self._began_at, 0.001)
        size_bytes = progress.bytes_total if progress.is_looking else progress.bytes_done
        return f"{_megabytes(round(size_bytes / seconds))}/s"


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1_000_000:.1f} MB"


# ----------------------------------------------------------------------------------------------------------- report


def _tell(report: IngestReport, projection: Path, *, noun: str) -> None:
    tally = report.tally
    removed = f", {report.removed:,} removed" if report.removed else ""
    click.echo(
        f"{counted(report.files, noun)} found: {report.new:,} new, {report.updated:,} updated, "
        f"{report.unchanged:,} unchanged{removed} in {safe(str(projection))}"
    )
    if report.new or report.updated:
        parts = (
            counted(tally.messages, "message"),
            counted(tally.calls, "tool call"),
            counted(tally.results, "result"),
            counted(tally.images, "image"),
        )
        click.echo(f"read {', '.join(parts)} ({_megabytes(report.bytes_read)} in {report.seconds:.1f} s)")
    if report.shared_views:
        click.echo(f"copied {counted(report.shared_views, 'share')} that the workspace made")
    if tally.problem_count:
        click.echo(_bad_lines(report.problems, tally.problem_count, noun=noun), err=True)


def _bad_lines(problems: Sequence[LineProblem], count: int, *, noun: str) -> str:
    head = (
        f"{counted(count, 'line')} not as expected; the rest of each file was read, and every line is kept as it is:"
        if noun == "session"
        else f"{counted(count, 'record')} not as expected; all others were read:"
    )
    lines = [head]
    lines += [
        f"  {safe(str(problem))}{' (mended)' if problem.is_kept else ''}" for problem in problems[:_SHOWN_PROBLEMS]
    ]
    if count > _SHOWN_PROBLEMS:
        lines.append(f"  … and {count - _SHOWN_PROBLEMS:,} more; --json lists them")
    return "\n".join(lines)


def _unreadable(problems: Sequence[LineProblem]) -> str:
    first = problems[0]
    more = f" (and {len(problems) - 1} more files)" if len(problems) > 1 else ""
    return f"{first.location}: {first.reason}{more}. All others were read."
