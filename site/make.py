"""Makes the example site: writes the sample sessions, ingests them, builds, and says how to look at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from samples import letterpress, tidepool  # noqa: E402 - after the path is set

SESSIONS = HERE / "sessions"


def main() -> int:
    shutil.rmtree(SESSIONS, ignore_errors=True)
    tidepool.write(SESSIONS)
    letterpress.write(SESSIONS)
    code = sitegen("ingest", "claude-code", str(SESSIONS), "--db", str(HERE / "archive.duckdb"))
    return code or sitegen("build") or sitegen("build", "--offline", "-o", str(HERE / "offline")) or tell()


def sitegen(*arguments: str) -> int:
    """Runs sitegen on the example's configuration."""
    command = [sys.executable, "-m", "sitegen", "--config", str(HERE / "sitegen.toml"), *arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program


def tell() -> int:
    print(
        f"\nThe example site is in {HERE / 'public'}\n"
        f"  look at it:  make serve                  → http://localhost:8000/\n"
        f"  or open:     {HERE / 'offline' / 'index.html'}  (the same, built to be read from disk)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
