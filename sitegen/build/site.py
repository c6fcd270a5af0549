"""One build, step by step: what is wanted, what stands, what goes first, what is made, what is kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from sitegen.build import renderers, searching
from sitegen.build.clean import key_of, pack, total, unpack
from sitegen.build.family import Family
from sitegen.build.gates import Gates
from sitegen.build.inside import cards_inside, cards_of, inside, sealed_index
from sitegen.build.keys import Keys, digest, fragments_key
from sitegen.build.owners import SEARCH, SITE, claims, gate_of_project, owner_of, owner_of_project, watchwords_key
from sitegen.build.pool import MakeAll
from sitegen.build.posters import poster_key
from sitegen.build.report import OnProgress
from sitegen.build.searching import Searching, talk_key
from sitegen.build.setting import Setting
from sitegen.build.titles import Titles
from sitegen.build.watchwords import Watchword, Watchwords
from sitegen.build.work import Made, Task, Worker
from sitegen.errors import SitegenError
from sitegen.model import Card, ConversationHead, Document, Project, Share
from sitegen.output.cache import Cache
from sitegen.output.plan import Plan
from sitegen.output.records import FileRecord, ShareRecord
from sitegen.output.state import State
from sitegen.output.target import Removal, Target
from sitegen.output.writer import Written
from sitegen.pages import Pages

_FOUND = "found in "
_BESIDE = (renderers.notes_key, fragments_key, poster_key, talk_key)


@dataclass(eq=False, repr=False, slots=True)
class SiteBuild:
    """The building of a whole site into an opened folder, under a held lock."""

    shares: tuple[Share, ...]
    heads: tuple[ConversationHead, ...]
    keys: Keys
    worker: Worker = field(repr=False)
    folder: Target
    state: State
    gates: Gates
    is_full: bool
    make: MakeAll
    on_progress: OnProgress
    failures: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Failures of what must not be published: secrets stand in it."""
    records: dict[str, ShareRecord] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileRecord] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    """Paths of the files that were written."""
    watchwords: dict[str, tuple[Watchword, ...]] = field(default_factory=dict, repr=False)
    """What must be seen nowhere of each protected share, by slug."""
    search_fault: str | None = None
    """Why there is no search, though there should be."""
    removal: Removal = field(default_factory=Removal)
    projects: tuple[Project, ...] = field(init=False)
    """Those that have an index, because a listed share is in them; by slug."""
    _transcripts: dict[str, str] = field(init=False)
    """Keys of the transcripts, by slug."""
    _page_keys: dict[str, str] = field(init=False)
    _family: Family = field(init=False)
    _titles: Titles = field(init=False, repr=False)
    _counts: dict[str, str] = field(init=False)
    """How much was taken out of transcripts, as kept, by key: shares that show the same have one transcript."""
    _search: Searching = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._counts = {key_of(text): text for name, text in self.state.last.facts.items() if name.startswith(_FOUND)}
        self._search = Searching(self.setting)
        self._titles = Titles(self.setting, self.keys, self.heads)
        self._family = Family.of(self.shares, self.heads, title_of=self._titles.of)
        listed = {share.project.slug: share.project for share in self.shares if share.is_indexed and share.project}
        self.projects = tuple(listed[slug] for slug in sorted(listed))
        self._prepare_gates()
        self._transcripts = {share.slug: self.keys.transcript(share) for share in self.shares}
        self._page_keys = {
            share.slug: self.keys.page(
                share,
                transcript=self._transcripts[share.slug],
                parent=self._family.parent(share),
                children=self._family.children(share),
                is_project_listed=share.project is not None and share.project.slug in listed,
                gate_id=self.gates.gate_id(share.slug),
            )
            for share in self.shares
        }

    def _prepare_gates(self) -> None:
        for share in self.shares:
            if share.is_gated and not share.is_expired:
                self.gates.add_share(share)
        for project in self.projects:
            if project.is_gated:
                self.gates.add_project(project)

    def plan(self) -> Plan:
        """Who may write where. Raises OutputError for collisions, before anything is touched."""
        return Plan.of(claims(self.shares, self.projects, has_search=self._search.is_on))

    def remove_first(self, plan: Plan) -> None:
        """Takes back what isn't shared any more, what expired or has another gate now, before anything can fail."""
        self.removal += self.folder.begin(plan)
        for share in self.shares:
            if (share.is_expired or share.is_gated) and not self._has_same_terms(share):
                self.removal += self.folder.remove(owner_of(share))
        for project in self.projects:
            # The index of a project that was open tells more than it may now.
            known = self.state.last.facts.get(gate_of_project(project))
            if project.is_gated and known != self.gates.gate_id(project.scope):
                self.removal += self.folder.remove(owner_of_project(project))
        if self._search.is_outdated(self.state.last, self.shares, self._terms):
            self.removal += self.folder.remove(SEARCH)  # it tells of something that is taken back

    def make_shares(self) -> None:
        """Keeps the shares whose pages stand, and makes the others."""
        wanted: list[Share] = []
        for share in self.shares:
            if self._is_standing(share):
                self._keep(share)
            elif share.is_expired:
                self._make_tombstone(share)
            else:
                wanted.append(share)
        self.gates.stretch(share.slug for share in wanted if share.is_gated)
        tasks = [self._task(share) for share in wanted if self._is_ready(share)]
        done = 0

        def count(more: int) -> None:
            nonlocal done
            done += more
            self.on_progress("making", done, len(tasks))

        by_slug = {share.slug: share for share in self.shares}
        all_made = self.make(self.worker, tasks, on_made=count)
        found = {self._transcripts[each.slug]: each.found for each in all_made if each.found}
        self._counts |= {key: pack(counts, key) for key, counts in found.items()}
        for made in all_made:
            self._accept(by_slug[made.slug], made)

    def make_indexes(self) -> None:
        """Search, home, projects, 404, sitemap and assets, where what they show has changed."""
        cards = cards_of(self.shares, self.records)
        self._make_search([card for card in cards if card.listed and not card.is_protected])
        for project in self.projects:
            if project.is_gated:
                self._make_gated_index(project)
                continue
            own = [card for card in cards if card.project == project.slug]
            key = digest(self.keys.framing, project, self._told(own))
            self._make_once(owner_of_project(project), key, partial(self.pages.project, project, own))
        key = digest(self.keys.framing, self.projects, self._told(cards), self._has_search)
        self._make_once(SITE, key, lambda: self._site_documents(cards))

    def _told(self, cards: Iterable[Card]) -> list[str]:
        """The cards as they are kept, which takes longer to do again than to make an index's key of them."""
        return [self.records[card.slug].card for card in cards]

    def _make_search(self, cards: list[Card]) -> None:
        """The search; one that can't be made costs nothing else."""
        if not self._search.is_on or not cards:
            return
        self.facts[searching.TERMS] = self._search.terms(self.shares, self._terms)
        key = digest(self.keys.framing, self._search.made_of(cards, self.records))
        try:
            self._make_once(SEARCH, key, lambda: self._search.make(self.pages, cards, self.records))
        except SitegenError as error:
            self.search_fault = str(error)
            self.removal += self.folder.remove(SEARCH)

    @property
    def _has_search(self) -> bool:
        return SEARCH in self.facts and self.search_fault is None

    def finish(self) -> None:
        """Prunes what is stale. What the state must know is in `files`, `records` and `facts` then."""
        self.files, removal = self.folder.finish()
        self.removal += removal

    @property
    def found(self) -> tuple[tuple[str, int], ...]:
        """How much was taken out of all shares, by what it was."""
        return total(unpack(text)[1] for name, text in self.facts.items() if name.startswith(_FOUND))

    @property
    def setting(self) -> Setting:
        return self.worker.setting

    @property
    def pages(self) -> Pages:
        return self.worker.pages

    @property
    def used_entries(self) -> set[str]:
        """Keys of what the site is made of now, in the cache."""
        made = {record.cache_key for record in self.records.values() if record.cache_key}
        asked = {self._transcripts[share.slug] for share in self.shares if not share.is_expired}
        return made | asked | {watchwords_key(key) for key in asked} | {name(key) for key in made for name in _BESIDE}

    @property
    def written(self) -> int:
        """How many files were written."""
        return len(self.changed)

    @property
    def open_cards(self) -> list[Card]:
        """What indexes that everyone can read may say."""
        return [card for card in cards_of(self.shares, self.records) if not card.is_protected]

    def gate_fact(self, share: Share) -> str:
        """Changes when the site must be searched anew for the words of a protected share."""
        return digest(watchwords_key(self._transcripts[share.slug]), self.gates.gate_id(share.slug))

    def _is_standing(self, share: Share) -> bool:
        """Whether the share's pages are there as they should be; they are kept then."""
        known = self.state.last.shares.get(share.slug)
        is_same = known is not None and known.page_key == self._page_keys[share.slug]
        if not is_same or self.is_full or share.slug in self.gates.faults:
            return False
        return self._recalls(share) and self.folder.keep(owner_of(share))

    def _has_same_terms(self, share: Share) -> bool:
        last = self.state.last.shares.get(share.slug)
        return last is not None and last.page_key.startswith(self._terms(share)) and share.slug not in self.gates.faults

    def _terms(self, share: Share) -> str:
        return self.keys.terms(share, gate_id=self.gates.gate_id(share.slug))

    def _recalls(self, share: Share) -> bool:
        """Whether all is known again that only the conversation tells: what must be seen nowhere, a card for inside."""
        if not self._search.recalls(share, self.state.last.shares[share.slug]):
            return False
        if not share.is_gated or share.is_expired:
            return True
        words = Cache(self.setting.cache_folder).get(watchwords_key(self._transcripts[share.slug]), Watchwords)
        if words is None or (share.is_inherited and inside(share) not in self.state.last.facts):
            return False
        self.watchwords[share.slug] = words.all
        return True

    def _keep(self, share: Share) -> None:
        self.records[share.slug] = self.state.last.shares[share.slug]
        self._note_found(share, None)
        if share.is_inherited and not share.is_expired:
            self.facts[inside(share)] = self.state.last.facts[inside(share)]

    def _is_ready(self, share: Share) -> bool:
        """Whether the share's gate, if it has one, can be put before it; told when it can't."""
        if (fault := self.gates.faults.get(share.slug)) is not None:
            self.failures.append(fault)
            self.removal += self.folder.remove(owner_of(share))
        return fault is None

    def _task(self, share: Share) -> Task:
        transcript, last = self._transcripts[share.slug], self.state.last.shares.get(share.slug)
        return Task(
            share=share,
            transcript_key=transcript,
            content_key=self.keys.content(share),
            writer=self.folder.writer(owner_of(share)),
            before=last.cache_key if last is not None else "",
            is_known=last is not None and transcript in last.page_key,
            heads=self._family.descendants(share.head),
            is_project_listed=self._has_index(share),
            parent=self._family.parent(share),
            children=self._family.children(share),
            sealing=self.gates.sealing(share.slug) if share.is_gated else None,
            watchwords_key=watchwords_key(transcript),
        )

    def _make_gated_index(self, project: Project) -> None:
        """The index of a protected project: its shares by title inside, one neutral page outside."""
        cards = cards_inside(project, self.shares, records=self.records, facts=self.facts)
        gate_id = self.gates.gate_id(project.scope)
        self.facts[gate_of_project(project)] = gate_id
        if project.scope not in self.gates.faults:
            key = digest(self.keys.framing, project, cards, gate_id)
            make = partial(sealed_index, self.pages, self.gates, project, cards, is_offline=self.setting.urls.offline)
            self._make_once(owner_of_project(project), key, make)
        if project.scope in self.gates.faults:
            self.failures.append(self.gates.faults[project.scope])
            self.removal += self.folder.remove(owner_of_project(project))

    def _make_tombstone(self, share: Share) -> None:
        self._write(owner_of(share), [self.pages.tombstone(share)])
        self._record(share, card="", cache_key="")

    def _accept(self, share: Share, made: Made) -> None:
        if made.failure is not None:
            (self.refused if made.is_refused else self.failures).append(f"{share.slug}: {made.failure}")
            self.folder.note(made.written)
            self._keep_what_may_stay(share)
            return
        self._count(made.written)
        self._note_found(share, made.found)
        self._record(share, card=made.card, cache_key=made.cache_key)
        self.watchwords |= {share.slug: made.watchwords.all} if share.is_gated else {}
        if made.inside:
            self.facts[inside(share)] = made.inside

    def _note_found(self, share: Share, found: Mapping[str, int] | None) -> None:
        """How much was taken out of a share, or was when its transcript was made."""
        key, name = self._transcripts[share.slug], f"{_FOUND}{share.slug}"
        found = self._titles.found.get(share.slug) if found is None else found
        text = self._counts.get(key) if found is None else pack(found, key)
        if text and not share.is_expired:
            self.facts[name] = text

    def _count(self, written: Collection[Written]) -> None:
        self.folder.accept(written)
        self.changed |= {file.record.path for file in written if file.is_changed}

    def _keep_what_may_stay(self, share: Share) -> None:
        """A page that couldn't be made anew keeps what it had, unless its old form shows more than it may now."""
        if not self._has_same_terms(share):
            self.removal += self.folder.remove(owner_of(share))
            return
        self.folder.keep_as_is(owner_of(share))
        self.records[share.slug] = replace(self.state.last.shares[share.slug], page_key=self._terms(share))
        if text := self.state.last.facts.get(inside(share)):
            self.facts[inside(share)] = text

    def _record(self, share: Share, *, card: str, cache_key: str) -> None:
        key = self._page_keys[share.slug]
        self.records[share.slug] = ShareRecord(share.slug, share.head.key, key, cache_key, share.expires, card)

    def _make_once(self, owner: str, key: str, make: Callable[[], Iterable[Document]]) -> None:
        self.facts[owner] = key
        if self.is_full or self.state.last.facts.get(owner) != key or not self.folder.keep(owner):
            self._write(owner, make())

    def _write(self, owner: str, documents: Iterable[Document]) -> None:
        self.changed |= self.folder.write(owner, documents)

    def _site_documents(self, cards: list[Card]) -> list[Document]:
        home = self.pages.home(self.projects, cards, has_search=self._has_search)
        return [*home, self.pages.not_found(), *self.pages.extras(self.projects, cards)]

    def _has_index(self, share: Share) -> bool:
        return share.project is not None and share.project in self.projects
