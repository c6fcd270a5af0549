"""Finds the conversations that are on this machine where their programs put them; reads none of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Found(Struct, frozen=True):
    """A place with conversations that a source can read."""

    source: str
    """The source's name on the command line."""
    path: Path
    file_count: int


class Findings(Struct, frozen=True):
    """What is on this machine."""

    places: tuple[Found, ...]
    archive: Path | None = None
    """Chatstrata's own projection, which needs no ingest."""
    looked_at: tuple[Path, ...] = ()


def look_around(environment: Mapping[str, str], home: Path) -> Findings:
    """What there is in the default places and in those that `environment` names instead."""
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude").expanduser()
    codex = Path(environment.get("CODEX_HOME") or home / ".codex").expanduser()
    wanted = (
        ("claude-code", claude / "projects", "*/*.jsonl"),
        ("codex", codex / "sessions", "**/rollout-*.jsonl"),
    )
    places = [Found(source, path, sum(1 for _ in path.glob(pattern))) for source, path, pattern in wanted]
    named = environment.get("CHATSTRATA_DB")
    archive = (
        Path(named).expanduser() if named else _data_folder(environment, home) / "chatstrata" / "chatstrata.duckdb"
    )
    return Findings(
        places=tuple(place for place in places if place.file_count),
        archive=archive if archive.is_file() else None,
        looked_at=(*(path for _, path, _ in wanted), archive),
    )


def _data_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where programs keep a user's data on this system."""
    match sys.platform:
        case "darwin":
            return home / "Library" / "Application Support"
        case "win32":
            return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        case _:
            return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
