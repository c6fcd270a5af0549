"""What a preview was asked for."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

PORT: Final = 8000
LOCAL: Final = "127.0.0.1"


class ServeOptions(Struct, frozen=True):
    """Where to listen, and whether to open a browser. A taken port moves on to the next; 0 takes any."""

    host: str = LOCAL
    port: int = PORT
    opens_browser: bool = False
