"""What a share shows of its conversation. What is left out here is not in the files, whatever a page hides or folds."""

from sitegen.privacy.corpus import Place
from sitegen.privacy.engine import Engine, Library, Match, NoEngine, engine_name, find_engine
from sitegen.privacy.looking import Memory, Scan
from sitegen.privacy.marks import mark
from sitegen.privacy.policy import Finding, Policy
from sitegen.privacy.scrubbing import Scrubbed, apply, count, scrub, scrub_head
from sitegen.privacy.secrets import fingerprint
from sitegen.privacy.show import narrow

__all__ = [
    "Engine",
    "Finding",
    "Library",
    "Match",
    "Memory",
    "NoEngine",
    "Place",
    "Policy",
    "Scan",
    "Scrubbed",
    "apply",
    "count",
    "engine_name",
    "find_engine",
    "fingerprint",
    "mark",
    "narrow",
    "scrub",
    "scrub_head",
]
