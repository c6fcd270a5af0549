"""From conversation files to a projection: one adapter a source, one bulk writer. Knows nothing of shares or pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sitegen.errors import UsageError
from sitegen.ingest.records import Adapter, IngestReport, LineProblem, Progress, Tally
from sitegen.ingest.sources import SOURCES

if TYPE_CHECKING:
    from sitegen.ingest.plan import Plan
    from sitegen.ingest.writer import Task, Writer, Written

__all__ = ["SOURCES", "IngestReport", "LineProblem", "Progress", "Tally", "ingest"]

MAX_PROBLEMS: Final = 1000


def ingest(
    source: str | Adapter,
    location: str | Path,
    db: str | Path,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    lock_wait_s: float = 5.0,
) -> IngestReport:
    """Reads the conversations at `location` into the projection `db`, which is made when there is none.

    `source` is a name of SOURCES or an adapter. Ingesting twice changes nothing; a session that went on changes only
    its own rows. Raises IngestError when nothing can be read or written; a bad line is a problem in the report.
    """
    from sitegen.ingest.plan import make_plan
    from sitegen.ingest.store import open_store
    from sitegen.ingest.writer import Writer

    started = time.perf_counter()
    adapter = _adapter(source) if isinstance(source, str) else source
    handles = list(adapter.discover(str(location)))
    with open_store(Path(db), lock_wait_s=lock_wait_s) as connection:
        writer = Writer(connection, adapter, max_problems=MAX_PROBLEMS)
        plan = make_plan(adapter, handles, writer.stored())
        run = _Run(plan, on_progress or (lambda progress: None))
        run.write_all(writer)
    return run.report(files=len(handles), seconds=time.perf_counter() - started)


def _adapter(name: str) -> Adapter:
    if name not in SOURCES:
        raise UsageError(f"There is no source {name!r}. Those there are: {', '.join(SOURCES)}.")
    return SOURCES[name]()


class _Run:
    """Writes a plan batch by batch and keeps the count."""

    def __init__(self, plan: Plan, on_progress: Callable[[Progress], None]) -> None:
        self._plan = plan
        self._on_progress = on_progress
        self._tally = Tally()
        self._problems: list[LineProblem] = []
        self._unreadable = list(plan.unreadable)
        self._written: list[Task] = []
        self._bytes_total = sum(task.handle.size_bytes for task in plan.tasks)

    def write_all(self, writer: Writer) -> None:
        """Writes every batch, telling how far it has come after each."""
        from sitegen.ingest.plan import batches

        for batch in batches(self._plan.tasks):
            for task, written in self._write(writer, batch):
                self._note(task, written)
            self._tell()

    def _write(self, writer: Writer, batch: Sequence[Task]) -> Iterator[tuple[Task, Written]]:
        from sitegen.ingest.plan import unreadable
        from sitegen.ingest.writer import UnreadableError

        left = list(batch)
        while left:
            try:
                yield from zip(left, writer.write(left), strict=True)
                return
            except UnreadableError as error:
                self._unreadable.append(unreadable(error.task.handle, error.reason))
                left.remove(error.task)

    def _note(self, task: Task, written: Written) -> None:
        self._written.append(task)
        self._tally += written.tally
        self._problems += written.problems[: MAX_PROBLEMS - len(self._problems)]

    def _tell(self) -> None:
        self._on_progress(
            Progress(
                done=len(self._written) + len(self._unreadable),
                total=len(self._plan.tasks),
                bytes_done=self._bytes_done(),
                bytes_total=self._bytes_total,
            )
        )

    def _bytes_done(self) -> int:
        return sum(task.handle.size_bytes for task in self._written)

    def report(self, *, files: int, seconds: float) -> IngestReport:
        """What was done."""
        new = sum(task.stored is None for task in self._written)
        return IngestReport(
            files=files,
            new=new,
            updated=len(self._written) - new,
            unchanged=len(self._plan.unchanged),
            tally=self._tally,
            problems=tuple(self._problems),
            unreadable=tuple(self._unreadable),
            bytes_read=self._bytes_done(),
            seconds=seconds,
        )
