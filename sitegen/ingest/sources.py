"""The sources there are, by the names the command line has for them; an adapter is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sitegen.ingest.records import Adapter


def _claude_code() -> Adapter:
    from sitegen.ingest.claude_code import ClaudeCode

    return ClaudeCode()


SOURCES: Final[Mapping[str, Callable[[], Adapter]]] = {"claude-code": _claude_code}
