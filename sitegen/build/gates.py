"""What stands before the protected pages of a build, as the rest of it sees that.

Most sites protect nothing. What finds, judges and stretches secrets (`locked`) is dear to import, and not for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitegen.errors import RefusedError
from sitegen.model import Project, Share

if TYPE_CHECKING:
    from sitegen.build.sealing import Sealing
    from sitegen.build.watchwords import Watchword

UNPREPARED = "its gate wasn't prepared; this is a fault in sitegen, please report it"


@dataclass(eq=False, repr=False, slots=True)
class Gates:
    """The gates of a build, by owner: a share's slug, or the scope of a project.

    Of this class where nothing asks for one. What does all the same has a fault, and never an open page.
    """

    faults: dict[str, str] = field(default_factory=dict, init=False)
    """Why pages can't be protected, by owner."""
    refused: set[str] = field(default_factory=set, init=False)
    """Those of them that are refused for safety."""
    notes: list[str] = field(default_factory=list, init=False)

    def add_share(self, share: Share) -> None:
        """Finds all that a share's gate needs. What is missing is a fault."""
        self._refuse(share.slug)

    def add_project(self, project: Project) -> None:
        """Finds all that the gate of a project's index needs."""
        self._refuse(project.scope)

    def gate_id(self, owner: str) -> str:
        """Changes with all that opens a page; "" when it has no gate, or one that can't be had."""
        return ""

    def stretch(self, owners: Iterable[str]) -> None:
        """Judges the secrets of these pages and stretches each once. Those that won't do are faults from then on."""

    def sealing(self, owner: str) -> Sealing:
        """How the page is protected. `stretch` must have come before."""
        raise RefusedError(f"{owner}: {UNPREPARED}")

    def secrets(self, owner: str) -> Iterable[Watchword]:
        """What must not be published of a page's gate."""
        return ()

    def site_secret(self) -> Iterable[Watchword]:
        """What must not be published whatever is protected."""
        return ()

    def shown(self) -> Iterable[str]:
        """Texts that stand before gates for everyone to read."""
        return ()

    def _refuse(self, owner: str) -> None:
        self.faults[owner] = UNPREPARED
        self.refused.add(owner)
