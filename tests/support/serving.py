"""`sitegen serve` as a process of its own, on any free port, with warnings as errors."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_UNDER_WAY = 503


@contextmanager
def preview_of(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a preview of the site in `folder`, once its first build is done, and its process."""
    port = () if "--port" in arguments else ("--port", "0")
    command = [sys.executable, "-W", "error", "-m", "sitegen", "-C", str(folder / "sitegen.toml"), "serve"]
    with (
        (folder / "serve.log").open("w") as log,
        subprocess.Popen(
            [*command, *port, *arguments], stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        ) as it,
    ):
        try:
            assert it.stdout is not None
            said = it.stdout.readline()
            address = re.search(r"http://\S+", said)
            assert address, said + (folder / "serve.log").read_text()
            _await_pages(address[0])
            yield address[0], it
        finally:
            it.kill()


def _await_pages(url: str) -> None:
    """As long as it takes: a preview answers at once, and says that it's building."""
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except urllib.error.HTTPError as error:
            with error:
                if error.code != _UNDER_WAY:
                    return
        time.sleep(0.05)
