"""Search across the site: what is said in open listed conversations, as an index for Pagefind or for pages on disk."""

from sitegen.search.talks import Found, Talk, Turn, make_talk

__all__ = ["Found", "Talk", "Turn", "make_talk"]
