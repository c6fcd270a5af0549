"""A small site for tests of safety: pages that need files, in an old and a new form, and a share taken back between."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from sitegen.publish.tree import Tree

FIRST = {
    "assets/site.00000001.css": "old sheet",
    "s/tides/i/1.png": "old picture",
    "s/tides/index.html": "needs s/tides/i/1.png assets/site.00000001.css",
    "s/tides/conversation.md": "old text",
    "s/gone/i/3.png": "secret picture",
    "s/gone/index.html": "secret; needs s/gone/i/3.png assets/site.00000001.css",
    "index.html": "needs s/tides/index.html assets/site.00000001.css",
    "sitemap.xml": "needs s/tides/index.html",
}
SECOND = {
    "assets/site.00000002.css": "new sheet",
    "s/tides/i/2.png": "new picture",
    "s/tides/index.html": "needs s/tides/i/2.png assets/site.00000002.css",
    "s/tides/conversation.md": "new text",
    "s/kerning/index.html": "needs assets/site.00000002.css",
    "index.html": "needs s/tides/index.html s/kerning/index.html assets/site.00000002.css",
    "sitemap.xml": "needs s/tides/index.html s/kerning/index.html",
}
THIRD = {
    "assets/site.00000002.css": "new sheet",
    "s/tides/index.html": "needs assets/site.00000002.css",
    "s/tides/conversation.md": "new text",
    "index.html": "needs s/tides/index.html assets/site.00000002.css",
    "sitemap.xml": "needs s/tides/index.html",
}
"""What was new in the second is taken back again."""


def make_tree(folder: Path, files: Mapping[str, str]) -> Tree:
    """These files as a build would leave them in `folder`."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return Tree(folder, {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}, {})


def missing(live: Mapping[str, bytes]) -> dict[str, set[str]]:
    """What pages of a live copy need and isn't there: nothing, in one that isn't broken."""
    needs = {
        path: set(re.findall(r"\S+/\S+", data.decode())) for path, data in live.items() if "needs" in data.decode()
    }
    return {path: lacking for path, wanted in needs.items() if (lacking := wanted - live.keys())}
