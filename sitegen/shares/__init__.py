"""Who may see what: the configuration and the projection's own shared views as one registry of shares."""

from sitegen.shares.finder import Finder, short_ids
from sitegen.shares.gates import refuse_gate
from sitegen.shares.projects import belongs_to, home_shortened, project_name
from sitegen.shares.registry import Registry
from sitegen.shares.resolve import resolve

__all__ = [
    "Finder",
    "Registry",
    "belongs_to",
    "home_shortened",
    "project_name",
    "refuse_gate",
    "resolve",
    "short_ids",
]
