"""The program, also as `python -m sitegen`: runs a command, and ends as soon as there is nothing left to do."""

import atexit
import os
import sys


def run() -> None:
    """Runs the command that the process was started for, and ends the process with its exit code."""
    ending = _Ending()
    atexit.register(ending)  # before all others, so that it's called after them
    _fill_streams()
    from sitegen.cli import main

    try:
        main()
    except SystemExit as end:
        ending.code = end.code if isinstance(end.code, int) else None
        raise


def _fill_streams() -> None:
    """Puts nothing where whoever began this left no stream: else a file that's opened would be in its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end


class _Ending:
    """Ends the process once nobody wants to hear of its end any more, with what was said on its way.

    Python would take apart, object by object, what is in memory: for a long conversation as long as a build with
    nothing to do.
    """

    code: int | None = None
    """Unknown when the process ends otherwise than a command does: then it's left to Python."""

    def __call__(self) -> None:
        if self.code is None:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # Python tells it
        os._exit(self.code)


if __name__ == "__main__":  # processes that a build starts import this module too, and need no commands
    run()
