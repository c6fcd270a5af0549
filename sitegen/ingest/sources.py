"""The sources there are, by the names the command line has for them; an adapter is loaded when it is asked for.

Other packages add theirs as entry points of the group `sitegen.sources`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sitegen.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sitegen.ingest.records import Adapter

GROUP: Final = "sitegen.sources"
_OWN: Final[Mapping[str, str]] = {
    "claude-code": "sitegen.ingest.claude_code:ClaudeCode",
    "codex": "sitegen.ingest.codex:Codex",
    "opencode": "sitegen.ingest.opencode:OpenCode",
    "claude-export": "sitegen.ingest.claude_export:ClaudeExport",
    "chatgpt-export": "sitegen.ingest.chatgpt_export:ChatGPTExport",
    "workspace": "sitegen.ingest.workspace:Workspace",
}
_NEEDED: Final = ("source_id", "display_name", "version", "discover", "compare", "parse")


def source_names() -> tuple[str, ...]:
    """All names: sitegen's own sources, then those of other packages."""
    return (*_OWN, *sorted(_foreign()))


def is_source(name: str) -> bool:
    """Whether there is a source of that name."""
    return name in _OWN or name in _foreign()


def load_source(name: str) -> Adapter:
    """The adapter of a source. Raises UsageError when there is none of that name, or when it can't be loaded."""
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        adapter: Adapter = getattr(import_module(module), attribute)()
        return adapter
    foreign = _foreign()
    if name not in foreign:
        raise UsageError(f"There is no source {name!r}. Those there are: {', '.join(source_names())}.")
    return _load(foreign[name])


def _foreign() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # all that is installed is looked through: not for our own sources

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in _OWN}


def _load(point: EntryPoint) -> Adapter:
    try:
        adapter = point.load()()
    except Exception as error:
        raise UsageError(f"The source {point.name!r} ({point.value}) can't be loaded: {error}.") from error
    lacking = [name for name in _NEEDED if not hasattr(adapter, name)]
    if lacking:
        raise UsageError(f"The source {point.name!r} ({point.value}) is no adapter: it lacks {', '.join(lacking)}.")
    found: Adapter = adapter
    return found
