"""Work that goes on in a thread of its own, one piece after the other, while its asker does something else.

DuckDB writes without Python's lock, so rows are written while the next ones are read.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

Step = Callable[[], object]


class Behind:
    """Does what it is given in order. One piece of work is under way at most: that bounds what waits in memory."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._work: Future[None] | None = None

    def do(self, steps: list[Step]) -> None:
        """Begins with these steps once those before are done. Raises what one of those raised."""
        self.wait()
        self._work = self._thread.submit(_do_all, steps)

    def wait(self) -> None:
        """Returns when nothing is under way. Raises what a step raised; those after it weren't done.

        Ctrl-C is heard when the work is done, for a connection that is used must not be closed.
        """
        stopped: KeyboardInterrupt | None = None
        while self._work is not None and not self._work.done():
            try:
                wait([self._work])
            except KeyboardInterrupt as error:
                stopped = error
        work, self._work = self._work, None
        if stopped is not None:
            raise stopped
        if work is not None:
            work.result()


def _do_all(steps: list[Step]) -> None:
    while steps:
        steps.pop(0)()  # and with it goes what it held
