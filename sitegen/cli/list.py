"""`sitegen list`: the conversations there are, for a person to choose from or for a script."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import iso, read_archive, read_registry, remark
from sitegen.cli.terminal import day, safe, table

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.model import ConversationHead, Share

Shares = Mapping[str, Sequence["Share"]]


@click.command("list")
@click.option("--project", metavar="P", help="Only of this project: its name, slug, title or path.")
@click.option("--grep", metavar="T", help="Only with this in the title, in any case.")
@click.option("--json", "as_json", is_flag=True, help="An array of objects, for scripts.")
@pass_app
def command(app: App, project: str | None, grep: str | None, as_json: bool) -> None:
    """List the conversations of the projection, newest first, and whether they are shared."""
    config = app.config()
    archive = read_archive(config)
    shares: defaultdict[str, list[Share]] = defaultdict(list)
    for share in read_registry(config, archive).shares:
        shares[share.head.key].append(share)
    chosen = sorted(_chosen(config, archive.heads, project=project, grep=grep), key=_age)
    if as_json:
        click.echo(json.dumps([_record(head, shares) for head in chosen], indent=2))
    elif chosen:
        click.echo(_table(chosen, archive.heads, shares))
    else:
        remark(_nothing(archive.heads))


def _chosen(
    config: Config, heads: Sequence[ConversationHead], *, project: str | None, grep: str | None
) -> list[ConversationHead]:
    from sitegen.shares import belongs_to, home_shortened

    entries = {home_shortened(entry.match): entry for entry in config.projects}
    return [
        head
        for head in heads
        if (grep is None or grep.casefold() in (head.title or "").casefold())
        and (project is None or belongs_to(head, project, entries.get(home_shortened(head.project))))
    ]


def _age(head: ConversationHead) -> tuple[float, str]:
    """Newest first; those without a time last."""
    moment = head.started_at or head.ended_at
    return (-moment.timestamp() if moment else float("inf"), head.key)


def _record(head: ConversationHead, shares: Shares) -> dict[str, object]:
    return {
        "id": head.row_id,
        "source": head.source_id,
        "native_id": head.native_id,
        "title": head.title,
        "project": head.project,
        "started_at": iso(head.started_at),
        "ended_at": iso(head.ended_at),
        "messages": head.message_count,
        "shares": [share.slug for share in shares.get(head.key, ())],
    }


def _table(chosen: Sequence[ConversationHead], heads: Sequence[ConversationHead], shares: Shares) -> str:
    from sitegen.shares import project_name, short_ids

    ids = short_ids(heads)
    rows = [
        (
            safe(ids[head.row_id]),
            day(head.started_at or head.ended_at),
            f"{head.message_count:,}",
            _state(shares.get(head.key, ())),
            safe(project_name(head.project) or "–", limit=24),
            safe(head.title or "(no title)", limit=80),
        )
        for head in chosen
    ]
    return table([("ID", "DATE", "RECORDED", "SHARED", "PROJECT", "TITLE"), *rows])


def _state(shares: Sequence[Share]) -> str:
    is_open = any(not share.is_expired for share in shares)
    return "yes" if is_open else "expired" if shares else "–"


def _nothing(heads: Sequence[ConversationHead]) -> str:
    if heads:
        return "no conversation fits; leave out --project or --grep to see all"
    return "the projection holds no conversations yet; “sitegen ingest” reads some into it"
