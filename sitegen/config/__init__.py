"""sitegen.toml: read into typed values with every fault told by its line, and edited with its layout kept."""

from sitegen.config.load import load
from sitegen.config.types import (
    CONFIG_NAME,
    Config,
    Match,
    Output,
    Pages,
    Privacy,
    ProjectEntry,
    Publish,
    RegistryEntry,
    Remote,
    RuleEntry,
    Search,
    ShareEntry,
    Site,
    Source,
    Theme,
    fingerprint,
)

__all__ = [
    "CONFIG_NAME",
    "Config",
    "Match",
    "Output",
    "Pages",
    "Privacy",
    "ProjectEntry",
    "Publish",
    "RegistryEntry",
    "Remote",
    "RuleEntry",
    "Search",
    "ShareEntry",
    "Site",
    "Source",
    "Theme",
    "fingerprint",
    "load",
]
