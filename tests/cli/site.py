"""A site in a folder, with a small projection, that commands are run in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from sitegen.cli import main
from sitegen.config import Config, load
from sitegen.model import SharedView
from tests.support.projections import ConversationRow, assistant, conversation, make_projection, user

CONFIG = """\
[site]
base_url = "https://ann.example.org/talks/"   # kept

[source]
projection = "archive.duckdb"
"""


class SiteFolder:
    """A folder with sitegen.toml and archive.duckdb; `run` runs a command there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "sitegen.toml"
        self.write("")

    def write(self, text: str) -> None:
        self.path.write_text(CONFIG + text, "utf-8")

    def hold(
        self, conversations: Iterable[ConversationRow], *, views: Sequence[SharedView] = (), salt: str = "a"
    ) -> None:
        make_projection(self.folder / "archive.duckdb", conversations, shared_views=views, row_salt=salt)

    def run(self, *args: str, answer: str | None = None) -> Result:
        return CliRunner().invoke(main, ["-C", str(self.path), *args], input=answer)

    @property
    def config(self) -> Config:
        return load(self.path)

    @property
    def values(self) -> dict[str, Any]:
        return tomllib.loads(self.path.read_text("utf-8"))


def talk(native_id: str, **columns: object) -> ConversationRow:
    """A conversation of two messages; `columns` are ConversationRow's."""
    return conversation(native_id, user("Hello"), assistant("Good day"), **{"title": f"About {native_id}", **columns})
