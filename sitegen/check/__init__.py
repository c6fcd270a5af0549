"""Looks at a finished tree as a reader's browser and a suspicious owner would; knows nothing of how it was made."""

from sitegen.check.canaries import Canaries, find_canaries
from sitegen.check.report import CheckReport, Finding
from sitegen.check.tree import check_tree

__all__ = ["Canaries", "CheckReport", "Finding", "check_tree", "find_canaries"]
