"""A site in miniature for tests of the output: pages by owner in, one whole build, what a user would see out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sitegen.model import Document
from sitegen.output.books import Removal
from sitegen.output.folder import Folder
from sitegen.output.layout import DOT_FILE
from sitegen.output.lock import hold
from sitegen.output.plan import Claim, Plan
from sitegen.output.records import FinishedBuild, ShareRecord
from sitegen.output.state import State
from sitegen.output.unchanged import Verdict, look
from sitegen.output.watch import Watch

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Pages = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one build did."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    removal: Removal = field(default_factory=Removal)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class World:
    """A folder with a configuration, its state and its output."""

    root: Path
    output_name: str = "public"

    @property
    def output(self) -> Path:
        return self.root / self.output_name

    @property
    def state_file(self) -> Path:
        return self.root / ".sitegen" / "state.sqlite"

    @property
    def config(self) -> Path:
        return self.root / "sitegen.toml"

    def build(
        self,
        shares: Mapping[str, Pages],
        *,
        home: str = "home",
        adopt: bool = False,
        now: datetime = NOW,
        next_expiry: datetime | None = None,
        environment: Mapping[str, str] | None = None,
        before_finish: Callable[[Folder], object] = lambda folder: None,
    ) -> Outcome:
        """Build shares (pages by name below the share's folder) and a home page, as the program does."""
        with hold(self.state_file.parent, output=self.output), self.open_state() as state:
            watch = Watch()
            watch.file(self.config)
            watch.environment(environment or ())
            plan = Plan.of(
                [
                    Claim("site", files=("index.html",)),
                    *(Claim(f"share {slug}", folders=(f"s/{slug}",)) for slug in shares),
                ]
            )
            folder = Folder.open(self.output, state=state, adopt=adopt)
            removal = folder.begin(plan)
            wanted = {f"share {slug}": _below(slug, pages) for slug, pages in shares.items()}
            wanted["site"] = {"index.html": home}
            written, kept = _write(folder, state, wanted)
            before_finish(folder)
            files, pruned = folder.finish()
            state.finish(
                FinishedBuild(
                    files=files,
                    built_at=now,
                    shares={owner: ShareRecord(owner, "c", page_key=repr(pages)) for owner, pages in wanted.items()},
                    inputs=watch.inputs,
                    environment=watch.seal_environment(environment or {}),
                    invocation="build",
                    next_expiry=next_expiry,
                )
            )
            return Outcome(written, kept, removal + pruned, state.problem)

    def open_state(self) -> State:
        return State.open(self.state_file, output=self.output)

    def look(self, *, now: datetime = NOW, environment: Mapping[str, str] | None = None) -> Verdict:
        return look(self.state_file, invocation="build", now=now.timestamp(), environ=environment or {})

    def tree(self) -> dict[str, str]:
        """What stands in the output, but for the dot file."""
        return {
            path.relative_to(self.output).as_posix(): path.read_text()
            for path in sorted(self.output.rglob("*"))
            if path.is_file() and path.name != DOT_FILE
        }

    def folders(self) -> Collection[str]:
        return {path.relative_to(self.output).as_posix() for path in self.output.rglob("*") if path.is_dir()}


def make_world(root: Path) -> World:
    """A world with a configuration file."""
    root.mkdir(parents=True, exist_ok=True)
    world = World(root)
    world.config.write_text("[site]\n")
    return world


def page(text: str) -> dict[str, str]:
    """A share of one page."""
    return {"index.html": text}


def _below(slug: str, pages: Pages) -> dict[str, str]:
    return {f"s/{slug}/{name}": text for name, text in pages.items()}


def _write(folder: Folder, state: State, wanted: Mapping[str, Pages]) -> tuple[list[str], list[str]]:
    written: list[str] = []
    kept: list[str] = []
    for owner, pages in wanted.items():
        last = state.last.shares.get(owner)
        if last is not None and last.page_key == repr(pages) and folder.keep(owner):
            kept.append(owner)
            continue
        files = folder.writer(owner).write([Document(path, text.encode()) for path, text in pages.items()])
        folder.accept(files)
        written += [file.record.path for file in files if file.is_changed]
    return written, kept
