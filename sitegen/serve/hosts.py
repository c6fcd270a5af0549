"""By which names a preview answers. A page elsewhere that points its own name at this computer gets nothing.

A preview shows what isn't published yet, and a browser would hand it to any site whose name leads here.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from typing import Final

_HOST: Final = re.compile(r"(\[[0-9a-f:.%]+\]|[^:/?#@\s\[\]]+)(?::(\d{1,5}))?", re.ASCII | re.IGNORECASE)
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to

Judge = Callable[[str], bool]


def split_host(header: str) -> tuple[str, int | None] | None:
    """Name and port of a Host header, the brackets of an IPv6 address left off; None for nonsense."""
    match = _HOST.fullmatch(header)
    if match is None:
        return None
    return match[1].strip("[]").lower(), int(match[2]) if match[2] else None


def judge_for(bound: str) -> Judge:
    """Whether a Host header names this server, which listens at `bound`.

    Addresses in digits are nobody's name: they are taken when the server listens beyond this computer.
    """
    named = {*_LOCAL, bound.lower()} | ({socket.gethostname().lower()} if bound in _ANY else set())

    def is_ours(header: str) -> bool:
        found = split_host(header)
        if found is None:
            return False
        return found[0] in named - {""} or (bound not in _LOCAL and _is_address(found[0]))

    return is_ours


def is_own_origin(origin: str | None, host: str) -> bool:
    """Whether a request of that origin comes from a page of the host it goes to; without one it's no browser's page."""
    if origin is None:
        return True
    return re.sub(r"^https?://", "", origin.lower()) == host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
