"""One run under the lock: opens what is needed in order, closes it, and tells what became of it."""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import pages
from sitegen.build import STATE_FOLDER, BuildOptions, BuildReport, OnProgress, invocation
from sitegen.build.clean import Scans, policy_of
from sitegen.build.gates import Gates
from sitegen.build.keys import PACKAGE, make_keys
from sitegen.build.owners import SITE
from sitegen.build.pool import MakeAll, make_all
from sitegen.build.processes import Processes
from sitegen.build.reading import Found
from sitegen.build.renderers import Renderers
from sitegen.build.setting import Setting, assets_of, compile_templates
from sitegen.build.site import SiteBuild
from sitegen.build.theme import Layers
from sitegen.build.wanted import find_shares, open_vault
from sitegen.build.wishes import has_gates
from sitegen.build.work import Worker
from sitegen.config import Config, fingerprint
from sitegen.errors import BuildError, RefusedError
from sitegen.gate.vault import Vault
from sitegen.model import ConversationHead, SharedView
from sitegen.output.cache import Cache
from sitegen.output.layout import ASSETS_FOLDER, CACHE_FOLDER, COMPILED_FOLDER, SCAN_FOLDER, STATE_FILE
from sitegen.output.records import FinishedBuild
from sitegen.output.state import State
from sitegen.output.target import open_target
from sitegen.output.watch import Watch
from sitegen.shares import Registry
from sitegen.urls import Urls
from sitegen.wording.counts import counted

if TYPE_CHECKING:
    from sitegen.build.scan import Leak

_FEW = 5


@dataclass(eq=False, repr=False, slots=True)
class Run:
    """The build of one configuration into one folder. `run` may be called once."""

    config: Config
    options: BuildOptions
    found: Future[Found]
    processes: Processes
    output: Path | str
    on_progress: OnProgress
    watch: Watch
    now: datetime = field(init=False)
    renderers: Renderers = field(init=False)
    setting: Setting = field(init=False)
    has_gates: bool = field(init=False)
    vault: Vault = field(init=False, repr=False)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now = self.options.now or datetime.now(UTC)
        self.renderers = Renderers.find()
        self.setting = self._setting()

    def warm_up(self, *, renders: bool) -> None:
        """Gets ready to make pages, or also to render, until it's read what there is; others compile the templates."""
        self.processes.ask(partial(compile_templates, self.setting))
        if renders:
            from sitegen.render.warming import warm_up

            warm_up()

    def run(self) -> BuildReport:
        self._watch_inputs()
        heads, registry = self._read()
        with State.open(self.state_folder / STATE_FILE, output=self.output) as state:
            self.warnings += [*registry.problems, *registry.notes, *([state.problem] if state.problem else [])]
            site = self._site(heads, registry, state)
            site.remove_first(site.plan())
            if site.folder.is_live:  # no reader shall meet a page without its style
                site.changed |= site.folder.write(SITE, assets_of(site.setting).documents)
            self._layers.check(self.config)  # no sooner: what is taken back goes, whatever else can't be made
            site.make_shares()
            self.on_progress("finishing", 0, 0)
            site.make_indexes()
            site.finish()
            leaks, notes = self._look_over(site)
            self.warnings += [*site.gates.notes, *notes, *self._renderer_notes(site)]
            # Before the state says that all is done: a narrowed share must leave no trace, whenever a build dies.
            Cache(self.cache_folder).prune(site.used_entries)
            Scans.within(self.scan_folder).prune(registry.shares)
            state.finish(self._finished(site, registry, is_clean=not leaks))
        _refuse_leaks(leaks)
        _refuse_unfinished(site)
        return self._report(site, registry)

    def _look_over(self, site: SiteBuild) -> tuple[Sequence[Leak], Sequence[str]]:
        """Leaks, and sentences for the owner. Where nothing is protected there is nothing to look for, or to import."""
        if not any(share.is_gated for share in site.shares) and not any(each.is_gated for each in site.projects):
            return (), ()
        from sitegen.build.lookout import look_over

        look = look_over(site)
        return look.leaks, look.notes

    @property
    def state_folder(self) -> Path:
        return self.options.state or self.config.folder / STATE_FOLDER

    @property
    def cache_folder(self) -> Path:
        return self.state_folder / CACHE_FOLDER

    @property
    def scan_folder(self) -> Path:
        return self.state_folder / SCAN_FOLDER

    def _watch_inputs(self) -> None:
        """All else that decides a byte of the output, before it's read. A new version of a library is a new name."""
        if self.config.privacy.hide_file is not None:
            self.watch.file(self.config.privacy.hide_file)
        self.watch.tree(PACKAGE)
        self._layers.watch(self.watch)
        self.renderers.watch(self.watch)
        for name in ("purelib", "platlib"):
            self.watch.names(Path(sysconfig.get_path(name)))

    def _read(self) -> tuple[Sequence[ConversationHead], Registry]:
        """What there is and what is shared. Raises when nothing can be, or when strict and something can't."""
        found = self.found.result()
        self.warnings += found.warnings
        self._open_vault(found.views)
        registry = find_shares(self.config, found.heads, found.views, vault=self.vault, now=self.now)
        if self.options.is_strict and registry.problems:
            msg = f"Not built, for --strict: {'; '.join(registry.problems)}"
            raise BuildError(msg)
        return found.heads, registry

    def _open_vault(self, views: Sequence[SharedView]) -> None:
        self.has_gates = has_gates(self.config, views)
        if self.has_gates:
            from sitegen.build.locked import watch_vault

            watch_vault(self.watch, self.config.folder)
        self.vault = open_vault(self.config, views)

    @property
    def _layers(self) -> Layers:
        return Layers.of(self.config)

    @property
    def _temp_folder(self) -> Path:
        return self.state_folder / "tmp"

    def _site(self, heads: Sequence[ConversationHead], registry: Registry, state: State) -> SiteBuild:
        private = [self.config.path, *self.config.source.projections]
        return SiteBuild(
            shares=registry.shares,
            heads=tuple(heads),
            keys=make_keys(
                text_settings=fingerprint(self.config, "text"),
                page_settings=fingerprint(self.config, "page"),
                templates=self.setting.templates,
                static=self.setting.static,
                is_offline=self.options.is_offline,
                policy=policy_of(self.config.privacy),
                renderers=self.renderers.marks(),
            ),
            worker=Worker(self.setting, self.found.result().projections),
            folder=open_target(
                self.output, state=state, adopt=self.options.is_adopting, private=private, is_full=self.options.is_full
            ),
            state=state,
            gates=self._gates(),
            is_full=self.options.is_full,
            make=self._make(),
            on_progress=self.on_progress,
        )

    def _setting(self) -> Setting:
        layers = self._layers.standing()
        site = self.config.site
        return Setting(
            site=pages.Site(
                title=site.title,
                language=site.language,
                timezone=site.timezone,
                remember_days=site.remember_days,
                has_search=self.config.search.enabled and not self.options.is_offline,
            ),
            urls=Urls(base_url=site.base_url, offline=self.options.is_offline),
            templates=layers.templates,
            static=layers.static,
            projections=self.config.source.projections,
            temp_folder=self._temp_folder,
            cache_folder=self.cache_folder,
            scan_folder=self.scan_folder,
            compiled_folder=self.state_folder / COMPILED_FOLDER,
            assets_folder=self.state_folder / ASSETS_FOLDER,
            policy=policy_of(self.config.privacy),
            shows_labels=self.config.pages.labels,
            is_cache_read=not self.options.is_full,
        )

    def _renderer_notes(self, site: SiteBuild) -> list[str]:
        keys = [record.cache_key for record in site.records.values() if record.cache_key]
        return [*self.renderers.faults(), *self.renderers.notes(Cache(self.cache_folder), keys)]

    def _make(self) -> MakeAll:
        """The local pool, or a cluster."""
        address = self.options.executor
        if address is None:
            return partial(make_all, processes=self.processes)
        from sitegen.build.cluster import Cluster  # with all that fetching needs

        remote = {each.copy: each.address for each in self.config.source.remote}
        return partial(Cluster(address, remote).make_all, processes=self.processes)

    def _gates(self) -> Gates:
        if not self.has_gates:
            return Gates()
        from sitegen.build.locked import LockedGates  # with all that keeps secrets

        return LockedGates(self.vault, self.watch, self._render_terms)

    def _render_terms(self, text: str) -> str:
        from sitegen.render import RenderOptions
        from sitegen.render.terms import render_terms

        site = self.config.site
        return render_terms(text, RenderOptions(language=site.language, timezone=site.timezone))

    def _finished(self, site: SiteBuild, registry: Registry, *, is_clean: bool) -> FinishedBuild:
        """A build in which something failed isn't taken for one with nothing to do."""
        is_clean = is_clean and not site.failures and not site.refused and not site.search_fault
        is_clean = is_clean and site.removal.is_complete
        # What stands elsewhere may have changed, and only asking tells: then a build looks each time.
        is_clean = is_clean and not self.config.source.remote
        return FinishedBuild(
            files=site.files,
            built_at=self.now,
            shares=site.records,
            facts=site.facts,
            inputs=self.watch.inputs,
            environment=self.watch.seal_environment(),
            invocation=invocation(self.config.path, self.options) if is_clean else None,
            next_expiry=registry.next_expiry,
            notes="\n".join(self.warnings),
        )

    def _report(self, site: SiteBuild, registry: Registry) -> BuildReport:
        return BuildReport(
            output=self.output,
            written=site.written,
            kept=len(site.files) - 1 - site.written,
            removed=len(site.removal.removed),
            shares=sum(not share.is_expired for share in registry.shares),
            expired=sum(share.is_expired for share in registry.shares),
            next_expiry=registry.next_expiry,
            notices=tuple(self.warnings),
            found=site.found,
        )


def _refuse_leaks(leaks: Sequence[Leak]) -> None:
    """Raises when a file held what is protected. It's gone from the output by then, so that it can't be published."""
    if leaks:
        told = [f"{leak.path} held {leak.told}" for leak in leaks]
        msg = (
            f"Protected words stood in the open, and the files were taken out of the output: {_some(told)}. Look where "
            "they come from (a title, a description, a file name, another share), change that and build again."
        )
        raise RefusedError(msg)


def _refuse_unfinished(site: SiteBuild) -> None:
    """Raises when the output isn't what it should be; that something is still there is the graver reason."""
    stuck = [f"{path} ({why})" for path, why in site.removal.failed]
    stuck += [f"{path} (someone has changed it)" for path in site.removal.altered]
    if stuck:
        msg = f"Still in the output, though no longer shared: {_some(stuck)}. Remove it by hand and build again."
        raise RefusedError(msg)
    if site.gates.refused:
        msg = f"Not published, because they wouldn't be protected: {_some(site.failures)}"
        raise RefusedError(msg)
    if site.refused:
        listed = "\n".join(site.refused)
        msg = (
            f"Not published, because secrets stand in {len(site.refused)} of {counted(len(site.shares), 'share')}; "
            f'the others were made.\n{listed}\nTake them out of the conversation, say secrets = "redact", or allow '
            "single ones by fingerprint under [privacy]."
        )
        raise RefusedError(msg)
    if site.search_fault:
        msg = f"Everything was made but the search. {site.search_fault}"
        raise BuildError(msg)
    if site.failures:
        msg = f"{_unmade(site)} couldn't be made; the others were. {_some(site.failures)}"
        raise BuildError(msg)


def _unmade(site: SiteBuild) -> str:
    """How many shares, and indexes of protected projects, failed: "1 of 12 shares and 1 index"."""
    indexes = sum(project.is_gated and project.scope in site.gates.faults for project in site.projects)
    shares = len(site.failures) - indexes
    parts = [f"{shares} of {counted(len(site.shares), 'share')}"] if shares else []
    parts += [f"{indexes} {'index' if indexes == 1 else 'indexes'} of protected projects"] if indexes else []
    return " and ".join(parts)


def _some(items: Sequence[str]) -> str:
    items = list(dict.fromkeys(items))  # one missing secret is one reason, however many pages lack it
    more = len(items) - _FEW
    return "; ".join(items[:_FEW]) + (f"; and {more} more" if more > 0 else "")
