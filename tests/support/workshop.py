"""A small site to build in a test: a folder with a projection and a sitegen.toml, and `build` as its owner runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from sitegen.cli import main
from tests.support.projections import ConversationRow, assistant, conversation, make_projection, user

EVERYTHING = '[[rule]]\nmatch = {}\ngate = "none"\nlisted = true\n'


@dataclass(frozen=True, slots=True)
class Workshop:
    """The owner's folder; `public` is where the site goes."""

    folder: Path

    @property
    def public(self) -> Path:
        return self.folder / "public"

    def talk(self, *conversations: ConversationRow, salt: str = "a", version: int = 5) -> None:
        """Replaces the projection by these conversations; another salt gives other row ids."""
        make_projection(self.folder / "archive.duckdb", conversations, row_salt=salt, version=version)

    def configure(self, shares: str = EVERYTHING, *, base_url: str = "https://ann.example.org/notes/") -> None:
        """Replaces sitegen.toml by one with these shares."""
        self.folder.joinpath("sitegen.toml").write_text(
            f'[site]\ntitle = "Notes"\nbase_url = "{base_url}"\n\n[source]\nprojection = "archive.duckdb"\n\n'
            f'[output]\ndirectory = "public"\n\n{shares}'
        )

    def run(self, *arguments: str) -> Result:
        """Runs a command here, whatever its exit code."""
        return CliRunner().invoke(main, ["--config", str(self.folder / "sitegen.toml"), *arguments])

    def build(self, *arguments: str) -> dict[str, Any]:
        """Builds, expects exit 0, and returns what `--json` says."""
        result = self.run("build", "--json", *arguments)
        assert result.exit_code == 0, result.output
        report = json.loads(result.stdout)
        assert isinstance(report, dict)
        return report

    def build_apart(self, *arguments: str, environment: Mapping[str, str] | None = None) -> int:
        """Builds in a process of its own and returns its exit code."""
        command = [sys.executable, "-m", "sitegen", "--config", str(self.folder / "sitegen.toml"), "build", *arguments]
        return subprocess.run(command, env={**os.environ, **(environment or {})}, check=False, timeout=300).returncode

    def page(self, path: str) -> str:
        """A file of the site as text; a folder means its page."""
        file = self.public / path
        return (file / "index.html" if file.is_dir() else file).read_text("utf-8")

    def paths(self) -> set[str]:
        """Every file of the site but hidden ones, relative to it."""
        files = (file.relative_to(self.public) for file in self.public.rglob("*") if file.is_file())
        return {file.as_posix() for file in files if not file.name.startswith(".")}

    def tree(self) -> dict[str, bytes]:
        """Every file of the site with its bytes."""
        return {f.relative_to(self.public).as_posix(): f.read_bytes() for f in self.public.rglob("*") if f.is_file()}


def talk_about(subject: str, *more: str, native_id: str | None = None, **columns: object) -> ConversationRow:
    """A conversation of one question and one answer on a subject, with further prompts and answers."""
    turns = [user(f"What about {subject}?"), assistant(f"This is all about **{subject}**.")]
    turns += [user(line) if n % 2 == 0 else assistant(line) for n, line in enumerate(more)]
    return conversation(native_id or subject, *turns, **{"title": f"On {subject}", **columns})


def share(conversation: str, slug: str, *lines: str) -> str:
    """A [[share]] of a Claude Code conversation."""
    return "\n".join(["[[share]]", f'conversation = "claude_code:{conversation}"', f'slug = "{slug}"', *lines, "", ""])


def slugs(paths: Sequence[str] | set[str]) -> set[str]:
    """The slugs that have a page among these paths."""
    return {path.split("/")[1] for path in paths if path.startswith("s/")}
