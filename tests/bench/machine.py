"""The machine that measures, in one line for the head of the table."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = ("duckdb", "markdown-it-py", "pygments", "jinja2")


def describe() -> str:
    """Processor, cores, memory, system, Python and libraries, and how busy it is."""
    parts = [
        f"{_processor()}, {_cores()} cores, {_memory_gb():.0f} GB",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in _LIBRARIES),
        f"load {os.getloadavg()[0]:.1f}",
    ]
    return " · ".join(parts)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
