"""From conversation files to a projection: one adapter a source, one bulk writer. Knows nothing of shares or pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sitegen.ingest.records import Adapter, Handle, IngestReport, LineProblem, LiveAdapter, Progress, Seen, Tally
from sitegen.ingest.sources import load_source

if TYPE_CHECKING:
    from sitegen.ingest.current import Task
    from sitegen.ingest.plan import Plan
    from sitegen.ingest.writer import Writer, Written

__all__ = ["IngestReport", "LineProblem", "Progress", "Tally", "ingest"]

MAX_PROBLEMS: Final = 1000
_TELL_S: Final = 0.5
_Tell = Callable[[Progress], None]


def ingest(
    source: str | Adapter,
    location: str | Path,
    db: str | Path,
    *,
    on_progress: _Tell | None = None,
    lock_wait_s: float = 5.0,
) -> IngestReport:
    """Reads the conversations at `location` into the projection `db`, which is made when there is none.

    `source` is the name of a source or an adapter. Ingesting twice changes nothing; a session that went on changes only
    its own rows. Raises IngestError when nothing can be read or written; a bad line is a problem in the report.
    """
    adapter = load_source(source) if isinstance(source, str) else source
    try:
        return _ingest(adapter, str(location), Path(db), tell=on_progress or (lambda _: None), lock_wait_s=lock_wait_s)
    finally:
        if isinstance(adapter, LiveAdapter):
            adapter.close()


def _ingest(adapter: Adapter, location: str, db: Path, *, tell: _Tell, lock_wait_s: float) -> IngestReport:
    from sitegen.ingest.files import FileStore
    from sitegen.ingest.plan import make_plan
    from sitegen.ingest.store import noted, open_store
    from sitegen.ingest.writer import Writer

    started = time.perf_counter()
    found = list(_told(adapter.discover(location), tell))
    handles = [item for item in found if isinstance(item, Handle)]
    is_new = not db.exists()
    with open_store(db, lock_wait_s=lock_wait_s) as connection, noted(db, connection) as touched:
        run = _Run(tell, [item for item in found if isinstance(item, LineProblem)])
        writer = Writer(connection, adapter, files=FileStore(db), max_problems=MAX_PROBLEMS, on_read=run.tell_within)
        stored = writer.stored()
        with writer:
            run.write_all(writer, make_plan(adapter, handles, stored), adapter, is_new=is_new)
        touched |= writer.touched
        if isinstance(adapter, LiveAdapter):
            from sitegen.ingest.mirror import copy_views, remove_gone

            gone = remove_gone(connection, adapter, handles, stored)
            touched |= gone
            run.note_mirrored(len(gone), *copy_views(connection, adapter))
    return run.report(files=len(handles), seconds=time.perf_counter() - started)


def _told(found: Iterable[Handle | LineProblem | Seen], tell: _Tell) -> Iterator[Handle | LineProblem]:
    """What is found, told twice a second: in a large file, looking takes as long as reading."""
    count, size_bytes, told_at = 0, 0, time.monotonic()
    for item in found:
        if isinstance(item, Seen):
            count += 1
            size_bytes += item.size_bytes
        else:
            yield item
        if time.monotonic() - told_at >= _TELL_S:
            told_at = time.monotonic()
            tell(Progress(done=0, total=count, bytes_done=0, bytes_total=size_bytes, is_looking=True))


class _Run:
    """Writes a plan batch by batch and keeps the count."""

    def __init__(self, tell: _Tell, problems: Sequence[LineProblem]) -> None:
        self._on_progress = tell
        # Line 0: all of a file, or its end.
        self._unreadable = [problem for problem in problems if problem.line == 0]
        listed = [problem for problem in problems if problem.line > 0]
        self._tally = Tally(problem_count=len(listed))
        self._problems = listed[:MAX_PROBLEMS]
        self._written: list[Task] = []
        self._unchanged = 0
        self._removed = 0
        self._shared_views = 0
        self._total = 0
        self._bytes_total = 0
        self._bytes_done = 0
        self._told_bytes = 0
        self._told_at = time.monotonic()

    def write_all(self, writer: Writer, plan: Plan, adapter: Adapter, *, is_new: bool) -> None:
        """Writes every batch, telling how far it has come after each."""
        from sitegen.ingest.plan import batches

        self._unreadable += plan.unreadable
        self._unchanged, self._total = len(plan.unchanged), len(plan.tasks)
        self._bytes_total = sum(task.handle.size_bytes for task in plan.tasks)
        self._tell(0)
        for batch in batches(plan.tasks, is_new=is_new):
            if isinstance(adapter, LiveAdapter):
                adapter.prepare([task.handle for task in batch])
            for task, written in self._write(writer, batch):
                self._note(task, written)
            self._tell(self._bytes_done)

    def tell_within(self, bytes_read: int) -> None:
        """Tells, twice a second at most, how far it has come in a conversation that takes long."""
        if time.monotonic() - self._told_at >= _TELL_S:
            # JSON written anew may be a little longer than it was: no more than the whole is ever told.
            self._tell(min(self._bytes_done + bytes_read, self._bytes_total))

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

    def note_mirrored(self, removed: int, shared_views: int, problems: Sequence[LineProblem]) -> None:
        """Takes what was done beside the conversations of a live source into the count."""
        self._removed, self._shared_views = removed, shared_views
        self._tally += Tally(problem_count=len(problems))
        self._problems += problems[: MAX_PROBLEMS - len(self._problems)]

    def _note(self, task: Task, written: Written) -> None:
        self._written.append(task)
        self._bytes_done += task.handle.size_bytes
        self._tally += written.tally
        self._problems += written.problems[: MAX_PROBLEMS - len(self._problems)]

    def _tell(self, bytes_done: int) -> None:
        self._told_at = time.monotonic()
        self._told_bytes = bytes_done = max(bytes_done, self._told_bytes)
        done = len(self._written) + len(self._unreadable)
        self._on_progress(Progress(done=done, total=self._total, bytes_done=bytes_done, bytes_total=self._bytes_total))

    def report(self, *, files: int, seconds: float) -> IngestReport:
        """What was done."""
        new = sum(task.stored is None for task in self._written)
        return IngestReport(
            files=files,
            new=new,
            updated=len(self._written) - new,
            unchanged=self._unchanged,
            tally=self._tally,
            problems=tuple(self._problems),
            unreadable=tuple(self._unreadable),
            bytes_read=self._bytes_done,
            seconds=seconds,
            removed=self._removed,
            shared_views=self._shared_views,
        )
