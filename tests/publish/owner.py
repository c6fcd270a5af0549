"""Somebody who publishes a site of two open shares, tides and kerning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import Result

from sitegen.output.layout import DOT_FILE
from tests.support.workshop import Workshop, share, talk_about

BASE = "https://ann.example.org/notes/"


class Owner:
    """`publish` builds and publishes as the command does; `folder` is the workshop."""

    def __init__(self, folder: Path) -> None:
        self.workshop = Workshop(folder)
        self.folder = folder
        self.workshop.talk(talk_about("tides"), talk_about("kerning", project="/home/ann/type"))
        self.share("tides", "kerning")

    def share(self, *slugs: str, more: str = "") -> None:
        """Shares these conversations and no others."""
        self.workshop.configure("".join(share(slug, slug, "listed = true") for slug in slugs) + more, base_url=BASE)

    def publish(self, to: object, *arguments: str, code: int = 0) -> Result:
        """Publishes with --yes, and expects that exit code."""
        result = self.workshop.run("publish", "--to", str(to), "--yes", *arguments)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    def told(self, to: object, *arguments: str) -> dict[str, Any]:
        """What `--json` says."""
        said = json.loads(self.publish(to, "--json", *arguments).stdout)
        assert isinstance(said, dict)
        return said

    def built(self) -> dict[str, bytes]:
        """The site as it's built, without what tells sitegen its own files."""
        return {path: data for path, data in self.workshop.tree().items() if path != DOT_FILE}


def tree(folder: Path, *, without: Sequence[str] = (DOT_FILE,)) -> dict[str, bytes]:
    """The files of a folder."""
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
    return {path: file.read_bytes() for path, file in files.items() if path not in without}
