"""Sizes and names that a host or a reader's patience may not take: warnings, no faults."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.check.report import Finding
from sitegen.check.site import Site

PAGE_BYTES = 1_500_000
ASSET_BYTES = 25_000
FILE_BYTES = 100_000_000
SITE_BYTES = 1_000_000_000
WARNED_AT = 0.8
"""The part of a host's limit from which on it's told."""
_BAD_IN_NAMES = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ](?:/|$)')


def check_budgets(site: Site) -> Iterator[Finding]:
    """What is too large or unhappily named, and links that a host would follow or drop."""
    for path, size in site.files.items():
        if path.endswith(".html") and size > PAGE_BYTES:
            yield _warning(path, f"the page has {_mb(size)}; above {_mb(PAGE_BYTES)} it opens slowly on a phone")
        elif _is_asset(path) and size > ASSET_BYTES:
            yield _warning(
                path, f"it has {size / 1000:.0f} KB, and every page waits for it; {ASSET_BYTES // 1000} is the aim"
            )
        elif size >= FILE_BYTES * WARNED_AT:
            yield _warning(path, f"it has {_mb(size)}; GitHub refuses files above {_mb(FILE_BYTES)}")
        if _BAD_IN_NAMES.search(path):
            yield _warning(path, "its name holds characters that some file systems and hosts refuse")
    for path in site.links:
        yield _warning(path, "it is a symbolic link; a host publishes what it points to, or drops it")
    total = sum(site.files.values())
    if total >= SITE_BYTES * WARNED_AT:
        yield _warning(".", f"the site has {_mb(total)}; GitHub Pages takes {_mb(SITE_BYTES)}")


def _is_asset(path: str) -> bool:
    return path.startswith("assets/") and path.endswith((".css", ".js"))


def _warning(path: str, sentence: str) -> Finding:
    return Finding(path, sentence, level="warning")


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
