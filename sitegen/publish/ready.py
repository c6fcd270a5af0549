"""Whether the site may go out: built just now, nothing of it withheld, reported without a finding, checked clean.

What stands in the way is an error to be told, not an end: what was taken back must leave all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from sitegen.build import STATE_FOLDER, BuildOptions, build
from sitegen.build.exposure import Report, survey
from sitegen.check import check_tree
from sitegen.config import Config
from sitegen.errors import (
    BuildError,
    OutputError,
    ProjectionError,
    PublishError,
    RefusedError,
    SitegenError,
    UsageError,
)
from sitegen.output.layout import STATE_FILE
from sitegen.publish.tree import Tree, read_tree
from sitegen.wording.counts import counted

_FEW = 5


class Ready(Struct, frozen=True):
    """The built site. `problem` says why nothing new of it may go out; without one there is a report."""

    tree: Tree
    report: Report | None = None
    problem: SitegenError | None = None
    notices: tuple[str, ...] = ()


def make_ready(config: Config, *, on_progress: Callable[[str, int, int], None] = lambda *_: None) -> Ready:
    """Build, report and check; `on_progress` hears what is being done, how much of it is, and of how much.

    Raises SitegenError only when there is nothing at all to go by.
    """
    if config.output.bucket is not None:
        msg = (
            f"The site is built into {config.output.bucket}, so “sitegen build” publishes it; name a folder under"
            " [output] to have it looked over before it goes out."
        )
        raise UsageError(msg)
    output = config.output.directory
    notices: tuple[str, ...] = ()
    try:
        notices = build(config.path, BuildOptions(), on_progress=on_progress).notices
        report, problem = _judge(config, output, on_progress=on_progress)
    except (BuildError, OutputError, ProjectionError, RefusedError) as error:
        report, problem = None, error
    try:
        tree = read_tree(config.folder / STATE_FOLDER / STATE_FILE, output)
    except PublishError as error:
        raise problem or error from None
    return Ready(tree if problem is None else tree.standing(), report, problem, notices)


def _judge(
    config: Config, output: Path, *, on_progress: Callable[[str, int, int], None]
) -> tuple[Report, SitegenError | None]:
    on_share = partial(on_progress, "looking over")
    report = survey(config, now=datetime.now(UTC), output=output, on_share=on_share)
    if report.refusals:
        shown = _some([each.share.slug for each in report.refusals])
        msg = f"Secrets that nobody allowed stand in {shown}; “sitegen report” shows them and says how to settle it."
        return report, RefusedError(msg)
    errors = check_tree(output, base_url=config.site.base_url).errors
    if errors:
        shown = _some([str(each) for each in errors])
        return report, RefusedError(f"The built site has {counted(len(errors), 'fault')}: {shown}.")
    return report, None


def _some(items: Sequence[str]) -> str:
    more = len(items) - _FEW
    return "; ".join(items[:_FEW]) + (f"; and {more} more" if more > 0 else "")
