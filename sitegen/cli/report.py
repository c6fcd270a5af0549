"""`sitegen report`: what publishing would expose, before it does, on a terminal, for scripts and as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.counts import told
from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import iso
from sitegen.cli.terminal import counted, day, safe
from sitegen.errors import OutputError, RefusedError

if TYPE_CHECKING:
    from sitegen.build.exposure import Exposure, Report
    from sitegen.output.published import Since
    from sitegen.privacy import Finding

_SHOWN = 10
"""Findings of one share that a terminal lists."""
VERSION = 1
"""Of the JSON: it goes up when something is renamed or taken away."""


@click.command("report")
@click.option("--json", "as_json", is_flag=True, help="An object for scripts: docs/reference/report-json.md.")
@click.option("--html", "html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with links.")
@click.option("--strict", "is_strict", is_flag=True, help="Exit with 3 for every warning too.")
@click.option("--all", "is_whole", is_flag=True, help="List every finding, not the first ten of a share.")
@pass_app
@click.pass_context
def command(ctx: click.Context, app: App, as_json: bool, html: Path | None, is_strict: bool, is_whole: bool) -> None:
    """Show what publishing would expose, before it does.

    Exit code 3 when secrets would be published that weren't allowed one by one, or stand in the way of a build with
    secrets = "block"; else 0.
    """
    from sitegen.build.exposure import survey

    config = app.config()
    report = survey(config, now=datetime.now(UTC), output=config.output.place, on_share=_progress(is_quiet=as_json))
    if html is not None:
        _write_page(html, report)
    if as_json:
        click.echo(json.dumps(as_record(report), indent=2))
    else:
        for line in _lines(report, limit=sys.maxsize if is_whole else _SHOWN):
            click.echo(line)
    if report.refusals or (is_strict and report.warnings):
        ctx.exit(RefusedError.exit_code)


def _progress(*, is_quiet: bool) -> Callable[[int, int], None]:
    is_shown = not is_quiet and sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if is_shown:
            text = f"\rsitegen: looking over shares {done}/{total}"
            click.echo(text if done < total else "\r" + " " * len(text) + "\r", nl=False, err=True)

    return show


def _write_page(path: Path, report: Report) -> None:
    from sitegen.build.exposure_page import make_page

    try:
        path.write_text(make_page(report, folder=path.absolute().parent), "utf-8")
    except OSError as error:
        raise OutputError(f"{path} can't be written: {error.strerror}") from None
    click.echo(f"The report is in {path}; it stays on this computer.", err=True)


# -------------------------------------------------------------------------------------------------------- the terminal


def _lines(report: Report, *, limit: int) -> Iterator[str]:
    for exposure in report.shares:
        yield from _share_lines(exposure, limit=limit)
        yield ""
    for slug in report.removed:
        yield f"{safe(slug)}: published last time, and not any more after the next build"
    for note in report.notes:
        yield f"note: {safe(note)}"
    for since in report.since:
        yield _since_line(since)
    yield from _end_lines(report)


def summary(report: Report, *, place: str) -> Iterator[str]:
    """What to know before publishing to a place: warnings, what changed there since, and what else stands elsewhere."""
    for slug, warning in report.warnings:
        yield f"! {safe(slug)}: {safe(warning)}"
    for since in report.since:
        if since.place == place:
            yield _since_line(since)
        elif since.removed:
            yield f"note: {safe(since.place)} still has {_slugs(since.removed)}; publish there too to take it back"
    yield from _end_lines(report)


def _since_line(since: Since) -> str:
    parts = [(since.new, "new"), (since.changed, "changed"), (since.removed, "taken back")]
    said = "; ".join(f"{word} {_slugs(slugs)}" for slugs, word in parts if slugs)
    return f"since {since.at:%Y-%m-%d %H:%M} UTC, when {safe(since.place)} was published: {said or 'nothing changed'}"


def _slugs(slugs: Sequence[str]) -> str:
    more = len(slugs) - _SHOWN
    return ", ".join(map(safe, slugs[:_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _end_lines(report: Report) -> Iterator[str]:
    if not report.engine:
        yield "note: there is no scanner library for this platform, so only sitegen's own rules looked for secrets"
    taken = told(report.counts.items())
    if report.lasting:
        yield f"note: {counted(len(report.lasting), 'share')} never expire{'s' if len(report.lasting) == 1 else ''}"
    if published := told(report.published.items()):
        yield f"note: published as they are: {published}; [privacy] can take them out too"
    yield f"{counted(len(report.shares), 'share')}: {taken or 'nothing'} taken out; {_attention(report)}"


def _attention(report: Report) -> str:
    refused, warned = len(report.refusals), len({slug for slug, _ in report.warnings})
    words = [f"{counted(refused, 'share')} to settle first"] if refused else []
    words += [f"{counted(warned, 'share')} with something to know"] if warned else []
    return ", ".join(words) or "nothing needs attention"


def _share_lines(exposure: Exposure, *, limit: int) -> Iterator[str]:
    share = exposure.share
    gate = str(share.gate) if share.is_gated else "open"
    listed = "listed" if share.listed else "unlisted"
    expires = f"until {day(share.expires)}" if share.expires else "never expires"
    yield f"{safe(share.slug)}  {safe(exposure.title or '(no title)', limit=60)}"
    yield f"  {gate}, {listed}, {expires}, {exposure.change} since the last build"
    yield f"  shows {_shown(exposure)}"
    if exposure.hidden:
        yield f"  leaves out {', '.join(f'{count:,} {what}' for what, count in exposure.hidden)}"
    if taken := told(exposure.counts.items()):
        yield f"  takes out {taken}"
    if published := told(exposure.published.items()):
        yield f"  publishes {published}"
    for warning in exposure.warnings:
        yield f"  ! {safe(warning)}"
    ordered = sorted(exposure.findings, key=lambda each: (not each.is_secret, not each.is_kept))
    for finding in ordered[:limit]:
        yield f"    {_finding_line(finding)}"
    if len(ordered) > limit:
        yield f"    and {len(ordered) - limit:,} more; --all lists them"


def _shown(exposure: Exposure) -> str:
    parts = [counted(exposure.messages, "message")]
    parts += [counted(exposure.subagents, "subagent")] if exposure.subagents else []
    parts += [counted(exposure.tool_results, "tool result")] if exposure.tool_results else []
    parts += [counted(exposure.images, "image")] if exposure.images else []
    if exposure.branches:
        ways = "way" if exposure.branches == 1 else "ways"
        parts.append(f"{exposure.branches:,} {ways} not taken{'' if exposure.share.branches else ' left out'}")
    return ", ".join(parts)


def _finding_line(finding: Finding) -> str:
    from sitegen.build.clean import where

    state = "PUBLISHED " if finding.is_kept else ""
    name = f" {finding.fingerprint} ({finding.rule})" if finding.is_secret else ""
    times = f" ×{finding.count}" if finding.count > 1 else ""
    return safe(f"{state}{finding.kind}{name}{times}, {where(finding)}: {finding.excerpt}", limit=200)


# ----------------------------------------------------------------------------------------------------------- the JSON


def as_record(report: Report) -> dict[str, object]:
    """The report as scripts read it."""
    return {
        "version": VERSION,
        "ok": not report.refusals,
        "scanner": report.engine or None,
        "policy": _policy(report),
        "taken_out": dict(report.counts),
        "published": dict(report.published),
        "refused": [each.share.slug for each in report.refusals],
        "warnings": [{"slug": slug, "message": message} for slug, message in report.warnings],
        "never_expiring": list(report.lasting),
        "removed": list(report.removed),
        "notes": list(report.notes),
        "since": [_since_record(each) for each in report.since],
        "shares": [_share_record(each) for each in report.shares],
    }


def _policy(report: Report) -> dict[str, object]:
    privacy = report.config.privacy
    names = ("secrets", "paths", "emails", "hosts", "ips", "macs", "serials", "phones")
    return {name: getattr(privacy, name) for name in names} | {"allow": list(privacy.allow), "hide": len(privacy.hide)}


def _since_record(since: Since) -> dict[str, object]:
    changes = {"new": list(since.new), "changed": list(since.changed), "removed": list(since.removed)}
    return {"place": since.place, "at": iso(since.at), **changes}


def _share_record(exposure: Exposure) -> dict[str, object]:
    share = exposure.share
    return {
        "slug": share.slug,
        "title": exposure.title or None,
        "conversation": share.head.key,
        "gate": share.gate.value,
        "listed": share.listed,
        "expires": iso(share.expires),
        "change": exposure.change,
        "show": share.show.value,
        "messages": exposure.messages,
        "subagents": exposure.subagents,
        "tool_results": exposure.tool_results,
        "branches": exposure.branches,
        "images": exposure.images,
        "located_images": exposure.located_images,
        "image_metadata": "keep" if share.keeps_image_metadata else "drop",
        "left_out": dict(exposure.hidden),
        "taken_out": dict(exposure.counts),
        "published": dict(exposure.published),
        "warnings": list(exposure.warnings),
        "findings": [_finding_record(each) for each in exposure.findings],
    }


def _finding_record(finding: Finding) -> dict[str, object]:
    place = finding.place
    return {
        "kind": finding.kind,
        "is_secret": finding.is_secret,
        "rule": finding.rule or None,
        "fingerprint": finding.fingerprint or None,
        "published": finding.is_kept,
        "count": finding.count,
        "message": None if place.message is None else place.message + 1,
        "anchor": f"m-{place.message_id}" if place.message_id and not place.is_subagent else None,
        "where": place.what,
        "tool": place.tool,
        "in_subagent": place.is_subagent,
        "excerpt": finding.excerpt,
    }
