#!/usr/bin/env python3
"""Sets up what the Makefile's targets need: `setup.py run` to build sites, `setup.py dev` to check and test as well.

Runs on the system's Python with the standard library only, and does nothing when all is there already.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
PROJECT = ROOT / "pyproject.toml"
OLDEST = (3, 11)


def main(kind: str) -> None:
    if sys.version_info < OLDEST:
        sys.exit(
            f"setup: this is Python {sys.version.split()[0]}; sitegen needs 3.11 or later (make PYTHON=python3.12 …)"
        )
    make_environment(kind)
    if kind == "dev":
        install_node_modules()
        install_browser()
        install_postgresql()


def make_environment(kind: str) -> None:
    """The virtual environment with the locked packages and sitegen itself, renewed when lock or pyproject changed."""
    # What `dev` installs holds all that `run` needs.
    if any(is_current(done) for done in {kind, "dev"}):
        return
    if not has_pip():
        say("making .venv")
        run(sys.executable, "-m", "venv", "--clear", str(VENV))
    say(f"installing the packages of {lock_of(kind).name}")
    pip = (str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", str(lock_of(kind)))
    run(*pip, "--no-deps", "--editable", str(ROOT))
    stamp_of(kind).write_text(digest(lock_of(kind), PROJECT))


def has_pip() -> bool:
    """Whether the environment is whole: one whose making failed half-way has no pip."""
    probe = (str(PYTHON), "-c", "import pip")
    return PYTHON.exists() and subprocess.run(probe, check=False, capture_output=True).returncode == 0  # noqa: S603


def is_current(kind: str) -> bool:
    stamp = stamp_of(kind)
    return PYTHON.exists() and stamp.exists() and stamp.read_text() == digest(lock_of(kind), PROJECT)


def lock_of(kind: str) -> Path:
    return ROOT / "requirements" / f"{kind}.lock"


def stamp_of(kind: str) -> Path:
    return VENV / f"sitegen-{kind}.stamp"


def install_node_modules() -> None:
    """TypeScript (to check the scripts) and axe (to check the pages), by the npm that came with the environment."""
    lock = ROOT / "package-lock.json"
    stamp = ROOT / "node_modules" / ".sitegen-stamp"
    if stamp.exists() and stamp.read_text() == digest(lock):
        return
    say("installing the node modules of package-lock.json")
    run(str(PYTHON), "scripts/node.py", "npm", "ci", "--no-audit", "--no-fund", "--silent")
    stamp.write_text(digest(lock))


def install_browser() -> None:
    """A Chromium for the browser tests: the one on PATH, else Debian's as root, else Playwright's own."""
    if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")):
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing Chromium with apt-get")
        update = ("apt-get", "update", "-qq")
        install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core")
        if all(subprocess.run(step, check=False).returncode == 0 for step in (update, install)):  # noqa: S603
            return
    say("installing Playwright's Chromium")
    run(str(PYTHON), "-m", "playwright", "install", "chromium")


def install_postgresql() -> None:
    """The server's programs, for tests that start one: Debian's as root, without the cluster that comes along else."""
    if shutil.which("postgres") or any(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        return
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        say("PostgreSQL isn't installed; tests of the workspace need its server's programs (your system's package)")
        return
    say("installing PostgreSQL with apt-get")
    no_cluster = Path("/etc/postgresql-common/createcluster.d/sitegen.conf")
    no_cluster.parent.mkdir(parents=True, exist_ok=True)
    no_cluster.write_text("create_main_cluster = false\n")
    try:
        update, install = ("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", "postgresql")
        for step in (update, install):
            subprocess.run(("apt-get", *step), check=False)  # noqa: S603, S607
    finally:
        no_cluster.unlink()


def digest(*files: Path) -> str:
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def run(*command: str) -> None:
    """Runs a command in the repository; its failure ends the set-up with its exit code."""
    result = subprocess.run(command, cwd=ROOT, check=False)  # noqa: S603 - fixed commands of this file
    if result.returncode:
        sys.exit(f"setup: `{' '.join(command[:6])} …` failed with exit code {result.returncode}")


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "run")
