"""The exposure report as a page for its owner's own computer: one file, no script, a link to each place in the site."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup, escape

from sitegen.build.clean import where
from sitegen.build.exposure import Exposure, Report
from sitegen.privacy import Finding
from sitegen.urls import share_folder
from sitegen.wording.counts import counted

_POLICY = Markup("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
_STYLE = Markup(
    "body{font:1rem/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:start;vertical-align:top;padding:.2rem .8rem .2rem 0}"
    "code{font-size:.875em;overflow-wrap:anywhere}.warning{font-weight:600}.published{outline:2px solid}"
)


def make_page(report: Report, *, folder: Path) -> str:
    """The page, to be written into `folder`, from where its links lead to the built site."""
    output, base_url = report.config.output, report.config.site.base_url
    base = quote(os.path.relpath(output.directory, folder).replace(os.sep, "/"), safe="/.")
    if output.bucket is not None:
        base = (base_url or "").rstrip("/")
    shares = Markup("").join(_share(each, base) for each in report.shares)
    engine = report.engine or "sitegen's own rules alone; there is no scanner library for this platform"
    return str(
        Markup(
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="robots" content="noindex">'
            '<meta name="viewport" content="width=device-width">'
            '<meta http-equiv="Content-Security-Policy" content="{policy}">'
            "<title>What publishing would expose</title><style>{style}</style>"
            "<h1>What publishing would expose</h1><p>Secrets were found by {engine}.</p>{sums}{notes}{shares}</html>\n"
        ).format(
            policy=_POLICY,
            style=_STYLE,
            engine=engine,
            sums=_counts(report),
            notes=_list([*report.notes, *(f"{slug} isn't published any more" for slug in report.removed)]),
            shares=shares,
        )
    )


def _share(exposure: Exposure, base: str) -> Markup:
    share = exposure.share
    address = f"{base}/{quote(share_folder(share.slug))}index.html"
    rows = Markup("").join(_finding(each, address) for each in exposure.findings)
    expires = f"until {share.expires:%Y-%m-%d %H:%M} UTC" if share.expires else "never expires"
    facts = ", ".join(
        (
            *(str(share.gate) if share.is_gated else "open", "listed" if share.listed else "unlisted", expires),
            *(f"{exposure.change} since the last build", counted(exposure.messages, "message")),
            *(counted(exposure.tool_results, "tool result"), counted(exposure.images, "image")),
            f"{exposure.branches} {'branch' if exposure.branches == 1 else 'branches'}",
            counted(exposure.subagents, "subagent"),
        )
    )
    return Markup('<section><h2><a href="{address}">{title}</a></h2><p>{facts}</p>{warnings}{table}</section>').format(
        address=address,
        title=exposure.title or share.slug,
        facts=facts,
        warnings=_list(exposure.warnings),
        table=Markup("<table><tr><th>What<th>Where<th>Around it</tr>{}</table>").format(rows) if rows else "",
    )


def _finding(finding: Finding, address: str) -> Markup:
    place = finding.place
    target = f"{address}#m-{place.message_id}" if place.message_id and not place.is_subagent else address
    name = Markup("<br><code>{}</code>").format(finding.fingerprint) if finding.fingerprint else ""
    state = Markup(' class="published"') if finding.is_kept else ""
    times = f" ×{finding.count}" if finding.count > 1 else ""
    return Markup('<tr{}><td>{}{}{}<td><a href="{}">{}</a><td><code>{}</code></tr>').format(
        state, finding.kind, times, name, target, where(finding), finding.excerpt
    )


def _counts(report: Report) -> Markup:
    lines = [f"{count} × {kind} taken out" for kind, count in report.counts.items()]
    lines += [f"{count} × {kind} published as it is" for kind, count in report.published.items()]
    lasting = len(report.lasting)
    lines += [f"{counted(lasting, 'share')} never expire{'s' if lasting == 1 else ''}"] if lasting else []
    return _list(lines)


def _list(lines: Iterable[str]) -> Markup:
    items = Markup("").join(Markup('<li class="warning">{}').format(escape(line)) for line in lines)
    return Markup("<ul>{}</ul>").format(items) if items else Markup("")
