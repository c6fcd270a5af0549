"""Documents from fragments: share pages in parts, indexes, home, 404, tombstones, charts. Reads and writes no file."""

from sitegen.pages.cards import make_card
from sitegen.pages.frame import Site
from sitegen.pages.site import Pages

__all__ = ["Pages", "Site", "make_card"]
