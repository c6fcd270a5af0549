"""What kind of thing a published file is, by its name: how a preview or a bucket labels it for browsers."""

from __future__ import annotations

import re
from typing import Final

UNKNOWN: Final = "application/octet-stream"
_UTF_8: Final = "; charset=utf-8"

_TYPES: Final = {
    "html": "text/html" + _UTF_8,
    "css": "text/css" + _UTF_8,
    "js": "text/javascript" + _UTF_8,
    "mjs": "text/javascript" + _UTF_8,
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "md": "text/markdown" + _UTF_8,
    "txt": "text/plain" + _UTF_8,
    "log": "text/plain" + _UTF_8,
    "csv": "text/csv" + _UTF_8,
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "ico": "image/vnd.microsoft.icon",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "otf": "font/otf",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "gz": "application/gzip",
    "wasm": "application/wasm",
}


def media_type(path: str) -> str:
    """The content type of a path: by its table, never by what the machine's own says."""
    name = path.rpartition("/")[2].lower()
    if name == "feed.xml":
        return "application/atom+xml" + _UTF_8
    return _TYPES.get(name.rpartition(".")[2], UNKNOWN) if "." in name else UNKNOWN


_HASHED: Final = re.compile(r"assets/[^/]+\.[0-9a-f]{8,}\.[a-z0-9]+")


def cache_control(path: str) -> str:
    """How long browsers and caches may keep a file: what all pages share for ever, as its name changes with its bytes.

    All else shortly, though pictures are named by their bytes too: what is taken back must not live on in caches.
    """
    return "public, max-age=31536000, immutable" if _HASHED.fullmatch(path) else "public, max-age=60"
