"""The site behind a preview: builds it into a folder of its own, knows what it was made from, and when to build again.

What a build reads is what is watched, so nothing that it writes can wake it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from sitegen.build import STATE_FOLDER, BuildOptions, BuildReport, build
from sitegen.config import load
from sitegen.errors import BusyError, LockedError, SitegenError
from sitegen.output.layout import DOT_FILE
from sitegen.output.watch import Watch
from sitegen.serve.status import Status
from sitegen.stamps import UNSURE, Stamp, stamp_input

FOLDER: Final = "preview"
"""Within the private folder: neither the published output nor its state."""
_RETRY_S: Final = 1.0
_PATIENCE: Final = 20

Say = Callable[[str], None]
Stamps = Mapping[str, Stamp]


@dataclass(slots=True)
class Preview:
    """One site that is looked at while it changes. `say` tells its owner what happens; `clock` gives unix seconds.

    `look` is cheap and may be called often; `make` takes as long as a build and may run in a thread, one at a time.
    """

    config_path: Path
    say: Say
    clock: Callable[[], float] = time.time
    status: Status = field(default=Status(), init=False)
    _stamps: Stamps = field(default_factory=dict, init=False)
    _seen: Stamps = field(default_factory=dict, init=False)
    _looks: int = field(default=0, init=False)
    """How often in a row something was found changed."""
    _due: float | None = field(default=0.0, init=False)
    """When to build whatever happens: at once at the start, after a wait, when a share expires."""

    @property
    def root(self) -> Path:
        """Where the pages are."""
        return self._folder / "site"

    def base_path(self) -> str:
        """Where the site will stand, as the configuration says now; "/" while it can't be read."""
        with suppress(SitegenError):
            self._find_base()
        return self.status.base_path

    @property
    def _folder(self) -> Path:
        return self.config_path.absolute().parent / STATE_FOLDER / FOLDER

    def look(self) -> bool:
        """Whether it's time to build: something changed and came to rest since the last look, or the time is due.

        What never comes to rest, a file that is written all the time, is taken as it is after some looks.
        """
        if self._due is not None and self.clock() >= self._due:
            return True
        if self.status.waiting is not None:
            return False
        now = {path: stamp_input(path) for path in self._stamps}
        is_settled, self._seen = now == self._seen, now
        self._looks = self._looks + 1 if now != self._stamps else 0
        return self._looks > 0 and (is_settled or self._looks > _PATIENCE)

    def make(self, *, jobs: int | None = None) -> bool:
        """Build; whether pages that are open now should be loaded again. Failures become the status."""
        is_new = self._make(jobs)
        if is_new:
            self.status = replace(self.status, version=self.status.version + 1)
        return is_new

    def _make(self, jobs: int | None) -> bool:
        before, started = self.status, time.perf_counter()
        watch, is_new = Watch(), False
        try:
            report = self._build(watch, jobs)
        except (LockedError, BusyError) as error:
            self._wait(str(error))
            return not self.status.has_pages
        except SitegenError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - a preview stays up; what failed is shown where pages would be
            self._fail(f"something went wrong that sitegen has no words for ({type(error).__name__}: {error})")
        else:
            is_new = self._succeed(report, time.perf_counter() - started)
        self._note(watch)
        return is_new or (before.problem, before.has_pages) != (self.status.problem, self.status.has_pages)

    def _build(self, watch: Watch, jobs: int | None) -> BuildReport:
        watch.file(self.config_path)
        self._find_base()
        options = BuildOptions(output=self.root, state=self._folder / "state", jobs=jobs)
        return build(self.config_path, options, watch=watch)

    def _find_base(self) -> None:
        base_path = load(self.config_path).site.base_path
        if base_path != self.status.base_path:
            self.status = replace(self.status, base_path=base_path)

    def _note(self, watch: Watch) -> None:
        """What to watch from now on. A build that failed early hasn't read all that the last one did."""
        read = {path: stamp if stamp != UNSURE else stamp_input(path) for path, stamp in watch.inputs.items()}
        kept = () if self.status.problem is None else self._stamps
        self._stamps = read | {path: stamp_input(path) for path in kept if path not in read}
        self._seen, self._looks = self._stamps, 0

    def _succeed(self, report: BuildReport, seconds: float) -> bool:
        """Take a finished build; whether it made other pages than there were."""
        if self.status.problem is not None:
            self.say("Mended.")
        self._due = None if report.next_expiry is None else report.next_expiry.timestamp()
        self.status = replace(self.status, has_pages=True, problem=None, waiting=None)
        is_new = bool(report.written or report.removed)
        if is_new:
            self.say(f"Built in {seconds:.2f} s: {report.written} written, {report.removed} removed.")
        return is_new

    def _fail(self, why: str) -> None:
        self._due = None
        if self.status.problem != why:
            self.say(why)
        self.status = replace(self.status, problem=why, waiting=None)

    def _wait(self, why: str) -> None:
        """Pages stay as they are, those of an earlier preview too; the next try comes soon."""
        self._due = self.clock() + _RETRY_S
        if self.status.waiting is None:
            self.say(why)
        has_pages = self.status.has_pages or (self.root / DOT_FILE).is_file()
        self.status = replace(self.status, has_pages=has_pages, waiting=why)
