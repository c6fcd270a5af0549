"""Renews requirements/run.lock and dev.lock from pyproject.toml: exact versions with hashes, for every platform."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    for name, extra in (("run", []), ("dev", ["--extra", "dev"])):
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
        command += ["--generate-hashes", "--no-emit-index-url", "--no-header", *extra, "pyproject.toml"]
        subprocess.run([*command, "-o", f"requirements/{name}.lock"], cwd=ROOT, check=True)  # noqa: S603
