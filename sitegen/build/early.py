"""The rules for secrets, loaded while the conversations are read in which they are looked for."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass

from sitegen.privacy import Engine
from sitegen.privacy.engine import Match


@dataclass(slots=True)
class EarlyEngine:
    """An engine that can begin to load before it has anything to scan; loading leaves the interpreter to others."""

    engine: Engine
    _loading: threading.Thread | None = None

    @property
    def name(self) -> str:
        return self.engine.name

    def begin(self) -> None:
        """Loads it beside whatever is done now; once is enough."""
        if self._loading is None:
            self._loading = threading.Thread(target=self._load, daemon=True)
            self._loading.start()

    def scan(self, data: bytes) -> list[Match]:
        """What is found, in order."""
        if self._loading is not None:
            self._loading.join()
        return self.engine.scan(data)

    def _load(self) -> None:
        with suppress(Exception):  # whoever scans is told
            self.engine.scan(b"")
