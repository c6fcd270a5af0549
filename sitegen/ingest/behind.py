"""Work that goes on in a thread of its own, one piece after the other, while its asker does something else.

DuckDB writes without Python's lock, so rows are written while the next ones are read.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

Step = Callable[[], object]


class Behind:
    """Does what it is given in order. One piece of work is under way at most: that bounds what waits in memory."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._error: BaseException | None = None

    def do(self, steps: list[Step]) -> None:
        """Begins with these steps once those before are done. Raises what one of those raised."""
        self.wait()
        self._thread = Thread(target=self._run, args=(steps,))
        self._thread.start()

    def wait(self) -> None:
        """Returns when nothing is under way. Raises what a step raised; those after it weren't done."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _run(self, steps: list[Step]) -> None:
        try:
            while steps:
                steps.pop(0)()  # and with it goes what it held
        except BaseException as error:  # noqa: BLE001 - raised again where it's waited for
            self._error = error
