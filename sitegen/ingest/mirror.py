"""What a source that is alive needs beside its conversations: those that are gone removed, its shares copied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sitegen import duck
from sitegen.ingest import tables
from sitegen.ingest.records import Handle, LineProblem, LiveAdapter, Stored, ViewRecord

_COLUMNS: Final = (
    "slug VARCHAR, conversation_id VARCHAR, gate_type VARCHAR, gate_secret VARCHAR, expires_at TIMESTAMPTZ, "
    "view_count BIGINT, view_limit BIGINT, created_at TIMESTAMPTZ, mirrors VARCHAR"
)
"""As the workspace has them, and the database that each row is from: a projection may hold the shares of several."""
_VIEWS: Final = f"CREATE TABLE IF NOT EXISTS shared_views ({_COLUMNS.replace('slug VARCHAR', 'slug VARCHAR NOT NULL')})"
_GIVEN: Final = """CREATE OR REPLACE TEMP TABLE given_views AS
SELECT slug, talk, gate_type, gate_secret, expires, TRY_CAST(expires AS TIMESTAMPTZ) AS expires_at,
    coalesce(view_count, 0) AS view_count, view_limit, TRY_CAST(created AS TIMESTAMPTZ) AS created_at, ? AS mirrors
FROM (SELECT unnest(?::VARCHAR[]) AS slug, unnest(?::VARCHAR[]) AS talk, unnest(?::VARCHAR[]) AS gate_type,
    unnest(?::VARCHAR[]) AS gate_secret, unnest(?::VARCHAR[]) AS expires, unnest(?::BIGINT[]) AS view_count,
    unnest(?::BIGINT[]) AS view_limit, unnest(?::VARCHAR[]) AS created)"""
_UNFIT: Final = "slug IS NULL OR talk IS NULL OR (expires IS NOT NULL AND expires_at IS NULL)"
"""A share without these can't be made, and one whose end isn't understood mustn't."""
_FIT: Final = f"""SELECT slug, talk, gate_type, gate_secret, expires_at, view_count, view_limit, created_at, mirrors
FROM given_views WHERE NOT ({_UNFIT})"""  # noqa: S608 - constants
_THERE: Final = "SELECT * FROM shared_views WHERE mirrors = ?"


def remove_gone(
    connection: duck.DuckDBPyConnection, adapter: LiveAdapter, handles: Iterable[Handle], stored: Mapping[str, Stored]
) -> frozenset[str]:
    """Removes the conversations that the adapter's source had and has no more; returns their row ids."""
    found = {handle.native_id for handle in handles}
    gone = {
        native_id: known.row_id
        for native_id, known in stored.items()
        if known.metadata.get("mirrors") == adapter.mirrors and native_id not in found
    }
    tables.remove_conversations(connection, adapter.source_id, gone)
    return frozenset(gone.values())


def copy_views(connection: duck.DuckDBPyConnection, adapter: LiveAdapter) -> tuple[int, list[LineProblem]]:
    """Puts the shares of the adapter's source in the place of those copied before; how many, and what is wrong."""
    items = list(adapter.shared_views())
    problems = [item for item in items if isinstance(item, LineProblem)]
    views = [item for item in items if isinstance(item, ViewRecord)]
    connection.execute(_GIVEN, [adapter.mirrors, *_columns(views)])
    unfit = connection.execute(f"SELECT slug, expires FROM given_views WHERE {_UNFIT} ORDER BY 1").fetchall()  # noqa: S608
    problems += [LineProblem(adapter.mirrors, 0, _unfit(slug, expires)) for slug, expires in unfit]
    connection.begin()
    try:
        connection.execute(_VIEWS)
        if _differ(connection, adapter.mirrors):
            connection.execute("DELETE FROM shared_views WHERE mirrors = ?", [adapter.mirrors])
            connection.execute(f"INSERT INTO shared_views {_FIT} ORDER BY slug")
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    return len(views) - len(unfit), problems


def _columns(views: Sequence[ViewRecord]) -> list[list[str | int | None]]:
    return [
        [view.slug for view in views],
        [view.conversation_id for view in views],
        [view.gate_type for view in views],
        [view.gate_secret for view in views],
        [view.expires_at for view in views],
        [view.view_count for view in views],
        [view.view_limit for view in views],
        [view.created_at for view in views],
    ]


def _differ(connection: duck.DuckDBPyConnection, mirrors: str) -> bool:
    """Whether writing would change anything: a file that nothing was written to needs no look by a build."""
    ((count,),) = connection.execute(
        f"SELECT count(*) FROM (({_FIT} EXCEPT ALL {_THERE}) UNION ALL ({_THERE} EXCEPT ALL {_FIT}))",  # noqa: S608
        [mirrors, mirrors],
    ).fetchall()
    return bool(count)


def _unfit(slug: str | None, expires: str | None) -> str:
    if slug is None:
        return "a share without a slug was left out"
    if expires is not None:
        return f"the share “{slug}” was left out: it ends at {expires[:60]!r}, which is no time"
    return f"the share “{slug}” was left out: it names no conversation"
