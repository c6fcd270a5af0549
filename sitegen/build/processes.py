"""The processes of a build beside its own. Light to import, so that they can be started before anything is read.

They start from nothing, for forking a process that DuckDB has given threads isn't safe. It takes as long as a small
build: one is begun as soon as there is surely enough to make, and where there are no threads yet it's forked.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Self, TypeVar

from msgspec import Struct

from sitegen.build.memory import collect_rarely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor, Future
    from pathlib import Path

    from sitegen.config import Config
    from sitegen.model import ConversationHead
    from sitegen.render import Drawn

T = TypeVar("T")

_WORTH_HELP = 1_500
"""Messages of a conversation that isn't made by one process alone."""
_HELPED = 100_000_000
"""Bytes of the longest of those: what comes from other processes takes memory for a while."""

_PIPE_BYTES = 1 << 20
"""As much as Linux gives to anyone."""
_LARGE_BYTES = 10_000_000
"""Size of projections from which all of them is work for several processes."""


@dataclass(eq=False, repr=False, slots=True)
class Processes:
    """As many as may be used, with this one. Those that were started end with the context, or with `close`."""

    count: int
    _executor: Executor | None = field(default=None, init=False)
    _ending: threading.Thread | None = field(default=None, init=False)

    @classmethod
    def of(cls, jobs: int | None) -> Self:
        """So many, or one for each core."""
        return cls(jobs or _cores())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, *, renders: bool) -> None:
        """Starts one already, if there may be any, that imports what it needs meanwhile: also to render, or not."""
        if self.count > 1:
            self.executor.submit(_prepare, renders=renders)

    @property
    def executor(self) -> Executor:
        """Starts the others as work is given to it."""
        if self._executor is None:
            import multiprocessing  # with its sockets a fortieth of a build that needs no other process
            from concurrent.futures import ProcessPoolExecutor

            context = multiprocessing.get_context("fork" if _is_alone() else "spawn")
            self._executor = ProcessPoolExecutor(self.count - 1, mp_context=context, initializer=_set_up)
            _widen(self._executor)
        return self._executor

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        """What becomes of a call that can be pickled; None when a process has died, or none was begun yet."""
        if self._executor is None:
            return None
        try:
            return self._executor.submit(call)
        except RuntimeError:
            return None

    def dismiss(self) -> None:
        """Has them end, after what they have begun; while they do, something else can be done here."""
        if self._executor is not None:
            self._ending = threading.Thread(target=self._executor.shutdown, kwargs={"cancel_futures": True})
            self._ending.start()
            self._executor = None

    def close(self) -> None:
        """Ends them, after what they have begun."""
        self.dismiss()
        if self._ending is not None:
            self._ending.join()
            self._ending = None


class Helpers(Struct, frozen=True):
    """The other processes, as those that help with one long conversation."""

    processes: Processes

    @property
    def most(self) -> int:
        """For each one that it draws, and one that it finds when it has."""
        return 2 * (self.processes.count - 1)

    def draw(self, leg: bytes) -> Future[Drawn]:
        """What becomes of a leg. Raises RuntimeError when a process has died."""
        from sitegen.render import draw_leg

        return self.processes.executor.submit(draw_leg, leg)

    def ask(self, call: Callable[[], T]) -> Future[T] | None:
        """What becomes of a call that can be pickled; None when a process has died, or none was begun yet."""
        return self.processes.ask(call)


def helpers_for(head: ConversationHead, helpers: Helpers | None) -> Helpers | None:
    """Those that help with a conversation, if it's one that isn't made by one process alone."""
    is_giant = head.message_count >= _WORTH_HELP and head.size_bytes <= _HELPED
    return helpers if is_giant else None


class Outlook(Enum):
    """How much there is surely to do, as far as it shows before anything is read."""

    UNSURE = 0
    PAGES = 1
    """All pages are made anew, of what was rendered before."""
    ALL = 2


def look_ahead(config: Config, *, state_file: Path, invocation: str, is_full: bool) -> Outlook:
    """What is to be done for a large projection: all where nothing stands yet, or nothing of it is trusted."""
    if (
        not config.rules
        or sum(file.stat().st_size for file in config.source.projections if file.is_file()) < _LARGE_BYTES
    ):
        return Outlook.UNSURE
    if is_full or not state_file.exists():
        return Outlook.ALL
    from sitegen.build.theme import Layers
    from sitegen.output.unchanged import has_changed_within

    layers = Layers.of(config)
    folders = [str(folder.absolute()) for folder in (*layers.templates, *layers.static)]
    is_new = has_changed_within(state_file, folders, invocation=invocation)
    return Outlook.PAGES if is_new else Outlook.UNSURE


def is_any_newer(projections: Iterable[Path], state_file: Path) -> bool:
    """Whether one was written to since the last build, if there was one: then there will be something to render."""
    try:
        last = state_file.stat().st_mtime_ns
        return any(file.stat().st_mtime_ns > last for file in projections)
    except OSError:
        return True


def _widen(executor: Executor) -> None:
    """Lets a megabyte wait between processes. Of 64 kB at a time each is written only when it's another thread's turn.

    Nobody promises that there are such pipes: without them it takes longer.
    """
    with suppress(AttributeError, ImportError, OSError):
        import fcntl

        for queue in ("_call_queue", "_result_queue"):
            fcntl.fcntl(getattr(executor, queue)._writer.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _is_alone() -> bool:
    """Whether this process surely has one thread only. Elsewhere than on Linux system libraries may have some."""
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - no Path for each


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ------------------------------------------------------------------------------------------------- in the processes


def _set_up() -> None:
    atexit.register(os._exit, 0)  # last of all: taking apart what is in memory takes longer than what there is to close
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as it is for what runs in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever stops a build hears of it from the first process alone
    collect_rarely()


def _prepare(*, renders: bool) -> None:
    import sitegen.build.pool

    if renders:
        import sitegen.build.reuse  # noqa: F401
        from sitegen.render.warming import warm_up

        warm_up()


def _end_with_parent() -> None:
    """A build that is killed must not leave processes that go on writing."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
