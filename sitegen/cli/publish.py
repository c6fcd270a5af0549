"""`sitegen publish`: builds, looks everything over, asks, and puts the site where its readers are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.terminal import counted, safe, safe_lines
from sitegen.errors import RefusedError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.model import Share
    from sitegen.publish.changes import Changes
    from sitegen.publish.run import Publication
    from sitegen.publish.target import Address

_SHOWN = 20
_FEW = 5


@click.command("publish")
@click.option(
    "--to",
    metavar="PLACE",
    help="A folder, git:BRANCH[@REMOTE] or s3://bucket/prefix; otherwise what [publish] names, or git:gh-pages.",
)
@click.option("--yes", "is_agreed", is_flag=True, help="Don't ask.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Tell what would happen, and do nothing there.")
@click.option("--force", "is_forced", is_flag=True, help="Take a place that holds what sitegen didn't publish.")
@click.option("--json", "is_json", is_flag=True, help="Print what was done as JSON.")
@pass_app
def command(app: App, to: str | None, is_agreed: bool, is_dry: bool, is_forced: bool, is_json: bool) -> None:
    """Put the site where its readers are.

    Builds first. Goes out only when the report has nothing to settle and the check finds nothing broken. What was taken
    back is removed in any case.
    """
    from sitegen.publish.ready import make_ready
    from sitegen.publish.run import publication

    config = app.config()
    address = _address(config, to)
    if not (is_agreed or is_dry or _can_ask()):
        raise RefusedError("publishing asks first, and there is no terminal to ask on; pass --yes to agree beforehand")
    with _Line() as progress:
        ready = make_ready(config, on_progress=progress.show)
    for notice in ready.notices:
        click.echo(f"note: {safe_lines(notice)}", err=True)
    with publication(config, ready, address, is_forced=is_forced) as it:
        if ready.problem is not None:
            _withdraw(it, ready.problem, is_agreed=is_agreed, is_dry=is_dry)
            raise ready.problem
        if not is_json or not is_agreed:
            for line in _summary(it, is_whole=is_dry):
                click.echo(line, err=is_json)
        is_done = not is_dry and _agree(it, is_agreed=is_agreed)
        if is_done:
            with _Line() as progress:
                it.carry_out(on_put=partial(progress.show, "publishing"))
        if is_json:
            click.echo(json.dumps(_record(it, is_done=is_done)))
        elif is_done:
            for line in _links(it):
                click.echo(line)


def _address(config: Config, to: str | None) -> Address:
    from sitegen.publish.target import DEFAULT, read_address

    if to is not None:
        return read_address(to, folder=Path.cwd())
    return read_address(config.publish.to or DEFAULT, folder=config.folder)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agree(it: Publication, *, is_agreed: bool) -> bool:
    if it.changes.is_nothing or is_agreed:
        return True
    return click.confirm(f"Publish to {safe(it.target.name)}?", err=True, abort=True)


def _withdraw(it: Publication, problem: Exception, *, is_agreed: bool, is_dry: bool) -> None:
    """What was taken back goes, though nothing else may; then the problem is told."""
    paths = it.withdrawn
    if not paths:
        return
    what = f"{counted(len(paths), 'file')} of what was taken back"
    if is_dry:
        click.echo(f"Nothing new would go to {safe(it.target.name)}, and {what} would be removed there.")
        return
    if not is_agreed:
        click.echo(f"sitegen: {safe_lines(str(problem))}", err=True)
        click.confirm(f"Nothing new goes out. Remove {what} from {safe(it.target.name)} now?", err=True, abort=True)
    it.withdraw()
    click.echo(
        f"Removed {what} from {safe(it.target.name)}. Nothing else there was changed: indexes still name it.", err=True
    )


class _Line:
    """One line on a terminal that tells how far it is, nothing elsewhere."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._put("")

    def show(self, stage: str, done: int, total: int) -> None:
        self._put(f"sitegen: {stage} {done}/{total}" if total else f"sitegen: {stage}")

    def _put(self, text: str) -> None:
        if sys.stderr.isatty():
            click.echo("\r" + text.ljust(self._width) + ("" if text else "\r"), nl=False, err=True)
            self._width = len(text)


# ---------------------------------------------------------------------------------------------------------- the words


def _summary(it: Publication, *, is_whole: bool) -> Iterator[str]:
    from sitegen.cli.report import summary

    if it.ready.report is not None:
        yield from summary(it.ready.report, place=it.target.name)
    if it.ready.tree.foreign:
        yield f"note: not sitegen's, and so not published: {safe(', '.join(it.ready.tree.foreign[:_FEW]))}"
    yield from _listed(it.changes, limit=sys.maxsize if is_whole else 0)
    yield f"{safe(it.target.name)}: {_counts(it.changes)}"


def _counts(changes: Changes) -> str:
    if changes.is_nothing:
        return f"all {counted(len(changes.kept), 'file')} stand as they should"
    parts = (
        f"{len(changes.added)} new, {len(changes.changed)} changed, {len(changes.removed)} to remove,"
        f" {len(changes.kept)} the same"
    )
    return parts + (f"; {len(changes.foreign)} of others stay" if changes.foreign else "")


def _listed(changes: Changes, *, limit: int) -> Iterator[str]:
    rows = [("+", path) if path in set(changes.added) else ("~", path) for path in changes.put]
    rows += [("-", path) for path in changes.removed]
    for sign, path in rows[:limit]:
        yield f"  {sign} {safe(path)}"


def _links(it: Publication) -> Iterator[str]:
    """Where readers find each share. What opens a protected one is for `sitegen links` alone to print."""
    yield "Nothing to do." if it.changes.is_nothing else f"Published to {safe(it.target.name)}."
    shares = [each.share for each in it.ready.report.shares] if it.ready.report is not None else []
    base_url = it.config.site.base_url or ""
    for share in shares[:_SHOWN]:
        hint = f"   “sitegen links {safe(share.slug)}” prints what opens it" if share.is_gated else ""
        yield f"  {_link(base_url, share)}{hint}"
    if len(shares) > _SHOWN:
        yield f"  and {len(shares) - _SHOWN} more, which “sitegen shares” lists"
    if shares and not base_url:
        yield "[site] names no base_url, so these addresses lack their beginning."


def _link(base_url: str, share: Share) -> str:
    return f"{base_url}s/{quote(share.slug)}/"


def _record(it: Publication, *, is_done: bool) -> dict[str, object]:
    changes, report = it.changes, it.ready.report
    base_url = it.config.site.base_url or ""
    return {
        "target": it.target.name,
        "published": is_done,
        "added": list(changes.added),
        "changed": list(changes.changed),
        "removed": list(changes.removed),
        "kept": len(changes.kept),
        "links": [_link(base_url, each.share) for each in report.shares] if report is not None else [],
    }
