"""Makes the example site: writes the sample sessions, ingests them, builds, and says how to look at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from samples import letterpress, tidepool  # noqa: E402 - after the path is set

from sitegen.config.private import keep, keep_site_secret  # noqa: E402
from sitegen.gate.phrases import make_passphrase, make_site_secret  # noqa: E402
from sitegen.gate.vault import Vault  # noqa: E402

PROTECTED = "day-curve"
LOCAL = "http://127.0.0.1:8000/notes/"


def main(folder: Path) -> int:
    """Makes the site in `folder`, which gets a copy of the settings when it's another one than this."""
    if folder != HERE:
        shutil.copytree(HERE / "terms", folder / "terms")
        shutil.copy(HERE / "sitegen.toml", folder)
    sessions = folder / "sessions"
    shutil.rmtree(sessions, ignore_errors=True)
    tidepool.write(sessions)
    letterpress.write(sessions)
    make_secrets(folder)
    steps = (
        ("ingest", "claude-code", str(sessions), "--db", str(folder / "archive.duckdb")),
        ("build",),
        ("build", "--offline", "-o", str(folder / "offline")),
    )
    code = next((code for step in steps if (code := sitegen(folder, *step))), 0)
    return code or tell(folder)


def make_secrets(folder: Path) -> None:
    """What protects the example: made once, kept where sitegen keeps secrets, never in the repository."""
    vault = Vault.open(folder)
    keep_site_secret(folder, make_site_secret())
    if vault.find(None, scope=PROTECTED) is None:
        keep(folder, table="secrets", name=PROTECTED, value=make_passphrase())


def sitegen(folder: Path, *arguments: str) -> int:
    """Runs sitegen on the example's configuration."""
    command = [sys.executable, "-m", "sitegen", "--config", str(folder / "sitegen.toml"), *arguments]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program


def tell(folder: Path) -> int:
    password = Vault.open(folder).find(None, scope=PROTECTED)
    print(
        f"""
The example site is in {folder / "public"}
  look at it:  make serve                  → {LOCAL}
  or open:     {folder / "offline" / "index.html"}  (the same, built to be read from disk)

  open        most of it, such as {LOCAL}s/an-hour-off/
  protected   {LOCAL}s/{PROTECTED}/        password: {password.value if password else "see sitegen links"}
  agreement   {LOCAL}s/specimen/         asks to accept terms first
  expiring    {LOCAL}s/interim-notes/    not listed; gone at the end of the century
  expired     {LOCAL}s/spring-fair/      says so, and nothing else is left of it

“.venv/bin/sitegen -C site links” prints the password again, and a link that opens the page by itself
(with {LOCAL} in the place of https://ann.example.org/notes/)."""
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE))
