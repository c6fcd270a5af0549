"""Runs a command to its end and tells what it cost: wall time, CPU and peak memory of all its processes."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SAMPLE_EVERY_S = 0.1
"""A sample takes half a millisecond, and what uses all cores would lack it."""
_PROC = Path("/proc")
_PAGE_BYTES = resource.getpagesize()
_SHOWN_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost. `cpu_s` is user and system time with that of ended children.

    `peak_bytes` is the peak of the largest process, as the system kept it; `tree_bytes` the largest sum over all
    processes seen at once, which counts shared pages for each, or None where there is no /proc.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: int
    tree_bytes: int | None


class FailedError(Exception):
    """A measured command failed; what it cost is worth nothing."""


def measure(command: Sequence[str], *, folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """Runs a command in a folder. Raises FailedError, with the end of what it said, when its exit code isn't 0."""
    environment = {**os.environ, **(variables or {})}
    # Where this is set every run compiles the program anew, which an installed one doesn't.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    os.sync()  # what others have written isn't for this one to wait for
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
        with _Sampler(process.pid) as sampler:
            _, status, usage = os.wait4(process.pid, 0)
            wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _SHOWN_BYTES))
            end = said.read().decode(errors="replace")
            msg = f"`{' '.join(command)}` ended with exit code {process.returncode}:\n{end}"
            raise FailedError(msg)
    peak = usage.ru_maxrss * (1024 if _PROC.is_dir() else 1)  # Linux counts in KiB, macOS in bytes
    tree = max(sampler.peak_bytes, peak) if _PROC.is_dir() else None  # a short run ends between two samples
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, peak, tree)


class _Sampler:
    """Adds up the resident memory of a process and all below it, again and again, and keeps the largest sum."""

    def __init__(self, pid: int) -> None:
        self.peak_bytes = 0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Sampler:
        if _PROC.is_dir():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._ended.is_set():
            self.peak_bytes = max(self.peak_bytes, sum(map(_resident_bytes, _family(self._pid))))
            self._ended.wait(_SAMPLE_EVERY_S)


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        lists = [task.joinpath("children").read_text() for task in (_PROC / str(pid) / "task").iterdir()]
    except OSError:  # it has ended meanwhile
        return
    for children in lists:
        for child in children.split():
            yield from _family(int(child))


def _resident_bytes(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
